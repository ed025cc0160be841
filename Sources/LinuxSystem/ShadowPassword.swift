internal import CLinux

/// What the shadow file, or another source of that database, says of an account's password.
public enum ShadowPassword {
    /// More than any method of crypt(5) writes: `CRYPT_OUTPUT_SIZE` is 384.
    public static let maximumRecordByteCount = 512

    /// Reads the record that a password is compared with; for root, nobody else may look.
    ///
    /// - Parameters:
    ///   - name: The account's name.
    ///   - record: Is filled from its start, with at most ``maximumRecordByteCount`` bytes.
    /// - Returns: How many bytes, none for an account that anybody can log in to; nil for an account
    ///   that is not in the database, which has its password elsewhere.
    public static func read(of name: String, into record: inout MutableSpan<UInt8>) -> Int? {
        let count = unsafe record.withUnsafeMutableBytes { bytes in
            unsafe vestry_read_password_record(
                name, bytes.baseAddress, min(bytes.count, maximumRecordByteCount))
        }
        return count < 0 ? nil : Int(count)
    }
}
