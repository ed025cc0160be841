import Certificates
import CUnlockProtocol
import Glibc
import ItemStore
import KernelKeyring
import Keybag
import KeyClasses
import LinuxSystem
import Sealing
import SecureMemory
import Testing

@testable import Vestry

@Suite struct ErrorMappingTests {
    @Test func innerErrorsHaveTheirCodes() {
        let denied = PrivateFileError.system(SystemCallError("openat", errno: EACCES))
        let table: [(any PubliclyMappable, VestryError.Code)] = [
            (SystemCallError("open", errno: EIO), .inputOutput),
            (SystemCallError("open", errno: EACCES), .denied),
            (SystemCallError("write", errno: ENOSPC), .diskFull),
            (SystemCallError("write", errno: EDQUOT), .diskFull),
            (SystemCallError("open", errno: EROFS), .readOnly),
            (PrivateFileError.wrongType, .denied),
            (PrivateFileError.wrongOwner(actual: 0), .denied),
            (PrivateFileError.tooPermissive(mode: 0o644), .denied),
            (PrivateFileError.tooLarge(limit: 1), .damaged),
            (KeybagError.file(denied), .denied), (KeybagError.badChecksum, .damaged),
            (KeybagError.truncated(expected: 2, actual: 1), .damaged),
            (KeybagError.unsupportedVersion(2), .newerFormat),
            (KeybagError.wrongPassword, .wrongPassword),
            (ItemStoreError.file(denied), .denied), (ItemStoreError.damaged(reason: ""), .damaged),
            (ItemStoreError.newerFormat(version: 2), .newerFormat),
            (ItemStoreError.foreignStore, .damaged), (ItemStoreError.busy, .busy),
            (ItemStoreError.forkedInUse, .notAvailable),
            (ItemStoreError.duplicate, .duplicateItem), (ItemStoreError.noSpace, .diskFull),
            (ItemStoreError.readOnly, .readOnly),
            (ItemStoreError.inputOutput(code: 10, errno: EIO), .inputOutput),
            (KeyringError.notSupported, .notAvailable), (KeyringError.blocked, .notAvailable),
            (KeyringError.denied, .denied), (KeyringError.quota, .quotaExceeded),
            (KeyringError.system(call: "keyctl", errno: EIO), .notAvailable),
            (SealingError.truncated, .itemDamaged),
            (SealingError.authenticationFailed, .itemDamaged),
            (CertificateError.malformed, .parameter), (CertificateError.unavailable, .notAvailable),
            (CertificateError.outOfMemory, .outOfMemory),
            (MetadataError.malformed, .itemDamaged),
            (MetadataError.unsupportedVersion(2), .newerFormat),
        ]
        for (inner, code) in table {
            #expect(inner.publicError.code == code, "\(inner)")
        }
    }

    @Test func codesAreApplesNumbers() {
        let table: [(VestryError.Code, Int32)] = [
            (.itemNotFound, -25300), (.duplicateItem, -25299), (.locked, -25308),
            (.wrongPassword, -25293), (.cancelled, -128), (.parameter, -50),
            (.notAvailable, -25291), (.noSuchKeychain, -25294), (.dataTooLarge, -25302),
            (.damaged, -25295), (.itemDamaged, -26275), (.newerFormat, -25310), (.diskFull, -34),
            (.readOnly, -25292), (.denied, -25243), (.busy, -67869), (.quotaExceeded, -67596),
            (.outOfMemory, -108), (.inputOutput, -36), (.missingEntitlement, -34018),
            (.readOnlyAttribute, -25309), (.unimplemented, -4), (.serviceNotAvailable, -67585),
            (.conversion, -67594),
        ]
        for (code, number) in table {
            #expect(code.rawValue == number)
            #expect(!VestryError(code).description.hasPrefix("error"))
        }
    }

    @Test func answersOfTheUnlockServiceHaveTheirCodes() {
        let table: [(vestry_result, VestryError.Code)] = [
            (VESTRY_NO_PASSWORD, .wrongPassword), (VESTRY_NO_STORE, .noSuchKeychain),
            (VESTRY_WRONG_PASSWORD, .wrongPassword), (VESTRY_DAMAGED, .damaged),
            (VESTRY_NEWER_FORMAT, .newerFormat), (VESTRY_DENIED, .denied),
            (VESTRY_NOT_SERVED, .notAvailable), (VESTRY_UNKNOWN_USER, .notAvailable),
            (VESTRY_HOME_MISSING, .notAvailable), (VESTRY_NO_DEVICE_KEY, .notAvailable),
            (VESTRY_NO_KEYRING_SUPPORT, .notAvailable), (VESTRY_KEYRING_BLOCKED, .notAvailable),
            (VESTRY_KEYRING_QUOTA, .quotaExceeded), (VESTRY_BUSY, .busy),
            (VESTRY_NO_MEMORY, .outOfMemory), (VESTRY_WRITE_FAILED, .diskFull),
            (VESTRY_READ_ONLY, .readOnly), (VESTRY_INPUT_OUTPUT, .inputOutput),
            (VESTRY_BAD_REQUEST, .inputOutput), (VESTRY_FAILED, .inputOutput),
            (VESTRY_PROTECTOR_OUT_OF_REACH, .notAvailable),
            (VESTRY_PROTECTOR_NEEDED, .notAvailable), (VESTRY_NO_SUCH_PROTECTOR, .itemNotFound),
            (VESTRY_KEYBAG_FULL, .notAvailable),
        ]
        for (result, code) in table {
            #expect(self.code(of: result.rawValue) == code)
        }
        #expect(code(of: 9999) == .inputOutput)
        for result in [VESTRY_OPENED, VESTRY_ALREADY_OPEN, VESTRY_OPENED_BY_PREVIOUS] {
            #expect(code(of: result.rawValue) == nil)
        }
    }

    private func code(of result: UInt32) -> VestryError.Code? {
        do {
            _ = try UnlockRequest.outcome(result: result)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func theRequestIsLaidOutAsTheHeaderSays() {
        #expect(MemoryLayout<vestry_request>.offset(of: \.password) == 272)
        #expect(MemoryLayout<vestry_request>.offset(of: \.password_count) == 12)
        #expect(MemoryLayout<vestry_request>.offset(of: \.user) == 16)
        for count in [0, 1, 511, 512, 513, 600] {
            let password = [UInt8](repeating: 0x70, count: count)
            let request = UnlockRequest(
                VESTRY_VERB_REWRAP, password: SecretBytes(copying: password.span),
                newPassword: SecretBytes(copying: [0x71].span))
            let bytes = request.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            let kept = min(count, 512)
            #expect(bytes.count == MemoryLayout<vestry_request>.size)
            #expect(bytes[4] == 3 && bytes[14] == 1 && bytes[15] == 0)
            #expect(Int(bytes[12]) + Int(bytes[13]) << 8 == kept)
            #expect(Array(bytes[272..<272 + kept]) == Array(password.prefix(kept)))
            #expect(bytes[(272 + kept)..<784].allSatisfy { $0 == 0 })
            #expect(bytes[784] == 0x71 && bytes[785...].allSatisfy { $0 == 0 })
        }
        #expect(MemoryLayout<vestry_request>.offset(of: \.key_class) == 1296)
        let request = UnlockRequest(
            VESTRY_VERB_AUTHORIZE, password: SecretBytes(copying: [0x70].span),
            keyClass: .presenceThisDeviceOnly)
        let bytes = request.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        #expect(bytes[4] == 4 && bytes[14] == 0)
        #expect(Array(bytes[1296..<1300]) == [8, 0, 0, 0] && bytes[1300...].allSatisfy { $0 == 0 })
        let add = UnlockRequest(
            VESTRY_VERB_ADD_PROTECTOR, password: SecretBytes(copying: [0x70].span),
            newPassword: SecretBytes(copying: [0x71].span),
            protector: .init(
                opener: VESTRY_PROTECTOR_KEY_FILE, kind: VESTRY_PROTECTOR_PASSPHRASE,
                label: Array("safe".utf8), protector: [UInt8](repeating: 0xAB, count: 16)))
        let fields = add.withBytes { bytes in (1300..<bytes.count).map { bytes[$0] } }
        #expect(MemoryLayout<vestry_request>.offset(of: \.opener) == 1300)
        #expect(Array(fields[..<8]) == [5, 4, 4, 0] + Array("safe".utf8))
        #expect(fields[8..<68].allSatisfy { $0 == 0 } && fields[68...].allSatisfy { $0 == 0xAB })
        #expect(fields.count == 84)
        #expect(KeyClass.presence.rawValue == UInt8(VESTRY_KEY_CLASS_PRESENCE.rawValue))
        #expect(MemoryLayout<vestry_reply>.size == 72)
        #expect(MemoryLayout<vestry_reply>.offset(of: \.key_epoch) == 20)
        #expect(MemoryLayout<vestry_reply>.offset(of: \.class_key) == 40)
    }

    @Test func withoutTheServiceUnlockSaysSo() {
        let request = UnlockRequest(
            VESTRY_VERB_UNLOCK, password: SecretBytes(copying: [1].span))
        #expect {
            _ = try request.send(to: "/nonexistent/vestry.sock")
        } throws: {
            ($0 as? VestryError)?.code == .serviceNotAvailable
        }
    }
}
