// The keys of attributes, with Apple's raw values (Apple: Keychain Services, item attribute keys).

// Every class.

/// The key of a dictionary that says which class of items it is about.
public let kSecClass: CFString = "class"
/// When an item can be read: one of the `kSecAttrAccessible…` values.
public let kSecAttrAccessible: CFString = "pdmn"
/// What a read asks for: a `SecAccessControl`.
public let kSecAttrAccessControl: CFString = "accc"
/// Which programs an item is for.
public let kSecAttrAccessGroup: CFString = "agrp"
/// Whether an item may be carried to other devices.
public let kSecAttrSynchronizable: CFString = "sync"
/// When an item was added.
public let kSecAttrCreationDate: CFString = "cdat"
/// When an item was changed last.
public let kSecAttrModificationDate: CFString = "mdat"
/// A name for people.
public let kSecAttrLabel: CFString = "labl"
/// A second name.
public let kSecAttrAlias: CFString = "alis"
/// A hint for synchronization.
public let kSecAttrSyncViewHint: CFString = "vwht"
/// The token that holds the item.
public let kSecAttrTokenID: CFString = "tkid"
/// A user inside of the account.
public let kSecAttrMultiUser: CFString = "musr"
/// The sharing group.
public let kSecAttrSharingGroup: CFString = "ggrp"
/// The bytes that name an item for as long as it lives.
public let kSecAttrPersistentReference: CFString = "persistref"
/// The same, as Apple misspelled it first.
public let kSecAttrPersistantReference: CFString = "persistref"
/// Whether this is the record of a deleted item.
public let kSecAttrTombstone: CFString = "tomb"

// Passwords.

/// What kind of password it is, for people.
public let kSecAttrDescription: CFString = "desc"
/// A comment.
public let kSecAttrComment: CFString = "icmt"
/// Four-character code of the creator, as a number.
public let kSecAttrCreator: CFString = "crtr"
/// Four-character code of the type, as a number.
public let kSecAttrType: CFString = "type"
/// Whether lists leave the item out.
public let kSecAttrIsInvisible: CFString = "invi"
/// Whether no password is stored, so that programs always ask.
public let kSecAttrIsNegative: CFString = "nega"
/// The script of the texts.
public let kSecAttrScriptCode: CFString = "scrp"
/// Whether the item has an icon of its own.
public let kSecAttrHasCustomIcon: CFString = "cusi"
/// The account.
public let kSecAttrAccount: CFString = "acct"
/// The service, of a generic password.
public let kSecAttrService: CFString = "svce"
/// Bytes of the program's own, of a generic password.
public let kSecAttrGeneric: CFString = "gena"
/// The realm, of an internet password.
public let kSecAttrSecurityDomain: CFString = "sdmn"
/// The host, of an internet password.
public let kSecAttrServer: CFString = "srvr"
/// One of the `kSecAttrProtocol…` values, of an internet password.
public let kSecAttrProtocol: CFString = "ptcl"
/// One of the `kSecAttrAuthenticationType…` values, of an internet password.
public let kSecAttrAuthenticationType: CFString = "atyp"
/// The port, a number, of an internet password.
public let kSecAttrPort: CFString = "port"
/// The path, of an internet password.
public let kSecAttrPath: CFString = "path"

// Certificates.

/// The type of a certificate.
public let kSecAttrCertificateType: CFString = "ctyp"
/// The encoding of a certificate.
public let kSecAttrCertificateEncoding: CFString = "cenc"
/// The subject's name, DER.
public let kSecAttrSubject: CFString = "subj"
/// The issuer's name, DER.
public let kSecAttrIssuer: CFString = "issr"
/// The serial number.
public let kSecAttrSerialNumber: CFString = "slnr"
/// The subject key identifier.
public let kSecAttrSubjectKeyID: CFString = "skid"
/// The hash of the public key.
public let kSecAttrPublicKeyHash: CFString = "pkhh"

// Keys.

/// One of the `kSecAttrKeyClass…` values.
public let kSecAttrKeyClass: CFString = "kcls"
/// The hash of the public key, by which a program finds a key.
public let kSecAttrApplicationLabel: CFString = "klbl"
/// Bytes of the program's own.
public let kSecAttrApplicationTag: CFString = "atag"
/// One of the `kSecAttrKeyType…` values.
public let kSecAttrKeyType: CFString = "type"
/// The creator of a key.
public let kSecAttrKeyCreator: CFString = "crtr"
/// The size in bits.
public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// How many of these bits count.
public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// From when the key is valid.
public let kSecAttrStartDate: CFString = "sdat"
/// Until when the key is valid.
public let kSecAttrEndDate: CFString = "edat"
/// Whether the key is stored.
public let kSecAttrIsPermanent: CFString = "perm"
/// Whether the key is private.
public let kSecAttrIsPrivate: CFString = "priv"
/// Whether the key can be changed.
public let kSecAttrIsModifiable: CFString = "modi"
/// Whether the key can be exported in encrypted form only.
public let kSecAttrIsSensitive: CFString = "sens"
/// Whether that was always so.
public let kSecAttrWasAlwaysSensitive: CFString = "asen"
/// Whether the key can be exported.
public let kSecAttrIsExtractable: CFString = "extr"
/// Whether it never could.
public let kSecAttrWasNeverExtractable: CFString = "next"
/// Whether the key can encrypt.
public let kSecAttrCanEncrypt: CFString = "encr"
/// Whether the key can decrypt.
public let kSecAttrCanDecrypt: CFString = "decr"
/// Whether the key can derive other keys.
public let kSecAttrCanDerive: CFString = "drve"
/// Whether the key can sign.
public let kSecAttrCanSign: CFString = "sign"
/// Whether the key can verify signatures.
public let kSecAttrCanVerify: CFString = "vrfy"
/// Whether the key can sign with recovery.
public let kSecAttrCanSignRecover: CFString = "snrc"
/// Whether the key can verify with recovery.
public let kSecAttrCanVerifyRecover: CFString = "vyrc"
/// Whether the key can wrap other keys.
public let kSecAttrCanWrap: CFString = "wrap"
/// Whether the key can unwrap other keys.
public let kSecAttrCanUnwrap: CFString = "unwp"
