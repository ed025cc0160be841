import Glibc

/// The real libpam, for stacks of pam_debug, which answers what its arguments say and tells the
/// conversation of each argument that it has read.
struct Libpam {
    private typealias Start =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, UnsafePointer<CChar>,
            UnsafeMutablePointer<OpaquePointer?>
        ) -> CInt
    private typealias Call = @convention(c) (OpaquePointer?, CInt) -> CInt

    private let start: Start
    private let authenticate: Call
    private let end: Call

    /// Nil where libpam or pam_debug is not installed, or too old to read another folder.
    init?() {
        let names = ["pam_start_confdir", "pam_authenticate", "pam_end"]
        guard let library = dlopen("libpam.so.0", RTLD_NOW) else { return nil }
        let symbols = names.compactMap { dlsym(library, $0) }
        guard symbols.count == names.count, Self.hasDebugModule else { return nil }
        start = unsafeBitCast(symbols[0], to: Start.self)
        authenticate = unsafeBitCast(symbols[1], to: Call.self)
        end = unsafeBitCast(symbols[2], to: Call.self)
    }

    private static var hasDebugModule: Bool {
        var found = glob_t()
        defer { globfree(&found) }
        return glob("/usr/lib/*/security/pam_debug.so", 0, nil, &found) == 0
    }

    /// Runs the auth stack of a service.
    ///
    /// - Parameters:
    ///   - service: Its name.
    ///   - folder: With the service files.
    /// - Returns: What the modules were told to do, in order, and whether the stack succeeded.
    func run(_ service: String, in folder: String) -> (steps: [String], succeeds: Bool)? {
        let heard = Heard()
        var conversation = Conversation(
            ask: { count, messages, responses, heard in
                guard let heard else { return 19 }
                let list = Unmanaged<Heard>.fromOpaque(heard).takeUnretainedValue()
                for index in 0..<Int(count) {
                    // struct pam_message: a number, and then the text.
                    let text = messages?[index]?.load(
                        fromByteOffset: 8, as: UnsafePointer<CChar>?.self)
                    if let text { list.texts.append(String(cString: text)) }
                }
                // Two words each, which libpam frees.
                responses?.pointee = calloc(Int(count), 16)
                return 0
            }, data: Unmanaged.passUnretained(heard).toOpaque())
        var handle: OpaquePointer?
        guard start(service, "alice", &conversation, folder, &handle) == 0 else { return nil }
        // PAM_SILENT would keep the modules quiet.
        let status = authenticate(handle, 0)
        _ = end(handle, status)
        return withExtendedLifetime(heard) { (heard.texts, status == 0) }
    }

    private final class Heard {
        var texts: [String] = []
    }

    private struct Conversation {
        let ask:
            @convention(c) (
                CInt, UnsafePointer<UnsafeRawPointer?>?,
                UnsafeMutablePointer<UnsafeMutableRawPointer?>?, UnsafeMutableRawPointer?
            ) -> CInt
        let data: UnsafeMutableRawPointer?
    }
}
