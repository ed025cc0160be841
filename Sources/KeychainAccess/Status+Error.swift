public import Foundation
internal import SecurityNames
internal import Vestry

/// The domain that errors of this module have as `NSError`; the same as KeychainAccess'.
public let KeychainAccessErrorDomain = "com.kishikawakatsumi.KeychainAccess.error"

extension Status {
    /// The condition of a number.
    ///
    /// - Parameter status: Any; a number that is no case becomes ``unexpectedError``.
    public init(status: OSStatus) {
        self = Status(rawValue: status) ?? .unexpectedError
    }

    init(_ error: VestryError) {
        self.init(status: error.code.rawValue)
    }
}

extension Status: CustomStringConvertible {
    /// One English sentence.
    public var description: String {
        StatusTexts.text(of: rawValue) ?? "OSStatus \(rawValue)"
    }
}

extension Status: CustomNSError, LocalizedError {
    /// ``KeychainAccessErrorDomain``.
    public static let errorDomain = KeychainAccessErrorDomain

    /// The raw value.
    public var errorCode: Int { Int(rawValue) }

    /// The description, as what `localizedDescription` gives.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    /// The description.
    public var errorDescription: String? { description }
}

/// Runs `body`, and throws what it throws as a ``Status``.
func withStatus<Value: ~Copyable>(
    _ body: () throws(VestryError) -> Value
) throws(Status) -> Value {
    do {
        return try body()
    } catch {
        throw Status(error)
    }
}
