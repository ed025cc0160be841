import Glibc
import Testing

@testable import LinuxSystem

@Suite struct FilterTests {
    static func run(
        _ arguments: [String], input: [UInt8] = [], room: Int = 100, within: Duration = .seconds(20)
    ) throws(SystemCallError) -> (status: CInt?, output: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: room)
        var output = bytes.mutableSpan
        let result = try Filter.run(
            arguments, input: input.span, output: &output, before: Deadline(after: within))
        return (result.status, Array(bytes.prefix(result.byteCount)))
    }

    @Test func whatGoesInComesOut() throws {
        let input = Array("a secret\0".utf8)
        let result = try Self.run(["/bin/cat"], input: input)
        #expect(result.status == 0 && result.output == input)
    }

    @Test func aProgramHasNoEnvironmentAndNoOtherDescriptor() throws {
        let environment = try Self.run(["/usr/bin/env"])
        #expect(environment.status == 0 && environment.output.isEmpty)
        // The fourth is of ls itself, which reads the folder.
        let result = try Self.run(["/bin/ls", "/proc/self/fd"])
        #expect(String(decoding: result.output, as: UTF8.self) == "0\n1\n2\n3\n")
    }

    @Test func theStatusIsTheProgramsOwn() throws {
        #expect(try Self.run(["/bin/sh", "-c", "exit 7"]).status == 7)
        #expect(try Self.run(["/bin/sh", "-c", "kill -9 $$"]).status == nil)
    }

    @Test func aProgramThatDoesNotReadIsNoHarm() throws {
        let result = try Self.run(
            ["/bin/sh", "-c", "exec <&-; echo done"], input: [UInt8](repeating: 1, count: 16_384))
        #expect(result.status == 0)
    }

    @Test func aProgramThatIsNotThereIsAnError() {
        #expect(throws: SystemCallError("posix_spawn", errno: ENOENT)) {
            try Self.run(["/nowhere/vestry"]).status
        }
    }

    @Test func aProgramThatTakesTooLongIsEnded() {
        #expect(throws: SystemCallError("poll", errno: ETIMEDOUT)) {
            try Self.run(["/bin/sleep", "60"], within: .milliseconds(50)).status
        }
    }

    @Test(arguments: [(99, true), (100, true), (101, false)])
    func moreOutputThanHasRoomIsAnError(count: Int, fits: Bool) {
        let result = try? Self.run(
            ["/bin/cat"], input: [UInt8](repeating: 1, count: count)
        ).output.count
        #expect(result == (fits ? count : nil))
    }

    @Test func moreInputThanAPipeHoldsIsRefused() {
        #expect(throws: SystemCallError("write", errno: EFBIG)) {
            try Self.run(["/bin/cat"], input: [UInt8](repeating: 1, count: 16_385)).status
        }
    }
}
