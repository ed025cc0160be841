import Vestry
import VestryTesting

/// A program of somebody else's that keeps a token, used from an actor.
actor Tokens {
    private let keychain: Keychain
    private let query = ItemQuery(
        .internetPassword, [.server: "example.org", .account: "alice"])

    init(_ keychain: Keychain) { self.keychain = keychain }

    func save(_ token: [UInt8]) throws(VestryError) {
        let secret = SecretBytes(copying: token.span)
        do throws(VestryError) {
            try keychain.update(query, secret: secret)
        } catch .itemNotFound {
            try keychain.add(.internetPassword, attributes: query.attributes, secret: secret)
        }
    }

    func byteCount() throws(VestryError) -> Int? {
        try keychain.find(query, wantingSecrets: true).records.first?.withSecret { $0.count }
    }
}

@main
struct Stranger {
    static func main() async throws {
        let testing = try TestingKeychain()
        let tokens = Tokens(testing.keychain)
        try await tokens.save([1, 2, 3])
        try await tokens.save([1, 2, 3, 4])
        check(try await tokens.byteCount() == 4, "the newer token is there")
        testing.state = .locked
        do {
            _ = try await tokens.byteCount()
            check(false, "a locked token is an error")
        } catch {
            check(error.code == .locked, "the error says so")
        }
        print("1 passed, 0 failed")
    }

    static func check(_ condition: Bool, _ claim: String) {
        guard condition else { fatalError("not so: \(claim)") }
    }
}
