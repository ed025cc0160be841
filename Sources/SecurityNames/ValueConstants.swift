// The values of keys, with Apple's raw values (Apple: Keychain Services, item attribute values).
//
// SecurityObjects has each of them once more; a new one belongs into both files.

// kSecClass: the classes.

/// A generic password.
public let kSecClassGenericPassword: CFString = "genp"
/// An internet password.
public let kSecClassInternetPassword: CFString = "inet"
/// A certificate.
public let kSecClassCertificate: CFString = "cert"
/// A key.
public let kSecClassKey: CFString = "keys"
/// A certificate with its private key.
public let kSecClassIdentity: CFString = "idnt"

// kSecMatchLimit.

/// One item.
public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items.
public let kSecMatchLimitAll: CFString = "m_LimitAll"

// kSecAttrAccessible: when an item can be read.

/// While the user's session is unlocked.
public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// From the first unlock after boot until reboot.
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// Always; here as AfterFirstUnlock, since every item is encrypted.
public let kSecAttrAccessibleAlways: CFString = "dk"
/// While unlocked, and only on this machine.
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// After the first unlock, and only on this machine.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// Here as AfterFirstUnlockThisDeviceOnly.
public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"
/// While unlocked, as long as the account has a login password.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
/// Until reboot; private in Apple's interface, and refused here.
public let kSecAttrAccessibleUntilReboot: CFString = "f"

// kSecAttrSynchronizable, kSecAttrAccessGroup and kSecAttrTokenID.

/// Synchronizable or not; searches only.
public let kSecAttrSynchronizableAny: CFString = "syna"
/// The access group of items on tokens.
public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
/// The Secure Enclave, which no machine here has.
public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"

// kSecUseAuthenticationUI.

/// The user may be asked.
public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// Items that ask are `errSecInteractionNotAllowed`.
public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Items that ask are left out; searches only.
public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"

// kSecAttrKeyClass and kSecAttrKeyType: numbers as texts.

/// A public key.
public let kSecAttrKeyClassPublic: CFString = "0"
/// A private key.
public let kSecAttrKeyClassPrivate: CFString = "1"
/// A symmetric key.
public let kSecAttrKeyClassSymmetric: CFString = "2"
/// RSA.
public let kSecAttrKeyTypeRSA: CFString = "42"
/// Elliptic curves.
public let kSecAttrKeyTypeEC: CFString = "73"
/// Elliptic curves.
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// AES.
public let kSecAttrKeyTypeAES: CFString = "2147483649"

// kSecAttrProtocol: four-character codes, some of which end in a space.

public let kSecAttrProtocolFTP: CFString = "ftp "
public let kSecAttrProtocolFTPAccount: CFString = "ftpa"
public let kSecAttrProtocolHTTP: CFString = "http"
public let kSecAttrProtocolIRC: CFString = "irc "
public let kSecAttrProtocolNNTP: CFString = "nntp"
public let kSecAttrProtocolPOP3: CFString = "pop3"
public let kSecAttrProtocolSMTP: CFString = "smtp"
public let kSecAttrProtocolSOCKS: CFString = "sox "
public let kSecAttrProtocolIMAP: CFString = "imap"
public let kSecAttrProtocolLDAP: CFString = "ldap"
public let kSecAttrProtocolAppleTalk: CFString = "atlk"
public let kSecAttrProtocolAFP: CFString = "afp "
public let kSecAttrProtocolTelnet: CFString = "teln"
public let kSecAttrProtocolSSH: CFString = "ssh "
public let kSecAttrProtocolFTPS: CFString = "ftps"
public let kSecAttrProtocolHTTPS: CFString = "htps"
public let kSecAttrProtocolHTTPProxy: CFString = "htpx"
public let kSecAttrProtocolHTTPSProxy: CFString = "htsx"
public let kSecAttrProtocolFTPProxy: CFString = "ftpx"
public let kSecAttrProtocolSMB: CFString = "smb "
public let kSecAttrProtocolRTSP: CFString = "rtsp"
public let kSecAttrProtocolRTSPProxy: CFString = "rtsx"
public let kSecAttrProtocolDAAP: CFString = "daap"
public let kSecAttrProtocolEPPC: CFString = "eppc"
public let kSecAttrProtocolIPP: CFString = "ipp "
public let kSecAttrProtocolNNTPS: CFString = "ntps"
public let kSecAttrProtocolLDAPS: CFString = "ldps"
public let kSecAttrProtocolTelnetS: CFString = "tels"
public let kSecAttrProtocolIMAPS: CFString = "imps"
public let kSecAttrProtocolIRCS: CFString = "ircs"
public let kSecAttrProtocolPOP3S: CFString = "pops"

// kSecAttrAuthenticationType: four-character codes.

public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"
public let kSecAttrAuthenticationTypeMSN: CFString = "msna"
public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"
public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"
public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"
public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"
public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"
public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
