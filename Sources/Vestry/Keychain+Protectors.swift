internal import CUnlockProtocol
internal import ItemStore
internal import Keybag
internal import LinuxSystem
internal import Sealing
public import SecureMemory

/// What opens a keychain besides or instead of the login password.
public struct KeychainProtector: Sendable, Equatable {
    /// The raw values are the words of the command line and of JSON output; they never change.
    public enum Kind: String, Sendable, CaseIterable {
        case loginPassword = "login-password"
        /// The login password before the last change.
        case previousPassword = "previous-password"
        case recoveryCode = "recovery-code"
        case passphrase = "passphrase"
        case keyFile = "key-file"
        /// Of a later release, which this one keeps and cannot use.
        case unknown = "unknown"
    }

    /// 32 hexadecimal digits.
    public let id: String
    public let kind: Kind
    /// The user's own name for it.
    public let label: String?
    /// When it was made, in seconds since 1970; nil where that is not known.
    public let createdAt: Int64?

    init(_ protector: Protector) {
        id = protector.idText
        label = protector.label
        createdAt = protector.createdAt == 0 ? nil : Int64(protector.createdAt)
        kind =
            switch protector.kind {
            case .loginPassword: .loginPassword
            case .previousPassword: .previousPassword
            case .recoveryCode: .recoveryCode
            case .passphrase: .passphrase
            case .keyFile: .keyFile
            default: .unknown
            }
    }
}

/// A secret that a protector asks for, with its kind.
public struct ProtectorSecret: ~Copyable, Sendable {
    public let kind: KeychainProtector.Kind
    let bytes: SecretBytes
    private let text: SecretBytes?

    /// The written form of a new recovery code, in ASCII; nil for every other secret.
    public var writtenCode: SecretBytes? {
        switch text {
        case .some(let text): text.withBytes { SecretBytes(copying: $0) }
        case .none: nil
        }
    }

    /// The least that a key file may have: 256 bits.
    public static let smallestKeyFileByteCount = 32

    /// A password or a passphrase, as it was typed.
    ///
    /// - Parameters:
    ///   - kind: One of the passwords, or a passphrase.
    ///   - bytes: Not empty; at most 512 bytes count.
    public init?(_ kind: KeychainProtector.Kind, typed bytes: consuming SecretBytes) {
        switch kind {
        case .loginPassword, .previousPassword, .passphrase: break
        case .recoveryCode, .keyFile, .unknown: return nil
        }
        self.kind = kind
        self.bytes = bytes
        text = nil
    }

    private init(_ kind: KeychainProtector.Kind, _ bytes: consuming SecretBytes) {
        self.kind = kind
        self.bytes = bytes
        text = nil
    }

    /// Draws a new recovery code; ``writtenCode`` is what a person keeps.
    public static func newRecoveryCode() -> ProtectorSecret {
        ProtectorSecret(RecoveryCode.random())
    }

    private init(_ code: borrowing RecoveryCode) {
        kind = .recoveryCode
        bytes = code.secret.withBytes { SecretBytes(copying: $0) }
        text = code.text
    }

    /// Reads a recovery code as a person writes it: in small letters too, with or without its hyphens,
    /// O for 0, I or L for 1.
    ///
    /// - Parameter text: ASCII.
    /// - Returns: The secret.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/wrongPassword`` for a code that is
    ///   mistyped, before anything is derived.
    public static func recoveryCode(
        _ text: borrowing SecretBytes
    ) throws(VestryError) -> ProtectorSecret {
        do throws(RecoveryCodeError) {
            let code = try RecoveryCode(parsing: text)
            return ProtectorSecret(
                .recoveryCode, code.secret.withBytes { SecretBytes(copying: $0) })
        } catch {
            throw error.publicError
        }
    }

    /// A key file.
    ///
    /// - Parameter contents: All of its bytes, at least 32; their keyed hash is the secret.
    public init?(keyFile contents: borrowing SecretBytes) {
        guard contents.count >= Self.smallestKeyFileByteCount else { return nil }
        let key = SecretBytes(copying: Array("vestry key file 1".utf8).span)
        self.init(.keyFile, key.keyedHashKey(of: contents))
    }

    var protocolKind: vestry_protector {
        switch kind {
        case .loginPassword: VESTRY_PROTECTOR_ANY_PASSWORD
        case .previousPassword: VESTRY_PROTECTOR_PREVIOUS_PASSWORD
        case .recoveryCode: VESTRY_PROTECTOR_RECOVERY_CODE
        case .passphrase: VESTRY_PROTECTOR_PASSPHRASE
        case .keyFile: VESTRY_PROTECTOR_KEY_FILE
        case .unknown: VESTRY_PROTECTOR_ANY_PASSWORD
        }
    }
}

extension Keychain {
    /// At most this many protectors stand in one keychain, the login password's included.
    public static let maximumProtectorCount = Keybag.protectorCount.upperBound
    /// At most this many bytes of UTF-8 are a label.
    public static let maximumLabelByteCount = Int(VESTRY_LABEL_SIZE)

    /// What opens this keychain.
    ///
    /// - Returns: The protectors, the login password's first.
    /// - Throws: ``VestryError``, as every operation that reads the keychain.
    public func protectors() throws(VestryError) -> [KeychainProtector] {
        try openStore().keybag.protectors.map(KeychainProtector.init)
    }

    /// Adds a protector: from then on its secret opens the keychain too.
    ///
    /// - Parameters:
    ///   - secret: Its secret: a recovery code, a passphrase or a key file.
    ///   - label: The user's own name for it, at most ``maximumLabelByteCount`` bytes.
    ///   - opener: A secret that opens the keychain now.
    /// - Returns: The new protector.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/wrongPassword`` when the opener opens
    ///   nothing, ``VestryError/Code/parameter`` for a secret of another kind or a label that is too
    ///   long, ``VestryError/Code/notAvailable`` when there is room for no more, and the codes of
    ///   ``unlock(password:)``.
    public func addProtector(
        _ secret: borrowing ProtectorSecret, label: String?,
        openedBy opener: borrowing ProtectorSecret
    ) throws(VestryError) -> KeychainProtector {
        let before = try protectors()
        let fields = try Self.fields(of: secret, label, opener: opener.protocolKind)
        try ask(VESTRY_VERB_ADD_PROTECTOR, opener.bytes, newPassword: secret.bytes, fields)
        return try added(secret.kind, since: before)
    }

    /// Makes the keychain of an account without a password, with a protector that opens it.
    ///
    /// Every other account's is made by its first login with a password. This one stays locked after a
    /// boot until ``unlock(by:)``; when the account gets a password, ``recover(by:newPassword:)`` makes
    /// the keychain open with it.
    ///
    /// - Parameters:
    ///   - secret: A recovery code, a passphrase or a key file.
    ///   - label: The user's own name for it, at most ``maximumLabelByteCount`` bytes.
    /// - Returns: The protector.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/duplicateItem`` when there is a
    ///   keychain, ``VestryError/Code/noSuchKeychain`` when the account has a password,
    ///   ``VestryError/Code/parameter`` as ``addProtector(_:label:openedBy:)``, and the codes of
    ///   ``unlock(password:)``.
    public func create(
        openedBy secret: borrowing ProtectorSecret, label: String?
    ) throws(VestryError) -> KeychainProtector {
        do throws(VestryError) {
            _ = try protectors()
            throw VestryError(.duplicateItem, detail: "there is a keychain")
        } catch .noSuchKeychain {
        } catch {
            throw error
        }
        let fields = try Self.fields(of: secret, label, opener: VESTRY_PROTECTOR_ANY_PASSWORD)
        let nothing = SecretBytes(capacity: 0, filledBy: { _ in 0 })
        try ask(VESTRY_VERB_ADD_PROTECTOR, nothing, newPassword: secret.bytes, fields)
        return try added(secret.kind, since: [])
    }

    private static func fields(
        of secret: borrowing ProtectorSecret, _ label: String?, opener: vestry_protector
    ) throws(VestryError) -> UnlockRequest.ProtectorFields {
        let label = Array((label ?? "").utf8)
        switch secret.kind {
        case .recoveryCode, .passphrase, .keyFile: break
        case .loginPassword, .previousPassword, .unknown: throw VestryError(.parameter)
        }
        guard label.count <= maximumLabelByteCount else { throw VestryError(.parameter) }
        return .init(opener: opener, kind: secret.protocolKind, label: label)
    }

    private func added(
        _ kind: KeychainProtector.Kind, since before: [KeychainProtector]
    ) throws(VestryError) -> KeychainProtector {
        let added = try protectors().first { protector in
            protector.kind == kind && !before.contains { $0.id == protector.id }
        }
        guard let added else {
            throw VestryError(.inputOutput, detail: "the new protector is not there")
        }
        return added
    }

    /// Removes a protector: its secret opens the keychain no more.
    ///
    /// - Parameters:
    ///   - protector: One of ``protectors()``, any but the login password's.
    ///   - opener: A secret that opens the keychain now; it may be the one that goes.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/wrongPassword`` when the opener opens
    ///   nothing, ``VestryError/Code/parameter`` for the login password's protector,
    ///   ``VestryError/Code/notAvailable`` for one without which some items would not open any more,
    ///   ``VestryError/Code/itemNotFound`` when it is gone, and the codes of ``unlock(password:)``.
    public func removeProtector(
        _ protector: KeychainProtector, openedBy opener: borrowing ProtectorSecret
    ) throws(VestryError) {
        guard protector.kind != .loginPassword else { throw VestryError(.parameter) }
        let id = try openStore().keybag.protectors.first { $0.idText == protector.id }?.id
        guard let id else { throw VestryError(.itemNotFound, detail: "no protector has this id") }
        try ask(
            VESTRY_VERB_REMOVE_PROTECTOR, opener.bytes,
            newPassword: SecretBytes(capacity: 0, filledBy: { _ in 0 }),
            .init(opener: opener.protocolKind, protector: id))
    }

    /// Makes the keychain open with a new login password, by any of its secrets, and opens it.
    ///
    /// The other protectors stay. The old login password is forgotten, unless it alone opens some
    /// items.
    ///
    /// - Parameters:
    ///   - opener: A secret that opens the keychain.
    ///   - newPassword: The login password; not empty. Nobody checks here that it is the account's: the
    ///     next login must open the keychain with it.
    /// - Throws: ``VestryError``, as ``rewrap(from:to:)``.
    public func recover(
        by opener: borrowing ProtectorSecret, newPassword: borrowing SecretBytes
    ) throws(VestryError) {
        try ask(
            VESTRY_VERB_RECOVER, opener.bytes, newPassword: newPassword,
            .init(opener: opener.protocolKind))
    }

    private func ask(
        _ verb: vestry_verb, _ opener: borrowing SecretBytes,
        newPassword: borrowing SecretBytes, _ fields: UnlockRequest.ProtectorFields
    ) throws(VestryError) {
        guard processKeys == nil else {
            throw VestryError(.unimplemented, detail: "a keychain for tests keeps its password")
        }
        let request = UnlockRequest(
            verb, password: opener, newPassword: newPassword, protector: fields)
        _ = try UnlockRequest.outcome(result: request.send(to: VESTRY_UNLOCK_SOCKET_PATH))
    }

    /// How many items were stored on another machine and cannot be read on this one.
    ///
    /// - Returns: The number of items whose class key is of an epoch that no newer key leads to.
    /// - Throws: ``VestryError``, as every operation that reads the keychain.
    public func itemCountOfAnotherMachine() throws(VestryError) -> Int {
        let store = try openStore()
        guard let items = try store.itemsForReading() else { return 0 }
        let counts = try mappingErrors { () throws(ItemStoreError) in try items.countsByKey() }
        let keybag = store.keybag
        return counts.reduce(0) { total, entry in
            guard let accessibility = Accessibility(storedAs: entry.accessibility),
                accessibility.isThisDeviceOnly,
                keybag.isOfAnotherMachine(accessibility.keyClass, epoch: entry.epoch)
            else { return total }
            return total + entry.count
        }
    }
}
