internal import SecurityNames

/// Says what a result code means, in English, for people (Apple: Keychain Services).
///
/// - Parameters:
///   - status: What a function returned.
///   - reserved: Nil.
/// - Returns: A sentence; for numbers that are no code, "OSStatus" and the number.
@discardableResult
public func SecCopyErrorMessageString(
    _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
    message(for: status)
}

func message(for status: OSStatus) -> String {
    StatusTexts.text(of: status) ?? "OSStatus \(status)"
}
