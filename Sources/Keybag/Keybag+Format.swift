internal import KeyClasses
internal import Sealing

extension Keybag {
    /// Reads a keybag of format version 1.
    ///
    /// - Parameter bytes: A whole file.
    /// - Throws: `KeybagError`, one specific case for each way in which bytes are no keybag. The
    ///   order of the checks is the order in which a person needs to know: not ours, from a later
    ///   release, cut off, changed, nonsense.
    public init(parsing bytes: [UInt8]) throws(KeybagError) {
        let least = Self.headerByteCount + Self.checksumByteCount
        guard bytes.count >= least else { throw .truncated(expected: least, actual: bytes.count) }
        guard bytes.starts(with: Self.magic) else { throw .badMagic }
        var cursor = ByteCursor(
            bytes, from: Self.magic.count, to: bytes.count - Self.checksumByteCount)
        let version: UInt16 = try cursor.number()
        // No release has written version 0: that is no newer one.
        guard version > 0 else { throw .malformed("format version 0") }
        guard version == Self.version else { throw .unsupportedVersion(version) }
        try Self.checkIntegrity(of: bytes)

        try cursor.reserved(2)
        _ = try cursor.take(4)  // the size, just checked
        guard let storeID = StoreID(try cursor.take(StoreID.byteCount)) else {
            throw .malformed("store id")
        }
        let classEntryCount = Int(try cursor.number(UInt8.self))
        let protectorCount = Int(try cursor.number(UInt8.self))
        try cursor.reserved(6)
        guard Self.classEntryCount.contains(classEntryCount) else {
            throw .malformed("\(classEntryCount) class entries")
        }
        guard Self.protectorCount.contains(protectorCount) else {
            throw .malformed("\(protectorCount) protectors")
        }
        self.storeID = storeID
        classEntries = try Self.parseClassEntries(from: &cursor, count: classEntryCount)
        protectors = []
        for _ in 0..<protectorCount {
            let protector = try Self.parseProtector(from: &cursor, for: classEntries)
            // The file belongs to the user: each of a kind would cost a login one more derivation.
            guard !has(protector.kind) else {
                throw .malformed("two protectors of kind \(protector.kind.rawValue)")
            }
            protectors.append(protector)
        }
        guard cursor.isAtEnd else { throw .malformed("bytes after the last protector") }
    }

    /// The size field and the checksum: whether these are the bytes that were written.
    private static func checkIntegrity(of bytes: [UInt8]) throws(KeybagError) {
        let contentCount = bytes.count - checksumByteCount
        var cursor = ByteCursor(bytes, from: 12, to: contentCount)
        let size = Int(try cursor.number(UInt32.self))
        if bytes.count < size { throw .truncated(expected: size, actual: bytes.count) }
        if bytes.count > size { throw .trailingBytes(expected: size, actual: bytes.count) }
        let content = bytes.span.extracting(0..<contentCount)
        guard checksum(of: content).elementsEqual(bytes[contentCount...]) else {
            throw .badChecksum
        }
    }

    private static func parseClassEntries(
        from cursor: inout ByteCursor, count: Int
    ) throws(KeybagError) -> [ClassEntry] {
        var entries: [ClassEntry] = []
        for _ in 0..<count {
            let (keyClass, epoch) = try parseClassAndEpoch(from: &cursor)
            let entry = ClassEntry(
                keyClass: keyClass, epoch: epoch, depositPublicKey: try cursor.take(32),
                checkValue: try cursor.take(ClassKey.checkValueByteCount))
            if let last = entries.last,
                (last.keyClass.rawValue, last.epoch) >= (keyClass.rawValue, epoch)
            {
                throw .malformed("class entries out of order")
            }
            entries.append(entry)
        }
        guard KeyClass.allCases.allSatisfy({ wanted in entries.contains { $0.keyClass == wanted } })
        else { throw .malformed("a class has no entry") }
        return entries
    }

    private static func parseProtector(
        from cursor: inout ByteCursor, for entries: [ClassEntry]
    ) throws(KeybagError) -> Protector {
        let id = try cursor.take(Protector.idByteCount)
        let rawKind: UInt8 = try cursor.number()
        guard let kind = Protector.Kind(rawValue: rawKind) else {
            throw .malformed("protector of kind \(rawKind)")
        }
        let wrapCount = Int(try cursor.number(UInt8.self))
        try cursor.reserved(2)
        let derivation = PasswordDerivation(
            passes: try cursor.number(), memoryKiB: try cursor.number(),
            salt: try cursor.take(PasswordDerivation.saltByteCount))
        try check(derivation)
        try cursor.reserved(8)
        guard wrapCount == entries.count else { throw .malformed("\(wrapCount) wraps") }
        var wraps: [Protector.Wrap] = []
        for entry in entries {
            let (keyClass, epoch) = try parseClassAndEpoch(from: &cursor)
            guard keyClass == entry.keyClass, epoch == entry.epoch else {
                throw .malformed("wraps out of order")
            }
            wraps.append(
                Protector.Wrap(
                    keyClass: keyClass, epoch: epoch,
                    box: try cursor.take(Protector.Wrap.boxByteCount)))
        }
        return Protector(id: id, kind: kind, derivation: derivation, wraps: wraps)
    }

    /// The file belongs to the user, who must not be able to make a login expensive for the machine.
    private static func check(_ derivation: PasswordDerivation) throws(KeybagError) {
        let (passes, memoryKiB) = (derivation.passes, derivation.memoryKiB)
        guard passes <= Self.passes.upperBound, memoryKiB <= Self.memoryKiB.upperBound else {
            throw .costTooHigh(passes: passes, memoryKiB: memoryKiB)
        }
        guard passes >= Self.passes.lowerBound, memoryKiB >= Self.memoryKiB.lowerBound else {
            throw .costTooLow(passes: passes, memoryKiB: memoryKiB)
        }
    }

    private static func parseClassAndEpoch(
        from cursor: inout ByteCursor
    ) throws(KeybagError) -> (KeyClass, UInt32) {
        let rawClass: UInt8 = try cursor.number()
        guard let keyClass = KeyClass(rawValue: rawClass) else {
            throw .malformed("class \(rawClass)")
        }
        try cursor.reserved(3)
        let epoch: UInt32 = try cursor.number()
        guard epoch > 0 else { throw .malformed("epoch 0") }
        return (keyClass, epoch)
    }

    /// The bytes of the file; parsing them gives an equal keybag.
    public func serialized() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.version)
        bytes += [0, 0]
        bytes.append(littleEndian: UInt32(byteCount))
        bytes += storeID.bytes
        bytes.append(UInt8(classEntries.count))
        bytes.append(UInt8(protectors.count))
        bytes += [UInt8](repeating: 0, count: 6)
        for entry in classEntries {
            Self.append(entry.keyClass, entry.epoch, to: &bytes)
            bytes += entry.depositPublicKey + entry.checkValue
        }
        for protector in protectors {
            bytes += protector.id
            bytes += [protector.kind.rawValue, UInt8(protector.wraps.count), 0, 0]
            bytes.append(littleEndian: protector.derivation.passes)
            bytes.append(littleEndian: protector.derivation.memoryKiB)
            bytes += protector.derivation.salt
            bytes += [UInt8](repeating: 0, count: 8)
            for wrap in protector.wraps {
                Self.append(wrap.keyClass, wrap.epoch, to: &bytes)
                bytes += wrap.box
            }
        }
        return bytes + checksum(of: bytes.span)
    }

    private var byteCount: Int {
        Self.headerByteCount + classEntries.count * 56
            + protectors.reduce(0) { $0 + 52 + $1.wraps.count * (8 + Protector.Wrap.boxByteCount) }
            + Self.checksumByteCount
    }

    private static func append(_ keyClass: KeyClass, _ epoch: UInt32, to bytes: inout [UInt8]) {
        bytes += [keyClass.rawValue, 0, 0, 0]
        bytes.append(littleEndian: epoch)
    }
}
