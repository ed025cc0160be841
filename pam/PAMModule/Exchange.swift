internal import CPAM
internal import CUnlockProtocol

/// What came of asking the helper.
enum Answer {
    case reply(vestry_reply)
    /// With the error number.
    case notStarted(CInt)
    /// It ended without a reply.
    case ended
    /// A signal ended it before it replied.
    case killed(CInt)
    case late
    case unexpected
    case unreachable(CInt)
    case socketNotRoots

    var isHomeMissing: Bool {
        guard case .reply(let reply) = self else { return false }
        return reply.result == VESTRY_HOME_MISSING.rawValue
    }
}

/// Sends the request and receives the reply, one packet each.
///
/// The request is wiped as soon as the kernel has it, whatever follows.
func exchange(
    _ request: consuming SecretRequest, _ verb: vestry_verb, over socket: CInt,
    by deadline: Deadline
) -> Answer {
    if let failure = submit(request, verb, over: socket, by: deadline) { return failure }
    var reply = vestry_reply()
    while true {
        guard deadline.wait(for: socket, POLLIN) else { return .late }
        // MSG_TRUNC: the packet's own size, also where it is more than there is room for.
        let flags = CInt(truncatingIfNeeded: MSG_DONTWAIT | MSG_TRUNC)
        let count = unsafe recv(socket, &reply, MemoryLayout<vestry_reply>.size, flags)
        if count < 0 {
            switch currentError {
            case EINTR, EAGAIN: continue
            default: return .ended
            }
        }
        if count == 0 { return .ended }
        guard count == MemoryLayout<vestry_reply>.size,
            reply.version == UInt32(VESTRY_PROTOCOL_VERSION)
        else { return .unexpected }
        return .reply(reply)
    }
}

/// - Returns: nil when it was sent. The request is wiped in either case.
private func submit(
    _ request: consuming SecretRequest, _ verb: vestry_verb, over socket: CInt,
    by deadline: Deadline
) -> Answer? {
    while true {
        // The helper gives up a little before the host does, so that it still gets to say so.
        let remaining = deadline.remainingMilliseconds
        request.prepare(verb, budgetMilliseconds: remaining &- min(500, remaining / 4))
        // No SIGPIPE: its disposition is the host's.
        let flags = CInt(truncatingIfNeeded: MSG_DONTWAIT | MSG_NOSIGNAL)
        let count = unsafe request.withBytes { bytes in
            unsafe send(socket, bytes.baseAddress, bytes.count, flags)
        }
        if count >= 0 { return nil }
        switch currentError {
        case EINTR: continue
        case EAGAIN:
            guard deadline.wait(for: socket, POLLOUT) else { return .late }
        default: return .ended
        }
    }
}

/// The same program behind its socket, for hosts that are not root.
enum UnlockSocket {
    static func ask(_ request: consuming SecretRequest, by deadline: Deadline) -> Answer {
        guard let standard = StandardDescriptors() else { return .unreachable(currentError) }
        defer { standard.release() }
        let kind = CInt(truncatingIfNeeded: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return .unreachable(currentError) }
        defer { close(descriptor) }
        // 0 milliseconds would mean to wait for ever.
        let remaining = max(deadline.remainingMilliseconds, 1)
        guard unsafe vestry_connect(descriptor, vestry_socket_path(), remaining) == 0 else {
            return .unreachable(currentError)
        }
        var owner: uid_t = 0
        guard unsafe vestry_peer_user(descriptor, &owner) == 0, owner == 0 else {
            return .socketNotRoots
        }
        return exchange(request, VESTRY_VERB_UNLOCK, over: descriptor, by: deadline)
    }
}
