/// Which sessions count, for people.
extension KernelKeyring {
    /// The presence keyring of the calling user, whichever store it is for.
    ///
    /// - Returns: Its serial number; nil when no open session links one.
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public static func presenceSerial() throws(KeyringError) -> Int32? {
        try presence()?.keyring.serial
    }

    /// Looks for a key in a keyring.
    ///
    /// - Parameters:
    ///   - keyring: The serial number of a keyring, such as that of a login session.
    ///   - serial: The key's.
    /// - Returns: Whether it is linked there; false as well where the keyring may not be read.
    public static func links(_ keyring: Int32, to serial: Int32) -> Bool {
        Key(serial: keyring).linkedSerials()?.contains(serial) ?? false
    }
}
