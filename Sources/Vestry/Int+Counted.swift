extension Int {
    /// The number and what it counts, as in "1 item" and "2 items".
    ///
    /// - Parameters:
    ///   - one: What stands behind 1.
    ///   - many: What stands behind other numbers; `one` with an s unless given.
    /// - Returns: For people.
    package func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) \(self == 1 ? one : many ?? one + "s")"
    }
}
