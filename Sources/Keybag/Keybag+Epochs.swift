public import KeyClasses
internal import Sealing
internal import SecureMemory

extension Keybag {
    /// Gives classes new random keys, each with a bridge to the one before.
    ///
    /// Every protector that has the present key of a class gets the new one: the opened protector
    /// under its own key, the others sealed to their public keys.
    ///
    /// - Parameters:
    ///   - classes: Which classes.
    ///   - opened: The protector whose secret is at hand.
    /// - Returns: The opened keys together with the new ones.
    /// - Throws: `KeybagError.classNotOpen`, `.protectorOutOfReach` with the first protector that
    ///   cannot be given a key, or `.full`; the keybag is then as it was.
    public mutating func beginEpoch(
        of classes: [KeyClass], opened: borrowing OpenedProtector
    ) throws(KeybagError) -> ClassKeys {
        var changed = self
        var keys = opened.keys.copy()
        for keyClass in Set(classes) {
            guard let epoch = epoch(of: keyClass), let old = keys.key(keyClass, epoch: epoch)
            else { throw .classNotOpen(keyClass) }
            let new = try changed.addKey(after: old.name, to: &keys)
            changed.bridges.append(changed.bridge(to: old, from: new))
            try changed.give(new, opened: opened) { $0.wrap(old.name) != nil }
        }
        changed.bridges.sort { $0.name < $1.name }
        if classes.contains(.index) { try changed.renewVouchBoxes(keys) }
        try changed.checkSize()
        self = changed
        return keys
    }

    /// Gives this machine its own keys for the ThisDeviceOnly classes that another machine has.
    ///
    /// The old wraps stay, for the other machine, and no bridge leads there; but one leads to what this
    /// machine had before, where the opened protector has it. Besides that protector, those get the new
    /// keys that are known to have been made on this machine.
    ///
    /// - Parameter opened: The protector whose secret is at hand.
    /// - Returns: The opened keys together with the new ones.
    /// - Throws: `KeybagError.full`; the keybag is then as it was.
    public mutating func adoptMachine(
        opened: borrowing OpenedProtector
    ) throws(KeybagError) -> ClassKeys {
        var changed = self
        var keys = opened.keys.copy()
        let foreign = classesOfAnotherMachine(keys)
        guard !foreign.isEmpty else { return keys }
        changed.dropUnreachableKeys()
        if let index = changed.protectors.firstIndex(where: { $0.id == opened.id }) {
            var protector = changed.protectors[index]
            changed.introduce(&protector, opened.wrappingKeys, keys)
            changed.protectors[index] = protector
        }
        let mark = opened.wrappingKeys.deviceMark
        for keyClass in foreign {
            guard let epoch = epoch(of: keyClass) else { continue }
            let old = ClassKeyName(keyClass: keyClass, epoch: epoch)
            let own = classEntries.last {
                $0.keyClass == keyClass && opened.keys.has(keyClass, epoch: $0.epoch)
            }
            let new = try changed.addKey(after: old, to: &keys)
            if let own, let key = opened.keys.key(keyClass, epoch: own.epoch) {
                changed.bridges.append(changed.bridge(to: key, from: new))
            }
            try changed.give(new, opened: opened) {
                $0.extensions.deviceMark == mark && $0.extensions.publicKeys != nil
            }
        }
        changed.bridges.sort { $0.name < $1.name }
        try changed.checkSize()
        self = changed
        return keys
    }

    /// The ThisDeviceOnly classes whose newest key is not among these.
    public func classesOfAnotherMachine(_ keys: borrowing ClassKeys) -> [KeyClass] {
        var classes: [KeyClass] = []
        for keyClass in KeyClass.allCases where keyClass.isThisDeviceOnly {
            if let epoch = epoch(of: keyClass), !keys.has(keyClass, epoch: epoch) {
                classes.append(keyClass)
            }
        }
        return classes
    }

    /// Whether what a key of this class and epoch sealed stays closed on this machine: there is a newer
    /// key, and it does not lead to the older one, which is there for another machine.
    public func isOfAnotherMachine(_ keyClass: KeyClass, epoch: UInt32) -> Bool {
        guard let newest = self.epoch(of: keyClass),
            classEntries.contains(where: { $0.keyClass == keyClass && $0.epoch == epoch })
        else { return false }
        var reached = epoch
        while reached < newest {
            let bridge = bridges.first { $0.keyClass == keyClass && $0.older == reached }
            guard let bridge else { return true }
            reached = bridge.newer
        }
        return false
    }

    /// Forgets the older keys of classes, when no row needs them any more.
    public mutating func dropOldEpochs(of classes: [KeyClass]) {
        let old = Set(
            classEntries.map(\.name).filter {
                classes.contains($0.keyClass) && epoch(of: $0.keyClass) != $0.epoch
            })
        remove(old)
    }

    /// Brings an opened protector up to date: public keys, its own wrapping in place of what was sealed
    /// to it, and for all protectors the present device key in place of older ones.
    ///
    /// - Returns: Whether anything has changed.
    public mutating func refresh(_ opened: borrowing OpenedProtector) -> Bool {
        // First, because an introduced protector says that the present device key is its own.
        let isRenewed = renewDeviceKey(opened: opened)
        return introduceAndWrap(opened) || isRenewed
    }

    private mutating func introduceAndWrap(_ opened: borrowing OpenedProtector) -> Bool {
        guard let index = protectors.firstIndex(where: { $0.id == opened.id }) else { return false }
        var protector = protectors[index]
        if protector.extensions.publicKeys == nil || protector.extensions.vouchBox == nil {
            // The mixed key must be of the machine that the wraps are of.
            let isOfThisMachine = protector.wraps.allSatisfy {
                !$0.keyClass.isThisDeviceOnly || opened.keys.has($0.keyClass, epoch: $0.epoch)
            }
            if isOfThisMachine { introduce(&protector, opened.wrappingKeys, opened.keys) }
        }
        for wrap in protector.wraps where wrap.form != .wrapped {
            guard let key = opened.keys.key(wrap.keyClass, epoch: wrap.epoch) else { continue }
            protector.set(opened.wrappingKeys.wrap(key, in: place(of: wrap.name, protector.id)))
        }
        guard protector != protectors[index] else { return false }
        var changed = self
        changed.protectors[index] = protector
        guard (try? changed.checkSize()) != nil else { return false }
        self = changed
        return true
    }

    /// A vouch key in its box under the newest index key; nil where that is not open.
    func vouchBox(
        with vouchKey: borrowing SecretBytes, for protectorID: [UInt8], _ keys: borrowing ClassKeys
    ) -> [UInt8]? {
        guard let epoch = epoch(of: .index), let index = keys.key(.index, epoch: epoch) else {
            return nil
        }
        return SealingKey(index.keybagKey()).seal(
            vouchKey, context: place(of: index.name, protectorID).vouchKeyContext)
    }

    /// A protector's vouch key, by whichever index key it is sealed under.
    func vouchKey(
        of protector: Protector, _ keys: borrowing ClassKeys
    ) -> SecretBytes? {
        guard let box = protector.extensions.vouchBox else { return nil }
        for entry in classEntries.reversed() where entry.keyClass == .index {
            guard let index = keys.key(.index, epoch: entry.epoch) else { continue }
            let context = place(of: entry.name, protector.id).vouchKeyContext
            let key = SealingKey(index.keybagKey())
            if let vouchKey = try? key.open(box.span, context: context) { return vouchKey }
        }
        return nil
    }

    private mutating func renewVouchBoxes(_ keys: borrowing ClassKeys) throws(KeybagError) {
        for index in protectors.indices where protectors[index].extensions.vouchBox != nil {
            let protector = protectors[index]
            guard let vouchKey = vouchKey(of: protector, keys) else {
                throw .protectorOutOfReach(protector.idText)
            }
            protectors[index].extensions.vouchBox = vouchBox(
                with: vouchKey, for: protector.id, keys)
        }
    }

    /// Makes the next key of a class, with its entry.
    private mutating func addKey(
        after name: ClassKeyName, to keys: inout ClassKeys
    ) throws(KeybagError) -> ClassKey {
        guard name.epoch < .max,
            let key = ClassKey.random(name.keyClass, epoch: name.epoch + 1)
        else { throw .full }
        classEntries.append(ClassEntry(key, in: storeID))
        classEntries.sort { $0.name < $1.name }
        let place = ClassKeyName(keyClass: name.keyClass, epoch: name.epoch + 1)
        keys.insert(key)
        guard let copy = keys.key(place.keyClass, epoch: place.epoch) else { throw .full }
        return copy
    }

    /// Gives a new key to the opened protector and to those of the others that are to have it.
    private mutating func give(
        _ key: borrowing ClassKey, opened: borrowing OpenedProtector,
        where isWanted: (Protector) -> Bool
    ) throws(KeybagError) {
        let checkValue = key.checkValue(in: storeID)
        for index in protectors.indices {
            let protector = protectors[index]
            let place = place(of: key.name, protector.id)
            if protector.id == opened.id {
                protectors[index].set(opened.wrappingKeys.wrap(key, in: place))
                continue
            }
            guard isWanted(protector) else { continue }
            guard let vouchKey = vouchKey(of: protector, opened.keys),
                let wrap = opened.wrappingKeys.seal(
                    key, for: protector, vouchKey: vouchKey, in: place, checkValue: checkValue)
            else { throw .protectorOutOfReach(protector.idText) }
            protectors[index].set(wrap)
        }
    }

    /// Removes older keys that no protector wraps and no bridge leads to.
    private mutating func dropUnreachableKeys() {
        let unreachable = classEntries.map(\.name).filter { name in
            epoch(of: name.keyClass) != name.epoch
                && !protectors.contains { $0.wrap(name) != nil }
                && !bridges.contains { $0.name == name }
        }
        remove(Set(unreachable))
    }

    private mutating func remove(_ names: Set<ClassKeyName>) {
        classEntries.removeAll { names.contains($0.name) }
        bridges.removeAll {
            names.contains($0.name)
                || names.contains(ClassKeyName(keyClass: $0.keyClass, epoch: $0.newer))
        }
        for index in protectors.indices {
            protectors[index].wraps.removeAll { names.contains($0.name) }
        }
        protectors.removeAll { $0.wraps.isEmpty }
    }
}
