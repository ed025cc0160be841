import Glibc
import Testing

@testable import LinuxSystem

@Suite struct ProcessIdentityTests {
    /// Fields 4 to 21 of proc_pid_stat(5), the start, and one more.
    static let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 98765 20"

    @Test(
        arguments: [
            ("7 (sshd) S \(rest)", 98_765), ("7 (a) b (c)) R \(rest)\n", 98_765),
            ("7 () 1 2 3) S \(rest)", 98_765), ("7 (\n) S \(rest)", 98_765),
            ("7 (sshd) Z \(rest)", nil), ("7 (sshd) X \(rest)", nil),
            ("7 (sshd) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18", nil),
            ("7 (sshd) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 -1", nil),
            ("7 (sshd", nil), ("", nil), (")", nil),
        ] as [(String, UInt64?)])
    func theStartIsFoundBehindAnyName(_ line: String, startTicks: UInt64?) {
        #expect(ProcessIdentity.startTicks(inStatus: Array(line.utf8)) == startTicks)
    }

    @Test(
        arguments: [
            // Minor numbers of 20 bits, of which the upper ones stand above the major number's.
            ("34816", 0), ("34821", 5), ("35071", 255), ("1083392", 256), ("-1048576", nil),
            ("1025", nil), ("0", nil), ("-2147448832", 0x80000), ("x", nil),
        ] as [(String, UInt32?)])
    func aPseudoTerminalHasTheNumberOfItsDevice(_ device: String, number: UInt32?) {
        let line = "7 (bash) S 1 2 3 \(device) 5 6 7 8 9 10 11 12 13 14 15 16 17 18 98765 20"
        #expect(ProcessIdentity.pseudoTerminal(inStatus: Array(line.utf8)) == number)
    }

    @Test(
        arguments: [
            ("0::/user.slice/user-2001.slice/session-3.scope\n", "3"),
            ("0::/user.slice/user-2001.slice/session-c12.scope\n", "c12"),
            ("4:cpu:/\n1:name=systemd:/user.slice/user-2001.slice/session-3.scope\n0::/\n", "3"),
            ("0::/machine/user.slice/user-2001.slice/session-3.scope\n", "3"),
            ("0::/user.slice/user-2002.slice/session-3.scope\n", nil),
            ("0::/user.slice/user-20011.slice/session-3.scope\n", nil),
            ("0::/user.slice/user-2001.slice/session-3.scope/below\n", nil),
            ("0::/user.slice/user-2001.slice/session-.scope\n", nil),
            ("0::/user.slice/user-2001.slice/user@2001.service\n", nil),
            ("0::/session-3.scope\n", nil), ("0::/system.slice/ssh.service\n", nil),
            ("0::/\n", nil), ("session-3.scope", nil), ("/", nil), ("", nil),
        ] as [(String, String?)])
    func logindsNameStandsInTheControlGroup(_ text: String, identifier: String?) {
        #expect(ProcessIdentity.loginSession(of: 2001, inControlGroups: text) == identifier)
    }

    @Test func aProcessIsTheOneThatStartedThen() throws {
        let own = try #require(ProcessIdentity(running: getpid()))
        #expect(own.isRunning)
        #expect(try !#require(own.programName).isEmpty)
        let later = ProcessIdentity(number: own.number, startTicks: own.startTicks + 1)
        #expect(!later.isRunning)
        #expect(later.programName == nil)
        #expect(later.loginSession(of: getuid()) == nil)
        #expect(later.pseudoTerminal == nil)
    }

    // 4194304 is PID_MAX_LIMIT of Linux: numbers are below it.
    @Test(arguments: [0, -1, 4_194_304, .max, .min] as [pid_t])
    func noOtherNumberIsAProcess(_ number: pid_t) {
        #expect(ProcessIdentity(running: number) == nil)
        #expect(!ProcessIdentity(number: number, startTicks: 1).isRunning)
    }
}
