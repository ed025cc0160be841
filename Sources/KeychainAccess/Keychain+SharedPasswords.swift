// Passwords that a web site and a program share through iCloud. Nothing on Linux has them: these
// functions are here so that source compiles, and call back before they return.
extension Keychain {
    /// Answers with ``Status/unimplemented``: there are no shared web credentials here.
    ///
    /// - Parameter completion: Gets no account, no password, and the error.
    public func getSharedPassword(
        _ completion:
            @escaping (_ account: String?, _ password: String?, _ error: (any Error)?) -> Void = {
                _, _, _ in
            }
    ) {
        completion(nil, nil, Status.unimplemented)
    }

    /// Answers with ``Status/unimplemented``: there are no shared web credentials here.
    ///
    /// - Parameters:
    ///   - account: Whose password.
    ///   - completion: Gets no password, and the error.
    public func getSharedPassword(
        _ account: String,
        completion:
            @escaping (_ password: String?, _ error: (any Error)?) -> Void = { _, _ in }
    ) {
        completion(nil, Status.unimplemented)
    }

    /// Answers with ``Status/unimplemented``: there are no shared web credentials here.
    ///
    /// - Parameters:
    ///   - password: Stored nowhere.
    ///   - account: Whose password.
    ///   - completion: Gets the error.
    public func setSharedPassword(
        _ password: String, account: String,
        completion: @escaping (_ error: (any Error)?) -> Void = { _ in }
    ) {
        completion(Status.unimplemented)
    }

    /// Answers with ``Status/unimplemented``: there are no shared web credentials here.
    ///
    /// - Parameters:
    ///   - account: Whose password.
    ///   - completion: Gets the error.
    public func removeSharedPassword(
        _ account: String,
        completion: @escaping (_ error: (any Error)?) -> Void = { _ in }
    ) {
        completion(Status.unimplemented)
    }

    /// Answers with ``Status/unimplemented``: there are no shared web credentials here.
    ///
    /// - Parameter completion: Gets no credentials, and the error.
    public class func requestSharedWebCredential(
        _ completion:
            @escaping (_ credentials: [[String: String]], _ error: (any Error)?) -> Void = {
                _, _ in
            }
    ) {
        completion([], Status.unimplemented)
    }

    /// Answers with ``Status/unimplemented``: there are no shared web credentials here.
    ///
    /// - Parameters:
    ///   - domain: The web site's.
    ///   - completion: Gets no credentials, and the error.
    public class func requestSharedWebCredential(
        domain: String,
        completion:
            @escaping (_ credentials: [[String: String]], _ error: (any Error)?) -> Void = {
                _, _ in
            }
    ) {
        completion([], Status.unimplemented)
    }

    /// Answers with ``Status/unimplemented``: there are no shared web credentials here.
    ///
    /// - Parameters:
    ///   - domain: The web site's.
    ///   - account: Whose credentials.
    ///   - completion: Gets no credentials, and the error.
    public class func requestSharedWebCredential(
        domain: String, account: String,
        completion:
            @escaping (_ credentials: [[String: String]], _ error: (any Error)?) -> Void = {
                _, _ in
            }
    ) {
        completion([], Status.unimplemented)
    }

    /// A random password, such as "k3W-uHd-9Xq-Rfe".
    ///
    /// - Returns: Four groups of three letters and digits, without those that are easily taken for
    ///   one another; 70 bits from the system's random generator.
    public class func generatePassword() -> String {
        // 57 characters: log2(57) * 12 is 70.
        let characters = Array("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        var generator = SystemRandomNumberGenerator()
        let groups = (0..<4).map { _ in
            String((0..<3).compactMap { _ in characters.randomElement(using: &generator) })
        }
        return groups.joined(separator: "-")
    }
}
