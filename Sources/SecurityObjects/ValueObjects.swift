public import Foundation
internal import SecurityNames

// The constants that stand for values, as objects.
//
// On Apple's systems a CFString is an object and converts to String besides, so that one constant
// goes into a [String: Any] and into a [String: AnyObject]. Without an Objective-C runtime no type
// is both. So each of these constants exists twice, as a String in SecurityNames and as an NSString
// here; the compiler takes this one only where an object is wanted. Overloads of variables may not
// stand in one module, and a module hides what it exports again: that makes two modules below
// Security.

// kSecClass: the classes.

/// `kSecClassGenericPassword` where an object is wanted.
@_disfavoredOverload public var kSecClassGenericPassword: NSString {
    object(SecurityNames.kSecClassGenericPassword)
}
/// `kSecClassInternetPassword` where an object is wanted.
@_disfavoredOverload public var kSecClassInternetPassword: NSString {
    object(SecurityNames.kSecClassInternetPassword)
}
/// `kSecClassCertificate` where an object is wanted.
@_disfavoredOverload public var kSecClassCertificate: NSString {
    object(SecurityNames.kSecClassCertificate)
}
/// `kSecClassKey` where an object is wanted.
@_disfavoredOverload public var kSecClassKey: NSString { object(SecurityNames.kSecClassKey) }
/// `kSecClassIdentity` where an object is wanted.
@_disfavoredOverload public var kSecClassIdentity: NSString {
    object(SecurityNames.kSecClassIdentity)
}

// kSecMatchLimit.

/// `kSecMatchLimitOne` where an object is wanted.
@_disfavoredOverload public var kSecMatchLimitOne: NSString {
    object(SecurityNames.kSecMatchLimitOne)
}
/// `kSecMatchLimitAll` where an object is wanted.
@_disfavoredOverload public var kSecMatchLimitAll: NSString {
    object(SecurityNames.kSecMatchLimitAll)
}

// kSecAttrAccessible: when an item can be read.

/// `kSecAttrAccessibleWhenUnlocked` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessibleWhenUnlocked: NSString {
    object(SecurityNames.kSecAttrAccessibleWhenUnlocked)
}
/// `kSecAttrAccessibleAfterFirstUnlock` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessibleAfterFirstUnlock: NSString {
    object(SecurityNames.kSecAttrAccessibleAfterFirstUnlock)
}
/// `kSecAttrAccessibleAlways` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessibleAlways: NSString {
    object(SecurityNames.kSecAttrAccessibleAlways)
}
/// `kSecAttrAccessibleWhenUnlockedThisDeviceOnly` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessibleWhenUnlockedThisDeviceOnly: NSString {
    object(SecurityNames.kSecAttrAccessibleWhenUnlockedThisDeviceOnly)
}
/// `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: NSString {
    object(SecurityNames.kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
}
/// `kSecAttrAccessibleAlwaysThisDeviceOnly` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessibleAlwaysThisDeviceOnly: NSString {
    object(SecurityNames.kSecAttrAccessibleAlwaysThisDeviceOnly)
}
/// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: NSString {
    object(SecurityNames.kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly)
}
/// `kSecAttrAccessibleUntilReboot` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessibleUntilReboot: NSString {
    object(SecurityNames.kSecAttrAccessibleUntilReboot)
}

// kSecAttrSynchronizable, kSecAttrAccessGroup and kSecAttrTokenID.

/// `kSecAttrSynchronizableAny` where an object is wanted.
@_disfavoredOverload public var kSecAttrSynchronizableAny: NSString {
    object(SecurityNames.kSecAttrSynchronizableAny)
}
/// `kSecAttrAccessGroupToken` where an object is wanted.
@_disfavoredOverload public var kSecAttrAccessGroupToken: NSString {
    object(SecurityNames.kSecAttrAccessGroupToken)
}
/// `kSecAttrTokenIDSecureEnclave` where an object is wanted.
@_disfavoredOverload public var kSecAttrTokenIDSecureEnclave: NSString {
    object(SecurityNames.kSecAttrTokenIDSecureEnclave)
}

// kSecUseAuthenticationUI.

/// `kSecUseAuthenticationUIAllow` where an object is wanted.
@_disfavoredOverload public var kSecUseAuthenticationUIAllow: NSString {
    object(SecurityNames.kSecUseAuthenticationUIAllow)
}
/// `kSecUseAuthenticationUIFail` where an object is wanted.
@_disfavoredOverload public var kSecUseAuthenticationUIFail: NSString {
    object(SecurityNames.kSecUseAuthenticationUIFail)
}
/// `kSecUseAuthenticationUISkip` where an object is wanted.
@_disfavoredOverload public var kSecUseAuthenticationUISkip: NSString {
    object(SecurityNames.kSecUseAuthenticationUISkip)
}

// kSecAttrKeyClass and kSecAttrKeyType: numbers as texts.

/// `kSecAttrKeyClassPublic` where an object is wanted.
@_disfavoredOverload public var kSecAttrKeyClassPublic: NSString {
    object(SecurityNames.kSecAttrKeyClassPublic)
}
/// `kSecAttrKeyClassPrivate` where an object is wanted.
@_disfavoredOverload public var kSecAttrKeyClassPrivate: NSString {
    object(SecurityNames.kSecAttrKeyClassPrivate)
}
/// `kSecAttrKeyClassSymmetric` where an object is wanted.
@_disfavoredOverload public var kSecAttrKeyClassSymmetric: NSString {
    object(SecurityNames.kSecAttrKeyClassSymmetric)
}
/// `kSecAttrKeyTypeRSA` where an object is wanted.
@_disfavoredOverload public var kSecAttrKeyTypeRSA: NSString {
    object(SecurityNames.kSecAttrKeyTypeRSA)
}
/// `kSecAttrKeyTypeEC` where an object is wanted.
@_disfavoredOverload public var kSecAttrKeyTypeEC: NSString {
    object(SecurityNames.kSecAttrKeyTypeEC)
}
/// `kSecAttrKeyTypeECSECPrimeRandom` where an object is wanted.
@_disfavoredOverload public var kSecAttrKeyTypeECSECPrimeRandom: NSString {
    object(SecurityNames.kSecAttrKeyTypeECSECPrimeRandom)
}
/// `kSecAttrKeyTypeAES` where an object is wanted.
@_disfavoredOverload public var kSecAttrKeyTypeAES: NSString {
    object(SecurityNames.kSecAttrKeyTypeAES)
}

// kSecAttrProtocol: four-character codes, some of which end in a space.

/// `kSecAttrProtocolFTP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolFTP: NSString {
    object(SecurityNames.kSecAttrProtocolFTP)
}
/// `kSecAttrProtocolFTPAccount` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolFTPAccount: NSString {
    object(SecurityNames.kSecAttrProtocolFTPAccount)
}
/// `kSecAttrProtocolHTTP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolHTTP: NSString {
    object(SecurityNames.kSecAttrProtocolHTTP)
}
/// `kSecAttrProtocolIRC` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolIRC: NSString {
    object(SecurityNames.kSecAttrProtocolIRC)
}
/// `kSecAttrProtocolNNTP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolNNTP: NSString {
    object(SecurityNames.kSecAttrProtocolNNTP)
}
/// `kSecAttrProtocolPOP3` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolPOP3: NSString {
    object(SecurityNames.kSecAttrProtocolPOP3)
}
/// `kSecAttrProtocolSMTP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolSMTP: NSString {
    object(SecurityNames.kSecAttrProtocolSMTP)
}
/// `kSecAttrProtocolSOCKS` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolSOCKS: NSString {
    object(SecurityNames.kSecAttrProtocolSOCKS)
}
/// `kSecAttrProtocolIMAP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolIMAP: NSString {
    object(SecurityNames.kSecAttrProtocolIMAP)
}
/// `kSecAttrProtocolLDAP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolLDAP: NSString {
    object(SecurityNames.kSecAttrProtocolLDAP)
}
/// `kSecAttrProtocolAppleTalk` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolAppleTalk: NSString {
    object(SecurityNames.kSecAttrProtocolAppleTalk)
}
/// `kSecAttrProtocolAFP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolAFP: NSString {
    object(SecurityNames.kSecAttrProtocolAFP)
}
/// `kSecAttrProtocolTelnet` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolTelnet: NSString {
    object(SecurityNames.kSecAttrProtocolTelnet)
}
/// `kSecAttrProtocolSSH` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolSSH: NSString {
    object(SecurityNames.kSecAttrProtocolSSH)
}
/// `kSecAttrProtocolFTPS` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolFTPS: NSString {
    object(SecurityNames.kSecAttrProtocolFTPS)
}
/// `kSecAttrProtocolHTTPS` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolHTTPS: NSString {
    object(SecurityNames.kSecAttrProtocolHTTPS)
}
/// `kSecAttrProtocolHTTPProxy` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolHTTPProxy: NSString {
    object(SecurityNames.kSecAttrProtocolHTTPProxy)
}
/// `kSecAttrProtocolHTTPSProxy` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolHTTPSProxy: NSString {
    object(SecurityNames.kSecAttrProtocolHTTPSProxy)
}
/// `kSecAttrProtocolFTPProxy` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolFTPProxy: NSString {
    object(SecurityNames.kSecAttrProtocolFTPProxy)
}
/// `kSecAttrProtocolSMB` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolSMB: NSString {
    object(SecurityNames.kSecAttrProtocolSMB)
}
/// `kSecAttrProtocolRTSP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolRTSP: NSString {
    object(SecurityNames.kSecAttrProtocolRTSP)
}
/// `kSecAttrProtocolRTSPProxy` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolRTSPProxy: NSString {
    object(SecurityNames.kSecAttrProtocolRTSPProxy)
}
/// `kSecAttrProtocolDAAP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolDAAP: NSString {
    object(SecurityNames.kSecAttrProtocolDAAP)
}
/// `kSecAttrProtocolEPPC` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolEPPC: NSString {
    object(SecurityNames.kSecAttrProtocolEPPC)
}
/// `kSecAttrProtocolIPP` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolIPP: NSString {
    object(SecurityNames.kSecAttrProtocolIPP)
}
/// `kSecAttrProtocolNNTPS` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolNNTPS: NSString {
    object(SecurityNames.kSecAttrProtocolNNTPS)
}
/// `kSecAttrProtocolLDAPS` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolLDAPS: NSString {
    object(SecurityNames.kSecAttrProtocolLDAPS)
}
/// `kSecAttrProtocolTelnetS` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolTelnetS: NSString {
    object(SecurityNames.kSecAttrProtocolTelnetS)
}
/// `kSecAttrProtocolIMAPS` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolIMAPS: NSString {
    object(SecurityNames.kSecAttrProtocolIMAPS)
}
/// `kSecAttrProtocolIRCS` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolIRCS: NSString {
    object(SecurityNames.kSecAttrProtocolIRCS)
}
/// `kSecAttrProtocolPOP3S` where an object is wanted.
@_disfavoredOverload public var kSecAttrProtocolPOP3S: NSString {
    object(SecurityNames.kSecAttrProtocolPOP3S)
}

// kSecAttrAuthenticationType: four-character codes.

/// `kSecAttrAuthenticationTypeNTLM` where an object is wanted.
@_disfavoredOverload public var kSecAttrAuthenticationTypeNTLM: NSString {
    object(SecurityNames.kSecAttrAuthenticationTypeNTLM)
}
/// `kSecAttrAuthenticationTypeMSN` where an object is wanted.
@_disfavoredOverload public var kSecAttrAuthenticationTypeMSN: NSString {
    object(SecurityNames.kSecAttrAuthenticationTypeMSN)
}
/// `kSecAttrAuthenticationTypeDPA` where an object is wanted.
@_disfavoredOverload public var kSecAttrAuthenticationTypeDPA: NSString {
    object(SecurityNames.kSecAttrAuthenticationTypeDPA)
}
/// `kSecAttrAuthenticationTypeRPA` where an object is wanted.
@_disfavoredOverload public var kSecAttrAuthenticationTypeRPA: NSString {
    object(SecurityNames.kSecAttrAuthenticationTypeRPA)
}
/// `kSecAttrAuthenticationTypeHTTPBasic` where an object is wanted.
@_disfavoredOverload public var kSecAttrAuthenticationTypeHTTPBasic: NSString {
    object(SecurityNames.kSecAttrAuthenticationTypeHTTPBasic)
}
/// `kSecAttrAuthenticationTypeHTTPDigest` where an object is wanted.
@_disfavoredOverload public var kSecAttrAuthenticationTypeHTTPDigest: NSString {
    object(SecurityNames.kSecAttrAuthenticationTypeHTTPDigest)
}
/// `kSecAttrAuthenticationTypeHTMLForm` where an object is wanted.
@_disfavoredOverload public var kSecAttrAuthenticationTypeHTMLForm: NSString {
    object(SecurityNames.kSecAttrAuthenticationTypeHTMLForm)
}
/// `kSecAttrAuthenticationTypeDefault` where an object is wanted.
@_disfavoredOverload public var kSecAttrAuthenticationTypeDefault: NSString {
    object(SecurityNames.kSecAttrAuthenticationTypeDefault)
}

private func object(_ name: CFString) -> NSString { NSString(string: name) }
