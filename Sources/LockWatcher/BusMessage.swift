internal import CSystemd
internal import Glibc
internal import LinuxSystem

/// A message that has come over the bus, read from front to back.
@safe
final class BusMessage {
    private let message: OpaquePointer

    /// Takes over the caller's reference.
    init(adopting message: OpaquePointer) {
        unsafe self.message = message
    }

    deinit { unsafe sd_bus_message_unref(message) }

    /// The object that a signal comes from.
    var path: String { unsafe text(sd_bus_message_get_path(message)) }
    var interface: String { unsafe text(sd_bus_message_get_interface(message)) }
    var member: String { unsafe text(sd_bus_message_get_member(message)) }

    private func text(_ bytes: UnsafePointer<CChar>?) -> String {
        unsafe bytes.map { unsafe String(cString: $0) } ?? ""
    }

    /// Reads a string (`s`) or the path of an object (`o`).
    ///
    /// - Throws: `BusError` when something else comes next.
    func string(_ type: Character = "s") throws(BusError) -> String {
        var value: UnsafePointer<CChar>?
        try unsafe read(type, into: &value)
        return unsafe text(value)
    }

    /// Reads a boolean (`b`), which sd-bus gives as an int.
    ///
    /// - Throws: `BusError` when something else comes next.
    func bool() throws(BusError) -> Bool {
        var value: CInt = 0
        try unsafe read("b", into: &value)
        return value != 0
    }

    /// Reads a number of 32 bits (`u`).
    ///
    /// - Throws: `BusError` when something else comes next.
    func number32() throws(BusError) -> UInt32 {
        var value: UInt32 = 0
        try unsafe read("u", into: &value)
        return value
    }

    /// Reads a number of 64 bits (`t`).
    ///
    /// - Throws: `BusError` when something else comes next.
    func number64() throws(BusError) -> UInt64 {
        var value: UInt64 = 0
        try unsafe read("t", into: &value)
        return value
    }

    /// Reads a descriptor (`h`), as one of the caller's own.
    ///
    /// - Throws: `BusError` when something else comes next, or there is no room for a descriptor.
    func descriptor() throws(BusError) -> FileDescriptor {
        var value: CInt = -1
        try unsafe read("h", into: &value)
        // The message closes its own.
        let copy = fcntl(value, F_DUPFD_CLOEXEC, 0)
        guard copy != -1 else { throw .system(call: "fcntl", errno: errno) }
        return FileDescriptor(adopting: copy)
    }

    private func read(_ type: Character, into value: UnsafeMutableRawPointer) throws(BusError) {
        let status = unsafe sd_bus_message_read_basic(message, Self.code(type), value)
        guard status > 0 else { throw status == 0 ? .malformed : BusError("read", status) }
    }

    /// Runs `body` for each element of an array.
    ///
    /// - Parameters:
    ///   - contents: The elements' type.
    ///   - body: Reads one element.
    /// - Throws: `BusError` when something else comes next, or what `body` throws.
    func forEach(
        _ contents: String, _ body: () throws(BusError) -> Void
    ) throws(BusError) {
        try enter("a", contents)
        while unsafe sd_bus_message_at_end(message, 0) == 0 { try body() }
        try exit()
    }

    /// Runs `body` for the inside of a structure (`r`) or the entry of a dictionary (`e`).
    ///
    /// - Throws: `BusError` when something else comes next, or what `body` throws.
    func inside<Value>(
        _ kind: Character, _ contents: String, _ body: () throws(BusError) -> Value
    ) throws(BusError) -> Value {
        try enter(kind, contents)
        let value = try body()
        try exit()
        return value
    }

    /// Reads a dictionary of names and values of any type, such as an object's properties.
    ///
    /// - Parameter body: Gets a name, and reads the value by one of the functions here, inside of
    ///   `variant`; returns false to have it skipped.
    /// - Throws: `BusError` when something else comes next, or what `body` throws.
    func forEachProperty(
        _ body: (_ name: String) throws(BusError) -> Bool
    ) throws(BusError) {
        try forEach("{sv}") { () throws(BusError) in
            try inside("e", "sv") { () throws(BusError) in
                if try !body(try string()) { try skip("v") }
            }
        }
    }

    /// Runs `body` for the value inside of a variant.
    ///
    /// - Throws: `BusError` when the value has another type, or what `body` throws.
    func variant<Value>(
        _ contents: String, _ body: () throws(BusError) -> Value
    ) throws(BusError) -> Value {
        try inside("v", contents, body)
    }

    /// Goes on behind values of these types.
    ///
    /// - Throws: `BusError` when others come next.
    func skip(_ types: String) throws(BusError) {
        let status = unsafe sd_bus_message_skip(message, types)
        guard status >= 0 else { throw BusError("sd_bus_message_skip", status) }
    }

    private func enter(_ kind: Character, _ contents: String) throws(BusError) {
        let status = unsafe sd_bus_message_enter_container(message, Self.code(kind), contents)
        guard status > 0 else { throw status == 0 ? .malformed : BusError("enter", status) }
    }

    private func exit() throws(BusError) {
        let status = unsafe sd_bus_message_exit_container(message)
        guard status >= 0 else { throw BusError("exit", status) }
    }

    private static func code(_ type: Character) -> CChar {
        CChar(bitPattern: type.asciiValue ?? 0)
    }
}
