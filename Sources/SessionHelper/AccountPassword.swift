internal import CCrypt
internal import LinuxSystem
internal import SecureMemory

/// Where an account's password stands, and whether what a login gave is that password.
///
/// What a login hands over is what the last module that asked has left: mostly the password, but also
/// a password with a one-time code behind it, a PIN, the passphrase of a disk, or the password of a
/// directory. No keychain is made with what is not the account's password, and none follows it: the
/// next login would show something else.
enum AccountPassword: ~Copyable {
    /// Anybody can log in, as after `passwd -d`.
    case absent
    /// In a directory, or nowhere: the shadow database has no record that a password could fit.
    case elsewhere
    /// In the shadow database: its record with a NUL, for crypt(3).
    case here(SecretBytes)

    /// What the shadow database can say of a token.
    enum Verdict {
        /// It is the account's password.
        case proved
        case refuted
        /// The account's password stands elsewhere.
        case unknown
        /// Anybody is let in, with whatever they type.
        case none
    }

    /// Reads the record, as root.
    static func read(of account: Account) -> AccountPassword {
        var isFound = false
        let record = SecretBytes(
            capacity: ShadowPassword.maximumRecordByteCount + 1,
            filledBy: { bytes in
                let count = ShadowPassword.read(of: account.name, into: &bytes)
                isFound = count != nil
                // The buffer is zeroed, so the NUL is there.
                return count.map { $0 > 0 ? $0 + 1 : 0 } ?? 0
            })
        guard isFound else { return .elsewhere }
        guard record.count > 0 else { return .absent }
        // "*" and "!" begin what no password fits (shadow(5)); before a record, "!" locks it.
        let isUsable = record.withBytes { $0[0] != UInt8(ascii: "*") && $0[0] != UInt8(ascii: "!") }
        guard isUsable else { return .elsewhere }
        return .here(record)
    }

    var isAbsent: Bool {
        switch self {
        case .absent: true
        case .elsewhere: false
        case .here: false
        }
    }

    var isElsewhere: Bool {
        switch self {
        case .elsewhere: true
        case .absent: false
        case .here: false
        }
    }

    /// Compares a token with the record, at the price that the record asks for: only where something
    /// is to be made with the token.
    ///
    /// It runs with the user's rights, in a process that no other can look into: what crypt(3) reads
    /// has come from the user.
    func judge(_ token: borrowing SecretBytes) -> Verdict {
        switch self {
        case .absent: return .none
        case .elsewhere: return .unknown
        case .here(let record):
            let text = SecretBytes(
                capacity: token.count + 1,
                filledBy: { bytes in
                    token.withBytes { token in
                        for index in token.indices { bytes[index] = token[index] }
                    }
                    return token.count + 1
                })
            let fits = unsafe text.withUnsafePointer { text in
                unsafe record.withUnsafePointer { record in
                    unsafe vestry_password_fits(
                        UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self),
                        UnsafeRawPointer(record).assumingMemoryBound(to: CChar.self))
                }
            }
            return fits < 0 ? .unknown : fits == 1 ? .proved : .refuted
        }
    }
}
