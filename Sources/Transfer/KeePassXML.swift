internal import CTransfer
package import SecureMemory
internal import Vestry

/// The XML that KeePass 2 and KeePassXC export (`KeePassFile`), read by expat.
///
/// Old versions of entries and what is in the recycle bin are passed over. A document with a document
/// type is refused: there is no entity but XML's own.
package enum KeePassXML {
    /// Reads a whole file.
    ///
    /// - Throws: `ImportProblem` for another file.
    package static func read(
        _ file: borrowing SecretBytes
    ) throws(ImportProblem) -> ImportBatch {
        let reading = Reading()
        var handler = unsafe vestry_xml_handler()
        unsafe handler.context = Unmanaged.passUnretained(reading).toOpaque()
        unsafe handler.start = { context, name, attributes, line in
            guard let reading = unsafe KeePassXML.state(of: context), let name = unsafe name else {
                return
            }
            unsafe reading.start(
                String(cString: name), isProtected: KeePassXML.isProtected(attributes), line)
        }
        unsafe handler.end = { context, _ in unsafe KeePassXML.state(of: context)?.end() }
        unsafe handler.text = { context, bytes, count in
            guard let reading = unsafe KeePassXML.state(of: context), let bytes = unsafe bytes
            else { return }
            unsafe reading.text(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }
        var line = 0
        let result = unsafe file.withUnsafePointer {
            unsafe vestry_xml_read($0, file.count, &handler, &line)
        }
        switch result {
        case VESTRY_DOCUMENT_UNAVAILABLE: throw ImportProblem("it takes the library libexpat1")
        case VESTRY_DOCUMENT_NO_MEMORY: throw ImportProblem("not enough memory")
        case VESTRY_DOCUMENT_OK: break
        default: throw ImportProblem(line: line > 0 ? line : nil, "no XML, or one with a DOCTYPE")
        }
        guard reading.isKeePass else { throw ImportProblem("its first element is no KeePassFile") }
        return reading.finish()
    }

    private static func state(of context: UnsafeMutableRawPointer?) -> Reading? {
        unsafe context.map { unsafe Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether a value is encrypted by the stream of a KDBX file, which exports do not do.
    private static func isProtected(
        _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Bool {
        var index = 0
        while let attributes = unsafe attributes, let name = unsafe attributes[index],
            let value = unsafe attributes[index + 1]
        {
            if unsafe String(cString: name) == "Protected", unsafe String(cString: value) == "True"
            {
                return true
            }
            index += 2
        }
        return false
    }

    /// What has been read of the document.
    private final class Reading {
        private(set) var isKeePass = false
        private var path: [String] = []
        private var content: [UInt8] = []
        private var recycleBin = ""
        /// Of the groups that are open, the innermost last.
        private var groups: [String] = []
        private var entry: Entry?
        private var key = ""
        private var entries: [Entry] = []

        struct Entry {
            let line: Int
            /// The UUIDs of the groups that it is in.
            let groups: [String]
            var login = ForeignLogin()
            var password: [UInt8] = []
            var isProtected = false
            var hasOtherFields = false
            var hasAttachments = false
        }

        private var isInHistory: Bool { path.contains("History") }

        func start(_ name: String, isProtected: Bool, _ line: Int) {
            if path.isEmpty { isKeePass = name == "KeePassFile" }
            path.append(name)
            content.removeAll(keepingCapacity: true)
            if name == "Group" { groups.append("") }
            if name == "Entry", !isInHistory { entry = Entry(line: line, groups: groups) }
            if name == "Value", isProtected { entry?.isProtected = true }
        }

        func text(_ bytes: UnsafeRawBufferPointer) {
            unsafe content.append(contentsOf: bytes)
        }

        func end() {
            guard let name = path.popLast() else { return }
            let parent = path.last ?? ""
            switch (parent, name) {
            case ("Meta", "RecycleBinUUID"): recycleBin = string
            case ("Group", "UUID"):
                if !groups.isEmpty { groups[groups.count - 1] = string }
            case (_, "Group"): _ = groups.popLast()
            case (_, "Entry") where !isInHistory: closeEntry()
            default: if !isInHistory { field(parent, name) }
            }
            wipe()
        }

        private func field(_ parent: String, _ name: String) {
            switch (parent, name) {
            case ("String", "Key"): key = string
            case ("String", "Value"):
                switch key {
                case "Title": entry?.login.title = string
                case "UserName": entry?.login.user = string
                case "Password": entry?.password = content
                case "URL": entry?.login.address = string
                case "Notes": entry?.login.notes = string
                default: if !content.isEmpty { entry?.hasOtherFields = true }
                }
            case ("Entry", "Binary"): entry?.hasAttachments = true
            case ("Times", "CreationTime"): entry?.login.created = ForeignDate.seconds(string)
            case ("Times", "LastModificationTime"):
                entry?.login.modified = ForeignDate.seconds(string)
            default: break
            }
        }

        private var string: String { String(decoding: content, as: UTF8.self) }

        private func closeEntry() {
            guard let closed = entry else { return }
            entry = nil
            entries.append(closed)
        }

        /// Zeroes the text of the element, so far as the array is this one's own.
        private func wipe() {
            for index in content.indices { content[index] = 0 }
            content.removeAll(keepingCapacity: true)
        }

        func finish() -> ImportBatch {
            var batch = ImportBatch()
            var (otherFields, attachments) = (0, 0)
            for entry in entries {
                guard recycleBin.isEmpty || !entry.groups.contains(recycleBin) else { continue }
                let login = entry.login
                guard !entry.isProtected else {
                    batch.problems.append(
                        ImportProblem(line: entry.line, "a value that is still encrypted"))
                    continue
                }
                guard !login.title.isEmpty || !login.address.isEmpty || !login.user.isEmpty else {
                    batch.problems.append(
                        ImportProblem(line: entry.line, "a password without any name"))
                    continue
                }
                batch.items.append(
                    login.item(secret: SecretBytes(copying: entry.password.span)))
                otherFields += entry.hasOtherFields ? 1 : 0
                attachments += entry.hasAttachments ? 1 : 0
            }
            if otherFields > 0 { batch.leftOut.append("fields of one's own, of \(otherFields)") }
            if attachments > 0 { batch.leftOut.append("attachments, of \(attachments)") }
            return batch
        }
    }
}
