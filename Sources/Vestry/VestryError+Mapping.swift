internal import Certificates
internal import Glibc
internal import ItemStore
internal import KernelKeyring
internal import Keybag
internal import LinuxSystem
internal import Sealing

// The only file in which errors of the inner modules become public. Switches over inner errors have
// no `default` on purpose: a case that is added below must be given a public code here before the
// package builds again.

/// An inner error that has a public counterpart.
protocol PubliclyMappable: Error {
    var publicError: VestryError { get }
}

/// Runs `body` and throws the public counterpart of what it throws.
func mappingErrors<Value: ~Copyable, Inner: PubliclyMappable>(
    _ body: () throws(Inner) -> Value
) throws(VestryError) -> Value {
    do {
        return try body()
    } catch {
        throw error.publicError
    }
}

extension SystemCallError: PubliclyMappable {
    var publicError: VestryError {
        let code: VestryError.Code =
            switch errno {
            case EACCES, EPERM: .denied
            case ENOSPC, EDQUOT: .diskFull
            case EROFS: .readOnly
            case ENOMEM: .outOfMemory
            default: .inputOutput
            }
        return VestryError(code, detail: description)
    }
}

extension PrivateFileError: PubliclyMappable {
    var publicError: VestryError { publicError(of: "the store directory") }

    // `file` is what the text calls it.
    func publicError(of file: String) -> VestryError {
        switch self {
        case .system(let error):
            VestryError(error.publicError.code, detail: "\(file), \(error)")
        case .wrongType:
            VestryError(.denied, detail: "\(file) is a link or another special file")
        case .wrongOwner(let actual):
            VestryError(
                .denied, detail: "\(file) belongs to user \(actual) and not to user \(geteuid())")
        case .tooPermissive(let mode):
            VestryError(
                .denied, detail: "\(file) has mode 0\(String(mode, radix: 8)), open to others")
        case .tooLarge(let limit):
            VestryError(.damaged, detail: "\(file) has more than \(limit) bytes")
        }
    }
}

extension KeybagError: PubliclyMappable {
    var publicError: VestryError { publicError(of: "keybag") }

    // `file` is what the text calls it.
    func publicError(of file: String) -> VestryError {
        switch self {
        case .file(let error):
            error.publicError(of: file)
        case .truncated(let expected, let actual):
            VestryError(.damaged, detail: "\(file) has \(actual) of \(expected) bytes")
        case .trailingBytes(let expected, let actual):
            VestryError(.damaged, detail: "\(file) has \(actual) instead of \(expected) bytes")
        case .badMagic:
            VestryError(.damaged, detail: "\(file) is not a keybag")
        case .unsupportedVersion(let version):
            VestryError(.newerFormat, detail: "\(file) has format version \(version)")
        case .badChecksum:
            VestryError(.damaged, detail: "\(file) fails its checksum")
        case .malformed(let place):
            VestryError(.damaged, detail: "\(file) is malformed, \(place)")
        case .costTooHigh(let passes, let memoryKiB), .costTooLow(let passes, let memoryKiB):
            VestryError(
                .damaged,
                detail:
                    "\(file) asks for \(Int(passes).counted("pass", "passes")) over \(memoryKiB) KiB"
            )
        case .wrongPassword:
            VestryError(.wrongPassword)
        case .classNotOpen(let keyClass):
            VestryError(.notAvailable, detail: "the keys of \(keyClass) are not of this machine")
        case .protectorOutOfReach(let id):
            VestryError(.notAvailable, detail: "protector \(id) cannot be given a new key")
        case .wouldLose(let keyClass):
            VestryError(.notAvailable, detail: "nothing else opens \(keyClass)")
        case .noSuchProtector:
            VestryError(.itemNotFound, detail: "no protector has this id")
        case .isLoginPassword:
            VestryError(.parameter, detail: "the login password stays a protector")
        case .full:
            VestryError(.notAvailable, detail: "the keybag is full")
        case .outOfMemory:
            VestryError(.outOfMemory)
        }
    }
}

extension KeyringError: PubliclyMappable {
    var publicError: VestryError {
        switch self {
        case .notSupported:
            VestryError(.notAvailable, detail: "this kernel has no key retention service")
        case .blocked:
            VestryError(.notAvailable, detail: "keyctl(2) is blocked here, as in many containers")
        case .denied:
            VestryError(.denied, detail: "the kernel keys are not readable for this user")
        case .quota:
            .quotaExceeded()
        case .system(let call, let errno):
            VestryError(.notAvailable, detail: SystemCallError(call, errno: errno).description)
        }
    }
}

extension SealingError: PubliclyMappable {
    var publicError: VestryError {
        switch self {
        case .truncated: VestryError(.itemDamaged, detail: "a sealed box is truncated")
        case .authenticationFailed:
            VestryError(.itemDamaged, detail: "a sealed box was changed or moved")
        }
    }
}

extension RecoveryCodeError: PubliclyMappable {
    var publicError: VestryError {
        switch self {
        case .wrongLength:
            VestryError(
                .wrongPassword, detail: "the recovery code has too few or too many symbols")
        case .wrongSymbol:
            VestryError(
                .wrongPassword, detail: "the recovery code has a symbol that no code has")
        case .wrongCheckSymbol:
            VestryError(
                .wrongPassword, detail: "the recovery code is mistyped: its check symbol differs")
        }
    }
}

extension MetadataError: PubliclyMappable {
    var publicError: VestryError {
        switch self {
        case .unsupportedVersion(let version):
            VestryError(.newerFormat, detail: "an item has metadata version \(version)")
        case .malformed:
            VestryError(.itemDamaged, detail: "its metadata is malformed")
        }
    }
}

extension CertificateError: PubliclyMappable {
    var publicError: VestryError {
        switch self {
        case .malformed: VestryError(.parameter, detail: "not a certificate or key in DER")
        case .unavailable:
            VestryError(.notAvailable, detail: "OpenSSL's library libcrypto.so.3 is not installed")
        case .outOfMemory: VestryError(.outOfMemory)
        }
    }
}

extension ItemStoreError: PubliclyMappable {
    var publicError: VestryError {
        switch self {
        case .file(let error):
            error.publicError(of: ItemStore.fileName)
        case .damaged(let reason):
            VestryError(.damaged, detail: "\(ItemStore.fileName), \(reason)")
        case .newerFormat(let version):
            VestryError(.newerFormat, detail: "\(ItemStore.fileName) has version \(version)")
        case .foreignStore:
            VestryError(
                .damaged, detail: "\(ItemStore.fileName) and keybag are of different stores")
        case .busy:
            VestryError(.busy)
        case .forkedInUse:
            VestryError(
                .notAvailable,
                detail: "this process was forked while another thread used the keychain")
        case .duplicate:
            VestryError(.duplicateItem)
        case .noSpace:
            VestryError(.diskFull, detail: ItemStore.fileName)
        case .readOnly:
            VestryError(.readOnly, detail: ItemStore.fileName)
        case .inputOutput(let code, let errno):
            VestryError(.inputOutput, detail: "SQLite result \(code), errno \(errno)")
        }
    }
}
