internal import CPAM

/// One line for the system log or the user, put together in a bounded buffer.
@safe
struct LogLine: ~Copyable {
    private let buffer: UnsafeMutablePointer<CChar>
    private var count = 0

    private static var capacity: Int { 512 }
    /// As much of a name as helps to find it.
    private static var longestName: Int { 64 }

    /// Fills in a template of `Message`: "@" is the user's name, "#" is the number.
    init?(_ template: UnsafePointer<CChar>?, user: UnsafePointer<CChar>?, number: CInt) {
        guard let memory = unsafe malloc(LogLine.capacity) else { return nil }
        unsafe buffer = memory.bindMemory(to: CChar.self, capacity: LogLine.capacity)
        unsafe buffer[0] = 0
        guard var next = unsafe template else { return }
        while unsafe next.pointee != 0 {
            switch unsafe next.pointee {
            case 0x40: unsafe appendName(user)
            case 0x23: append(number: number)
            default: append(UInt8(bitPattern: unsafe next.pointee))
            }
            unsafe next += 1
        }
    }

    deinit {
        unsafe free(buffer)
    }

    func withCString(_ body: (UnsafePointer<CChar>) -> Void) {
        unsafe body(buffer)
    }

    private mutating func append(_ byte: UInt8) {
        guard count < LogLine.capacity &- 1 else { return }
        unsafe buffer[count] = CChar(bitPattern: byte)
        count &+= 1
        unsafe buffer[count] = 0
    }

    /// Whoever asks for a login chooses the name, so only printable ASCII reaches a log that
    /// somebody reads on a terminal.
    private mutating func appendName(_ name: UnsafePointer<CChar>?) {
        guard let name = unsafe name else { return }
        let length = unsafe strnlen(name, LogLine.longestName)
        var index = 0
        while index < length {
            let byte = unsafe UInt8(bitPattern: name[index])
            append(byte >= 0x20 && byte < 0x7F ? byte : 0x3F)
            index &+= 1
        }
    }

    private mutating func append(number: CInt) {
        if number < 0 { append(0x2D) }
        append(digits: number.magnitude)
    }

    private mutating func append(digits number: UInt32) {
        if number >= 10 { append(digits: number / 10) }
        append(UInt8(truncatingIfNeeded: 0x30 &+ number % 10))
    }
}
