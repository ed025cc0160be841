import Testing

@testable import LinuxSystem

@Suite struct DeviceKeyNoteTests {
    static let (one, two) = ("0123456789abcdef", "fedcba9876543210")

    @Test(arguments: [
        ("none\n", DeviceKeyNote.needs([])), ("\(one)\n", .needs([one])),
        ("\(one)\n\(two)\n", .needs([one, two])), ("unknown\n", .unknown),
    ])
    func aNoteIsWrittenAndReadAgain(text: String, note: DeviceKeyNote) {
        #expect(DeviceKeyNote(parsing: Array(text.utf8)) == note)
        #expect(note.contents == Array(text.utf8))
    }

    /// A note that is not whole keeps every key.
    @Test(arguments: [
        "", "\n", "none", "none\n\n", one, "\(one)\nnone\n", "none\n\(one)\n", "\(one)\n\n",
        "\(one.uppercased())\n", "\(one)0\n", "0\n", "\(one)\r\n", " \(one)\n", "\u{0}",
    ])
    func anythingElseIsUnknown(text: String) {
        let note = DeviceKeyNote(parsing: Array(text.utf8))
        #expect(note == .unknown && note.mayNeed(Self.one))
    }

    @Test func everyTruncationOfANoteNeedsItsKeysOrAll() {
        let bytes = DeviceKeyNote.needs([Self.one, Self.two]).contents
        for count in 0..<bytes.count where count != Self.one.count + 1 {
            #expect(DeviceKeyNote(parsing: Array(bytes.prefix(count))) == .unknown)
        }
    }

    @Test func bytesThatAreNoTextAreUnknown() {
        #expect(DeviceKeyNote(parsing: [0xFF, 0x0A]) == .unknown)
    }
}
