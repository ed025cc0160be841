import SecureMemory
import Synchronization
import Testing
import Vestry
import VestryTesting

@testable import VestryCLI

@Suite struct PresencePromptTests {
    private final class Shown: Sendable {
        let text = Mutex("")
    }

    @Test(
        arguments: [
            (.userPresence, "Login password to read L\\u{1B}"),
            (.applicationPassword, "Application password to read L\\u{1B}"),
        ] as [(AccessControl.Flags, String)])
    func saysWhichPasswordIsAskedFor(_ flags: AccessControl.Flags, _ expected: String) throws {
        var keychain = try TestingKeychain().keychain
        let control = AccessControl(.whenUnlocked, flags)
        try keychain.add(
            .genericPassword,
            attributes: [.label: "L\u{1b}", .accessControl: .data(control.encoded)],
            secret: SecretBytes(copying: Array("secret".utf8).span),
            applicationPassword: ApplicationPassword(SecretBytes(copying: Array("own".utf8).span)))
        let shown = Shown()
        keychain.presenceHandler = { question throws(VestryError) in
            shown.text.withLock { $0 = PresencePrompt.text(of: question) }
            return nil
        }
        #expect(throws: VestryError.self) {
            try keychain.find(ItemQuery(.genericPassword), wantingSecrets: true).records.count
        }
        #expect(shown.text.withLock { $0 } == expected)
    }
}
