internal import SecurityNames

/// Says what a result code means, in English, for people (Apple: Keychain Services).
///
/// - Parameters:
///   - status: What a function returned.
///   - reserved: Nil.
/// - Returns: A sentence; for codes that this keychain never answers, "OSStatus" and the number.
@discardableResult
public func SecCopyErrorMessageString(
    _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
    message(for: status)
}

func message(for status: OSStatus) -> String {
    switch status {
    case errSecSuccess: "No error."
    case errSecUnimplemented: "This release cannot do it."
    case errSecDiskFull: "The disk is full."
    case errSecIO: "Input or output failed."
    case errSecOpWr: "The file is already open for writing."
    case errSecParam: "An argument or a combination of arguments is not valid."
    case errSecWrPerm: "Writing is not permitted."
    case errSecAllocate: "There is not enough memory."
    case errSecUserCanceled: "The user canceled the operation."
    case errSecBadReq: "The request is not valid."
    case errSecInternalComponent: "An internal component failed."
    case errSecCoreFoundationUnknown: "An unknown error."
    case errSecNotAvailable: "No keychain is available."
    case errSecReadOnly: "The keychain cannot be written to."
    case errSecAuthFailed: "The password is wrong, or the account has none."
    case errSecNoSuchKeychain: "This account has no keychain."
    case errSecInvalidKeychain: "The keychain is damaged."
    case errSecDuplicateKeychain: "The keychain exists already."
    case errSecDuplicateItem: "The item exists already in the keychain."
    case errSecItemNotFound: "The item is not in the keychain."
    case errSecBufferTooSmall: "The buffer is too small."
    case errSecDataTooLarge: "The data is too large."
    case errSecNoSuchAttr: "There is no such attribute."
    case errSecInvalidItemRef: "The reference is not valid."
    case errSecInvalidSearchRef: "The search is not valid."
    case errSecNoSuchClass: "There is no such class of items."
    case errSecNoDefaultKeychain: "There is no default keychain."
    case errSecInteractionNotAllowed:
        "The keychain is locked, or the user would have to be asked, which is not allowed."
    case errSecReadOnlyAttr: "Only the keychain sets this attribute."
    case errSecWrongSecVersion: "A newer release wrote the keychain."
    case errSecInteractionRequired: "The user has to be asked."
    case errSecDataNotAvailable: "The data is not available."
    case errSecDataNotModifiable: "The data cannot be changed."
    case errSecInDarkWake: "The user cannot be asked now."
    case errSecNoAccessForItem: "Access is denied."
    case errSecDecode: "The item is damaged."
    case errSecInternal: "An internal error."
    case errSecUnsupportedOperation: "Items of this class cannot be matched so."
    case errSecMissingEntitlement: "The access group is none of this program's."
    case errSecUpgradePending: "The keychain has to be converted first."
    case errSecRestrictedAPI: "This function is restricted."
    case errSecServiceNotAvailable: "The service is not available."
    case errSecConversionError: "The value is not text."
    case errSecQuotaExceeded: "The user's share of kernel keys is used up."
    case errSecFileTooBig: "The file is too big."
    case errSecInternalError: "An internal error."
    case errSecFunctionFailed: "A function failed."
    case errSecVerificationFailure: "The verification failed."
    case errSecInvalidSignature: "The signature is not valid."
    case errSecInvalidQuery: "The query is not valid."
    case errSecInvalidValue: "The value is not valid."
    case errSecInvalidACL: "The access control is not valid."
    case errSecIncompatibleVersion: "The version is not compatible."
    case errSecPrivilegeNotGranted: "The privilege was not granted."
    case errSecNotLoggedIn: "Nobody is logged in."
    case errSecVerifyFailed: "The verification failed."
    case errSecDatabaseLocked: "Another program keeps the keychain busy."
    case errSecMissingValue: "A value is missing."
    default: "OSStatus \(status)"
    }
}
