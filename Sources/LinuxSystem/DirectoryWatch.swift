internal import Glibc

/// Tells when something in a directory is made or written, by inotify(7).
public struct DirectoryWatch: ~Copyable {
    private let descriptor: FileDescriptor

    /// Begins to watch; changes from here on are not missed.
    ///
    /// Nil when there is no such directory, or the user's watches are used up.
    ///
    /// - Parameter path: A directory.
    public init?(path: String) {
        let opened = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard opened != -1 else { return nil }
        let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE)
        guard unsafe inotify_add_watch(opened, path, mask) != -1 else {
            close(opened)
            return nil
        }
        descriptor = FileDescriptor(adopting: opened)
    }

    /// Sleeps until something changed, or the time is over, or a signal came.
    public func wait(atMost duration: Duration) {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, duration.pollMilliseconds) > 0 else { return }
        var events = [UInt8](repeating: 0, count: 4096)
        // Which file it was does not matter.
        while unsafe read(descriptor.rawValue, &events, events.count) > 0 {}
    }
}

extension Duration {
    /// For poll(2): rounded up, so that waiting does not become a busy loop at the end.
    var pollMilliseconds: CInt {
        let (seconds, attoseconds) = components
        let milliseconds = min(seconds, 86_400) * 1000 + attoseconds / 1_000_000_000_000_000
        return CInt(clamping: max(0, milliseconds) + 1)
    }
}

/// Sleeps, for where there is nothing to watch; a signal ends it early.
public func pause(_ duration: Duration) {
    _ = poll(nil, 0, duration.pollMilliseconds)
}
