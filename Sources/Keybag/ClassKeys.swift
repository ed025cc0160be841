public import KeyClasses
internal import SecureMemory

/// Opened class keys, in ascending order of class and epoch.
public struct ClassKeys: ~Copyable, Sendable {
    /// An array holds no value that cannot be copied.
    private final class Box: Sendable {
        let key: ClassKey

        init(_ key: consuming ClassKey) { self.key = key }
    }

    private var boxes: [Box] = []

    public init() {}

    /// New random keys of every class, in their first epoch.
    static func random() -> ClassKeys {
        var keys = ClassKeys()
        for keyClass in KeyClass.allCases {
            guard let key = ClassKey.random(keyClass, epoch: 1) else { continue }
            keys.insert(key)
        }
        return keys
    }

    /// How many keys these are.
    public var count: Int { boxes.count }

    /// Adds a key, in place of one of the same class and epoch.
    public mutating func insert(_ key: consuming ClassKey) {
        let box = Box(key)
        boxes.removeAll {
            $0.key.keyClass == box.key.keyClass && $0.key.epoch == box.key.epoch
        }
        let place = boxes.firstIndex {
            ($0.key.keyClass.rawValue, $0.key.epoch)
                > (box.key.keyClass.rawValue, box.key.epoch)
        }
        boxes.insert(box, at: place ?? boxes.endIndex)
    }

    /// The same keys once more.
    public func copy() -> ClassKeys {
        var copy = ClassKeys()
        copy.boxes = boxes
        return copy
    }

    /// The key at a position from 0, in ascending order of class and epoch.
    ///
    /// - Returns: A copy of the key, or nil when there is none.
    public func key(at index: Int) -> ClassKey? {
        guard boxes.indices.contains(index) else { return nil }
        return boxes[index].key.copy()
    }

    /// The key of one class in one epoch.
    ///
    /// - Returns: A copy of the key, or nil when it could not be opened.
    public func key(_ keyClass: KeyClass, epoch: UInt32) -> ClassKey? {
        boxes.first { $0.key.keyClass == keyClass && $0.key.epoch == epoch }?.key.copy()
    }

    /// Whether the key of one class in one epoch is there.
    public func has(_ keyClass: KeyClass, epoch: UInt32) -> Bool {
        boxes.contains { $0.key.keyClass == keyClass && $0.key.epoch == epoch }
    }
}

extension ClassKey {
    /// A new random key.
    static func random(_ keyClass: KeyClass, epoch: UInt32) -> ClassKey? {
        ClassKey(keyClass, epoch: epoch, seed: SecretBytes.random(count: byteCount))
    }

    fileprivate func copy() -> ClassKey? {
        guard let seed = seed.slice(from: 0, count: Self.byteCount) else { return nil }
        return ClassKey(keyClass, epoch: epoch, seed: seed)
    }
}
