public import Security

extension Keychain {
    /// The same keychain, writing items of another class; also those that are there already.
    ///
    /// - Parameter accessibility: When they can be read.
    /// - Returns: Another keychain; this one stays as it is.
    public func accessibility(_ accessibility: Accessibility) -> Keychain {
        with { $0.accessibility = accessibility }
    }

    /// The same keychain, writing items of another class that ask for the user.
    ///
    /// - Parameters:
    ///   - accessibility: When they can be read.
    ///   - authenticationPolicy: What a read asks for besides.
    /// - Returns: Another keychain; this one stays as it is.
    public func accessibility(
        _ accessibility: Accessibility, authenticationPolicy: AuthenticationPolicy
    ) -> Keychain {
        with {
            $0.accessibility = accessibility
            $0.authenticationPolicy = authenticationPolicy
        }
    }

    /// The same keychain, writing items that may or may not be carried to other devices.
    ///
    /// - Parameter synchronizable: Whether they may; not together with a class of this device only
    ///   or an authentication policy.
    /// - Returns: Another keychain; this one stays as it is.
    public func synchronizable(_ synchronizable: Bool) -> Keychain {
        with { $0.synchronizable = synchronizable }
    }

    /// The same keychain, writing items with a label.
    ///
    /// - Parameter label: A name for people.
    /// - Returns: Another keychain; this one stays as it is.
    public func label(_ label: String) -> Keychain {
        with { $0.label = label }
    }

    /// The same keychain, writing items with a comment.
    ///
    /// - Parameter comment: For people.
    /// - Returns: Another keychain; this one stays as it is.
    public func comment(_ comment: String) -> Keychain {
        with { $0.comment = comment }
    }

    /// The same keychain, writing items with more attributes.
    ///
    /// - Parameter attributes: By Apple's raw names, such as "icmt"; merged over earlier ones, and
    ///   winning over everything else that the keychain writes. One that passwords do not have, or of
    ///   another type, makes writing throw ``Status/param``.
    /// - Returns: Another keychain; this one stays as it is.
    public func attributes(_ attributes: [String: Any]) -> Keychain {
        with { options in
            options.attributes.merge(attributes.mapValues { GivenValue($0) }) { $1 }
        }
    }

    /// The same keychain with a text for its questions.
    ///
    /// - Parameter authenticationPrompt: Why the user is asked.
    /// - Returns: Another keychain; this one stays as it is.
    public func authenticationPrompt(_ authenticationPrompt: String) -> Keychain {
        with { $0.authenticationPrompt = authenticationPrompt }
    }

    /// The same keychain, asking the user or not.
    ///
    /// - Parameter authenticationUI: What happens with items that ask for the user.
    /// - Returns: Another keychain; this one stays as it is.
    public func authenticationUI(_ authenticationUI: AuthenticationUI) -> Keychain {
        with { $0.authenticationUI = authenticationUI }
    }

    /// The same keychain with a context for its questions.
    ///
    /// - Parameter authenticationContext: Its ``LAContext/interactionNotAllowed`` counts as
    ///   ``AuthenticationUI/fail``, its reuse duration says how long an answer counts for the next
    ///   reads, and its credential is the password of items with
    ///   ``AuthenticationPolicy/applicationPassword``.
    /// - Returns: Another keychain; this one stays as it is.
    public func authenticationContext(_ authenticationContext: LAContext) -> Keychain {
        with { $0.authenticationContext = authenticationContext }
    }
}
