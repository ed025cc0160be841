extension Keychain {
    /// The status of the keychain now, and again whenever it has changed.
    ///
    /// ```swift
    /// for await status in keychain.statusChanges() where status.state == .unlocked {
    ///     ...
    /// }
    /// ```
    ///
    /// It looks in intervals, since a key that leaves the kernel tells nobody: what changes back
    /// within an interval is not seen. It ends when its task is cancelled or nobody iterates any more.
    ///
    /// - Parameter interval: How long it sleeps between two looks.
    /// - Returns: A sequence of its own for each call.
    public func statusChanges(every interval: Duration = .seconds(1)) -> AsyncStream<KeychainStatus>
    {
        let keychain = self
        // Whoever iterates slowly wants to know what is, not what was.
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                var last: KeychainStatus?
                while !Task.isCancelled {
                    let status = keychain.status()
                    if last?.isSame(as: status) != true { continuation.yield(status) }
                    last = status
                    try? await Task.sleep(for: interval)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension KeychainStatus {
    fileprivate func isSame(as other: KeychainStatus) -> Bool {
        state == other.state && reason == other.reason && error?.code == other.error?.code
            && mismatchSince == other.mismatchSince
    }
}
