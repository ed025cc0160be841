internal import CLinux
public import Glibc
public import LinuxSystem

/// Becomes `account` for good: real, effective and saved IDs, and all groups.
///
/// Groups go first, because changing them needs the privilege that the last step gives up. The final
/// check is the point of this function: a process that can still get root back has not dropped
/// anything.
///
/// The kernel resets the dumpable flag at a change of identity (prctl(2)), so it is set anew here:
/// the process holds keys, and from now on its user could otherwise attach to it.
///
/// - Parameters:
///   - account: Whom to become. Root is refused.
///   - groups: The supplementary groups, as from ``Account/groups()``, looked up before.
/// - Throws: `SystemCallError` when a step fails. The caller must exit then, since the process is in
///   a mixed state.
public func dropPrivileges(to account: Account, groups: [gid_t]) throws(SystemCallError) {
    guard account.user != 0 else { throw SystemCallError("setresuid", errno: EPERM) }
    guard unsafe setgroups(groups.count, groups) == 0 else {
        throw SystemCallError("setgroups", errno: errno)
    }
    guard vestry_setresgid(account.group, account.group, account.group) == 0 else {
        throw SystemCallError("setresgid", errno: errno)
    }
    guard vestry_setresuid(account.user, account.user, account.user) == 0 else {
        throw SystemCallError("setresuid", errno: errno)
    }
    guard setuid(0) == -1, seteuid(0) == -1 else {
        fatalError("root can be regained after the drop")
    }
    guard vestry_set_not_dumpable() == 0 else { throw SystemCallError("prctl", errno: errno) }
}
