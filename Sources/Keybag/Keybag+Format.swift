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
        let bridgeCount = Int(try cursor.number(UInt8.self))
        try cursor.reserved(5)
        guard Self.classEntryCount.contains(classEntryCount) else {
            throw .malformed("\(classEntryCount) class entries")
        }
        guard Self.protectorCount.contains(protectorCount) else {
            throw .malformed("\(protectorCount) protectors")
        }
        guard Self.bridgeCount.contains(bridgeCount) else {
            throw .malformed("\(bridgeCount) bridges")
        }
        self.storeID = storeID
        classEntries = try Self.parseClassEntries(from: &cursor, count: classEntryCount)
        protectors = []
        for _ in 0..<protectorCount {
            let protector = try Self.parseProtector(from: &cursor, for: classEntries)
            // The file belongs to the user: each of these kinds would cost a login one more
            // derivation.
            guard !(Protector.Kind.single.contains(protector.kind) && has(protector.kind)) else {
                throw .malformed("two protectors of kind \(protector.kind.rawValue)")
            }
            guard !protectors.contains(where: { $0.id == protector.id }) else {
                throw .malformed("two protectors with one id")
            }
            protectors.append(protector)
        }
        bridges = try Self.parseBridges(from: &cursor, count: bridgeCount, for: classEntries)
        guard cursor.isAtEnd else { throw .malformed("bytes after the last entry") }
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
            let keyClass = try parseClass(from: &cursor)
            try cursor.reserved(3)
            let entry = ClassEntry(
                keyClass: keyClass, epoch: try parseEpoch(from: &cursor),
                depositPublicKey: try cursor.take(32),
                checkValue: try cursor.take(ClassKey.checkValueByteCount))
            if let last = entries.last, last.name >= entry.name {
                throw .malformed("class entries out of order")
            }
            entries.append(entry)
        }
        guard KeyClass.allCases.allSatisfy({ wanted in entries.contains { $0.keyClass == wanted } })
        else { throw .malformed("a class has no entry") }
        return entries
    }

    static func parseClass(from cursor: inout ByteCursor) throws(KeybagError) -> KeyClass {
        let rawClass: UInt8 = try cursor.number()
        guard let keyClass = KeyClass(rawValue: rawClass) else {
            throw .malformed("class \(rawClass)")
        }
        return keyClass
    }

    static func parseEpoch(from cursor: inout ByteCursor) throws(KeybagError) -> UInt32 {
        let epoch: UInt32 = try cursor.number()
        guard epoch > 0 else { throw .malformed("epoch 0") }
        return epoch
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
        bytes.append(UInt8(bridges.count))
        bytes += [UInt8](repeating: 0, count: 5)
        for entry in classEntries {
            bytes += [entry.keyClass.rawValue, 0, 0, 0]
            bytes.append(littleEndian: entry.epoch)
            bytes += entry.depositPublicKey + entry.checkValue
        }
        for protector in protectors { Self.append(protector, to: &bytes) }
        for bridge in bridges {
            bytes += [bridge.keyClass.rawValue, 0, 0, 0]
            bytes.append(littleEndian: bridge.older)
            bytes.append(littleEndian: bridge.newer)
            bytes += bridge.box
        }
        return bytes + checksum(of: bytes.span)
    }

    /// The size of the file.
    var byteCount: Int {
        Self.headerByteCount + classEntries.count * ClassEntry.byteCount
            + protectors.reduce(0) { $0 + $1.byteCount } + bridges.count * Bridge.byteCount
            + Self.checksumByteCount
    }
}
