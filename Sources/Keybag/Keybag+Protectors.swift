public import KeyClasses
internal import Sealing
public import SecureMemory

extension Keybag {
    /// Makes the keybag of a new store: random class keys under a login password.
    ///
    /// - Parameters:
    ///   - password: The login password, not empty.
    ///   - deviceKey: This machine's key for this user, 32 bytes.
    ///   - time: Now, in seconds since 1970.
    /// - Returns: The keybag and its opened keys.
    /// - Throws: `KeybagError.outOfMemory`.
    public static func create(
        password: borrowing SecretBytes, deviceKey: borrowing SecretBytes, at time: UInt64
    ) throws(KeybagError) -> CreatedKeybag {
        let created = withoutProtectors()
        var keybag = created.keybag
        try keybag.setLoginPassword(
            password, keys: created.keys, deviceKey: deviceKey, replacing: nil, at: time)
        return CreatedKeybag(keybag: keybag, keys: created.takeKeys())
    }

    /// Makes the keybag of a new store without a login password.
    ///
    /// - Parameters:
    ///   - kind: Any but the login's passwords.
    ///   - secret: What will open the store, not empty.
    ///   - label: At most 64 bytes of UTF-8, or nil.
    ///   - deviceKey: This machine's key for this user, 32 bytes.
    ///   - time: Now, in seconds since 1970.
    /// - Returns: The keybag and its opened keys.
    /// - Throws: `KeybagError.outOfMemory`.
    public static func create(
        _ kind: Protector.Kind, secret: borrowing SecretBytes, label: String?,
        deviceKey: borrowing SecretBytes, at time: UInt64
    ) throws(KeybagError) -> CreatedKeybag {
        guard !Protector.Kind.single.contains(kind) else { throw .isLoginPassword }
        let created = withoutProtectors()
        var keybag = created.keybag
        var protector = try keybag.makeProtector(
            kind, secret: secret, keys: created.keys, deviceKey: deviceKey, at: time)
        protector.extensions.label = label
        keybag.protectors = [protector]
        return CreatedKeybag(keybag: keybag, keys: created.takeKeys())
    }

    /// Makes random class keys that nothing wraps yet: a keybag that opens nothing, and cannot be
    /// written to a file.
    ///
    /// - Returns: The keybag and its keys.
    public static func withoutProtectors() -> CreatedKeybag {
        let storeID = StoreID.random()
        let keys = ClassKeys.random()
        var entries: [ClassEntry] = []
        for index in 0..<keys.count {
            guard let key = keys.key(at: index) else { continue }
            entries.append(ClassEntry(key, in: storeID))
        }
        return CreatedKeybag(
            keybag: Keybag(storeID: storeID, classEntries: entries, protectors: []), keys: keys)
    }

    /// Whether there is a protector of this kind.
    public func has(_ kind: Protector.Kind) -> Bool {
        protectors.contains { $0.kind == kind }
    }

    /// Wraps class keys under a new login password.
    ///
    /// The protector of the old one stays as the previous password until a login has proved the new
    /// one (``dropPreviousPassword()``), and as long as it alone has the newest key of some class.
    ///
    /// - Parameters:
    ///   - password: The new login password, not empty.
    ///   - keys: The classes that are open. The login password will open these.
    ///   - deviceKey: This machine's key for this user.
    ///   - opener: The kind of protector that gave the keys, which is what stays as the previous
    ///     password if it is one. After a change that another PAM module undid, that is not the
    ///     login password of this file. Nil for a new keybag, and for keys from the kernel.
    ///   - time: Now, in seconds since 1970.
    /// - Throws: `KeybagError.outOfMemory`, `.full`, or `.wouldLose` when two old passwords have
    ///   each a newest key that nothing else has.
    public mutating func setLoginPassword(
        _ password: borrowing SecretBytes, keys: borrowing ClassKeys,
        deviceKey: borrowing SecretBytes, replacing opener: Protector.Kind?, at time: UInt64
    ) throws(KeybagError) {
        let new = try makeProtector(
            .loginPassword, secret: password, keys: keys, deviceKey: deviceKey, at: time)
        let old = protectors.filter { Protector.Kind.single.contains($0.kind) }
        var others = protectors.filter { !Protector.Kind.single.contains($0.kind) }
        let keeper =
            old.first { $0.kind == opener }
            ?? old.max {
                newest(in: $0, without: [new]).count < newest(in: $1, without: [new]).count
            }
        var isNeeded = keeper.map { $0.kind == opener } ?? false
        if let keeper, !newest(in: keeper, without: [new]).isEmpty { isNeeded = true }
        for protector in old {
            guard protector.id != keeper?.id || !isNeeded else { continue }
            let stay = isNeeded ? [new] + (keeper.map { [$0] } ?? []) : [new]
            if let lost = newest(in: protector, without: stay + others).first {
                throw .wouldLose(lost.keyClass)
            }
            // Older keys that nothing else has are another machine's.
            if !names(in: protector, without: stay + others).isEmpty {
                others.append(protector.asPassphrase())
            }
        }
        var changed = self
        changed.protectors = [new]
        if isNeeded, var keeper {
            keeper.kind = .previousPassword
            changed.protectors.append(keeper)
        }
        changed.protectors += others
        try changed.checkSize()
        self = changed
    }

    /// Forgets the login password before the last change.
    ///
    /// It stays while it alone has the newest key of a class. Where it alone has older ones, which
    /// belong to another machine, it becomes a passphrase.
    ///
    /// - Returns: Whether anything has changed.
    @discardableResult
    public mutating func dropPreviousPassword() -> Bool {
        guard let index = protectors.firstIndex(where: { $0.kind == .previousPassword }) else {
            return false
        }
        let previous = protectors[index]
        let others = protectors.filter { $0.id != previous.id }
        let login = others.filter { $0.kind == .loginPassword }
        guard newest(in: previous, without: login).isEmpty else { return false }
        if names(in: previous, without: others).isEmpty {
            protectors.remove(at: index)
        } else {
            protectors[index] = previous.asPassphrase()
        }
        return true
    }

    /// Adds a protector for a secret of another kind.
    ///
    /// - Parameters:
    ///   - kind: Any but the login's passwords.
    ///   - secret: What will open the store, not empty.
    ///   - label: At most 64 bytes of UTF-8, or nil.
    ///   - opened: The protector that gives the class keys.
    ///   - deviceKey: This machine's key for this user.
    ///   - time: Now, in seconds since 1970.
    /// - Returns: The new protector's id.
    /// - Throws: `KeybagError.outOfMemory` or `.full`.
    public mutating func add(
        _ kind: Protector.Kind, secret: borrowing SecretBytes, label: String?,
        opened: borrowing OpenedProtector, deviceKey: borrowing SecretBytes, at time: UInt64
    ) throws(KeybagError) -> [UInt8] {
        guard !Protector.Kind.single.contains(kind) else { throw .isLoginPassword }
        var protector = try makeProtector(
            kind, secret: secret, keys: opened.keys, deviceKey: deviceKey, at: time)
        protector.extensions.label = label
        var changed = self
        changed.protectors.append(protector)
        try changed.checkSize()
        self = changed
        return protector.id
    }

    /// Removes a protector.
    ///
    /// - Parameter id: Any but the login password's, which a new login password replaces.
    /// - Throws: `KeybagError.noSuchProtector`, `.isLoginPassword`, or `.wouldLose` when it alone has
    ///   the newest key of a class.
    public mutating func removeProtector(_ id: [UInt8]) throws(KeybagError) {
        guard let protector = protectors.first(where: { $0.id == id }) else {
            throw .noSuchProtector
        }
        guard protector.kind != .loginPassword else { throw .isLoginPassword }
        let others = protectors.filter { $0.id != id }
        if let lost = newest(in: protector, without: others.filter(\.isKnown)).first {
            throw .wouldLose(lost.keyClass)
        }
        protectors = others
    }

    /// The classes whose newest key the login password does not open.
    public var classesWithoutLoginPassword: [KeyClass] {
        let login = protectors.filter { $0.kind == .loginPassword }
        return KeyClass.allCases.filter { keyClass in
            guard let epoch = epoch(of: keyClass) else { return false }
            let name = ClassKeyName(keyClass: keyClass, epoch: epoch)
            return !login.contains { $0.wrap(name) != nil }
        }
    }

    /// What a protector wraps and none of the others does.
    private func names(in protector: Protector, without others: [Protector]) -> [ClassKeyName] {
        protector.wraps.map(\.name).filter { name in
            !others.contains { $0.wrap(name) != nil }
        }
    }

    /// The newest keys among these: with older ones alone, nothing new can be stored or found.
    private func newest(in protector: Protector, without others: [Protector]) -> [ClassKeyName] {
        names(in: protector, without: others).filter { epoch(of: $0.keyClass) == $0.epoch }
    }

    func checkSize() throws(KeybagError) {
        guard protectors.count <= Self.protectorCount.upperBound,
            classEntries.count <= Self.classEntryCount.upperBound,
            bridges.count <= Self.bridgeCount.upperBound, byteCount <= Self.maximumByteCount
        else { throw .full }
    }

    private func makeProtector(
        _ kind: Protector.Kind, secret: borrowing SecretBytes, keys: borrowing ClassKeys,
        deviceKey: borrowing SecretBytes, at time: UInt64
    ) throws(KeybagError) -> Protector {
        let derivation = PasswordDerivation.recommended()
        guard let protectorKey = derivation.key(from: secret) else { throw .outOfMemory }
        let wrappingKeys = WrappingKeys(
            protectorKey: protectorKey, deviceKey: deviceKey, storeID: storeID)
        var protector = Protector(
            id: randomBytes(count: Protector.idByteCount), kind: kind,
            method: .password(derivation), createdAt: min(time, Protector.latestTime),
            extensions: ProtectorExtension(), wraps: [])
        for index in 0..<keys.count {
            guard let key = keys.key(at: index) else { continue }
            protector.set(wrappingKeys.wrap(key, in: place(of: key.name, protector.id)))
        }
        introduce(&protector, wrappingKeys, keys)
        return protector
    }

    /// Writes into a protector what gives it new class keys while its secret is not there.
    func introduce(
        _ protector: inout Protector, _ wrappingKeys: borrowing WrappingKeys,
        _ keys: borrowing ClassKeys
    ) {
        guard let box = vouchBox(with: wrappingKeys.vouchKey, for: protector.id, keys) else {
            return
        }
        protector.extensions.publicKeys = wrappingKeys.publicKeys
        protector.extensions.deviceMark = wrappingKeys.deviceMark
        protector.extensions.vouchBox = box
    }
}

extension Protector {
    mutating func set(_ wrap: Wrap) {
        wraps.removeAll { $0.name == wrap.name }
        wraps.insert(wrap, at: wraps.firstIndex { $0.name > wrap.name } ?? wraps.endIndex)
    }

    /// An old login password that keeps what is another machine's.
    fileprivate func asPassphrase() -> Protector {
        var passphrase = self
        passphrase.kind = .passphrase
        if passphrase.extensions.label == nil {
            passphrase.extensions.label = "old login password"
        }
        return passphrase
    }
}

extension Keybag.ClassEntry {
    init(_ key: borrowing ClassKey, in storeID: StoreID) {
        keyClass = key.keyClass
        epoch = key.epoch
        depositPublicKey = key.depositPublicKey()
        checkValue = key.checkValue(in: storeID)
    }
}

extension ClassKey {
    var name: ClassKeyName { ClassKeyName(keyClass: keyClass, epoch: epoch) }
}

/// A new store's keybag with its keys still open.
public struct CreatedKeybag: ~Copyable {
    public let keybag: Keybag
    public let keys: ClassKeys

    /// The keys, for somebody to keep.
    public consuming func takeKeys() -> ClassKeys { keys }
}
