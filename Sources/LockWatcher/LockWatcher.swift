internal import Glibc
internal import LinuxSystem
internal import VestryConfiguration

/// `vestry-lock-watcher`: a service of the user's service manager.
///
/// It takes no arguments. Its messages go to standard error, which is the journal.
@main
enum LockWatcher {
    static func main() {
        guard CommandLine.argc == 1 else {
            Log.warning("it takes no arguments; see vestry-lock-watcher(8)")
            exit(ExitStatus.usage.rawValue)
        }
        let (configuration, complaints) = Configuration.load()
        for complaint in complaints { Log.warning("\(complaint)") }
        var connections = Connections(idleLimit: configuration.lockAfterIdle)
        while true {
            switch connections.useOne() {
            case .again(let duration): pause(duration)
            case .end(let status): exit(status.rawValue)
            }
        }
    }
}

/// One connection to the bus after the other: the bus, and logind, may be restarted.
struct Connections {
    let idleLimit: Duration?
    private var requests = LockRequests()
    private var isFirst = true
    private var nextPause = Self.shortestPause

    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(30)

    init(idleLimit: Duration?) {
        self.idleLimit = idleLimit
    }

    enum Next {
        case again(after: Duration)
        case end(ExitStatus)
    }

    /// Works as long as one connection lasts.
    mutating func useOne() -> Next {
        do throws(BusError) {
            var watcher = try Watcher(user: geteuid(), idleLimit: idleLimit, requests: requests)
            if isFirst { ServiceManager.notifyReady("waiting for locked screens and for sleep") }
            isFirst = false
            nextPause = Self.shortestPause
            let error = watcher.run()
            requests = watcher.requests
            Log.warning("connecting again: \(error)")
        } catch {
            if isFirst { return end(after: error) }
        }
        defer { nextPause = min(Self.longestPause, nextPause * 2) }
        return .again(after: nextPause)
    }

    /// Where there is no logind, there is nothing to do, and starting anew would not change that.
    private func end(after error: BusError) -> Next {
        switch error {
        case .notConnected, .noService:
            let message = "no logind here: \(error)"
            Log.warning("\(message); 'vestry lock' locks by hand")
            ServiceManager.notifyReady(message)
            return .end(.done)
        default:
            Log.warning("logind: \(error)")
            return .end(.failure)
        }
    }
}

/// Lines for the journal.
enum Log {
    static func warning(_ line: String) {
        let text = Array("vestry-lock-watcher: \(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, text, text.count)
    }
}
