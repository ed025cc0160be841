internal import Glibc

/// Tells when something in a directory is made or written, by inotify(7).
public struct DirectoryWatch: ~Copyable {
    /// Becomes readable when something has changed.
    public let descriptor: FileDescriptor

    /// Begins to watch; changes from here on are not missed.
    ///
    /// Nil when there is no such directory, or the user's watches are used up.
    ///
    /// - Parameter path: A directory.
    public init?(path: String) {
        let opened = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard opened != -1 else { return nil }
        let mask = UInt32(
            IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_DELETE_SELF
                | IN_MOVE_SELF | IN_ONLYDIR)
        guard unsafe inotify_add_watch(opened, path, mask) != -1 else {
            close(opened)
            return nil
        }
        descriptor = FileDescriptor(adopting: opened)
    }

    /// What has changed in a directory.
    public struct Changes: Equatable, Sendable {
        /// Names that were made or written.
        public var names: Set<String> = []
        /// There was more than the kernel keeps: any other name may have changed too.
        public var isIncomplete = false
        /// The directory itself is gone, and nothing of another in its place will be seen.
        public var isOver = false

        /// Whether this name has changed, or may have.
        public func mayConcern(_ name: String) -> Bool {
            isIncomplete || isOver || names.contains(name)
        }
    }

    /// Takes what has changed since the last time, without waiting for more.
    public func takeChanges() -> Changes {
        var changes = Changes()
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor.rawValue, &bytes, bytes.count)
            guard count > 0 else { return changes }
            Self.add(bytes.prefix(count), to: &changes)
        }
    }

    /// Reads events as inotify(7) lays them out: four numbers of 32 bits, which are watch, mask,
    /// cookie and size of the name, and the name, filled up with zeros.
    static func add(_ events: ArraySlice<UInt8>, to changes: inout Changes) {
        var rest = events
        while rest.count >= 16 {
            let mask = number(rest, at: 4)
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { changes.isIncomplete = true }
            // IN_IGNORED: the watch has ended, after IN_DELETE_SELF or an unmount.
            if mask & UInt32(IN_IGNORED | IN_MOVE_SELF) != 0 { changes.isOver = true }
            let name = rest.dropFirst(16).prefix(Int(number(rest, at: 12)))
            let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            if !text.isEmpty { changes.names.insert(text) }
            rest = rest.dropFirst(16 + name.count)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
        unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        }
    }

    /// Sleeps until something has changed, or the time is over, or a signal came.
    ///
    /// - Returns: What has changed.
    public func wait(atMost duration: Duration) -> Changes {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, duration.pollMilliseconds) > 0 else { return Changes() }
        return takeChanges()
    }
}

extension Duration {
    /// For poll(2), at most a day: rounded up, so that waiting does not become a busy loop at the end.
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
