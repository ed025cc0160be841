import LinuxSystem
import Testing

@Suite struct SessionRecordTests {
    @Test func aNameIsReadAsItIsWritten() throws {
        let record = SessionRecord(
            user: 2001, host: ProcessIdentity(number: 77, startTicks: .max))
        #expect(record.name == "2001.77.18446744073709551615")
        #expect(SessionRecord(name: record.name) == record)
    }

    @Test(
        arguments: [
            "", ".", "..", "2001", "2001.77", "2001.77.", "2001..5", ".77.5", "2001.77.5.",
            "2001.77.5.6", "02001.77.5", "2001.077.5", "2001.77.05", "+2001.77.5", "2001.+77.5",
            "2001.-77.5", "2001.0.5", "2001.77.-5", "-1.77.5", "2001.77.5 ", " 2001.77.5",
            "alice.77.5", "4294967296.77.5", "2001.2147483648.5", "2001.77.18446744073709551616",
            "2001.77.5\n", "2001/77.5", "2001.77.0x5",
        ])
    func everyOtherNameIsRefused(_ name: String) {
        #expect(SessionRecord(name: name) == nil)
    }

    @Test func contentsSayWhetherAPasswordCame() {
        for hasPassword in [true, false] {
            let contents = SessionRecord.contents(hasPassword: hasPassword)
            #expect(contents.count < SessionRecord.byteLimit)
            #expect(SessionRecord.hasPassword(in: contents) == hasPassword)
            for count in 0..<contents.count {
                #expect(SessionRecord.hasPassword(in: Array(contents.prefix(count))) == nil)
            }
            for index in contents.indices {
                var changed = contents
                changed[index] ^= 1
                #expect(SessionRecord.hasPassword(in: changed) == nil)
            }
            #expect(SessionRecord.hasPassword(in: contents + contents) == nil)
        }
    }
}
