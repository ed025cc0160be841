internal import CPAM
internal import CUnlockProtocol

/// What open_session has brought about, until close_session: the link from the session keyring to the
/// user's presence keyring, by which the session counts, and perhaps an open store.
///
/// The helper makes the link in the keyring that it inherited; the host, which possesses that keyring,
/// removes it. A session that ends otherwise loses it with its last process.
enum Presence {
    private static var name: StaticString { "pam_vestry:presence" }

    fileprivate struct Record {
        let reply: vestry_reply
        /// What is left of the login's time, in milliseconds.
        let budget: Int64
        /// Who has opened the session: a child of the host may end its copy of the handle as it likes.
        let process = getpid()
    }

    /// Keeps what close_session needs.
    static func keep(
        _ reply: vestry_reply, _ conversation: Conversation, left deadline: Deadline
    ) {
        guard isLinked(reply) || hasOpened(reply),
            let memory = unsafe malloc(MemoryLayout<Record>.size)
        else { return }
        let record = Record(reply: reply, budget: Int64(deadline.remainingMilliseconds))
        unsafe memory.bindMemory(to: Record.self, capacity: 1).initialize(to: record)
        if unsafe !conversation.setData(name, memory, cleanUp: endPresence) { unsafe free(memory) }
    }

    /// Removes the link that this handle's open_session got.
    ///
    /// - Returns: false where there was none any more: pam_keyinit revokes the session keyring when
    ///   its line comes first, and that is as good.
    static func unlink(_ conversation: Conversation) -> Bool {
        guard let memory = unsafe conversation.data(name) else { return false }
        let reply = unsafe memory.assumingMemoryBound(to: Record.self).pointee.reply
        _ = unsafe conversation.setData(name, nil, cleanUp: nil)
        return unlink(reply)
    }

    fileprivate static func unlink(_ reply: vestry_reply) -> Bool {
        guard isLinked(reply) else { return false }
        return vestry_keyctl(
            KeyOperation.unlink, Int(reply.presence_keyring), Int(reply.session_keyring), 0, 0) == 0
    }

    private static func isLinked(_ reply: vestry_reply) -> Bool {
        reply.presence_keyring > 0 && reply.session_keyring > 0
    }

    /// Whether the store was locked before.
    fileprivate static func hasOpened(_ reply: vestry_reply) -> Bool {
        switch vestry_result(rawValue: reply.result) {
        case VESTRY_OPENED, VESTRY_ENROLLED, VESTRY_OPENED_BY_PREVIOUS: true
        default: false
        }
    }
}

/// pam_end(3) without close_session before it: where the host says that the login failed, a module
/// below has refused the session, and nothing stays open that was not open before.
private func endPresence(
    _ handle: OpaquePointer?, _ memory: UnsafeMutableRawPointer?, _ status: CInt
) {
    guard let memory = unsafe memory else { return }
    let record = unsafe memory.assumingMemoryBound(to: Presence.Record.self).pointee
    unsafe free(memory)
    let flags = CInt(bitPattern: CUnsignedInt(PAM_DATA_SILENT) | CUnsignedInt(PAM_DATA_REPLACE))
    guard let handle = unsafe handle, status & flags == 0, status != PAM_SUCCESS,
        record.process == getpid()
    else { return }
    _ = Presence.unlink(record.reply)
    guard Presence.hasOpened(record.reply) else { return }
    unsafe Login(afterRefusal: handle).closeAgain(within: record.budget)
}
