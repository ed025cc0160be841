import Testing

@testable import LockWatcher

/// Seconds on a clock of the test's own.
private func at(_ seconds: Double) -> LockRequests.Instant {
    start + .seconds(seconds)
}

private let start = LockRequests.Instant.now

@Suite struct LockRequestsTests {
    @Test func aRequestLastsUntilItIsTakenBack() {
        var requests = LockRequests()
        #expect(requests.isEmpty)
        #expect(!requests.isLocked("a"))
        requests.lock("a", at: at(0))
        #expect(requests.isLocked("a"))
        #expect(!requests.isLocked("b"))
        requests.unlock("b")
        #expect(requests.isLocked("a"))
        requests.unlock("a")
        #expect(requests == LockRequests())
    }

    @Test func sessionsThatHaveEndedAreForgotten() {
        var requests = LockRequests()
        requests.lock("a", at: at(0))
        requests.lock("b", at: at(0))
        requests.keepOnly(["b", "c"])
        #expect(!requests.isLocked("a"))
        #expect(requests.isLocked("b"))
    }

    /// swaylock and i3lock say nothing when the screen is unlocked.
    @Test func aPasswordAtTheLockerUnlocks() {
        var requests = LockRequests()
        requests.lock("a", at: at(0))
        requests.passwordTyped(at: at(5))
        #expect(!requests.isLocked("a"))
        requests.lock("a", at: at(6))
        #expect(requests.isLocked("a"))
    }

    @Test func aPasswordAtALoginUnlocksNoScreen() {
        var requests = LockRequests()
        requests.lock("a", at: at(0))
        requests.passwordTyped(at: at(5))
        requests.sessionOpened(at: at(6))
        #expect(requests.isLocked("a"))
        // Long after an unlock there is a login, which leaves the screen unlocked.
        requests.passwordTyped(at: at(100))
        requests.passwordTyped(at: at(200))
        requests.sessionOpened(at: at(200.5))
        #expect(!requests.isLocked("a"))
        requests.lock("b", at: at(300))
        #expect(!requests.isLocked("a"))
        #expect(requests.isLocked("b"))
    }

    @Test(arguments: [(9.9, true), (10, true), (10.1, false)])
    func aLoginIsWhatASessionFollowsSoon(after seconds: Double, isLocked: Bool) {
        var requests = LockRequests()
        requests.lock("a", at: at(0))
        requests.passwordTyped(at: at(1))
        requests.sessionOpened(at: at(1 + seconds))
        #expect(requests.isLocked("a") == isLocked)
    }

    @Test func aPasswordBeforeTheRequestIsNoMatter() {
        var requests = LockRequests()
        requests.passwordTyped(at: at(0))
        requests.lock("a", at: at(1))
        #expect(requests.isLocked("a"))
    }
}
