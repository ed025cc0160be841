import Foundation
import Testing
import Vestry
import VestryTesting

@testable import Security

/// The number of the error that `body` throws, or success.
func code(_ body: () throws(VestryError) -> Void) -> OSStatus {
    do throws(VestryError) {
        try body()
        return errSecSuccess
    } catch {
        return error.code.rawValue
    }
}

/// Runs `body` with a keychain of its own.
func withKeychain<Result>(
    accessGroups: [String]? = nil, _ body: (TestingKeychain) throws -> Result
) throws -> Result {
    let testing = try TestingKeychain()
    var keychain = testing.keychain
    if let accessGroups { keychain.accessGroups = accessGroups }
    return try CurrentKeychain.$override.withValue(keychain) { try body(testing) }
}

/// What a search returns, which must succeed.
func search(_ query: CFDictionary) -> (OSStatus, CFTypeRef?) {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query, &result)
    return (status, result)
}

/// A generic password, with more keys.
func password(_ more: CFDictionary = [:]) -> CFDictionary {
    [kSecClass: kSecClassGenericPassword].merging(more) { $1 }
}

/// A file of the tests of `Certificates`, whose README says what they are.
func file(_ name: String) throws -> Data {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "CertificatesTests/Certificates")
    return try Data(contentsOf: folder.appending(path: name))
}

func readCertificate(_ name: String) throws -> SecCertificate {
    try #require(SecCertificateCreateWithData(nil, file(name)))
}

/// A key of these tests, of which elliptic curves are points.
func readKey(_ name: String, _ type: CFString, _ keyClass: CFString) throws -> SecKey {
    let attributes: CFDictionary = [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass]
    return try #require(SecKeyCreateWithData(file(name), attributes, nil))
}
