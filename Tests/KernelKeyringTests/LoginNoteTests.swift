import KeyClasses
import Testing

@testable import KernelKeyring

@Suite struct LoginNoteTests {
    static let store = StoreID.random()
    static let notes = [
        LoginNote(.otherPassword, since: 1_700_000_000), LoginNote(.otherSecret, since: -1),
        LoginNote(.otherPassword, since: .max, mark: [UInt8](0..<32)),
    ]

    @Test(arguments: notes)
    func whatIsNotedIsReadBack(_ note: LoginNote) {
        #expect(LoginNote(note.payload(of: Self.store)) == note)
        // Keys of a longer payload are not read.
        #expect(note.payload(of: Self.store).count <= 64)
    }

    /// As an earlier helper wrote it, in the same boot.
    @Test func aNoteWithoutACauseIsOfAnotherPassword() {
        let payload = Array(LoginNote(.otherSecret, since: 7).payload(of: Self.store).prefix(24))
        #expect(LoginNote(payload) == LoginNote(.otherPassword, since: 7))
    }

    @Test(arguments: [0, 16, 23, 26, 56, 58])
    func anotherSizeIsNoNote(_ count: Int) {
        #expect(LoginNote([UInt8](repeating: 0, count: count)) == nil)
    }

    @Test func anUnknownCauseIsNoNote() {
        var payload = LoginNote(.otherPassword, since: 7).payload(of: Self.store)
        payload[24] = 2
        #expect(LoginNote(payload) == nil)
    }

    @Test(arguments: [0, 31, 33])
    func aMarkOfAnotherSizeIsNone(_ count: Int) {
        let mark = [UInt8](repeating: 1, count: count)
        #expect(LoginNote(.otherPassword, since: 7, mark: mark).mark == nil)
    }
}
