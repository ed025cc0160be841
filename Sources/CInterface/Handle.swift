internal import CVestry
internal import Vestry

// What a caller in C holds is a pointer to an object, which counts as one reference to it until the
// caller frees it.

/// Gives an object to the caller.
func handOut(_ object: AnyObject) -> OpaquePointer {
    unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// The object that the caller holds.
///
/// - Parameters:
///   - handle: From ``handOut(_:)``.
///   - type: The object's.
/// - Returns: The object.
/// - Throws: `VestryError` with the code `parameter` where there is none.
func object<Object: AnyObject>(
    _ handle: OpaquePointer?, _ type: Object.Type
) throws(VestryError) -> Object {
    guard let object = unsafe known(handle, type) else { throw VestryError(parameter: "NULL") }
    return object
}

/// The object that the caller holds; nil for NULL.
func known<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type) -> Object? {
    guard let handle = unsafe handle else { return nil }
    return unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
}

/// Takes an object back from the caller, who does not use it any more.
func takeBack<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
    guard let handle = unsafe handle else { return }
    unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
}

/// A text of the caller's.
///
/// - Parameter text: Ends with a zero.
/// - Returns: The text.
/// - Throws: `VestryError` with the code `parameter` where it is NULL or no UTF-8.
func checked(_ text: UnsafePointer<CChar>?) throws(VestryError) -> String {
    guard let text = unsafe text else { throw VestryError(parameter: "NULL") }
    guard let checked = unsafe String(validatingCString: text) else {
        throw VestryError(parameter: "a text is no UTF-8")
    }
    return checked
}

extension VestryError {
    /// The caller's mistake.
    init(parameter detail: String) { self.init(.parameter, detail: detail) }
}

/// Runs a function of the interface.
///
/// - Parameter body: What it does.
/// - Returns: 0, or the number of the error, which is kept for `vestry_last_error`.
func answering(_ body: () throws(VestryError) -> Void) -> CInt {
    do throws(VestryError) {
        try body()
        return VESTRY_OK
    } catch {
        let text = error.description
        unsafe text.utf8CString.withUnsafeBufferPointer { bytes in
            // Without the zero, which the other side adds.
            unsafe CVestryKeepError(bytes.baseAddress, bytes.count - 1)
        }
        return error.code.rawValue
    }
}
