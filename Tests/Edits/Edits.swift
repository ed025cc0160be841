import Foundation
import SecureMemory
import Vestry

/// Random edits of a keychain's files, and what the public interface says to them: `Edits FILE COUNT SEED
/// [FIRST]`, FILE being keybag or items.sqlite, for the edits from number FIRST on.
///
/// The keychain of the user has items of the service "edits", whose secrets are their accounts; the files
/// are put back after each edit. Prints a line `at NUMBER` before each edit, and `error NUMBER ...` for
/// each wrong answer: an edit is noticed, or it is harmless. The last line is `noticed COUNT`.
@main
struct Edits {
    /// An edit for every seed and number, the same one each time (SplitMix64).
    struct Source: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.dropFirst().compactMap { UInt64($0) }
        guard let file = arguments.first, numbers.count >= 2 else { exit(2) }
        var edits = try Edits(file: file)
        let first = numbers.count > 2 ? numbers[2] : 0
        for number in first..<first + numbers[0] {
            say("at \(number)")
            try edits.perform(number, seed: numbers[1])
        }
        say("noticed \(edits.noticedCount)")
    }

    let keychain: Keychain
    let file: String
    let whole: [String: Data]
    let accounts: Set<String>
    var noticedCount = 0

    init(file: String) throws {
        self.file = file
        let keychain = try Keychain()
        self.keychain = keychain
        var whole: [String: Data] = [:]
        for name in ["keybag", "keybag.previous", "items.sqlite"] {
            whole[name] = try? Data(contentsOf: URL(filePath: "\(keychain.path)/\(name)"))
        }
        self.whole = whole
        accounts = Set(try keychain.items(service: "edits").items.map(\.key.account))
    }

    mutating func perform(_ number: UInt64, seed: UInt64) throws {
        var source = Source(state: seed &+ number &* 0x2545_F491_4F6C_DD1D)
        let data = whole[file] ?? Data()
        try put(Self.edited([UInt8](data), &source))
        let start = ContinuousClock.now
        if !isHarmless(number) { noticedCount += 1 }
        try? write(number)
        repair(number)
        if ContinuousClock.now - start > .seconds(20) { report(number, "it took too long") }
        try restore()
    }

    // MARK: - Edits

    /// One to four changes, each of a kind that disks, programs or people make.
    static func edited(_ bytes: [UInt8], _ source: inout Source) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &source) {
            guard !bytes.isEmpty else { return bytes }
            let start = Int.random(in: bytes.indices, using: &source)
            let end = min(bytes.count, start + Int.random(in: 1...600, using: &source))
            switch Int.random(in: 0..<9, using: &source) {
            case 0, 1: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &source)
            case 2: bytes[start] = UInt8.random(in: .min ... .max, using: &source)
            case 3: bytes.removeSubrange(start...)
            case 4: bytes.removeSubrange(start..<end)
            case 5: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 6: for index in start..<end { bytes[index] = 0 }
            case 7:
                for index in start..<end {
                    bytes[index] = UInt8.random(in: .min ... .max, using: &source)
                }
            default:
                // A page in another one's place.
                let from = Int.random(in: 0...bytes.count / 4096, using: &source) * 4096
                let to = Int.random(in: 0...bytes.count / 4096, using: &source) * 4096
                let page = bytes[from..<min(from + 4096, bytes.count)]
                bytes.replaceSubrange(to..<min(to + page.count, bytes.count), with: page)
            }
        }
        return bytes
    }

    // MARK: - Answers

    /// Reads everything, and reports each answer that is wrong.
    ///
    /// - Returns: Whether nothing was noticed, and nothing is missing.
    func isHarmless(_ number: UInt64) -> Bool {
        var isHarmless = true
        _ = keychain.status()
        for account in accounts {
            do {
                let secret = try keychain.secret(for: ItemKey(service: "edits", account: account))
                let bytes = secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
                if bytes != Array(account.utf8) {
                    report(number, "another secret")
                }
            } catch {
                isHarmless = false
                check(number, error, mayBeAbsent: true)
            }
        }
        do {
            let listing = try keychain.items(service: "edits")
            let found = Set(listing.items.map(\.key.account))
            if !found.isSubset(of: accounts) { report(number, "an item that was never there") }
            if found != accounts { isHarmless = false }
        } catch {
            isHarmless = false
            check(number, error, mayBeAbsent: false)
        }
        do {
            let check = try keychain.check()
            if !check.isDamaged && check.soundCount == accounts.count && !isHarmless {
                report(number, "the check calls whole what does not open")
            }
        } catch {
            isHarmless = false
            check(number, error, mayBeAbsent: false)
        }
        return isHarmless
    }

    /// What is stored in a keychain that may be damaged is there, or was refused.
    func write(_ number: UInt64) throws {
        let key = ItemKey(service: "more", account: "new")
        do {
            try keychain.set(SecretBytes(copying: Array("new".utf8).span), for: key)
        } catch {
            return check(number, error, mayBeAbsent: false)
        }
        do {
            _ = try keychain.secret(for: key)
        } catch {
            check(number, error, mayBeAbsent: false)
        }
    }

    /// After a repair, everything that is there is whole.
    func repair(_ number: UInt64) {
        do {
            _ = try keychain.repair()
        } catch {
            return check(number, error, mayBeAbsent: false)
        }
        do {
            let after = try keychain.check()
            if after.isDamaged {
                report(number, "damaged after the repair: \(after.findings.map(\.detail))")
            }
        } catch {
            check(number, error, mayBeAbsent: false)
        }
    }

    /// Only these answers say what an edit can have done.
    func check(_ number: UInt64, _ error: any Error, mayBeAbsent: Bool) {
        switch error {
        case VestryError.Code.damaged, VestryError.Code.itemDamaged, VestryError.Code.newerFormat,
            VestryError.Code.inputOutput:
            break
        case VestryError.Code.locked:
            // Another keybag's keys are in the kernel.
            if file != "keybag" { report(number, "\(error)") }
        case VestryError.Code.itemNotFound:
            if !mayBeAbsent { report(number, "\(error)") }
        default: report(number, "\(error)")
        }
    }

    func report(_ number: UInt64, _ text: String) { Self.say("error \(number) \(text)") }

    /// Unbuffered: of a crash, the line before it tells.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    // MARK: - Files

    func put(_ bytes: [UInt8]) throws {
        let url = URL(filePath: "\(keychain.path)/\(file)")
        try Data(bytes).write(to: url)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: url.path(percentEncoded: false))
    }

    func restore() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: keychain.path) {
            try FileManager.default.removeItem(atPath: "\(keychain.path)/\(name)")
        }
        for (name, data) in whole {
            let path = "\(keychain.path)/\(name)"
            try data.write(to: URL(filePath: path))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }
}
