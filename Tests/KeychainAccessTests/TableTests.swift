import Foundation
import KeychainAccess
import Testing

@Suite struct TableTests {
    @Test func itemClasses() {
        let table: [(ItemClass, String, String)] = [
            (.genericPassword, "genp", "GenericPassword"),
            (.internetPassword, "inet", "InternetPassword"),
        ]
        #expect(table.count == ItemClass.allCases.count)
        for (value, raw, description) in table {
            #expect(value.rawValue == raw)
            #expect(value.description == description)
            #expect(ItemClass(rawValue: raw) == value)
        }
        #expect(ItemClass(rawValue: "cert") == nil)
    }

    @Test func protocolTypes() {
        let table: [(ProtocolType, String, String)] = [
            (.ftp, "ftp ", "FTP"), (.ftpAccount, "ftpa", "FTPAccount"), (.http, "http", "HTTP"),
            (.irc, "irc ", "IRC"), (.nntp, "nntp", "NNTP"), (.pop3, "pop3", "POP3"),
            (.smtp, "smtp", "SMTP"), (.socks, "sox ", "SOCKS"), (.imap, "imap", "IMAP"),
            (.ldap, "ldap", "LDAP"), (.appleTalk, "atlk", "AppleTalk"), (.afp, "afp ", "AFP"),
            (.telnet, "teln", "Telnet"), (.ssh, "ssh ", "SSH"), (.ftps, "ftps", "FTPS"),
            (.https, "htps", "HTTPS"), (.httpProxy, "htpx", "HTTPProxy"),
            (.httpsProxy, "htsx", "HTTPSProxy"), (.ftpProxy, "ftpx", "FTPProxy"),
            (.smb, "smb ", "SMB"), (.rtsp, "rtsp", "RTSP"), (.rtspProxy, "rtsx", "RTSPProxy"),
            (.daap, "daap", "DAAP"), (.eppc, "eppc", "EPPC"), (.ipp, "ipp ", "IPP"),
            (.nntps, "ntps", "NNTPS"), (.ldaps, "ldps", "LDAPS"), (.telnetS, "tels", "TelnetS"),
            (.imaps, "imps", "IMAPS"), (.ircs, "ircs", "IRCS"), (.pop3S, "pops", "POP3S"),
        ]
        #expect(table.count == ProtocolType.allCases.count)
        for (value, raw, description) in table {
            #expect(value.rawValue == raw)
            #expect(value.description == description)
            #expect(ProtocolType(rawValue: raw) == value)
        }
        #expect(ProtocolType(rawValue: "ftp") == nil)
    }

    @Test func authenticationTypes() {
        let table: [(AuthenticationType, String, String)] = [
            (.ntlm, "ntlm", "NTLM"), (.msn, "msna", "MSN"), (.dpa, "dpaa", "DPA"),
            (.rpa, "rpaa", "RPA"), (.httpBasic, "http", "HTTPBasic"),
            (.httpDigest, "httd", "HTTPDigest"), (.htmlForm, "form", "HTMLForm"),
            (.default, "dflt", "Default"),
        ]
        #expect(table.count == AuthenticationType.allCases.count)
        for (value, raw, description) in table {
            #expect(value.rawValue == raw)
            #expect(value.description == description)
            #expect(AuthenticationType(rawValue: raw) == value)
        }
        #expect(AuthenticationType(rawValue: "") == nil)
    }

    @Test func accessibilities() {
        let table: [(Accessibility, String, String)] = [
            (.whenUnlocked, "ak", "WhenUnlocked"),
            (.afterFirstUnlock, "ck", "AfterFirstUnlock"), (.always, "dk", "Always"),
            (.whenPasscodeSetThisDeviceOnly, "akpu", "WhenPasscodeSetThisDeviceOnly"),
            (.whenUnlockedThisDeviceOnly, "aku", "WhenUnlockedThisDeviceOnly"),
            (.afterFirstUnlockThisDeviceOnly, "cku", "AfterFirstUnlockThisDeviceOnly"),
            (.alwaysThisDeviceOnly, "dku", "AlwaysThisDeviceOnly"),
        ]
        #expect(table.count == Accessibility.allCases.count)
        for (value, raw, description) in table {
            #expect(value.rawValue == raw)
            #expect(value.description == description)
            #expect(Accessibility(rawValue: raw) == value)
        }
        #expect(Accessibility(rawValue: "f") == nil)
    }

    @Test func authenticationInterfaces() {
        let table: [(AuthenticationUI, String, String)] = [
            (.allow, "u_AuthUIA", "allow"), (.fail, "u_AuthUIF", "fail"),
            (.skip, "u_AuthUIS", "skip"),
        ]
        #expect(table.count == AuthenticationUI.allCases.count)
        for (value, raw, description) in table {
            #expect(value.rawValue == raw)
            #expect(value.description == description)
        }
    }

    @Test func policiesAreApplesBits() {
        let table: [(AuthenticationPolicy, UInt)] = [
            (.userPresence, 0), (.biometryAny, 1), (.touchIDAny, 1), (.biometryCurrentSet, 3),
            (.touchIDCurrentSet, 3), (.devicePasscode, 4), (.watch, 5), (.or, 14), (.and, 15),
            (.privateKeyUsage, 30), (.applicationPassword, 31),
        ]
        for (policy, bit) in table { #expect(policy.rawValue == 1 << bit) }
        let both: AuthenticationPolicy = [.touchIDCurrentSet, .or, .devicePasscode]
        #expect(both.rawValue == 0x4018)
    }
}
