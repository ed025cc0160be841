public import KeyClasses

extension Keybag {
    /// Whether a class has an older key that its newest one leads to: its rotation is not over.
    public func isRotating(_ keyClass: KeyClass) -> Bool {
        bridges.contains { $0.keyClass == keyClass }
    }
}
