import Foundation
import Testing
import Vestry

@testable import Security

/// Raw values and numbers that other programs have stored or compare with.
@Suite struct ConstantTests {
    static var values: [(String, NSString, String)] {
        [
            (kSecClassGenericPassword, kSecClassGenericPassword, "genp"),
            (kSecClassInternetPassword, kSecClassInternetPassword, "inet"),
            (kSecClassCertificate, kSecClassCertificate, "cert"),
            (kSecClassKey, kSecClassKey, "keys"), (kSecClassIdentity, kSecClassIdentity, "idnt"),
            (kSecMatchLimitOne, kSecMatchLimitOne, "m_LimitOne"),
            (kSecMatchLimitAll, kSecMatchLimitAll, "m_LimitAll"),
            (kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleWhenUnlocked, "ak"),
            (kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAfterFirstUnlock, "ck"),
            (kSecAttrAccessibleAlways, kSecAttrAccessibleAlways, "dk"),
            (
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku"
            ),
            (
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku"
            ),
            (
                kSecAttrAccessibleAlwaysThisDeviceOnly, kSecAttrAccessibleAlwaysThisDeviceOnly,
                "dku"
            ),
            (
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu"
            ),
            (kSecAttrAccessibleUntilReboot, kSecAttrAccessibleUntilReboot, "f"),
            (kSecAttrSynchronizableAny, kSecAttrSynchronizableAny, "syna"),
            (kSecAttrTokenIDSecureEnclave, kSecAttrTokenIDSecureEnclave, "com.apple.setoken"),
            (kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIAllow, "u_AuthUIA"),
            (kSecUseAuthenticationUIFail, kSecUseAuthenticationUIFail, "u_AuthUIF"),
            (kSecUseAuthenticationUISkip, kSecUseAuthenticationUISkip, "u_AuthUIS"),
            (kSecAttrKeyClassPublic, kSecAttrKeyClassPublic, "0"),
            (kSecAttrKeyClassPrivate, kSecAttrKeyClassPrivate, "1"),
            (kSecAttrKeyClassSymmetric, kSecAttrKeyClassSymmetric, "2"),
            (kSecAttrKeyTypeRSA, kSecAttrKeyTypeRSA, "42"),
            (kSecAttrKeyTypeEC, kSecAttrKeyTypeEC, "73"),
            (kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyTypeECSECPrimeRandom, "73"),
            (kSecAttrKeyTypeAES, kSecAttrKeyTypeAES, "2147483649"),
        ]
    }

    @Test func valuesAreApplesAsTextAndAsObject() {
        for (text, object, raw) in Self.values {
            #expect(text == raw)
            #expect(object.isEqual(NSString(string: raw)))
        }
    }

    @Test func protocolsAreFourCharacterCodes() {
        let constants = [
            kSecAttrProtocolFTP, kSecAttrProtocolFTPAccount, kSecAttrProtocolHTTP,
            kSecAttrProtocolIRC, kSecAttrProtocolNNTP, kSecAttrProtocolPOP3, kSecAttrProtocolSMTP,
            kSecAttrProtocolSOCKS, kSecAttrProtocolIMAP, kSecAttrProtocolLDAP,
            kSecAttrProtocolAppleTalk, kSecAttrProtocolAFP, kSecAttrProtocolTelnet,
            kSecAttrProtocolSSH, kSecAttrProtocolFTPS, kSecAttrProtocolHTTPS,
            kSecAttrProtocolHTTPProxy, kSecAttrProtocolHTTPSProxy, kSecAttrProtocolFTPProxy,
            kSecAttrProtocolSMB, kSecAttrProtocolRTSP, kSecAttrProtocolRTSPProxy,
            kSecAttrProtocolDAAP, kSecAttrProtocolEPPC, kSecAttrProtocolIPP,
            kSecAttrProtocolNNTPS, kSecAttrProtocolLDAPS, kSecAttrProtocolTelnetS,
            kSecAttrProtocolIMAPS, kSecAttrProtocolIRCS, kSecAttrProtocolPOP3S,
        ]
        let codes = """
            ftp |ftpa|http|irc |nntp|pop3|smtp|sox |imap|ldap|atlk|afp |teln|ssh |ftps|htps|htpx|\
            htsx|ftpx|smb |rtsp|rtsx|daap|eppc|ipp |ntps|ldps|tels|imps|ircs|pops
            """
        #expect(constants == codes.split(separator: "|").map(String.init))
        let types = [
            kSecAttrAuthenticationTypeNTLM, kSecAttrAuthenticationTypeMSN,
            kSecAttrAuthenticationTypeDPA, kSecAttrAuthenticationTypeRPA,
            kSecAttrAuthenticationTypeHTTPBasic, kSecAttrAuthenticationTypeHTTPDigest,
            kSecAttrAuthenticationTypeHTMLForm, kSecAttrAuthenticationTypeDefault,
        ]
        #expect(types == ["ntlm", "msna", "dpaa", "rpaa", "http", "httd", "form", "dflt"])
    }

    @Test func keysOfQueriesAreApples() {
        let pairs = [
            (kSecClass, "class"), (kSecMatchLimit, "m_Limit"), (kSecReturnData, "r_Data"),
            (kSecReturnAttributes, "r_Attributes"), (kSecReturnRef, "r_Ref"),
            (kSecReturnPersistentRef, "r_PersistentRef"), (kSecValueData, "v_Data"),
            (kSecValueRef, "v_Ref"), (kSecValuePersistentRef, "v_PersistentRef"),
            (kSecUseAuthenticationUI, "u_AuthUI"), (kSecUseOperationPrompt, "u_OpPrompt"),
            (kSecUseNoAuthenticationUI, "u_NoAuthUI"), (kSecUseAuthenticationContext, "u_AuthCtx"),
            (kSecUseDataProtectionKeychain, "nleg"), (kSecUseKeychain, "u_Keychain"),
            (kSecUseItemList, "u_ItemList"),
            (kSecUseUserIndependentKeychain, "u_UserIndependentKeychain"),
            (kSecMatchPolicy, "m_Policy"), (kSecMatchIssuers, "m_Issuers"),
            (kSecMatchEmailAddressIfPresent, "m_EmailAddressIfPresent"),
            (kSecMatchSubjectContains, "m_SubjectContains"),
            (kSecMatchSubjectStartsWith, "m_SubjectStartsWith"),
            (kSecMatchSubjectEndsWith, "m_SubjectEndsWith"),
            (kSecMatchSubjectWholeString, "m_SubjectWholeString"),
            (kSecMatchHostOrSubdomainOfHost, "m_HostOrSubdomainOfHost"),
            (kSecMatchCaseInsensitive, "m_CaseInsensitive"),
            (kSecMatchDiacriticInsensitive, "m_DiacriticInsensitive"),
            (kSecMatchWidthInsensitive, "m_WidthInsensitive"),
            (kSecMatchTrustedOnly, "m_TrustedOnly"), (kSecMatchValidOnDate, "m_ValidOnDate"),
            (kSecMatchItemList, "m_ItemList"), (kSecMatchSearchList, "m_SearchList"),
        ]
        for (constant, raw) in pairs { #expect(constant == raw) }
    }

    /// Each code that a keychain operation can throw is the constant of the same name.
    @Test func statusesAreTheNumbersOfTheModel() {
        let pairs: [(OSStatus, VestryError.Code)] = [
            (errSecItemNotFound, .itemNotFound), (errSecDuplicateItem, .duplicateItem),
            (errSecInteractionNotAllowed, .locked), (errSecAuthFailed, .wrongPassword),
            (errSecUserCanceled, .cancelled), (errSecParam, .parameter),
            (errSecNotAvailable, .notAvailable), (errSecNoSuchKeychain, .noSuchKeychain),
            (errSecDataTooLarge, .dataTooLarge), (errSecInvalidKeychain, .damaged),
            (errSecDecode, .itemDamaged), (errSecWrongSecVersion, .newerFormat),
            (errSecDiskFull, .diskFull), (errSecReadOnly, .readOnly),
            (errSecNoAccessForItem, .denied), (errSecDatabaseLocked, .busy),
            (errSecQuotaExceeded, .quotaExceeded), (errSecAllocate, .outOfMemory),
            (errSecMissingEntitlement, .missingEntitlement),
            (errSecReadOnlyAttr, .readOnlyAttribute), (errSecUnimplemented, .unimplemented),
            (errSecIO, .inputOutput),
        ]
        for (status, code) in pairs {
            #expect(status == code.rawValue)
            let message = SecCopyErrorMessageString(status, nil) as String?
            #expect(message?.hasPrefix("OSStatus") == false)
        }
        #expect(SecCopyErrorMessageString(errSecItemNotFound, nil) == "There is no such item.")
        for status in [errSecRestrictedAPI, errSecMissingQualifiedCertStatement, -67810] {
            #expect(SecCopyErrorMessageString(status, nil)?.hasSuffix(".") == true)
        }
        #expect(SecCopyErrorMessageString(-1, nil) == "OSStatus -1")
    }

    @Test func accessControlFlagsAreApplesBits() throws {
        let bits: [(SecAccessControlCreateFlags, UInt)] = [
            (.userPresence, 1 << 0), (.biometryAny, 1 << 1), (.touchIDAny, 1 << 1),
            (.biometryCurrentSet, 1 << 3), (.touchIDCurrentSet, 1 << 3),
            (.devicePasscode, 1 << 4), (.watch, 1 << 5), (.companion, 1 << 5), (.or, 1 << 14),
            (.and, 1 << 15), (.privateKeyUsage, 1 << 30), (.applicationPassword, 1 << 31),
        ]
        for (flags, bit) in bits {
            #expect(flags.rawValue == bit)
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil))
            #expect(control.value.flags.rawValue == UInt32(bit))
        }
    }

    @Test func badAccessControlIsRefused() {
        let cases: [(Any, SecAccessControlCreateFlags)] = [
            ("other", []), (1, []), (kSecAttrAccessibleWhenUnlocked, [.or, .and]),
            (kSecAttrAccessibleWhenUnlocked, .init(rawValue: 1 << 2)),
            (kSecAttrAccessibleWhenUnlocked, .init(rawValue: 1 << 40)),
        ]
        for (protection, flags) in cases {
            var error: Unmanaged<CFError>?
            #expect(SecAccessControlCreateWithFlags(nil, protection, flags, &error) == nil)
            #expect(error?.takeRetainedValue().code == Int(errSecParam))
            #expect(SecAccessControlCreateWithFlags(nil, protection, flags, nil) == nil)
        }
    }

    @Test func randomBytesFillTheirMemory() {
        for count in [0, 1, 7, 8, 9, 64] {
            var bytes = [UInt8](repeating: 0, count: count + 1)
            #expect(SecRandomCopyBytes(kSecRandomDefault, count, &bytes) == errSecSuccess)
            #expect(bytes.last == 0)
        }
        var (first, second) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        SecRandomCopyBytes(nil, 32, &first)
        SecRandomCopyBytes(nil, 32, &second)
        #expect(first != second)
        #expect(SecRandomCopyBytes(nil, -1, &first) == errSecParam)
    }
}
