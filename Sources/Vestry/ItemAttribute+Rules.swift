/// What holds for one attribute.
struct AttributeRule {
    let kind: AttributeValue.Kind
    let classes: ItemClassSet
    /// In which classes it is part of what makes an item unique.
    let primary: ItemClassSet
    /// Set by the keychain alone.
    let isReadOnly: Bool
    /// Its number in metadata and tags; nil for what stands in the row instead.
    ///
    /// Numbers never change.
    let number: UInt8?

    init(
        _ number: UInt8?, _ kind: AttributeValue.Kind, _ classes: ItemClassSet,
        primary: ItemClassSet = [], isReadOnly: Bool = false
    ) {
        self.number = number
        self.kind = kind
        self.classes = classes
        self.primary = primary
        self.isReadOnly = isReadOnly
    }
}

extension ItemAttribute {
    /// By the number, which costs less than the text of the raw value.
    public func hash(into hasher: inout Hasher) { hasher.combine(rule.number) }

    /// The type of its values.
    public var kind: AttributeValue.Kind { rule.kind }

    /// Whether only the keychain sets it.
    public var isReadOnly: Bool { rule.isReadOnly }

    /// Whether items of a class can have it.
    public func belongs(to itemClass: ItemClass) -> Bool { rule.classes.holds(itemClass) }

    /// Whether it is part of what makes an item of a class unique.
    public func isPrimary(in itemClass: ItemClass) -> Bool { rule.primary.holds(itemClass) }

    var rule: AttributeRule {
        switch self {
        case .accessible: AttributeRule(nil, .string, .all)
        case .accessControl: AttributeRule(nil, .data, .all)
        case .persistentReference: AttributeRule(nil, .data, .all, isReadOnly: true)
        case .expirationDate: AttributeRule(nil, .date, .all)
        case .tombstone: AttributeRule(nil, .bool, .all, isReadOnly: true)

        case .service: AttributeRule(1, .string, .genericPassword, primary: .genericPassword)
        case .account: AttributeRule(2, .string, .passwords, primary: .passwords)
        case .label: AttributeRule(3, .string, .all)
        case .creationDate: AttributeRule(4, .date, .all, isReadOnly: true)
        case .modificationDate: AttributeRule(5, .date, .all, isReadOnly: true)
        case .accessGroup: AttributeRule(6, .string, .all, primary: .all)
        case .synchronizable: AttributeRule(7, .bool, .all, primary: .all)
        case .kindDescription: AttributeRule(8, .string, .passwords)
        case .comment: AttributeRule(9, .string, .passwords)
        case .creator: AttributeRule(10, .number, [.passwords, .key], primary: .key)
        case .type: AttributeRule(11, .number, [.passwords, .key], primary: .key)
        case .isInvisible: AttributeRule(12, .bool, .passwords)
        case .isNegative: AttributeRule(13, .bool, .passwords)
        case .generic: AttributeRule(14, .data, .genericPassword)

        case .securityDomain: Self.ofInternetPasswords(15, .string)
        case .server: Self.ofInternetPasswords(16, .string)
        case .networkProtocol: Self.ofInternetPasswords(17, .string)
        case .authenticationType: Self.ofInternetPasswords(18, .string)
        case .port: Self.ofInternetPasswords(19, .number)
        case .path: Self.ofInternetPasswords(20, .string)

        case .alias: AttributeRule(21, .string, .all)
        case .scriptCode: AttributeRule(22, .number, .passwords)
        case .hasCustomIcon: AttributeRule(23, .number, .passwords)
        case .syncViewHint: AttributeRule(24, .string, .all, primary: .all)
        case .tokenID: AttributeRule(25, .string, .all, primary: .all)
        case .multiUser: AttributeRule(26, .data, .all, primary: .all)
        case .sharingGroup: AttributeRule(27, .string, .all, primary: .all)

        case .certificateType:
            AttributeRule(28, .number, .certificate, primary: .certificate)
        case .certificateEncoding: AttributeRule(29, .number, .certificate)
        case .subject: AttributeRule(30, .data, .certificate)
        case .issuer: AttributeRule(31, .data, .certificate, primary: .certificate)
        case .serialNumber: AttributeRule(32, .data, .certificate, primary: .certificate)
        case .subjectKeyID: AttributeRule(33, .data, .certificate)
        case .publicKeyHash: AttributeRule(34, .data, .certificate)

        case .keyClass: AttributeRule(35, .number, .key, primary: .key)
        case .applicationLabel: AttributeRule(36, .data, .key, primary: .key)
        case .applicationTag: AttributeRule(37, .data, .key, primary: .key)
        case .keySizeInBits: AttributeRule(38, .number, .key, primary: .key)
        case .effectiveKeySize: AttributeRule(39, .number, .key, primary: .key)
        case .startDate: AttributeRule(40, .date, .key, primary: .key)
        case .endDate: AttributeRule(41, .date, .key, primary: .key)
        case .isPermanent: AttributeRule(42, .bool, .key)
        case .isPrivate: AttributeRule(43, .bool, .key)
        case .isModifiable: AttributeRule(44, .bool, .key)
        case .isSensitive: AttributeRule(45, .bool, .key)
        case .wasAlwaysSensitive: AttributeRule(46, .bool, .key)
        case .isExtractable: AttributeRule(47, .bool, .key)
        case .wasNeverExtractable: AttributeRule(48, .bool, .key)
        case .canEncrypt: AttributeRule(49, .bool, .key)
        case .canDecrypt: AttributeRule(50, .bool, .key)
        case .canDerive: AttributeRule(51, .bool, .key)
        case .canSign: AttributeRule(52, .bool, .key)
        case .canVerify: AttributeRule(53, .bool, .key)
        case .canSignRecover: AttributeRule(54, .bool, .key)
        case .canVerifyRecover: AttributeRule(55, .bool, .key)
        case .canWrap: AttributeRule(56, .bool, .key)
        case .canUnwrap: AttributeRule(57, .bool, .key)
        }
    }

    private static func ofInternetPasswords(
        _ number: UInt8, _ kind: AttributeValue.Kind
    ) -> AttributeRule {
        AttributeRule(number, kind, .internetPassword, primary: .internetPassword)
    }
}
