/// An attribute of items.
///
/// The raw values are the names that Apple's `kSecAttr` constants stand for. ``kind`` says which
/// type its values have; ``belongs(to:)`` which items can have it.
public enum ItemAttribute: String, CaseIterable, Sendable {
    // Every class.

    /// When the item can be read: one of Apple's raw values, such as "ck"; see
    /// ``Accessibility/appleName``.
    case accessible = "pdmn"
    /// What a read asks for besides: ``AccessControl/encoded``.
    case accessControl = "accc"
    /// Which programs the item is for.
    case accessGroup = "agrp"
    /// Whether the item may be carried to other devices.
    case synchronizable = "sync"
    /// When the item was added; set by the keychain.
    case creationDate = "cdat"
    /// When anything about the item was changed last; set by the keychain.
    case modificationDate = "mdat"
    /// A name for people.
    case label = "labl"
    case alias = "alis"
    case syncViewHint = "vwht"
    case tokenID = "tkid"
    /// A user inside of the account; cannot be changed.
    case multiUser = "musr"
    case sharingGroup = "ggrp"
    /// The 16 bytes that name the item for as long as it lives; set by the keychain.
    case persistentReference = "persistref"
    /// Always false: Vestry keeps no records of deleted items.
    case tombstone = "tomb"
    /// When the item ends, which Apple's keychain does not have: from then on it is not found, and
    /// the next program that writes removes it.
    case expirationDate = "expd"

    // Passwords.

    /// What kind of password it is, for people (`kSecAttrDescription`).
    case kindDescription = "desc"
    case comment = "icmt"
    /// Four-character code of the program that made the item; of a key, the creator's.
    case creator = "crtr"
    /// Four-character code; of a key, its algorithm: 42 is RSA, 73 is EC.
    case type = "type"
    case isInvisible = "invi"
    /// No password is stored: always ask.
    case isNegative = "nega"
    case scriptCode = "scrp"
    case hasCustomIcon = "cusi"
    case account = "acct"
    case service = "svce"
    /// Bytes of the program's own.
    case generic = "gena"
    case securityDomain = "sdmn"
    case server = "srvr"
    /// Four-character code, such as "htps".
    case networkProtocol = "ptcl"
    /// Four-character code, such as "form".
    case authenticationType = "atyp"
    case port = "port"
    case path = "path"

    // Certificates; all but the first two are what the certificate says.

    case certificateType = "ctyp"
    case certificateEncoding = "cenc"
    /// The subject's name, DER.
    case subject = "subj"
    /// The issuer's name, DER.
    case issuer = "issr"
    /// The serial number, the contents of its DER.
    case serialNumber = "slnr"
    case subjectKeyID = "skid"
    /// SHA-1 of the public key's bits, the same as ``applicationLabel`` of the private key.
    case publicKeyHash = "pkhh"

    // Keys.

    /// 0 public, 1 private, 2 symmetric.
    case keyClass = "kcls"
    case applicationLabel = "klbl"
    case applicationTag = "atag"
    case keySizeInBits = "bsiz"
    case effectiveKeySize = "esiz"
    case startDate = "sdat"
    case endDate = "edat"
    case isPermanent = "perm"
    case isPrivate = "priv"
    case isModifiable = "modi"
    case isSensitive = "sens"
    case wasAlwaysSensitive = "asen"
    case isExtractable = "extr"
    case wasNeverExtractable = "next"
    case canEncrypt = "encr"
    case canDecrypt = "decr"
    case canDerive = "drve"
    case canSign = "sign"
    case canVerify = "vrfy"
    case canSignRecover = "snrc"
    case canVerifyRecover = "vyrc"
    case canWrap = "wrap"
    case canUnwrap = "unwp"
}
