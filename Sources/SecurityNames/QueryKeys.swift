// The keys of queries and results, with Apple's raw values (Apple: Keychain Services, search, return
// and value type keys).

// kSecMatch: which items.

/// How many items at most: a number, `kSecMatchLimitOne` or `kSecMatchLimitAll`.
public let kSecMatchLimit: CFString = "m_Limit"
/// Certificates that a policy accepts.
public let kSecMatchPolicy: CFString = "m_Policy"
/// Certificates with these issuers in their chain.
public let kSecMatchIssuers: CFString = "m_Issuers"
/// Certificates for this address, or for none.
public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
/// Certificates whose subject contains a text.
public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// Certificates whose subject starts with a text.
public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
/// Certificates whose subject ends with a text.
public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
/// Certificates whose subject is a text.
public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
/// Internet passwords of a host or of one below it.
public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"
/// Texts are compared without regard to case.
public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// Texts are compared without regard to diacritics.
public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"
/// Texts are compared without regard to width.
public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"
/// Certificates that can be trusted.
public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// Certificates that are valid on a date.
public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
/// Only these items.
public let kSecMatchItemList: CFString = "m_ItemList"
/// Only these keychains.
public let kSecMatchSearchList: CFString = "m_SearchList"

// kSecReturn: what a result has.

/// Whether the result has the secret.
public let kSecReturnData: CFString = "r_Data"
/// Whether the result has the attributes.
public let kSecReturnAttributes: CFString = "r_Attributes"
/// Whether the result has a reference.
public let kSecReturnRef: CFString = "r_Ref"
/// Whether the result has the persistent reference.
public let kSecReturnPersistentRef: CFString = "r_PersistentRef"

// kSecValue: what an item has besides its attributes.

/// The secret, as data.
public let kSecValueData: CFString = "v_Data"
/// A reference.
public let kSecValueRef: CFString = "v_Ref"
/// A persistent reference.
public let kSecValuePersistentRef: CFString = "v_PersistentRef"

// kSecUse: how it is done.

/// Whether the user may be asked: one of the `kSecUseAuthenticationUI…` values.
public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// True is `kSecUseAuthenticationUIFail`; deprecated.
public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
/// What the user is told when asked.
public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// An authentication that was made before.
public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// Has no meaning here: there is one keychain.
public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// The keychain to add to.
public let kSecUseKeychain: CFString = "u_Keychain"
/// Only these items.
public let kSecUseItemList: CFString = "u_ItemList"
/// The keychain of all users.
public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"
