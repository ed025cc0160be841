/// What kind of program a service belongs to, told by its name.
public enum ServiceNature: Equatable, Sendable {
    /// A person logs in, or comes back to a locked screen.
    case login
    /// `su`, which hands on the session of whoever calls it.
    case switchUser
    /// A screen locker: it asks for the password and opens no session.
    case locker
    /// Works for a person who is not there, or is for no person; why is in the text.
    case silent(String)
    /// The session in which a login screen runs, of a system user who has no keychain.
    case greeter
    /// A person logs in and gives no password; how is in the text.
    case withoutPassword(String)
    /// Asks for a password and opens no session of the person whose password it is.
    case otherPurpose(String)
    /// Changes passwords as root, who does not know the old ones.
    case rootSetsPasswords
    /// Anything else.
    case unknown

    public init(of service: String) {
        if let nature = Self.known[service] {
            self = nature
        } else if service.hasSuffix("-autologin") {
            self = .withoutPassword("logs in without a password")
        } else if service.hasSuffix("-greeter") || service.hasSuffix("-launch-environment") {
            self = .greeter
        } else if service.hasSuffix("-fingerprint") || service.hasSuffix("-smartcard") {
            self = .withoutPassword(
                "sees no password; 'vestry unlock' opens the keychain afterwards")
        } else {
            self = .unknown
        }
    }

    /// Whether somebody misses something where it does not work.
    var isExpectedToWork: Bool {
        switch self {
        case .login, .switchUser, .locker: true
        case .silent, .greeter, .withoutPassword, .otherPurpose, .rootSetsPasswords, .unknown: false
        }
    }

    private static let known: [String: ServiceNature] = {
        let job = ServiceNature.silent(
            "runs jobs, without a password and without a session of a person; they read what is open"
        )
        let sudo = ServiceNature.otherPurpose(
            "asks for the caller's password and opens the session of another; it opens no keychain")
        let byRoot = ServiceNature.silent("is for root, who is not asked for a password")
        let account = ServiceNature.otherPurpose("changes an account, and opens no session")
        var known: [String: ServiceNature] = [
            "su": .switchUser,
            "systemd-user": .silent("starts the user's units, which read what is open"),
            "polkit-1": .otherPurpose("asks for a password to allow one action"),
            "other": .otherPurpose("stands in for services that have no file"),
            "chpasswd": .rootSetsPasswords, "newusers": .rootSetsPasswords,
        ]
        func add(_ nature: ServiceNature, _ names: String) {
            for name in names.split(separator: " ") { known[String(name)] = nature }
        }
        add(job, "cron crond atd anacron")
        add(sudo, "sudo sudo-i doas sudo-rs")
        add(byRoot, "runuser runuser-l")
        add(account, "chfn chsh useradd userdel usermod groupadd groupdel groupmod groupmems chage")
        add(
            .login,
            "login sshd su-l remote lightdm gdm-password gdm3 gdm sddm lxdm xdm wdm kdm slim greetd ly"
                + " emptty lemurs xrdp-sesman")
        add(
            .locker,
            "i3lock swaylock xscreensaver vlock kscreenlocker kde cinnamon-screensaver hyprlock"
                + " mate-screensaver xfce4-screensaver xsecurelock physlock gtklock waylock slock"
                + " light-locker gnome-screensaver")
        return known
    }()
}
