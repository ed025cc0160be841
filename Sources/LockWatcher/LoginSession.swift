/// What logind knows of one session (org.freedesktop.login1(5)).
struct LoginSession: Equatable {
    /// The path of its object on the bus.
    let path: String
    var user: UInt32 = 0
    /// `user` for a person's; others are login screens, lock screens, background jobs.
    var sessionClass = ""
    /// `opening`, `online`, `active` or `closing`.
    var state = ""
    /// `x11`, `wayland`, `mir`, `tty` or `unspecified`.
    var type = ""
    /// Its name, as in loginctl(1).
    var identifier = ""
    /// What the screen locker says, where it says anything: swaylock and i3lock do not.
    var isLockedByHint = false
    var isIdleByHint = false
    /// Microseconds since 1970; 0 where nothing is known.
    var idleSince: UInt64 = 0

    init(path: String) {
        self.path = path
    }

    /// Whether a person is logged in here: not a login screen, and not what is left of a session
    /// whose login has ended.
    var isOpen: Bool { sessionClass.hasPrefix("user") && state != "closing" }

    /// Since when nobody has touched this session, in microseconds since 1970.
    ///
    /// A desktop says by itself that it is idle. For a terminal it is the time of the last input;
    /// without one, as in an ssh session that runs a command, nothing says that nobody is there.
    var untouchedSince: UInt64? {
        let isGraphical = ["x11", "wayland", "mir"].contains(type)
        if isGraphical && !isIdleByHint { return nil }
        return idleSince == 0 ? nil : idleSince
    }

    /// Whether it is on a terminal, if on any, that logind does not know of.
    var hasUnknownTerminal: Bool { type == "tty" && idleSince == 0 }
}
