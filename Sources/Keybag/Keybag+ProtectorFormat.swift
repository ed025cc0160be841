internal import KeyClasses
internal import Sealing

// Protectors and bridges as they stand in the file; the tables stand at `Keybag`.
extension Keybag {
    static func parseProtector(
        from cursor: inout ByteCursor, for entries: [ClassEntry]
    ) throws(KeybagError) -> Protector {
        let id = try cursor.take(Protector.idByteCount)
        let kind = Protector.Kind(rawValue: try cursor.number())
        guard kind.rawValue > 0 else { throw .malformed("protector of kind 0") }
        let wrapCount = Int(try cursor.number(UInt8.self))
        let extensionByteCount = Int(try cursor.number(UInt16.self))
        let method = try parseMethod(from: &cursor, of: kind)
        let createdAt: UInt64 = try cursor.number()
        guard createdAt <= Protector.latestTime else { throw .malformed("a protector's time") }
        let extensions = try ProtectorExtension(from: &cursor, byteCount: extensionByteCount)
        guard 1...entries.count ~= wrapCount else { throw .malformed("\(wrapCount) wraps") }
        var wraps: [Protector.Wrap] = []
        for _ in 0..<wrapCount {
            let wrap = try parseWrap(from: &cursor)
            guard wraps.last.map({ $0.name < wrap.name }) ?? true else {
                throw .malformed("wraps out of order")
            }
            guard entries.contains(where: { $0.name == wrap.name }) else {
                throw .malformed("a wrap without a class entry")
            }
            let isReachable = extensions.publicKeys != nil && extensions.vouchBox != nil
            guard wrap.form == .wrapped || isReachable else {
                throw .malformed("a sealed wrap without public keys")
            }
            wraps.append(wrap)
        }
        return Protector(
            id: id, kind: kind, method: method, createdAt: createdAt, extensions: extensions,
            wraps: wraps)
    }

    private static func parseMethod(
        from cursor: inout ByteCursor, of kind: Protector.Kind
    ) throws(KeybagError) -> Protector.Method {
        guard Protector.Kind.known.contains(kind) else {
            return .unknown(try cursor.take(Protector.methodByteCount))
        }
        let derivation = PasswordDerivation(
            passes: try cursor.number(), memoryKiB: try cursor.number(),
            salt: try cursor.take(PasswordDerivation.saltByteCount))
        try check(derivation)
        return .password(derivation)
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

    private static func parseWrap(
        from cursor: inout ByteCursor
    ) throws(KeybagError) -> Protector.Wrap {
        let keyClass = try parseClass(from: &cursor)
        let rawForm: UInt8 = try cursor.number()
        guard let form = Protector.Form(rawValue: rawForm) else {
            throw .malformed("a wrap of form \(rawForm)")
        }
        guard form != .sealedOnDevice || keyClass.isThisDeviceOnly else {
            throw .malformed("a wrap of form \(rawForm) for class \(keyClass.rawValue)")
        }
        try cursor.reserved(2)
        return Protector.Wrap(
            keyClass: keyClass, epoch: try parseEpoch(from: &cursor), form: form,
            box: try cursor.take(form.boxByteCount))
    }

    static func parseBridges(
        from cursor: inout ByteCursor, count: Int, for entries: [ClassEntry]
    ) throws(KeybagError) -> [Bridge] {
        var bridges: [Bridge] = []
        for _ in 0..<count {
            let keyClass = try parseClass(from: &cursor)
            try cursor.reserved(3)
            let bridge = Bridge(
                keyClass: keyClass, older: try parseEpoch(from: &cursor),
                newer: try parseEpoch(from: &cursor), box: try cursor.take(Bridge.boxByteCount))
            guard bridges.last.map({ $0.name < bridge.name }) ?? true else {
                throw .malformed("bridges out of order")
            }
            let ends = [bridge.older, bridge.newer].map {
                ClassKeyName(keyClass: keyClass, epoch: $0)
            }
            guard bridge.older < bridge.newer,
                ends.allSatisfy({ end in entries.contains { $0.name == end } })
            else { throw .malformed("a bridge that leads nowhere") }
            bridges.append(bridge)
        }
        return bridges
    }

    static func append(_ protector: Protector, to bytes: inout [UInt8]) {
        bytes += protector.id
        bytes += [protector.kind.rawValue, UInt8(protector.wraps.count)]
        bytes.append(littleEndian: UInt16(protector.extensions.byteCount))
        switch protector.method {
        case .password(let derivation):
            bytes.append(littleEndian: derivation.passes)
            bytes.append(littleEndian: derivation.memoryKiB)
            bytes += derivation.salt
        case .unknown(let method): bytes += method
        }
        bytes.append(littleEndian: protector.createdAt)
        bytes += protector.extensions.serialized
        for wrap in protector.wraps {
            bytes += [wrap.keyClass.rawValue, wrap.form.rawValue, 0, 0]
            bytes.append(littleEndian: wrap.epoch)
            bytes += wrap.box
        }
    }
}
