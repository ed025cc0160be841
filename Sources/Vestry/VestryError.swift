/// The one error type of the public API.
///
/// Test ``code`` to decide what to do; show ``description`` to people. The code is stable across
/// releases. The text is not, and it never contains a secret, a service or an account.
public struct VestryError: Error, Sendable {
    /// What went wrong, as a number that scripts and bindings can rely on.
    ///
    /// Releases may add codes, so a `switch` over them needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Lets `catch VestryError.Code.locked` select one code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            pattern == (error as? VestryError)?.code
        }
    }

    /// The reason to act on.
    public let code: Code

    /// The condition behind ``code``, for people; empty where the code says all.
    let detail: String

    /// An error with a code and no more to say.
    public init(_ code: Code) {
        self.init(code, detail: "")
    }

    package init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }
}

// Where Keychain Services has the same condition, the number is the same (Security/SecBase.h).
extension VestryError.Code {
    /// No item has this key (`errSecItemNotFound`).
    public static let itemNotFound = Self(rawValue: -25300)
    /// An item with this key exists already (`errSecDuplicateItem`).
    public static let duplicateItem = Self(rawValue: -25299)
    /// The key of the item's class is not in the kernel (`errSecInteractionNotAllowed`).
    public static let locked = Self(rawValue: -25308)
    /// The password does not open the keychain (`errSecAuthFailed`).
    public static let wrongPassword = Self(rawValue: -25293)
    /// A person dismissed the question (`errSecUserCanceled`).
    public static let cancelled = Self(rawValue: -128)
    /// An argument is outside its limits (`errSecParam`).
    public static let parameter = Self(rawValue: -50)
    /// Something that the keychain needs is not there: kernel keyring, home directory
    /// (`errSecNotAvailable`).
    public static let notAvailable = Self(rawValue: -25291)
    /// The unlock service does not run, or what runs in its place is not it
    /// (`errSecServiceNotAvailable`).
    public static let serviceNotAvailable = Self(rawValue: -67585)
    /// The account has no keychain yet (`errSecNoSuchKeychain`).
    public static let noSuchKeychain = Self(rawValue: -25294)
    /// The secret is longer than ``Keychain/maximumSecretByteCount`` (`errSecDataTooLarge`).
    public static let dataTooLarge = Self(rawValue: -25302)
    /// A file of the keychain is not what was written (`errSecInvalidKeychain`).
    public static let damaged = Self(rawValue: -25295)
    /// One item does not open although its key is there (`errSecDecode`).
    public static let itemDamaged = Self(rawValue: -26275)
    /// A newer release wrote the keychain (`errSecWrongSecVersion`).
    public static let newerFormat = Self(rawValue: -25310)
    /// The file system is full (`errSecDiskFull`).
    public static let diskFull = Self(rawValue: -34)
    /// The file system is mounted read-only, or the file may not be written (`errSecReadOnly`).
    public static let readOnly = Self(rawValue: -25292)
    /// Owner, mode or type of a file forbids its use (`errSecNoAccessForItem`).
    public static let denied = Self(rawValue: -25243)
    /// Another program kept the keychain busy for five seconds without getting ahead, or many did for
    /// a minute (`errSecDatabaseLocked`).
    public static let busy = Self(rawValue: -67869)
    /// The user's share of kernel keys is used up (`errSecQuotaExceeded`).
    public static let quotaExceeded = Self(rawValue: -67596)
    /// Not enough memory (`errSecAllocate`).
    public static let outOfMemory = Self(rawValue: -108)
    /// The unlock service did not answer in time (`errSecErrnoBase` + `ETIMEDOUT`).
    public static let timedOut = Self(rawValue: 100_110)
    /// An access group is none of ``Keychain/accessGroups`` (`errSecMissingEntitlement`).
    public static let missingEntitlement = Self(rawValue: -34018)
    /// Only the keychain sets this attribute (`errSecReadOnlyAttr`).
    public static let readOnlyAttribute = Self(rawValue: -25309)
    /// This release cannot do it (`errSecUnimplemented`).
    public static let unimplemented = Self(rawValue: -4)
    /// A secret is no text in UTF-8 (`errSecConversionError`).
    public static let conversion = Self(rawValue: -67594)
    /// A backup is not what was written (`errSecErrnoBase` + `EBADMSG`).
    public static let backupDamaged = Self(rawValue: 100_074)
    /// The file to write is there already (`errSecErrnoBase` + `EEXIST`).
    public static let fileExists = Self(rawValue: 100_017)
    /// A file or system call failed (`errSecIO`).
    public static let inputOutput = Self(rawValue: -36)
}

extension VestryError {
    private static let anotherMachine = "this item is another machine's"

    /// Locked, and no password of this machine opens it.
    static let ofAnotherMachine = VestryError(.locked, detail: anotherMachine)

    /// Whether an item is locked because another machine stored it for itself alone.
    package var isOfAnotherMachine: Bool { code == .locked && detail == Self.anotherMachine }
}

extension VestryError: CustomStringConvertible {
    public var description: String {
        detail.isEmpty
            ? "\(message) (\(code.rawValue))" : "\(message): \(detail) (\(code.rawValue))"
    }

    private var message: String {
        switch code {
        case .itemNotFound: "no such item"
        case .duplicateItem: "the item exists already"
        case .locked: "the keychain is locked"
        case .wrongPassword: "wrong password"
        case .cancelled: "cancelled"
        case .parameter: "invalid argument"
        case .notAvailable: "the keychain is not available"
        case .serviceNotAvailable: "the unlock service is not available"
        case .noSuchKeychain: "this account has no keychain yet"
        case .dataTooLarge: "the secret is too large"
        case .damaged: "the keychain is damaged"
        case .itemDamaged: "the item is damaged"
        case .newerFormat: "a newer release of vestry wrote it"
        case .diskFull: "no space left for the keychain"
        case .readOnly: "the keychain cannot be written to"
        case .denied: "the keychain must not be used as it is"
        case .busy: "another program keeps the keychain busy"
        case .quotaExceeded: "this user's kernel key quota is used up"
        case .outOfMemory: "not enough memory"
        case .timedOut: "timed out"
        case .missingEntitlement: "not one of this program's access groups"
        case .readOnlyAttribute: "only the keychain sets this attribute"
        case .unimplemented: "not possible in this release"
        case .conversion: "the secret is no text"
        case .backupDamaged: "the backup is damaged"
        case .fileExists: "the file exists already"
        case .inputOutput: "input/output error"
        default: "error"
        }
    }
}
