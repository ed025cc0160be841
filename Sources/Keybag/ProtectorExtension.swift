internal import Sealing

/// What a protector has besides its fixed fields.
///
/// Entries, ascending by tag, each tag once:
///
///     offset  size  field
///     0       1     tag, from 1
///     1       2     size, from 1
///     3             bytes
///
///     tag  size     bytes
///     1    1 to 64  label, UTF-8
///     2    64       two X25519 public keys: of the protector key, and of the key mixed with the
///                   device key
///     3    16       device mark: which machine's device key is mixed in
///     4    72       the protector's vouch key, in a box under the index key of the current epoch
///
/// Entries with another tag are kept byte for byte.
struct ProtectorExtension: Equatable, Sendable {
    static let maximumByteCount = 2048
    static let maximumLabelByteCount = 64
    static let publicKeyByteCount = 32
    static let deviceMarkByteCount = 16
    static let vouchBoxByteCount = SealingKey.overhead + WrappingKeys.vouchKeyByteCount

    enum Tag {
        static let label: UInt8 = 1
        static let publicKeys: UInt8 = 2
        static let deviceMark: UInt8 = 3
        static let vouchBox: UInt8 = 4
    }

    private var entries: [UInt8: [UInt8]] = [:]

    init() {}

    init(from cursor: inout ByteCursor, byteCount: Int) throws(KeybagError) {
        guard byteCount <= Self.maximumByteCount else {
            throw .malformed("an extension of length \(byteCount)")
        }
        var part = try cursor.part(byteCount)
        var last: UInt8 = 0
        while !part.isAtEnd {
            let tag: UInt8 = try part.number()
            let size = Int(try part.number(UInt16.self))
            guard tag > last else { throw .malformed("extension entries out of order") }
            guard size > 0 else { throw .malformed("an empty extension entry") }
            last = tag
            entries[tag] = try part.take(size)
        }
        guard label.map({ !$0.isEmpty }) ?? (entries[Tag.label] == nil),
            entries[Tag.label]?.count ?? 1 <= Self.maximumLabelByteCount
        else { throw .malformed("a protector's label") }
        try check(Tag.publicKeys, 2 * Self.publicKeyByteCount)
        try check(Tag.deviceMark, Self.deviceMarkByteCount)
        try check(Tag.vouchBox, Self.vouchBoxByteCount)
    }

    private func check(_ tag: UInt8, _ byteCount: Int) throws(KeybagError) {
        guard entries[tag]?.count ?? byteCount == byteCount else {
            throw .malformed("extension entry \(tag) of another size")
        }
    }

    var byteCount: Int { entries.values.reduce(0) { $0 + 3 + $1.count } }

    var serialized: [UInt8] {
        var bytes: [UInt8] = []
        for (tag, value) in entries.sorted(by: { $0.key < $1.key }) {
            bytes.append(tag)
            bytes.append(littleEndian: UInt16(value.count))
            bytes += value
        }
        return bytes
    }

    var label: String? {
        get { entries[Tag.label].flatMap { String(validating: $0, as: UTF8.self) } }
        set {
            let bytes = newValue.map { Array($0.utf8) }
            entries[Tag.label] = bytes?.isEmpty == true ? nil : bytes
        }
    }

    /// The public keys; nil where a class key can be given only with the secret at hand.
    var publicKeys: (everywhere: [UInt8], thisDevice: [UInt8])? {
        get {
            entries[Tag.publicKeys].map {
                (
                    Array($0.prefix(Self.publicKeyByteCount)),
                    Array($0.suffix(Self.publicKeyByteCount))
                )
            }
        }
        set { entries[Tag.publicKeys] = newValue.map { $0.everywhere + $0.thisDevice } }
    }

    var deviceMark: [UInt8]? {
        get { entries[Tag.deviceMark] }
        set { entries[Tag.deviceMark] = newValue }
    }

    var vouchBox: [UInt8]? {
        get { entries[Tag.vouchBox] }
        set { entries[Tag.vouchBox] = newValue }
    }
}
