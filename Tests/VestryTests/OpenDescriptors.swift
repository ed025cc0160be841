import Glibc

/// The descriptors of this process that are open on what is below a folder.
struct OpenDescriptors {
    let numbers: [CInt]

    init(below folder: String) {
        var numbers: [CInt] = []
        for number in CInt(0)..<256 {
            var target = [CChar](repeating: 0, count: 4096)
            let count = unsafe readlink("/proc/self/fd/\(number)", &target, target.count)
            guard count > 0 else { continue }
            let path = String(
                decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
            if path.hasPrefix(folder + "/") { numbers.append(number) }
        }
        self.numbers = numbers
    }
}
