internal import CPAM
internal import CUnlockProtocol

// What the entry points return, whatever happens to the store, the helper or the kernel:
//
//   entry point           returns       because
//   pam_sm_authenticate   PAM_IGNORE    success would let anybody in where the line is `sufficient`
//   pam_sm_acct_mgmt      PAM_IGNORE    the same
//   pam_sm_chauthtok      PAM_IGNORE    it is for others to say whether the password was changed
//   pam_sm_setcred        PAM_SUCCESS   a stack without another answer fails, and this one cannot let
//   pam_sm_open_session   PAM_SUCCESS   anybody in: it runs after the decision. PAM_IGNORE would end
//   pam_sm_close_session  PAM_SUCCESS   the session under [success=ok default=die].
//
// With these, `optional`, `required` and `[success=ok ignore=ignore default=die]` change nothing for
// anybody. Two controls are wrong for this module: `[default=die]` without `ignore` in an auth,
// account or password stack (libpam applies `default` to PAM_IGNORE too, so it refuses everybody),
// and `sufficient` in a session stack (it skips the lines below).
//
// The auth line belongs behind every line that may set or replace PAM_AUTHTOK: before them there is
// no token yet, and between them perhaps one that somebody mistyped. The session line belongs behind
// pam_keyinit, which makes the session keyring, and before pam_systemd, which starts user services.

@c(pam_sm_authenticate)
public func authenticate(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> CInt {
    guard let handle = unsafe handle else { return PAM_IGNORE }
    let login = unsafe Login(handle, count, arguments, reportsUnknownOptions: true)
    login.keepToken()
    return PAM_IGNORE
}

@c(pam_sm_setcred)
public func setCredentials(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> CInt {
    // A screen locker that runs as root refreshes the credentials after the password. A login
    // establishes them, and its token is for open_session.
    guard let handle = unsafe handle,
        CUnsignedInt(bitPattern: flags) & (reinitializeCredentials | refreshCredentials) != 0
    else { return PAM_SUCCESS }
    let login = unsafe Login(handle, count, arguments, reportsUnknownOptions: false)
    login.unlockAgain()
    return PAM_SUCCESS
}

@c(pam_sm_acct_mgmt)
public func accountManagement(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> CInt {
    PAM_IGNORE
}

@c(pam_sm_open_session)
public func openSession(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> CInt {
    guard let handle = unsafe handle else { return PAM_SUCCESS }
    let login = unsafe Login(handle, count, arguments, reportsUnknownOptions: true)
    login.openSession(mayTell: CUnsignedInt(bitPattern: flags) & silent == 0)
    return PAM_SUCCESS
}

@c(pam_sm_close_session)
public func closeSession(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> CInt {
    guard let handle = unsafe handle else { return PAM_SUCCESS }
    let login = unsafe Login(handle, count, arguments, reportsUnknownOptions: false)
    login.closeSession()
    return PAM_SUCCESS
}

@c(pam_sm_chauthtok)
public func changeToken(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> CInt {
    // Not in the preliminary phase: a module that refuses there would leave the store on a password
    // that was never set.
    let flags = CUnsignedInt(bitPattern: flags)
    guard let handle = unsafe handle, flags & updateToken != 0 else { return PAM_IGNORE }
    let login = unsafe Login(handle, count, arguments, reportsUnknownOptions: true)
    login.changeToken(mayTell: flags & silent == 0)
    return PAM_IGNORE
}

// security/_pam_types.h and security/pam_modules.h; as macros with a suffix or of differing
// signedness they reach Swift in differing types.
private let silent: CUnsignedInt = 0x8000
private let refreshCredentials: CUnsignedInt = 0x10
private let reinitializeCredentials: CUnsignedInt = 0x8
private let updateToken: CUnsignedInt = 0x2000
