internal import CPAM
internal import CUnlockProtocol

/// The link from the session keyring to the user's presence keyring: this session counts as open.
///
/// The helper makes it in the keyring that it inherited; the host, which possesses that keyring,
/// removes it. A session that ends otherwise loses it with its last process.
enum Presence {
    private static var name: StaticString { "pam_vestry:presence" }

    /// Keeps the serials for close_session.
    static func keep(_ reply: vestry_reply, _ conversation: Conversation) {
        guard reply.presence_keyring > 0, reply.session_keyring > 0,
            let memory = unsafe malloc(MemoryLayout<vestry_reply>.size)
        else { return }
        unsafe memory.bindMemory(to: vestry_reply.self, capacity: 1).initialize(to: reply)
        if unsafe !conversation.setData(name, memory, cleanUp: { _, data, _ in unsafe free(data) })
        {
            unsafe free(memory)
        }
    }

    /// Removes the link that this handle's open_session got.
    ///
    /// - Returns: false where there was none any more: pam_keyinit revokes the session keyring when
    ///   its line comes first, and that is as good.
    static func unlink(_ conversation: Conversation) -> Bool {
        guard let memory = unsafe conversation.data(name) else { return false }
        let reply = unsafe memory.assumingMemoryBound(to: vestry_reply.self).pointee
        _ = unsafe conversation.setData(name, nil, cleanUp: nil)
        return vestry_keyctl(
            KeyOperation.unlink, Int(reply.presence_keyring), Int(reply.session_keyring), 0, 0) == 0
    }
}
