internal import CLinux

/// What the shadow file, or another source of that database, says of an account's password.
public enum ShadowPassword {
    /// Whether a login asks for a password; for root, nobody else may look.
    ///
    /// - Parameter name: The account's name.
    /// - Returns: False for an empty password, which `passwd -d` leaves. An account that is not in the
    ///   database has its password elsewhere, and one that is locked there may: true.
    public static func isRequired(for name: String) -> Bool {
        unsafe vestry_has_empty_password(name) == 0
    }
}
