import Glibc
import LinuxSystem
import Testing

@Suite struct ChildProgramTests {
    @Test func aProgramReadsWhatIsWrittenAndAnswers() throws {
        let program = try ChildProgram(starting: "cat")
        try program.write(Array("there and back\n".utf8))
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(program.output.rawValue, &bytes, bytes.count)
        #expect(bytes.prefix(max(0, count)) == Array("there and back\n".utf8)[...])
    }

    @Test(arguments: [("vestry-no-such-program", ENOENT), ("/etc/passwd", EACCES)])
    func whatCannotBeStartedIsAnError(_ name: String, _ expected: CInt) {
        let error = #expect(throws: SystemCallError.self) { _ = try ChildProgram(starting: name) }
        #expect(error?.errno == expected)
    }

    /// SIGPIPE would end this process.
    @Test func writingToOneThatHasEndedIsAnError() throws {
        let program = try ChildProgram(starting: "true")
        #expect(try program.output.readAll(limit: 0) == [])
        // Another test may fork in between: its child has the pipe until it runs its program.
        let error = Deadline(after: .seconds(10)).retry { () -> SystemCallError? in
            do throws(SystemCallError) {
                try program.write([0x0A])
                return nil
            } catch {
                return error
            }
        }
        #expect(error?.errno == EPIPE)
    }
}
