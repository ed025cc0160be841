internal import Glibc
internal import LinuxSystem
internal import SecureMemory

/// Sealing by systemd-creds(1), which knows this machine's TPM and systemd's host key.
///
/// The program runs as root with a fixed path and no environment. Secrets go through pipes.
enum SystemdCredential {
    private static let program = "/usr/bin/systemd-creds"
    /// A credential opens under the name alone that it was sealed with.
    private static let nameOption = "--name=vestry-device-key"

    /// Seals a secret.
    ///
    /// - Returns: The credential, text.
    /// - Throws: `DeviceKeyFault.shut` with the reason.
    static func seal(
        _ secret: borrowing SecretBytes, with sealing: DeviceKeySealing, before deadline: Deadline
    ) throws(DeviceKeyFault) -> [UInt8] {
        var text = [UInt8](repeating: 0, count: DeviceKeyFile.byteLimit / 2)
        let count = try secret.withBytes { secret throws(DeviceKeyFault) in
            var output = text.mutableSpan
            return try run(
                ["encrypt", nameOption, "--with-key=\(sealing.rawValue)", "-", "-"], input: secret,
                output: &output, before: deadline)
        }
        return Array(text.prefix(count))
    }

    /// Opens a credential.
    ///
    /// - Returns: The secret.
    /// - Throws: `DeviceKeyFault.shut` with the reason.
    static func open(
        _ credential: [UInt8], before deadline: Deadline
    ) throws(DeviceKeyFault) -> SecretBytes {
        try SecretBytes(capacity: DeviceKey.byteCount + 1) { output throws(DeviceKeyFault) in
            try run(
                ["decrypt", nameOption, "-", "-"], input: credential.span, output: &output,
                before: deadline)
        }
    }

    /// Whether this machine has a TPM that systemd can use.
    static func hasTPM2(before deadline: Deadline) -> Bool {
        var text = [UInt8](repeating: 0, count: 1024)
        var output = text.mutableSpan
        let nothing: [UInt8] = []
        let count = try? run(
            ["has-tpm2"], input: nothing.span, output: &output, before: deadline)
        return count != nil
    }

    private static func run(
        _ arguments: [String], input: Span<UInt8>, output: inout MutableSpan<UInt8>,
        before deadline: Deadline
    ) throws(DeviceKeyFault) -> Int {
        let result: (status: CInt?, byteCount: Int)
        do throws(SystemCallError) {
            result = try Filter.run(
                [program] + arguments, input: input, output: &output, before: deadline)
        } catch {
            switch error.errno {
            case ENOENT: throw .shut("there is no \(program)")
            case ETIMEDOUT: throw .shut("\(program) did not end in time")
            default: throw .shut("\(program): \(error)")
            }
        }
        guard let status = result.status else { throw .shut("a signal has ended \(program)") }
        guard status == 0 else { throw .shut("\(program) failed with status \(status)") }
        return result.byteCount
    }
}
