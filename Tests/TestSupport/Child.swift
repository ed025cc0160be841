internal import Glibc
internal import LinuxSystem

/// Runs `body` in a child of fork(2), which Swift hides.
///
/// - Returns: What `body` returned, 0 to 125; more where the child did not get that far.
public func inChild(_ body: () -> CInt) throws -> CInt {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = unsafe dlsym(nil, "fork") else {
        throw SystemCallError("fork", errno: ENOSYS)
    }
    let child = unsafe unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 {
        // Whatever hangs is over soon, and nothing of the parent's runs at the end.
        alarm(20)
        _exit(body())
    }
    var status: CInt = 0
    guard child > 0, unsafe waitpid(child, &status, 0) == child else {
        throw SystemCallError("fork", errno: errno)
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 126
}
