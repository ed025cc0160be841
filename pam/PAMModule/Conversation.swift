internal import CPAM

/// The host's PAM handle, as far as the module uses it: items, environment and private data.
///
/// Nothing here asks the user anything: pam_get_user(3) and pam_get_authtok(3) would, so only
/// pam_get_item(3) is used.
@safe
struct Conversation {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    /// A string item, lent until the item changes.
    func item(_ kind: CInt) -> UnsafePointer<CChar>? {
        var value: UnsafeRawPointer?
        guard unsafe pam_get_item(handle, kind, &value) == PAM_SUCCESS else { return nil }
        return unsafe value?.assumingMemoryBound(to: CChar.self)
    }

    /// A variable of the PAM environment, lent until it changes.
    func variable(_ name: StaticString) -> UnsafePointer<CChar>? {
        guard let name = unsafe cString(name) else { return nil }
        return unsafe pam_getenv(handle, name)
    }

    /// Sets "NAME=value", or removes "NAME".
    func putVariable(_ assignment: UnsafePointer<CChar>) {
        unsafe pam_putenv(handle, assignment)
    }

    /// What an earlier call of the module left under `name`.
    func data(_ name: StaticString) -> UnsafeMutableRawPointer? {
        var value: UnsafeRawPointer?
        guard let name = unsafe cString(name),
            unsafe pam_get_data(handle, name, &value) == PAM_SUCCESS
        else { return nil }
        return unsafe UnsafeMutableRawPointer(mutating: value)
    }

    /// Leaves `data` for a later call, in place of what stands there; `cleanUp` runs when it is
    /// replaced or the handle ends, with pam_end(3)'s status.
    func setData(
        _ name: StaticString, _ data: UnsafeMutableRawPointer?,
        cleanUp: (
            @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, CInt) -> Void
        )?
    ) -> Bool {
        guard let name = unsafe cString(name) else { return false }
        return unsafe pam_set_data(handle, name, data, cleanUp) == PAM_SUCCESS
    }
}

/// A string literal as C wants it: literals end with a NUL.
///
/// Never nil for a literal of more than one character; asking first keeps the check, and the trap
/// behind it, out of the code.
@inline(__always)
func cString(_ text: StaticString) -> UnsafePointer<CChar>? {
    guard text.hasPointerRepresentation else { return nil }
    return unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
