// Three hundred names of conditions that no part of Vestry has are here because source may name
// them; several to a line keep them readable as the table that they are.

/// What an operation answers with: the errors of a ``Keychain``.
///
/// The numbers are Apple's `OSStatus` codes; misspelt names are misspelt in KeychainAccess too. What
/// each means is its ``description``.
// swift-format-ignore: OneCasePerLine
public enum Status: OSStatus, Error, CaseIterable, Sendable {
    case success = 0, unimplemented = -4, diskFull = -34, io = -36, opWr = -49, param = -50
    case wrPerm = -61, allocate = -108, userCanceled = -128, badReq = -909
    case internalComponent = -2070, aclNotSimple = -25240, policyNotFound = -25241
    case invalidTrustSetting = -25242, noAccessForItem = -25243, invalidOwnerEdit = -25244
    case trustNotAvailable = -25245, unsupportedFormat = -25256, unknownFormat = -25257
    case keyIsSensitive = -25258, multiplePrivKeys = -25259, passphraseRequired = -25260
    case invalidPasswordRef = -25261, invalidTrustSettings = -25262, noTrustSettings = -25263
    case pkcs12VerifyFailure = -25264, notAvailable = -25291, readOnly = -25292, authFailed = -25293
    case noSuchKeychain = -25294, invalidKeychain = -25295, duplicateKeychain = -25296
    case duplicateCallback = -25297, invalidCallback = -25298, duplicateItem = -25299
    case itemNotFound = -25300, bufferTooSmall = -25301, dataTooLarge = -25302, noSuchAttr = -25303
    case invalidItemRef = -25304, invalidSearchRef = -25305, noSuchClass = -25306
    case noDefaultKeychain = -25307, interactionNotAllowed = -25308, readOnlyAttr = -25309
    case wrongSecVersion = -25310, keySizeNotAllowed = -25311, noStorageModule = -25312
    case noCertificateModule = -25313, noPolicyModule = -25314, interactionRequired = -25315
    case dataNotAvailable = -25316, dataNotModifiable = -25317, createChainFailed = -25318
    case invalidPrefsDomain = -25319, inDarkWake = -25320, mpSignatureInvalid = -25327
    case otrTooOld = -25328, otrIDTooNew = -25329, invalidCertificate = -26265, notSigner = -26267
    case unsupportedAlgorithm = -26268, policyDenied = -26270, unsupportedOperation = -26271
    case unsupportedPadding = -26273, invalidKey = -26274, decode = -26275, `internal` = -26276
    case itemInvalidKey = -34000, itemInvalidKeyType = -34001, itemInvalidValue = -34002
    case itemClassMissing = -34003, itemMatchUnsupported = -34004, useItemListUnsupported = -34005
    case useKeychainUnsupported = -34006, useKeychainListUnsupported = -34007
    case returnDataUnsupported = -34008, returnAttributesUnsupported = -34009
    case returnRefUnsupported = -34010, returnPersitentRefUnsupported = -34011
    case valueRefUnsupported = -34012, valuePersistentRefUnsupported = -34013
    case returnMissingPointer = -34014, matchLimitUnsupported = -34015, itemIllegalQuery = -34016
    case waitForCallback = -34017, missingEntitlement = -34018, upgradePending = -34019
    case serviceNotAvailable = -67585, insufficientClientID = -67586, deviceReset = -67587
    case deviceFailed = -67588, appleAddAppACLSubject = -67589, applePublicKeyIncomplete = -67590
    case appleSignatureMismatch = -67591, appleInvalidKeyStartDate = -67592
    case appleInvalidKeyEndDate = -67593, conversionError = -67594, appleSSLv2Rollback = -67595
    case quotaExceeded = -67596, fileTooBig = -67597, invalidDatabaseBlob = -67598
    case invalidKeyBlob = -67599, incompatibleDatabaseBlob = -67600, incompatibleKeyBlob = -67601
    case hostNameMismatch = -67602, unknownCriticalExtensionFlag = -67603
    case noBasicConstraints = -67604, noBasicConstraintsCA = -67605, invalidAuthorityKeyID = -67606
    case invalidSubjectKeyID = -67607, invalidKeyUsageForPolicy = -67608
    case invalidExtendedKeyUsage = -67609, invalidIDLinkage = -67610
    case pathLengthConstraintExceeded = -67611, invalidRoot = -67612, crlExpired = -67613
    case crlNotValidYet = -67614, crlNotFound = -67615, crlServerDown = -67616, crlBadURI = -67617
    case unknownCertExtension = -67618, unknownCRLExtension = -67619, crlNotTrusted = -67620
    case crlPolicyFailed = -67621, idpFailure = -67622, smimeEmailAddressesNotFound = -67623
    case smimeBadExtendedKeyUsage = -67624, smimeBadKeyUsage = -67625
    case smimeKeyUsageNotCritical = -67626, smimeNoEmailAddress = -67627
    case smimeSubjAltNameNotCritical = -67628, sslBadExtendedKeyUsage = -67629
    case ocspBadResponse = -67630, ocspBadRequest = -67631, ocspUnavailable = -67632
    case ocspStatusUnrecognized = -67633, endOfData = -67634, incompleteCertRevocationCheck = -67635
    case networkFailure = -67636, ocspNotTrustedToAnchor = -67637, recordModified = -67638
    case ocspSignatureError = -67639, ocspNoSigner = -67640, ocspResponderMalformedReq = -67641
    case ocspResponderInternalError = -67642, ocspResponderTryLater = -67643
    case ocspResponderSignatureRequired = -67644, ocspResponderUnauthorized = -67645
    case ocspResponseNonceMismatch = -67646, codeSigningBadCertChainLength = -67647
    case codeSigningNoBasicConstraints = -67648, codeSigningBadPathLengthConstraint = -67649
    case codeSigningNoExtendedKeyUsage = -67650, codeSigningDevelopment = -67651
    case resourceSignBadCertChainLength = -67652, resourceSignBadExtKeyUsage = -67653
    case trustSettingDeny = -67654, invalidSubjectName = -67655
    case unknownQualifiedCertStatement = -67656, mobileMeRequestQueued = -67657
    case mobileMeRequestRedirected = -67658, mobileMeServerError = -67659
    case mobileMeServerNotAvailable = -67660, mobileMeServerAlreadyExists = -67661
    case mobileMeServerServiceErr = -67662, mobileMeRequestAlreadyPending = -67663
    case mobileMeNoRequestPending = -67664, mobileMeCSRVerifyFailure = -67665
    case mobileMeFailedConsistencyCheck = -67666, notInitialized = -67667
    case invalidHandleUsage = -67668, pvcReferentNotFound = -67669, functionIntegrityFail = -67670
    case internalError = -67671, memoryError = -67672, invalidData = -67673, mdsError = -67674
    case invalidPointer = -67675, selfCheckFailed = -67676, functionFailed = -67677
    case moduleManifestVerifyFailed = -67678, invalidGUID = -67679, invalidHandle = -67680
    case invalidDBList = -67681, invalidPassthroughID = -67682, invalidNetworkAddress = -67683
    case crlAlreadySigned = -67684, invalidNumberOfFields = -67685, verificationFailure = -67686
    case unknownTag = -67687, invalidSignature = -67688, invalidName = -67689
    case invalidCertificateRef = -67690, invalidCertificateGroup = -67691, tagNotFound = -67692
    case invalidQuery = -67693, invalidValue = -67694, callbackFailed = -67695
    case aclDeleteFailed = -67696, aclReplaceFailed = -67697, aclAddFailed = -67698
    case aclChangeFailed = -67699, invalidAccessCredentials = -67700, invalidRecord = -67701
    case invalidACL = -67702, invalidSampleValue = -67703, incompatibleVersion = -67704
    case privilegeNotGranted = -67705, invalidScope = -67706, pvcAlreadyConfigured = -67707
    case invalidPVC = -67708, emmLoadFailed = -67709, emmUnloadFailed = -67710
    case addinLoadFailed = -67711, invalidKeyRef = -67712, invalidKeyHierarchy = -67713
    case addinUnloadFailed = -67714, libraryReferenceNotFound = -67715
    case invalidAddinFunctionTable = -67716, invalidServiceMask = -67717, moduleNotLoaded = -67718
    case invalidSubServiceID = -67719, attributeNotInContext = -67720
    case moduleManagerInitializeFailed = -67721, moduleManagerNotFound = -67722
    case eventNotificationCallbackNotFound = -67723, inputLengthError = -67724
    case outputLengthError = -67725, privilegeNotSupported = -67726, deviceError = -67727
    case attachHandleBusy = -67728, notLoggedIn = -67729, algorithmMismatch = -67730
    case keyUsageIncorrect = -67731, keyBlobTypeIncorrect = -67732, keyHeaderInconsistent = -67733
    case unsupportedKeyFormat = -67734, unsupportedKeySize = -67735, invalidKeyUsageMask = -67736
    case unsupportedKeyUsageMask = -67737, invalidKeyAttributeMask = -67738
    case unsupportedKeyAttributeMask = -67739, invalidKeyLabel = -67740
    case unsupportedKeyLabel = -67741, invalidKeyFormat = -67742
    case unsupportedVectorOfBuffers = -67743, invalidInputVector = -67744
    case invalidOutputVector = -67745, invalidContext = -67746, invalidAlgorithm = -67747
    case invalidAttributeKey = -67748, missingAttributeKey = -67749
    case invalidAttributeInitVector = -67750, missingAttributeInitVector = -67751
    case invalidAttributeSalt = -67752, missingAttributeSalt = -67753
    case invalidAttributePadding = -67754, missingAttributePadding = -67755
    case invalidAttributeRandom = -67756, missingAttributeRandom = -67757
    case invalidAttributeSeed = -67758, missingAttributeSeed = -67759
    case invalidAttributePassphrase = -67760, missingAttributePassphrase = -67761
    case invalidAttributeKeyLength = -67762, missingAttributeKeyLength = -67763
    case invalidAttributeBlockSize = -67764, missingAttributeBlockSize = -67765
    case invalidAttributeOutputSize = -67766, missingAttributeOutputSize = -67767
    case invalidAttributeRounds = -67768, missingAttributeRounds = -67769
    case invalidAlgorithmParms = -67770, missingAlgorithmParms = -67771
    case invalidAttributeLabel = -67772, missingAttributeLabel = -67773
    case invalidAttributeKeyType = -67774, missingAttributeKeyType = -67775
    case invalidAttributeMode = -67776, missingAttributeMode = -67777
    case invalidAttributeEffectiveBits = -67778, missingAttributeEffectiveBits = -67779
    case invalidAttributeStartDate = -67780, missingAttributeStartDate = -67781
    case invalidAttributeEndDate = -67782, missingAttributeEndDate = -67783
    case invalidAttributeVersion = -67784, missingAttributeVersion = -67785
    case invalidAttributePrime = -67786, missingAttributePrime = -67787
    case invalidAttributeBase = -67788, missingAttributeBase = -67789
    case invalidAttributeSubprime = -67790, missingAttributeSubprime = -67791
    case invalidAttributeIterationCount = -67792, missingAttributeIterationCount = -67793
    case invalidAttributeDLDBHandle = -67794, missingAttributeDLDBHandle = -67795
    case invalidAttributeAccessCredentials = -67796, missingAttributeAccessCredentials = -67797
    case invalidAttributePublicKeyFormat = -67798, missingAttributePublicKeyFormat = -67799
    case invalidAttributePrivateKeyFormat = -67800, missingAttributePrivateKeyFormat = -67801
    case invalidAttributeSymmetricKeyFormat = -67802, missingAttributeSymmetricKeyFormat = -67803
    case invalidAttributeWrappedKeyFormat = -67804, missingAttributeWrappedKeyFormat = -67805
    case stagedOperationInProgress = -67806, stagedOperationNotStarted = -67807
    case verifyFailed = -67808, querySizeUnknown = -67809, blockSizeMismatch = -67810
    case publicKeyInconsistent = -67811, deviceVerifyFailed = -67812, invalidLoginName = -67813
    case alreadyLoggedIn = -67814, invalidDigestAlgorithm = -67815, invalidCRLGroup = -67816
    case certificateCannotOperate = -67817, certificateExpired = -67818
    case certificateNotValidYet = -67819, certificateRevoked = -67820, certificateSuspended = -67821
    case insufficientCredentials = -67822, invalidAction = -67823, invalidAuthority = -67824
    case verifyActionFailed = -67825, invalidCertAuthority = -67826, invaldCRLAuthority = -67827
    case invalidCRLEncoding = -67828, invalidCRLType = -67829, invalidCRL = -67830
    case invalidFormType = -67831, invalidID = -67832, invalidIdentifier = -67833
    case invalidIndex = -67834, invalidPolicyIdentifiers = -67835, invalidTimeString = -67836
    case invalidReason = -67837, invalidRequestInputs = -67838, invalidResponseVector = -67839
    case invalidStopOnPolicy = -67840, invalidTuple = -67841, multipleValuesUnsupported = -67842
    case notTrusted = -67843, noDefaultAuthority = -67844, rejectedForm = -67845
    case requestLost = -67846, requestRejected = -67847, unsupportedAddressType = -67848
    case unsupportedService = -67849, invalidTupleGroup = -67850, invalidBaseACLs = -67851
    case invalidTupleCredendtials = -67852, invalidEncoding = -67853, invalidValidityPeriod = -67854
    case invalidRequestor = -67855, requestDescriptor = -67856, invalidBundleInfo = -67857
    case invalidCRLIndex = -67858, noFieldValues = -67859, unsupportedFieldFormat = -67860
    case unsupportedIndexInfo = -67861, unsupportedLocality = -67862
    case unsupportedNumAttributes = -67863, unsupportedNumIndexes = -67864
    case unsupportedNumRecordTypes = -67865, fieldSpecifiedMultiple = -67866
    case incompatibleFieldFormat = -67867, invalidParsingModule = -67868, databaseLocked = -67869
    case datastoreIsOpen = -67870, missingValue = -67871, unsupportedQueryLimits = -67872
    case unsupportedNumSelectionPreds = -67873, unsupportedOperator = -67874
    case invalidDBLocation = -67875, invalidAccessRequest = -67876, invalidIndexInfo = -67877
    case invalidNewOwner = -67878, invalidModifyMode = -67879, missingRequiredExtension = -67880
    case extendedKeyUsageNotCritical = -67881, timestampMissing = -67882, timestampInvalid = -67883
    case timestampNotTrusted = -67884, timestampServiceNotAvailable = -67885
    case timestampBadAlg = -67886, timestampBadRequest = -67887, timestampBadDataFormat = -67888
    case timestampTimeNotAvailable = -67889, timestampUnacceptedPolicy = -67890
    case timestampUnacceptedExtension = -67891, timestampAddInfoNotAvailable = -67892
    case timestampSystemFailure = -67893, signingTimeMissing = -67894, timestampRejection = -67895
    case timestampWaiting = -67896, timestampRevocationWarning = -67897
    case timestampRevocationNotification = -67898, unexpectedError = -99999
}
