/// The words that stand for Apple's codes in arguments and in output; they never change.
package enum AttributeWords {
    package typealias Word = (word: String, value: String)

    /// `kSecAttrProtocol`.
    package static let protocols: [Word] = [
        ("ftp", "ftp "), ("ftp-account", "ftpa"), ("http", "http"), ("irc", "irc "),
        ("nntp", "nntp"), ("pop3", "pop3"), ("smtp", "smtp"), ("socks", "sox "),
        ("imap", "imap"), ("ldap", "ldap"), ("appletalk", "atlk"), ("afp", "afp "),
        ("telnet", "teln"), ("ssh", "ssh "), ("ftps", "ftps"), ("https", "htps"),
        ("http-proxy", "htpx"), ("https-proxy", "htsx"), ("ftp-proxy", "ftpx"), ("smb", "smb "),
        ("rtsp", "rtsp"), ("rtsp-proxy", "rtsx"), ("daap", "daap"), ("eppc", "eppc"),
        ("ipp", "ipp "), ("nntps", "ntps"), ("ldaps", "ldps"), ("telnets", "tels"),
        ("imaps", "imps"), ("ircs", "ircs"), ("pop3s", "pops"),
    ]

    /// `kSecAttrAuthenticationType`.
    package static let authenticationTypes: [Word] = [
        ("ntlm", "ntlm"), ("msn", "msna"), ("dpa", "dpaa"), ("rpa", "rpaa"),
        ("http-basic", "http"), ("http-digest", "httd"), ("html-form", "form"),
        ("default", "dflt"),
    ]
}
