internal import CPAM
internal import CUnlockProtocol

/// The token between authenticate and open_session, in the data of the PAM handle.
///
/// libpam clears PAM_AUTHTOK before pam_authenticate(3) returns, so a line that stands before the
/// module that asks finds nothing to keep, and a later one keeps what was set last.
enum Stash {
    private static var name: StaticString { "pam_vestry:token" }

    static func keep(_ request: consuming SecretRequest, _ conversation: Conversation) -> Bool {
        let memory = unsafe request.release()
        let isKept = unsafe conversation.setData(name, memory, cleanUp: wipeStash)
        if !isKept { _ = unsafe SecretRequest(adopting: memory) }
        return isKept
    }

    /// Moves the token out: nothing is left in the handle, whether or not there was memory for it.
    static func take(_ conversation: Conversation) -> SecretRequest? {
        guard let memory = unsafe conversation.data(name) else { return nil }
        let request = unsafe SecretRequest(copying: memory)
        drop(conversation)
        return request
    }

    static func drop(_ conversation: Conversation) {
        guard let memory = unsafe conversation.data(name) else { return }
        // Wiped here too, should libpam have no memory to replace the data.
        unsafe explicit_bzero(memory, MemoryLayout<vestry_request>.size)
        _ = unsafe conversation.setData(name, nil, cleanUp: nil)
    }
}

private func wipeStash(
    _ handle: OpaquePointer?, _ memory: UnsafeMutableRawPointer?, _ status: CInt
) {
    guard let memory = unsafe memory else { return }
    _ = unsafe SecretRequest(adopting: memory)
    // pam_end(3) after a refusal: whatever this process left for another one is void as well.
    let flags = CInt(bitPattern: CUnsignedInt(PAM_DATA_SILENT) | CUnsignedInt(PAM_DATA_REPLACE))
    guard let handle = unsafe handle, status & ~flags != PAM_SUCCESS else { return }
    HandOver.revoke(unsafe Conversation(handle))
}
