import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import Vestry

@Suite struct LoginSessionTests {
    @Test func recordsOfRunningHostsAreSessions() throws {
        let home = try TemporaryHome()
        let own = try #require(ProcessIdentity(running: getpid()))
        try home.record(own, "password\n", modified: 1_800_000_000)
        let sessions = LoginSession.all(of: 2001, in: home.path)
        #expect(sessions.count == 1)
        let session = try #require(sessions.first)
        #expect(session.gavePassword)
        #expect(session.since == 1_800_000_000)
        #expect(session.program == own.programName)

        try home.record(own, "no password\n", modified: 1_800_000_001)
        let later = try #require(LoginSession.all(of: 2001, in: home.path).first)
        #expect(!later.gavePassword)
        #expect(later.since == 1_800_000_001)
    }

    @Test func theOldestComesFirst() throws {
        let home = try TemporaryHome()
        let hosts = try [getppid(), getpid()].map { try #require(ProcessIdentity(running: $0)) }
        for order in [hosts, hosts.reversed()] {
            for (index, host) in order.enumerated() {
                try home.record(
                    host, index == 0 ? "password\n" : "no password\n", modified: 1000 + index)
            }
            let sessions = LoginSession.all(of: 2001, in: home.path)
            #expect(sessions.map(\.since) == [1000, 1001])
            #expect(sessions.map(\.gavePassword) == [true, false])
        }
    }

    @Test func nobodyElsesAreShown() throws {
        let home = try TemporaryHome()
        let own = try #require(ProcessIdentity(running: getpid()))
        try home.record(own, "password\n")
        for user: uid_t in [0, 200, 2002, 20011] {
            #expect(LoginSession.all(of: user, in: home.path).isEmpty)
        }
    }

    @Test func endedHostsAndReusedNumbersAreNoSessions() throws {
        let home = try TemporaryHome()
        let own = try #require(ProcessIdentity(running: getpid()))
        let reused = ProcessIdentity(number: own.number, startTicks: own.startTicks + 1)
        try home.record(reused, "password\n")
        try home.record(ProcessIdentity(number: 4_194_304, startTicks: 1), "password\n")
        #expect(LoginSession.all(of: 2001, in: home.path).isEmpty)
    }

    @Test(arguments: ["", "password", "password\n\n", "yes\n", String(repeating: "x", count: 4096)])
    func oddContentsAreNoRecord(_ contents: String) throws {
        let home = try TemporaryHome()
        let own = try #require(ProcessIdentity(running: getpid()))
        try home.record(own, contents)
        #expect(LoginSession.all(of: 2001, in: home.path).isEmpty)
    }

    @Test func whatIsNoFileIsNoRecord() throws {
        let home = try TemporaryHome()
        let own = try #require(ProcessIdentity(running: getpid()))
        let path = home.path + "/" + SessionRecord(user: 2001, host: own).name
        #expect(LoginSession.all(of: 2001, in: home.path + "/absent").isEmpty)
        unsafe mkdir(path, 0o755)
        #expect(LoginSession.all(of: 2001, in: home.path).isEmpty)
        unsafe rmdir(path)
        unsafe mkfifo(path, 0o644)
        #expect(LoginSession.all(of: 2001, in: home.path).isEmpty)
        unsafe unlink(path)
        try home.record(ProcessIdentity(number: 4_194_304, startTicks: 1), "password\n")
        unsafe symlink(home.path + "/2001.4194304.1", path)
        #expect(LoginSession.all(of: 2001, in: home.path).isEmpty)
    }
}

extension TemporaryHome {
    /// Writes a record of user 2001.
    fileprivate func record(
        _ host: ProcessIdentity, _ contents: String, modified: Int = 1000
    ) throws {
        let file = try FileDescriptor(
            opening: path + "/" + SessionRecord(user: 2001, host: host).name, in: AT_FDCWD,
            flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
        try file.write(Array(contents.utf8))
        let time = timespec(tv_sec: modified, tv_nsec: 0)
        try #require(unsafe futimens(file.rawValue, [time, time]) == 0)
    }
}
