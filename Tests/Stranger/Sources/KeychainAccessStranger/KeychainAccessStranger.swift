import Foundation
import KeychainAccess

/// A program of somebody else's on the keychain of whoever runs it, from an actor.
actor Passwords {
    private let keychain = Keychain(service: "org.example.stranger")
        .label("stranger")
        .accessibility(.afterFirstUnlock)

    func roundTrip(_ password: String, key: String) throws -> String? {
        try keychain.set(password, key: key)
        defer { keychain[key] = nil }
        return try keychain.get(key)
    }

    func get(_ key: String) throws -> String? { try keychain.get(key) }
}

@main
struct KeychainAccessStranger {
    static func main() async {
        // However a program is started, it is the same keychain.
        if CommandLine.arguments.dropFirst() == ["--default-service"] {
            print("service [\(Keychain().service)]")
            return
        }
        let passwords = Passwords()
        let password = Keychain.generatePassword()
        check(password.count == 15, "a password is generated")
        let key = UUID().uuidString
        do {
            check(try await passwords.roundTrip(password, key: key) == password, "it is there")
            check(try await passwords.get(key) == nil, "it is removed")
        } catch {
            // Nobody has logged in here: the error says what is the matter.
            let reasons: [Status] = [.noSuchKeychain, .interactionNotAllowed, .notAvailable]
            check(reasons.contains { $0 == error as? Status }, "without a keychain, so it is said")
        }
        print("1 passed, 0 failed")
    }

    static func check(_ condition: Bool, _ claim: String) {
        guard condition else { fatalError("not so: \(claim)") }
    }
}
