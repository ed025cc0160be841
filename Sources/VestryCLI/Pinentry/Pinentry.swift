internal import Glibc
internal import LinuxSystem
internal import SecureMemory

/// The program `pinentry`, which asks for a password in a window, or else on the terminal.
///
/// Asked for by `--pinentry`, and never used without. Source: the manual of pinentry, "pinentry's
/// Assuan Protocol". It is not allowed to keep passwords, since it does so only where the option
/// `allow-external-password-cache` is sent.
enum Pinentry {
    static let option = Arguments.Option.flag("--pinentry")
    private static let program = "pinentry"
    /// For everything but the person's answer: a program with a large toolkit starts in a second or
    /// two on a small machine.
    private static let startTimeout = Duration.seconds(15)

    /// Asks for a password.
    ///
    /// The program is gone, and the terminal as it was, on every way out.
    ///
    /// - Parameter question: What is asked for; harmless on a terminal.
    /// - Returns: What was typed.
    /// - Throws: `Failure`: cancelled by the person or a signal; no such program; or it does not work.
    static func ask(_ question: String) throws(Failure) -> SecretBytes {
        do throws(AssuanError) {
            return try askOnce(question)
        } catch .signal(let signal) where signal != SIGINT {
            // The default action ends the program, with the status that the sender expects.
            raise(signal)
            throw Failure(.cancelled, "cancelled by a signal", hint: "nothing was changed")
        } catch {
            throw Failure(pinentry: error)
        }
    }

    private static func askOnce(_ question: String) throws(AssuanError) -> SecretBytes {
        let signals: HeldSignals
        do throws(SystemCallError) {
            signals = try HeldSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        } catch {
            throw .system(error)
        }
        guard let terminal = Terminal(), let settings = terminal.settings else {
            return try converse(about: question, hasTerminal: false, holding: signals)
        }
        // A pinentry that a signal ends does not always show again what is typed.
        defer { terminal.restore(settings) }
        return try converse(about: question, hasTerminal: true, holding: signals)
    }

    private static func converse(
        about question: String, hasTerminal: Bool, holding signals: borrowing HeldSignals
    ) throws(AssuanError) -> SecretBytes {
        let conversation: AssuanConversation
        do throws(SystemCallError) {
            conversation = try AssuanConversation(starting: program)
        } catch {
            throw .system(error)
        }
        do throws(AssuanError) {
            let deadline = Deadline(after: startTimeout)
            // The greeting.
            _ = try conversation.receive(by: deadline, holding: signals)
            for line in options(hasTerminal: hasTerminal) {
                try conversation.send(line)
                do throws(AssuanError) {
                    _ = try conversation.receive(by: deadline, holding: signals)
                } catch .refused {
                    // Not every pinentry has every option, and none of them is needed everywhere.
                }
            }
            for line in texts(about: question) {
                try conversation.send(line)
                _ = try conversation.receive(by: deadline, holding: signals)
            }
            try conversation.send(AssuanCommand.line("GETPIN"))
            let password = try conversation.receive(by: nil, holding: signals)
            // It has done its work; one that has left already is all right.
            try? conversation.send(AssuanCommand.line("BYE"))
            return password
        } catch {
            conversation.breakOff()
            throw error
        }
    }

    /// Where the program shows itself, and in which language.
    private static func options(hasTerminal: Bool) -> [[UInt8]] {
        let language = environment("LC_ALL")
        let options: [(name: String, value: String?)] = [
            ("ttyname", hasTerminal ? "/dev/tty" : nil),
            ("ttytype", hasTerminal ? environment("TERM") : nil),
            ("lc-ctype", language ?? environment("LC_CTYPE") ?? environment("LANG")),
            ("lc-messages", language ?? environment("LC_MESSAGES") ?? environment("LANG")),
            ("display", environment("DISPLAY")),
        ]
        return options.compactMap { option in
            option.value.flatMap { AssuanCommand.option(option.name, $0) }
        }
    }

    private static func texts(about question: String) -> [[UInt8]] {
        [
            AssuanCommand.line("SETTITLE", "Vestry"), AssuanCommand.line("SETDESC", question),
            AssuanCommand.line("SETPROMPT", "Password:"),
        ]
    }

    /// A variable of the environment; nil for an empty one too.
    private static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}

extension Failure {
    /// What it means for the command that pinentry gave no password.
    fileprivate init(pinentry error: AssuanError) {
        let remedy = "nothing was changed; without --pinentry the command asks on the terminal"
        switch error {
        case .signal:
            self.init(.cancelled, "cancelled", hint: "nothing was changed")
        case .refused(let refusal) where refusal.isCancelled:
            self.init(.cancelled, "cancelled", hint: "nothing was changed")
        case .refused(let refusal) where refusal.isTimeout:
            self.init(.timedOut, "pinentry: nobody has answered", hint: "nothing was changed")
        case .refused(let refusal):
            self.init(
                .failure, "pinentry: \(refusal.text.escapedForTerminal) (\(refusal.code))",
                hint: "it needs a display (DISPLAY, WAYLAND_DISPLAY) or a terminal (TERM)")
        case .malformed:
            self.init(
                .failure, "pinentry gave an answer that is none of its protocol",
                hint: remedy)
        case .ended:
            self.init(.failure, "pinentry ended without an answer", hint: remedy)
        case .timedOut:
            self.init(.timedOut, "pinentry did not start in time", hint: remedy)
        case .system(let error) where error.errno == ENOENT:
            self.init(
                .unavailable, "no program 'pinentry' in PATH",
                hint: "install pinentry-curses, pinentry-gnome3, pinentry-gtk2 or pinentry-qt")
        case .system(let error):
            self.init(.failure, "pinentry: \(error)", hint: remedy)
        }
    }
}
