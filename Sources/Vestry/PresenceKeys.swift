internal import CUnlockProtocol
internal import KernelKeyring
internal import Keybag
internal import KeyClasses
internal import SecureMemory

/// The presence keys of one operation.
///
/// A key that is not here yet ends the operation's transaction: nobody types a password while the item
/// file is locked. The operation begins anew when the key is here
/// (``Keychain/asking(_:_:reuseDuration:password:_:)``).
final class PresenceKeys {
    /// A class key, as something that a dictionary can hold.
    final class Held {
        let key: ClassKey

        init(_ key: consuming ClassKey) { self.key = key }
    }

    /// Those of application passwords.
    let passwords: PasswordKeys
    private let prompt: String?
    private var keys: [KeyClass: Held] = [:]
    private var refused: Set<KeyClass> = []
    private var wanted: (keyClass: KeyClass, question: PresenceQuestion)?

    init(prompt: String?, password: ApplicationPassword? = nil) {
        self.prompt = prompt
        passwords = PasswordKeys(password, prompt: prompt)
    }

    /// The key of a class.
    ///
    /// - Throws: `VestryError` with the code ``VestryError/Code/presenceNeeded`` when it has to be
    ///   asked for, or ``VestryError/Code/locked`` when nobody can be asked.
    func key(_ keyClass: KeyClass, for metadata: ItemMetadata) throws(VestryError) -> Held {
        if let held = keys[keyClass] { return held }
        guard !refused.contains(keyClass) else {
            throw VestryError(
                .locked, detail: "the item asks for the user, and interaction is not allowed")
        }
        wanted = (keyClass, PresenceQuestion(metadata, prompt: prompt))
        throw VestryError(.presenceNeeded)
    }

    /// Gets the key that was wanted.
    ///
    /// - Parameter ask: Returns nil where nobody can be asked.
    /// - Throws: `VestryError` of `ask`.
    func fill(
        _ ask: (KeyClass, PresenceQuestion) throws(VestryError) -> Held?
    ) throws(VestryError) {
        guard let (keyClass, question) = wanted else { throw VestryError(.locked) }
        wanted = nil
        if let held = try ask(keyClass, question) {
            keys[keyClass] = held
        } else {
            refused.insert(keyClass)
        }
    }
}

extension VestryError.Code {
    /// Ends a transaction so that the user can be asked; never leaves the library.
    static let presenceNeeded = Self(rawValue: .min)
}

extension Keychain {
    /// Runs an operation that may need presence keys, again after each answer.
    ///
    /// - Parameters:
    ///   - authenticationUI: Whether the user may be asked.
    ///   - prompt: Why, in the program's words.
    ///   - reuseDuration: In place of ``presenceReuseDuration``; nil for that.
    ///   - password: For items that take one of the program's own.
    ///   - body: The operation from its beginning; changes nothing when it throws.
    /// - Returns: What `body` returns.
    /// - Throws: `VestryError`.
    func asking<Value: ~Copyable>(
        _ authenticationUI: ItemQuery.AuthenticationUI, _ prompt: String?,
        reuseDuration: Duration? = nil, password: ApplicationPassword? = nil,
        _ body: (PresenceKeys) throws(VestryError) -> Value
    ) throws(VestryError) -> Value {
        let presence = PresenceKeys(prompt: prompt, password: password)
        let seconds = Self.seconds(reuseDuration ?? presenceReuseDuration)
        while true {
            do throws(VestryError) {
                return try body(presence)
            } catch .presenceNeeded {
                let isFilled = try presence.passwords.fill { (question) throws(VestryError) in
                    guard authenticationUI == .allow else { return nil }
                    return try askedPassword(question)
                }
                guard !isFilled else { continue }
                try presence.fill { (keyClass, question) throws(VestryError) in
                    try presenceKey(
                        keyClass, question, mayAsk: authenticationUI == .allow, seconds)
                }
            }
        }
    }

    /// Runs an operation on a query as ``asking(_:_:reuseDuration:password:_:)`` does.
    func asking<Value: ~Copyable>(
        _ query: ItemQuery, _ body: (PresenceKeys) throws(VestryError) -> Value
    ) throws(VestryError) -> Value {
        try asking(
            query.authenticationUI, query.prompt, reuseDuration: query.presenceReuseDuration,
            password: query.applicationPassword, body)
    }

    /// The key of a presence class: kept by this process, or from whoever can be asked.
    private func presenceKey(
        _ keyClass: KeyClass, _ question: PresenceQuestion, mayAsk: Bool, _ seconds: UInt32
    ) throws(VestryError) -> PresenceKeys.Held? {
        if processKeys == nil, seconds > 0 {
            let store = try openStore()
            if let key = try? store.keyring.heldKey(keyClass, seconds: seconds),
                store.keybag.accepts(key), key.epoch == store.keybag.epoch(of: keyClass)
            {
                return PresenceKeys.Held(key)
            }
        }
        guard mayAsk, let key = try askedKey(keyClass, question) else { return nil }
        // A read that works is not refused because its key cannot be kept.
        if processKeys == nil, seconds > 0 {
            _ = try? openStore().keyring.hold(key, seconds: seconds)
        }
        return PresenceKeys.Held(key)
    }

    /// The key of a presence class from whoever can be asked; nil where nobody can.
    private func askedKey(
        _ keyClass: KeyClass, _ question: PresenceQuestion
    ) throws(VestryError) -> ClassKey? {
        // A test that says nothing of the user leaves the question to the program's handler.
        if let presenceAuthorizer, processKeys?.asksHandler != true {
            return try presenceAuthorizer(keyClass)
        }
        guard let handler = presenceHandler ?? Self.defaultPresenceHandler else { return nil }
        guard let password = try handler(question) else { throw VestryError(.cancelled) }
        if let processKeys { return try processKeys.presenceKey(keyClass, password: password) }
        return try UnlockRequest.authorize(keyClass, password: password)
    }

    /// An application password from the program's handler; nil where there is none.
    private func askedPassword(
        _ question: PresenceQuestion
    ) throws(VestryError) -> ApplicationPassword? {
        guard let handler = presenceHandler ?? Self.defaultPresenceHandler else { return nil }
        guard let password = try handler(question) else { throw VestryError(.cancelled) }
        return ApplicationPassword(password)
    }

    /// A duration in whole seconds, within its bounds.
    private static func seconds(_ duration: Duration) -> UInt32 {
        UInt32(min(max(.zero, duration), maximumPresenceReuseDuration).components.seconds)
    }
}
