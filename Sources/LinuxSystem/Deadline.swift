internal import Glibc

/// A point on the monotonic clock until which something may take.
public struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    public init(after duration: Duration) {
        end = ContinuousClock.now + duration
    }

    public var remaining: Duration {
        max(.zero, end - ContinuousClock.now)
    }

    public var hasPassed: Bool { remaining == .zero }

    /// Asks `attempt` again, with growing pauses of 1 to 20 ms, until it has a value.
    ///
    /// - Returns: The value, or nil when the deadline passed first.
    /// - Throws: What `attempt` throws.
    public func retry<Value: ~Copyable, Failure: Error>(
        _ attempt: () throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        var pauseMicroseconds: UInt32 = 1000
        while true {
            if let value = try attempt() { return value }
            if hasPassed { return nil }
            usleep(pauseMicroseconds)
            pauseMicroseconds = min(20_000, pauseMicroseconds * 2)
        }
    }
}
