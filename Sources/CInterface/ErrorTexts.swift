internal import CVestry
internal import Glibc
internal import Vestry

@c @implementation
public func vestry_error_message(_ error: CInt) -> UnsafePointer<CChar>! {
    if error == VESTRY_OK { return unsafe pointer("no error") }
    return unsafe ErrorTexts.shared.messages[error] ?? pointer("unknown error")
}

@c @implementation
public func vestry_error_next_step(_ error: CInt) -> UnsafePointer<CChar>! {
    unsafe pointer(ErrorTexts.nextStep(VestryError.Code(rawValue: error)))
}

@c @implementation
public func vestry_last_error() -> UnsafePointer<CChar>! { unsafe CVestryKeptError() }

/// A text of the program's, which is there for ever.
func pointer(_ text: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// What errors mean, for C.
@safe
struct ErrorTexts: Sendable {
    static let shared = ErrorTexts()

    // Made once and never freed or written to.
    nonisolated(unsafe) let messages: [CInt: UnsafePointer<CChar>]

    static let codes: [VestryError.Code] = [
        .itemNotFound, .duplicateItem, .locked, .wrongPassword, .cancelled, .parameter,
        .notAvailable, .serviceNotAvailable, .noSuchKeychain, .dataTooLarge, .damaged,
        .itemDamaged, .newerFormat, .diskFull, .readOnly, .denied, .busy, .quotaExceeded,
        .outOfMemory, .timedOut, .missingEntitlement, .readOnlyAttribute, .unimplemented,
        .conversion, .backupDamaged, .fileExists, .inputOutput,
    ]

    private init() {
        var messages: [CInt: UnsafePointer<CChar>] = unsafe [:]
        for code in Self.codes {
            unsafe messages[code.rawValue] = UnsafePointer(strdup(VestryError(code).description))
        }
        unsafe self.messages = messages
    }

    /// What to do next, in terms of the command, which is there wherever a person is.
    static func nextStep(_ code: VestryError.Code) -> StaticString {
        switch code {
        case .itemNotFound: "'vestry list' shows what there is"
        case .noSuchKeychain:
            "log in once with your password, which makes it; /etc/vestry.conf says for whom, root never"
        case .locked: "log in with your password, or run 'vestry unlock'"
        case .wrongPassword: "it is the login password, or of an item that has one, its own"
        case .damaged: "'vestry check' tells what is damaged, 'vestry repair' saves what it can"
        case .itemDamaged:
            "'vestry check' names what is damaged; 'vestry delete' and then 'vestry set' replace it"
        case .newerFormat: "upgrade vestry"
        case .duplicateItem: "'vestry set' replaces a password, 'vestry delete' removes it"
        case .denied:
            "in ~/.local/share/vestry all files must be yours with mode 0600, the folder 0700"
        case .readOnly: "the file, its folder or the disk is read-only"
        case .diskFull: "free some space and try again"
        case .serviceNotAvailable:
            "'sudo systemctl start vestry-unlock.socket' starts it; see vestry-session-helper(8)"
        case .quotaExceeded: "'keyctl show @u' lists the keys; kernel.keys.maxkeys is the limit"
        case .busy: "try again"
        case .timedOut: "'vestry status' says what is locked, and why"
        case .parameter: "see libvestry(3) for what the function takes"
        case .missingEntitlement: "~/.config/vestry/access-groups gives programs their groups"
        case .readOnlyAttribute: "leave that attribute out"
        case .dataTooLarge: "encrypt a file, and store its key"
        case .outOfMemory: "free some memory and try again"
        default: "run 'vestry status'"
        }
    }
}

/// The words of a status, for C.
enum StatusWords {
    static func pointer(_ state: KeychainStatus.State) -> UnsafePointer<CChar> {
        let word: StaticString =
            switch state {
            case .noStore: "no-store"
            case .noPassword: "no-password"
            case .locked: "locked"
            case .afterFirstUnlock: "after-first-unlock"
            case .unlocked: "unlocked"
            case .unavailable: "unavailable"
            }
        return unsafe CInterface.pointer(word)
    }

    static func pointer(_ reason: KeychainStatus.Reason) -> UnsafePointer<CChar> {
        let word: StaticString =
            switch reason {
            case .neverEnrolled: "never-enrolled"
            case .passwordMismatch: "password-mismatch"
            case .otherSecret: "other-secret"
            case .noPassword: "no-password"
            case .notUnlocked: "not-unlocked"
            case .noSession: "no-session"
            case .sessionLocked: "session-locked"
            case .sessionOpen: "session-open"
            case .failure: "failure"
            }
        return unsafe CInterface.pointer(word)
    }
}
