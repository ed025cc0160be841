public import SecureMemory
internal import Synchronization

/// What a person is told who is asked for a password, so that an item can be read.
public struct PresenceQuestion: Sendable {
    /// Which password is asked for.
    public enum Kind: Hashable, Sendable {
        case loginPassword
        /// The program's own, of an item with ``AccessControl/Flags/applicationPassword``.
        case applicationPassword
    }

    public let kind: Kind
    /// Why, in the program's words; nil where it gave none.
    public let prompt: String?
    /// The item's label, where it has one.
    public let label: String?
    /// The service, or the server, and the account of the item, as far as it has them.
    public let name: String

    /// The text to show: the program's own, else the label, else the name.
    ///
    /// It can have any characters: what shows it on a terminal must make it harmless first.
    public var text: String {
        for candidate in [prompt, label] {
            if let candidate, !candidate.isEmpty { return candidate }
        }
        return name
    }

    init(_ metadata: ItemMetadata, prompt: String?, kind: Kind = .loginPassword) {
        func text(_ attribute: ItemAttribute) -> String? {
            guard case .string(let text) = metadata.values[attribute], !text.isEmpty else {
                return nil
            }
            return text
        }
        self.kind = kind
        self.prompt = prompt
        label = text(.label)
        name = [text(.service) ?? text(.server), text(.account)].compactMap { $0 }
            .joined(separator: " ")
    }
}

/// Asks the person for the login password, or for the item's own (``PresenceQuestion/kind``).
///
/// It gets the question and returns what was typed, or nil when the question was dismissed, which is
/// ``VestryError/Code/cancelled``. It is called on the thread that reads the item, while nothing of the
/// keychain is held: it may take its time.
public typealias PresenceHandler =
    @Sendable (PresenceQuestion) throws(VestryError) -> SecretBytes?

extension Keychain {
    /// The longest ``presenceReuseDuration``, that of Apple's LocalAuthentication: five minutes.
    public static let maximumPresenceReuseDuration = Duration.seconds(300)

    /// Whom keychains ask that have no ``presenceHandler`` of their own; nobody at first.
    ///
    /// Set it once, when the program starts: `Security` and `KeychainAccess` ask it too.
    public static var defaultPresenceHandler: PresenceHandler? {
        get { defaultHandler.withLock { $0 } }
        set { defaultHandler.withLock { $0 = newValue } }
    }

    private static let defaultHandler = Mutex<PresenceHandler?>(nil)
}
