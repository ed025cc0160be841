/// What each result code means: one English sentence for people.
package enum StatusTexts {
    /// The sentence of a code.
    ///
    /// - Parameter status: Any.
    /// - Returns: Nil for a number that is no code.
    package static func text(of status: OSStatus) -> String? {
        common[status] ?? certificates[status] ?? modules[status] ?? requests[status]
    }
}
