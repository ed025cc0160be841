internal import CTransfer
package import SecureMemory

/// A JSON text (RFC 8259), read by jansson.
///
/// jansson keeps the texts in ordinary memory until the document goes, and zeroes it then.
@safe
package final class JSONDocument {
    private let root: OpaquePointer

    /// Reads a whole text.
    ///
    /// - Throws: `ImportProblem`.
    package init(_ text: borrowing SecretBytes) throws(ImportProblem) {
        var root: OpaquePointer?
        var line: CInt = 0
        let result = unsafe text.withUnsafePointer {
            unsafe vestry_json_read($0, text.count, &root, &line)
        }
        switch result {
        case VESTRY_DOCUMENT_UNAVAILABLE: throw ImportProblem("it takes the library libjansson4")
        case VESTRY_DOCUMENT_NO_MEMORY: throw ImportProblem("not enough memory")
        default: break
        }
        guard let root = unsafe root else {
            throw ImportProblem(line: line > 0 ? Int(line) : nil, "no JSON")
        }
        unsafe self.root = root
    }

    deinit { unsafe vestry_json_free(root) }

    package var value: JSONValue { unsafe JSONValue(root, of: self) }
}

/// A value of a document, which lives as long as this.
@safe
package struct JSONValue {
    private let pointer: OpaquePointer
    private let document: JSONDocument

    fileprivate init(_ pointer: OpaquePointer, of document: JSONDocument) {
        unsafe self.pointer = pointer
        self.document = document
    }

    private var kind: vestry_json_kind { unsafe vestry_json_kind_of(pointer) }

    package var isNull: Bool { kind == VESTRY_JSON_NULL }

    package var number: Int64? {
        guard kind == VESTRY_JSON_INTEGER else { return nil }
        return unsafe vestry_json_integer(pointer)
    }

    package var bool: Bool? {
        guard kind == VESTRY_JSON_BOOL else { return nil }
        return unsafe vestry_json_bool(pointer) != 0
    }

    /// A text that is no secret.
    package var text: String? {
        withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
        } ?? nil
    }

    /// A text that is one.
    package var secret: SecretBytes? { withBytes { SecretBytes(copying: $0) } }

    /// Lends the UTF-8 of a text; nil for another value.
    package func withBytes<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result? {
        guard kind == VESTRY_JSON_STRING else { return nil }
        var count = 0
        guard let start = unsafe vestry_json_string(pointer, &count) else { return nil }
        return unsafe start.withMemoryRebound(to: UInt8.self, capacity: count) {
            let buffer = unsafe UnsafeBufferPointer(start: $0, count: count)
            return body(unsafe buffer.span)
        }
    }

    /// The elements of a list; nil for another value.
    package var elements: [JSONValue]? {
        guard kind == VESTRY_JSON_ARRAY else { return nil }
        let count = unsafe vestry_json_count(pointer)
        return (0..<count).compactMap { index in
            guard let element = unsafe vestry_json_element(pointer, index) else { return nil }
            return unsafe JSONValue(element, of: document)
        }
    }

    /// The members of an object, in their order; nil for another value.
    package var members: [(name: String, value: JSONValue)]? {
        guard kind == VESTRY_JSON_OBJECT else { return nil }
        final class Found {
            let document: JSONDocument
            var members: [(name: String, value: JSONValue)] = []

            init(_ document: JSONDocument) { self.document = document }
        }
        let found = Found(document)
        unsafe vestry_json_members(pointer, Unmanaged.passUnretained(found).toOpaque()) {
            context, name, value in
            guard let context = unsafe context, let name = unsafe name, let value = unsafe value
            else {
                return
            }
            let found = unsafe Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
            unsafe found.members.append(
                (String(cString: name), JSONValue(value, of: found.document)))
        }
        return found.members
    }

    /// A member of an object; nil where there is none.
    package subscript(name: String) -> JSONValue? {
        guard kind == VESTRY_JSON_OBJECT, let member = unsafe vestry_json_member(pointer, name)
        else {
            return nil
        }
        return unsafe JSONValue(member, of: document)
    }
}
