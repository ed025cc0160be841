internal import CPAM
internal import CUnlockProtocol

/// A request with the password in it: the only form in which the module ever holds one.
///
/// The memory is a mapping of its own, out of core dumps and locked against swapping as far as
/// RLIMIT_MEMLOCK allows, and wiped before it goes back to the kernel. A stash is a request that is
/// not sent yet, so that there is one copy of the password and not two.
@safe
struct SecretRequest: ~Copyable {
    private let memory: UnsafeMutablePointer<vestry_request>
    private var isReleased = false

    private static var size: Int { MemoryLayout<vestry_request>.size }

    /// A request of zeros, or nil without memory.
    init?() {
        let mapping = unsafe mmap(
            nil, SecretRequest.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapping = unsafe mapping, unsafe mapping != failedMapping else { return nil }
        // Both are best effort: a host with a small limit has to log its users in all the same.
        unsafe mlock(mapping, SecretRequest.size)
        unsafe madvise(mapping, SecretRequest.size, MADV_DONTDUMP)
        unsafe self.memory = mapping.assumingMemoryBound(to: vestry_request.self)
    }

    /// Takes over what `release` gave away.
    init(adopting mapping: UnsafeMutableRawPointer) {
        unsafe self.memory = mapping.assumingMemoryBound(to: vestry_request.self)
    }

    /// Gives the memory to an owner in C, who wipes it by adopting it.
    consuming func release() -> UnsafeMutableRawPointer {
        isReleased = true
        return unsafe UnsafeMutableRawPointer(memory)
    }

    /// Another one of the same, or nil without memory.
    func copy() -> SecretRequest? {
        unsafe SecretRequest(copying: memory)
    }

    /// Copies what libpam keeps.
    init?(copying memory: UnsafeRawPointer) {
        self.init()
        unsafe memcpy(self.memory, memory, SecretRequest.size)
    }

    deinit {
        guard !isReleased else { return }
        unsafe explicit_bzero(memory, SecretRequest.size)
        unsafe munmap(memory, SecretRequest.size)
    }

    /// Names the user.
    ///
    /// - Returns: false for a name that is empty or too long for the protocol.
    func setUser(_ name: UnsafePointer<CChar>) -> Bool {
        let count = unsafe strnlen(name, Int(VESTRY_USER_SIZE))
        guard count > 0, count < Int(VESTRY_USER_SIZE) else { return false }
        unsafe withUnsafeMutableBytes(of: &memory.pointee.user) { field in
            guard let start = field.baseAddress else { return }
            unsafe memset(start, 0, field.count)
            unsafe memcpy(start, name, count)
        }
        return true
    }

    /// Forgets the name: the socket serves everybody for their own account.
    func clearUser() {
        unsafe withUnsafeMutableBytes(of: &memory.pointee.user) { field in
            guard let start = field.baseAddress else { return }
            unsafe memset(start, 0, field.count)
        }
    }

    /// Whether the request is for this user, compared as bytes: whose token it is decides, never
    /// what another spelling might mean.
    func isFor(_ name: UnsafePointer<CChar>) -> Bool {
        unsafe withUnsafeBytes(of: &memory.pointee.user) { field in
            guard let start = field.baseAddress else { return false }
            return unsafe strncmp(start, name, field.count) == 0
        }
    }

    /// Copies a token, cut to the protocol's length.
    ///
    /// - Returns: false for an absent or empty token: no key is ever made from it.
    func setPassword(_ token: UnsafePointer<CChar>?) -> Bool {
        guard let token = unsafe token else { return false }
        let count = unsafe strnlen(token, Int(VESTRY_PASSWORD_MAX))
        unsafe withUnsafeMutableBytes(of: &memory.pointee.password) { field in
            unsafe copy(token, count, to: field)
        }
        unsafe memory.pointee.password_count = UInt16(truncatingIfNeeded: count)
        return count > 0
    }

    /// Copies the token that follows, as `setPassword` does.
    func setNewPassword(_ token: UnsafePointer<CChar>?) -> Bool {
        guard let token = unsafe token else { return false }
        let count = unsafe strnlen(token, Int(VESTRY_PASSWORD_MAX))
        unsafe withUnsafeMutableBytes(of: &memory.pointee.new_password) { field in
            unsafe copy(token, count, to: field)
        }
        unsafe memory.pointee.new_password_count = UInt16(truncatingIfNeeded: count)
        return count > 0
    }

    private func copy(
        _ token: UnsafePointer<CChar>, _ count: Int, to field: UnsafeMutableRawBufferPointer
    ) {
        guard let start = field.baseAddress, count <= field.count else { return }
        unsafe memset(start, 0, field.count)
        unsafe memcpy(start, token, count)
    }

    var hasPassword: Bool {
        unsafe memory.pointee.password_count > 0
    }

    /// Whether what was read back from outside this process keeps the protocol's bounds.
    var isWellFormed: Bool {
        guard unsafe memory.pointee.version == UInt32(VESTRY_PROTOCOL_VERSION),
            unsafe memory.pointee.password_count > 0,
            unsafe memory.pointee.password_count <= UInt16(VESTRY_PASSWORD_MAX),
            unsafe memory.pointee.new_password_count == 0
        else { return false }
        return unsafe withUnsafeBytes(of: &memory.pointee.user) { field in
            guard let start = field.baseAddress else { return false }
            return unsafe memchr(start, 0, field.count) != nil
        }
    }

    /// Notes who leaves this request for another process, in the field that only a sent one needs.
    func mark(leftBy process: pid_t) {
        unsafe memory.pointee.version = UInt32(VESTRY_PROTOCOL_VERSION)
        unsafe memory.pointee.budget_milliseconds = UInt32(bitPattern: process)
    }

    func wasLeft(by process: pid_t) -> Bool {
        unsafe memory.pointee.budget_milliseconds == UInt32(bitPattern: process)
    }

    /// Notes what is left of a login's time, in a request that a later line sends.
    func keepBudget(_ deadline: Deadline) {
        prepare(VESTRY_VERB_OPEN, budgetMilliseconds: deadline.remainingMilliseconds)
    }

    /// What ``keepBudget(_:)`` has noted, in milliseconds; nil where no line has spent anything.
    var keptBudget: Int64? {
        guard unsafe memory.pointee.verb == UInt32(VESTRY_VERB_OPEN.rawValue) else { return nil }
        return unsafe Int64(memory.pointee.budget_milliseconds)
    }

    /// Fills in the rest: what is asked, and how long the asker waits.
    func prepare(_ verb: vestry_verb, budgetMilliseconds: CInt) {
        unsafe memory.pointee.version = UInt32(VESTRY_PROTOCOL_VERSION)
        unsafe memory.pointee.verb = UInt32(truncatingIfNeeded: verb.rawValue)
        unsafe memory.pointee.budget_milliseconds = UInt32(truncatingIfNeeded: budgetMilliseconds)
    }

    /// Lends the whole packet.
    func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        unsafe body(UnsafeMutableRawBufferPointer(start: memory, count: SecretRequest.size))
    }
}

// MAP_FAILED is a cast, which Swift does not import.
private var failedMapping: UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(bitPattern: -1)
}
