import SecureMemory
import TestSupport
import Testing

@testable import SessionHelper

@Suite struct DeviceKeyFileTests {
    static let sealed = SealedDeviceKey(
        id: "0123456789abcdef", madeAt: 1_796_000_000, sealing: .both,
        credential: Array("Whxqht+dQJax\naZeCGLx==\n".utf8))

    static let text = """
        vestry device key 1, sealed
        id 0123456789abcdef
        made 1796000000
        with host+tpm2
        Whxqht+dQJax
        aZeCGLx==

        """

    @Test func aSealedKeyIsWrittenAndReadAsText() {
        #expect(String(decoding: Self.sealed.contents, as: UTF8.self) == Self.text)
        #expect(SealedDeviceKey(parsing: Array(Self.text.utf8)) == Self.sealed)
    }

    @Test func everyTruncationIsRefusedOrLeavesTheHeaderWhole() {
        let bytes = Self.sealed.contents
        for count in 0..<bytes.count {
            guard let parsed = SealedDeviceKey(parsing: Array(bytes.prefix(count))) else {
                continue
            }
            #expect(parsed.id == Self.sealed.id && bytes[count - 1] == UInt8(ascii: "\n"))
        }
    }

    @Test(arguments: [
        ("key 1,", "key 2,"), ("id 0", "id  0"), ("id", "ID"), ("made 1796000000", "made -1"),
        ("made 1796000000", "made 01796000000"), ("made 1796000000", "made 9999999999999"),
        ("with host+tpm2", "with auto"), ("with host+tpm2\n", "with host+tpm2\n\u{0}"),
        ("aZeCGLx==\n", "aZeCGLx=="), ("Whxq", "Wh xq"),
    ])
    func aChangedHeaderIsRefused(from: String, to: String) {
        let parts = Self.text.split(separator: from, maxSplits: 1, omittingEmptySubsequences: false)
        #expect(parts.count == 2)
        let changed = parts.joined(separator: to)
        #expect(SealedDeviceKey(parsing: Array(changed.utf8)) == nil)
    }

    @Test(arguments: [0, 1, 31, 32, 33, 64, 8192, 8193])
    func onlyThirtyTwoBytesAreAPlainKey(count: Int) {
        let file = DeviceKeyFile(parsing: SecretBytes([UInt8](repeating: 0x41, count: count)))
        let isPlain = withValue(of: file) { file in
            switch file {
            case .plain: true
            case .sealed: false
            }
        }
        #expect(isPlain == (count == 32 ? true : nil))
    }

    @Test func aFileThatIsTooLongIsNoKey() {
        let line = [UInt8](repeating: 0x41, count: 9000) + [0x0A]
        let file = DeviceKeyFile(parsing: SecretBytes(Self.sealed.contents + line))
        #expect(withValue(of: file) { _ in true } == nil)
    }

    @Test func theIDSaysNothingButWhichKeyItIs() throws {
        let one = DeviceKey(SecretBytes([UInt8](repeating: 1, count: 32)), madeAt: 0, sealing: nil)
        let two = DeviceKey(SecretBytes([UInt8](repeating: 2, count: 32)), madeAt: 0, sealing: nil)
        let ids = [withValue(of: one) { $0.id }, withValue(of: two) { $0.id }].compactMap(\.self)
        #expect(Set(ids).count == 2 && ids.allSatisfy { $0.count == 16 })
        #expect(!ids.contains("0101010101010101"))
    }
}

@Suite struct DeviceKeyCommandTests {
    @Test(arguments: [
        (["--help"], DeviceKeyCommand.Verb.help), (["device-key", "--help"], .help),
        (["device-key", "status"], .status),
        (["device-key", "replace"], .replace(isForced: false)),
        (["device-key", "replace", "--yes"], .replace(isForced: true)),
        (["device-key", "seal"], .seal(nil)),
        (["device-key", "seal", "--with", "host"], .seal(.host)),
        (["device-key", "seal", "--with", "host+tpm2"], .seal(.both)),
        (["device-key", "unseal"], .unseal),
        (["device-key", "forget-old", "--yes"], .forgetOld(isForced: true)),
    ])
    func aCommandIsRead(arguments: [String], verb: DeviceKeyCommand.Verb) {
        #expect(DeviceKeyCommand.verb(arguments) == verb)
    }

    @Test(arguments: [
        ["status"], ["device-key"], ["device-key", "status", "--json"],
        ["device-key", "seal", "host"],
        ["device-key", "seal", "--with"], ["device-key", "seal", "--with", "auto"],
        ["device-key", "unseal", "--yes"], ["device-key", "replace", "--yes", "--yes"],
        ["--version"], [""],
    ])
    func anythingElseIsNoCommand(arguments: [String]) {
        #expect(DeviceKeyCommand.verb(arguments) == nil)
    }
}
