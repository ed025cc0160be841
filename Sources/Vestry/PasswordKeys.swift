internal import Sealing
internal import SecureMemory

/// The key that an application password gives, and by which parameters.
final class PasswordKey {
    let derivation: PasswordDerivation
    let key: SecretBytes

    init(
        _ password: borrowing SecretBytes, _ derivation: PasswordDerivation
    ) throws(VestryError) {
        guard let key = derivation.key(from: password) else { throw VestryError(.outOfMemory) }
        self.derivation = derivation
        self.key = key
    }

    /// What writing an item without its password ends with.
    static var missing: VestryError {
        VestryError(
            .parameter, detail: "the item takes an application password, and none was given")
    }

    /// The key for a new value, with a new salt.
    ///
    /// - Throws: `VestryError` with the code `parameter` when there is no password.
    static func new(_ password: ApplicationPassword?) throws(VestryError) -> PasswordKey {
        guard let password, !password.isEmpty else { throw missing }
        return try password.withBytes { (bytes) throws(VestryError) in
            try PasswordKey(bytes, .recommended())
        }
    }
}

/// The keys of application passwords that one operation needs.
///
/// A derivation takes a good part of a second, and a person much longer. So a key that is not here yet
/// ends the operation's transaction, as a presence key does, and the operation begins anew with it.
final class PasswordKeys {
    private enum Wanted {
        case opening(PasswordDerivation, PresenceQuestion)
        case sealing(reference: [UInt8])
    }

    /// What the program gave.
    private let password: ApplicationPassword?
    private let prompt: String?
    private var opening: [PasswordDerivation: PasswordKey] = [:]
    private var sealing: [[UInt8]: PasswordKey] = [:]
    private var isRefused = false
    private var wanted: Wanted?

    init(_ password: ApplicationPassword?, prompt: String?) {
        self.password = password
        self.prompt = prompt
    }

    /// The key that opens a value.
    ///
    /// - Throws: `VestryError` with the code ``VestryError/Code/presenceNeeded`` when it is not here
    ///   yet, or ``VestryError/Code/locked`` when there is no password and nobody to ask for it.
    func opening(
        _ derivation: PasswordDerivation, for metadata: ItemMetadata
    ) throws(VestryError) -> PasswordKey {
        if let key = opening[derivation] { return key }
        guard !isRefused else {
            throw VestryError(
                .locked, detail: "the item takes an application password, and none was given")
        }
        wanted = .opening(
            derivation, PresenceQuestion(metadata, prompt: prompt, kind: .applicationPassword))
        throw VestryError(.presenceNeeded)
    }

    /// The key that seals a new value of the item with a reference; nobody is asked for it.
    ///
    /// - Throws: `VestryError` with the code ``VestryError/Code/presenceNeeded`` when it is not here
    ///   yet, or ``VestryError/Code/parameter`` when there is no password.
    func sealing(_ reference: [UInt8]) throws(VestryError) -> PasswordKey {
        if let key = sealing[reference] { return key }
        // A write without a password gets no further than this.
        guard password?.isEmpty == false else { throw PasswordKey.missing }
        wanted = .sealing(reference: reference)
        throw VestryError(.presenceNeeded)
    }

    /// Derives the key that was wanted.
    ///
    /// - Parameter ask: Returns nil where nobody can be asked.
    /// - Returns: False when none was wanted.
    /// - Throws: `VestryError` of `ask`; or with the code `parameter` or `outOfMemory`.
    func fill(
        _ ask: (PresenceQuestion) throws(VestryError) -> ApplicationPassword?
    ) throws(VestryError) -> Bool {
        guard let wanted else { return false }
        self.wanted = nil
        switch wanted {
        case .sealing(let reference):
            sealing[reference] = try .new(password)
        case .opening(let derivation, let question):
            let password = if let password { password } else { try ask(question) }
            if let password {
                opening[derivation] = try password.withBytes { (bytes) throws(VestryError) in
                    try PasswordKey(bytes, derivation)
                }
            } else {
                isRefused = true
            }
        }
        return true
    }
}
