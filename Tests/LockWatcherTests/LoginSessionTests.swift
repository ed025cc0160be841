import Testing

@testable import LockWatcher

private func session(
    type: String = "tty", class: String = "user", state: String = "active", idle: Bool = false,
    since: UInt64 = 0
) -> LoginSession {
    var session = LoginSession(path: "/session")
    session.type = type
    session.sessionClass = `class`
    session.state = state
    session.isIdleByHint = idle
    session.idleSince = since
    return session
}

@Suite struct LoginSessionTests {
    @Test(arguments: [
        ("user", "active", true), ("user", "online", true), ("user", "opening", true),
        ("user", "closing", false), ("user-early", "online", true), ("greeter", "active", false),
        ("lock-screen", "active", false), ("background", "active", false),
        ("manager", "active", false), ("", "", false),
    ])
    func onlyAPersonsSessionIsOpen(class: String, state: String, isOpen: Bool) {
        #expect(session(class: `class`, state: state).isOpen == isOpen)
    }

    @Test func onlyATerminalOfWhichNothingIsKnownIsLookedFor() {
        #expect(session().hasUnknownTerminal)
        #expect(!session(since: Self.now).hasUnknownTerminal)
        #expect(!session(type: "wayland").hasUnknownTerminal)
        #expect(session().lastInput() == 0)
    }

    static let minute: UInt64 = 60_000_000
    static let now: UInt64 = 1_000_000 * minute

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sessions: [LoginSession]
        /// In seconds; 0 locks.
        let wait: Int
    }

    // With a limit of ten minutes.
    static let cases = [
        Case(testDescription: "no session", sessions: [], wait: 600),
        Case(
            testDescription: "a terminal left a minute ago",
            sessions: [session(since: now - minute)], wait: 540),
        Case(
            testDescription: "a terminal left ten minutes ago",
            sessions: [session(since: now - 10 * minute)], wait: 0),
        Case(
            testDescription: "a terminal left nearly ten minutes ago",
            sessions: [session(since: now - 10 * minute + 1)], wait: 1),
        Case(
            testDescription: "the last one counts",
            sessions: [session(since: now - 20 * minute), session(since: now - 4 * minute)],
            wait: 360),
        Case(
            testDescription: "a desktop in use",
            sessions: [session(type: "wayland", since: now - 20 * minute)], wait: 600),
        Case(
            testDescription: "an idle desktop",
            sessions: [session(type: "x11", idle: true, since: now - 20 * minute)], wait: 0),
        Case(
            testDescription: "an idle desktop and a terminal in use",
            sessions: [
                session(type: "x11", idle: true, since: now - 20 * minute), session(since: now),
            ], wait: 600),
        Case(
            testDescription: "a command over ssh, of which nothing is known",
            sessions: [session(), session(since: now - 20 * minute)], wait: 600),
        Case(
            testDescription: "a clock that was set back",
            sessions: [session(since: now + minute)], wait: 600),
    ]

    @Test(arguments: cases)
    func everybodyMustBeAway(_ example: Case) {
        let wait = IdleTimer.wait(until: .seconds(600), example.sessions, now: Self.now)
        #expect(wait == .seconds(example.wait))
    }

    @Test func theNextLookIsWhenItCanBeTrue() {
        var timer = IdleTimer(limit: .seconds(600))
        #expect(timer.isDue)
        let left = session(since: Self.now - 4 * Self.minute)
        let isEarly = timer.shallLock([left], now: Self.now)
        #expect(!isEarly)
        #expect(!timer.isDue)
        #expect(timer.remaining > .seconds(350) && timer.remaining <= .seconds(360))
        let isTime = timer.shallLock([left], now: Self.now + 6 * Self.minute)
        #expect(isTime)
        #expect(timer.remaining > .seconds(590))
    }
}
