public import Foundation
internal import SecurityNames
package import Vestry

/// What an item asks for at each read, and when it can be read (Apple: SecAccessControl).
///
/// The value of `kSecAttrAccessControl`; ``SecAccessControlCreateWithFlags(_:_:_:_:)`` makes one.
public final class SecAccessControl: Sendable {
    package let value: AccessControl

    package init(_ value: AccessControl) { self.value = value }
}

extension SecAccessControl: CustomStringConvertible {
    /// The accessibility's raw value and the flags, as Apple prints it.
    public var description: String {
        "<SecAccessControlRef: \(String(decoding: value.encoded, as: UTF8.self))>"
    }
}

/// What has to be proved at each read (Apple: SecAccessControlCreateFlags).
///
/// Only the login password can be asked for in this release: there is no biometric method and no
/// watch, and an item for which nothing else would do cannot be added (`errSecNotAvailable`).
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
    public let rawValue: CFOptionFlags

    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// That the user is there, by any method.
    public static let userPresence = Self(rawValue: 1 << 0)
    /// Any enrolled fingerprint or face.
    public static let biometryAny = Self(rawValue: 1 << 1)
    /// An older name of ``biometryAny``.
    public static let touchIDAny = biometryAny
    /// One of the fingerprints or faces that were enrolled when the item was added.
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    /// An older name of ``biometryCurrentSet``.
    public static let touchIDCurrentSet = biometryCurrentSet
    /// The login password.
    public static let devicePasscode = Self(rawValue: 1 << 4)
    /// A paired watch.
    public static let watch = Self(rawValue: 1 << 5)
    /// A newer name of ``watch``.
    public static let companion = watch
    /// One of the others is enough.
    public static let or = Self(rawValue: 1 << 14)
    /// All of the others.
    public static let and = Self(rawValue: 1 << 15)
    /// A private key may be used, and not read.
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
    /// A password of the program's own goes into the encryption: ``LAContext/setCredential(_:type:)``.
    public static let applicationPassword = Self(rawValue: 1 << 31)
}

/// Makes a value for `kSecAttrAccessControl` (Apple: Keychain Services).
///
/// - Parameters:
///   - allocator: Has no meaning here; nil or `kCFAllocatorDefault`.
///   - protection: One of the `kSecAttrAccessible…` constants, as text or as object.
///   - flags: None, or what a read asks for.
///   - error: Where an error goes, retained; nil for nowhere.
/// - Returns: The access control; nil with the error `errSecParam` for another protection, for
///   unknown flags, or for both ``SecAccessControlCreateFlags/or`` and
///   ``SecAccessControlCreateFlags/and``.
@discardableResult
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: Any, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    guard let name = protection as? String, let accessibility = Accessibility(appleName: name),
        let bits = UInt32(exactly: flags.rawValue), flags.isSubset(of: .known),
        !flags.isSuperset(of: [.or, .and])
    else {
        unsafe report(errSecParam, to: error)
        return nil
    }
    return SecAccessControl(
        AccessControl(accessibility, AccessControl.Flags(rawValue: bits)))
}

extension SecAccessControlCreateFlags {
    fileprivate static let known: Self = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch, .or, .and,
        .privateKeyUsage, .applicationPassword,
    ]
}
