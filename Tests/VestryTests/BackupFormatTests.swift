import Glibc
import ItemStore
import KeyClasses
import LinuxSystem
import Sealing
import SecureMemory
import TestSupport
import Testing

@testable import Vestry

/// The bytes of a backup; the least derivation is done once for all.
@Suite struct BackupFormatTests {
    let home: TemporaryHome
    var path: String { home.path + "/backup" }

    init() throws { home = try TemporaryHome() }

    static let secret = "passphrase"
    static let start = BackupStart(date: 1_700_000_000, storeID: .random())

    /// A derived key, which tests share.
    final class Derived: Sendable {
        static let shared = try? Derived()
        let derivation = PasswordDerivation.recommended()
        let bytes: SecretBytes

        init() throws {
            bytes = try BackupSecret.passphrase(SecretBytes(BackupFormatTests.secret))
                .key(by: derivation)
        }

        var key: BackupKey { BackupKey(SecretBytes(bytes.exposed)) }
    }

    /// A backup with these pieces of plaintext before its end, and what stands in the file.
    func make(_ pieces: [[UInt8]], end: BackupEnd? = nil) throws -> [UInt8] {
        let derived = try #require(Derived.shared)
        let file = try PendingFile(path: path)
        let writer = try BackupWriter(
            file, .passphrase, derived.derivation, derived.key, Self.start)
        for piece in pieces { try writer.append(SecretBytes(piece)) }
        try writer.finish(end ?? BackupEnd(itemCount: pieces.count, left: LeftItems()))
        _ = try file.place(isReplacing: true)
        let written = try SeekableFile(path: path)
        return try written.read(at: 0, count: written.byteCount)
    }

    func item(_ secret: [UInt8], flags: UInt32 = 0, accessibility: UInt8 = 2) -> [UInt8] {
        let metadata = ItemMetadata(
            .genericPassword,
            [
                .service: "s", .account: "a", .accessGroup: "default", .synchronizable: false,
                .creationDate: .date(1), .modificationDate: .date(2),
            ])
        let row = ItemRow(
            reference: Array(0..<16), itemClass: 1, accessibility: accessibility,
            accessControl: flags, epoch: 1, version: 1, primaryTag: [], metadata: [], value: nil)
        let protection = Protection(accessibility: .afterFirstUnlock, flags: .init(rawValue: flags))
        return BackupItem.encoded(row, protection, metadata, SecretBytes(secret)).exposed
    }

    /// Reads a file with the shared key in place of a derivation.
    func read(_ bytes: [UInt8]) throws(VestryError) -> Int {
        do {
            try FileDescriptor(
                opening: path, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600
            ).write(bytes)
        } catch {
            throw VestryError(.inputOutput)
        }
        guard let derived = Derived.shared else { throw VestryError(.outOfMemory) }
        return try Backup(file: path, key: derived.key).contents().itemCount
    }

    func readCode(_ bytes: [UInt8]) -> VestryError.Code? {
        code { () throws(VestryError) in _ = try read(bytes) }
    }

    @Test(arguments: [0, 1, 65_000, 65_536, 65_537, 131_072, 300_000])
    func itemsOfEverySizeComeBack(_ count: Int) throws {
        let secret = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        _ = try make([item(secret), item([7])])
        let derived = try #require(Derived.shared)
        let backup = try Backup(file: path, key: derived.key)
        let reader = try BackupReader(backup)
        #expect(reader.start == Self.start)
        for expected in [secret, [7]] {
            let found = try withValue(of: reader.next(of: backup)) { item in
                (item.metadata.values[.account], item.reference, item.secret.exposed)
            }
            let (account, reference, bytes) = try #require(found)
            #expect(account == "a" && reference == Array(0..<16) && bytes == expected)
        }
        let isOver = try reader.next(of: backup) == nil
        #expect(isOver && reader.end?.itemCount == 2)
    }

    /// 65,536 bytes for each box but the last, whatever the items are.
    @Test func theSizeOfTheFileSaysLittleOfItsItems() throws {
        let plain = 24 + 41 + 2 * item([]).count + 100_000
        let bytes = try make([item([UInt8](repeating: 1, count: 100_000)), item([])])
        #expect(bytes.count == 108 + plain + 17 * 2)
        #expect(!bytes.contains(subsequence: Array("default".utf8)))
    }

    @Test func rejectsEveryTruncation() throws {
        let bytes = try make([item([1, 2, 3])])
        #expect(try read(bytes) == 1)
        for count in 0..<bytes.count {
            #expect(readCode(Array(bytes.prefix(count))) == .backupDamaged)
        }
        #expect(readCode(bytes + [0]) == .backupDamaged)
    }

    @Test func aCutBetweenTwoBoxesIsNoticed() throws {
        let bytes = try make([item([UInt8](repeating: 1, count: 150_000))])
        for boxes in 0...2 {
            let cut = Array(bytes.prefix(108 + boxes * (65_536 + 17)))
            #expect(readCode(cut) == .backupDamaged)
        }
        let again = bytes + bytes[108...]
        #expect(readCode(again) == .backupDamaged)
    }

    @Test func rejectsEveryChange() throws {
        let bytes = try make([item([1, 2, 3])])
        for offset in bytes.indices {
            var changed = bytes
            changed[offset] ^= 0x40
            #expect(readCode(changed) == (offset == 8 ? .newerFormat : .backupDamaged))
        }
    }

    static let malformed: [(String, @Sendable (BackupFormatTests) -> [UInt8])] = [
        ("no such mark", { [2] + $0.item([]) }),
        ("no such class", { $0.item([]).changing(1, to: 9) }),
        ("of this device", { $0.item([]).changing(18, to: 3) }),
        ("application password", { $0.item([], flags: 1 << 31) }),
        ("both or and and", { $0.item([], flags: 1 << 14 | 1 << 15 | 1) }),
        ("large metadata", { $0.item([]).changing(34, to: 1) }),
        ("large secret", { $0.item([]).changing(38, to: 1) }),
        ("metadata of another version", { $0.item([]).changing(39, to: 9) }),
        ("metadata cut", { $0.item([]).changing(31, to: 3) }),
    ]

    @Test(arguments: malformed.indices)
    func rejectsWhatNoBackupHas(_ index: Int) throws {
        let (name, piece) = Self.malformed[index]
        let bytes = try make([piece(self)])
        let found = readCode(bytes)
        #expect(found == .backupDamaged || found == .newerFormat, "\(name)")
    }

    @Test func theEndMustBeRight() throws {
        let bytes = try make([item([])], end: BackupEnd(itemCount: 2, left: LeftItems()))
        #expect(readCode(bytes) == .backupDamaged)
        let more = try make([BackupEnd(itemCount: 0, left: LeftItems()).encoded])
        #expect(readCode(more) == .backupDamaged)
    }

    @Test func theDerivationHasLimits() throws {
        let bytes = try make([])
        for (offset, value) in [(12, 0), (12, 17), (15, 1), (18, 0), (19, 1)] as [(Int, UInt8)] {
            var changed = bytes
            changed[offset] = value
            let sum = checksum(of: changed.span.extracting(0..<76))
            changed.replaceSubrange(76..<108, with: sum)
            #expect(
                code { () throws(VestryError) in _ = try BackupHeader(parsing: changed.prefix108) }
                    == .backupDamaged)
        }
    }

    /// Never a trap, whatever stands behind a whole header.
    @Test func randomPlaintextIsRefused() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            var piece = item([1, 2, 3])
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                piece[Int.random(in: piece.indices, using: &generator)] =
                    .random(in: .min ... .max, using: &generator)
            }
            _ = readCode(try make([piece]))
        }
    }
}

extension [UInt8] {
    fileprivate func changing(_ offset: Int, to byte: UInt8) -> [UInt8] {
        var changed = self
        changed[offset] = byte
        return changed
    }

    fileprivate var prefix108: [UInt8] { Array(prefix(108)) }

    fileprivate func contains(subsequence: [UInt8]) -> Bool {
        guard count >= subsequence.count else { return false }
        return (0...count - subsequence.count).contains {
            Array(self[$0..<$0 + subsequence.count]) == subsequence
        }
    }
}
