/// What the shell gets of each program; the numbers never change their meaning.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    case failure = 1
    case usage = 2
    case notFound = 3
    case locked = 4
    case mismatch = 5
    case damaged = 6
    case duplicate = 7
    case denied = 8
    case unavailable = 9
    case cancelled = 10
    case timedOut = 11
}
