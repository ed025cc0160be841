public import KeyClasses
internal import SecureMemory

/// Opened class keys, in one buffer of secret bytes.
public struct ClassKeys: ~Copyable, Sendable {
    private let names: [(keyClass: KeyClass, epoch: UInt32)]
    private let seeds: SecretBytes

    /// Copies keys from what `seed` returns for each name; names without one are left out.
    init(
        _ names: [(keyClass: KeyClass, epoch: UInt32)],
        seed: (Int) -> SecretBytes?
    ) {
        var opened: [(keyClass: KeyClass, epoch: UInt32)] = []
        seeds = SecretBytes(
            capacity: names.count * ClassKey.byteCount,
            filledBy: { bytes in
                var offset = 0
                for (index, name) in names.enumerated() {
                    guard let seed = seed(index), seed.count == ClassKey.byteCount else { continue }
                    seed.withBytes { seed in
                        for byte in seed.indices { bytes[offset + byte] = seed[byte] }
                    }
                    offset += ClassKey.byteCount
                    opened.append(name)
                }
                return offset
            })
        self.names = opened
    }

    /// New random keys of every class, in their first epoch.
    static func random() -> ClassKeys {
        ClassKeys(
            KeyClass.allCases.sorted { $0.rawValue < $1.rawValue }.map { ($0, 1) },
            seed: { _ in SecretBytes.random(count: ClassKey.byteCount) })
    }

    /// How many keys these are.
    public var count: Int { names.count }

    /// The key at a position from 0, in ascending order of class and epoch.
    ///
    /// - Returns: A copy of the key, or nil when there is none.
    public func key(at index: Int) -> ClassKey? {
        guard names.indices.contains(index),
            let seed = seeds.slice(from: index * ClassKey.byteCount, count: ClassKey.byteCount)
        else { return nil }
        return ClassKey(names[index].keyClass, epoch: names[index].epoch, seed: seed)
    }

    /// The key of one class in one epoch.
    ///
    /// - Returns: A copy of the key, or nil when it could not be opened.
    public func key(_ keyClass: KeyClass, epoch: UInt32) -> ClassKey? {
        guard
            let index = names.firstIndex(where: { $0.keyClass == keyClass && $0.epoch == epoch })
        else { return nil }
        return key(at: index)
    }
}
