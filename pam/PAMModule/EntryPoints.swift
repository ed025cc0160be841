import CPAM

@c(pam_sm_acct_mgmt)
public func accountManagement(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> CInt {
    PAM_IGNORE
}
