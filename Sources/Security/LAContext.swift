public import Foundation
internal import SecureMemory
internal import Synchronization
package import Vestry

/// What kind of credential a program gives to an ``LAContext`` (Apple: LocalAuthentication).
public enum LACredentialType: Int, Sendable {
    /// The password of items with `SecAccessControlCreateFlags.applicationPassword`.
    case applicationPassword = 0
}

/// The longest ``LAContext/touchIDAuthenticationAllowableReuseDuration`` that counts: five minutes.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

/// What a program wants of the questions that a keychain asks (`kSecUseAuthenticationContext`).
///
/// Linux has no LocalAuthentication framework; this is as much of its class as a keychain takes.
/// Who asks the user is the program's matter: it sets `Keychain.defaultPresenceHandler` of `Vestry`
/// once, and without that nobody is asked.
public final class LAContext: Sendable {
    private struct State {
        var interactionNotAllowed = false
        var localizedReason = ""
        var reuseDuration: TimeInterval = 0
        var isInvalid = false
        var applicationPassword: ApplicationPassword?
    }

    private let state = Mutex(State())

    /// A context that allows questions.
    public init() {}

    /// Whether nobody may be asked: then items that ask for the user answer with
    /// `errSecInteractionNotAllowed`.
    public var interactionNotAllowed: Bool {
        get { state.withLock { $0.interactionNotAllowed } }
        set { state.withLock { $0.interactionNotAllowed = newValue } }
    }

    /// The text of the question, where the query has none of its own.
    public var localizedReason: String {
        get { state.withLock { $0.localizedReason } }
        set { state.withLock { $0.localizedReason = newValue } }
    }

    /// For how many seconds an answer counts for the next reads of this process; 0 asks at each.
    ///
    /// Whole seconds count, and at most ``LATouchIDAuthenticationMaximumAllowableReuseDuration``.
    public var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.withLock { $0.reuseDuration } }
        set { state.withLock { $0.reuseDuration = newValue } }
    }

    /// Gives a password to add, read and change items with; it is copied to guarded memory.
    ///
    /// - Parameters:
    ///   - credential: The password; nil takes back the one that was given.
    ///   - type: What it is.
    /// - Returns: False for an empty password and after ``invalidate()``; nothing is changed then.
    @discardableResult
    public func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        guard credential?.isEmpty != true else { return false }
        let password = credential.map { ApplicationPassword(secretBytes($0)) }
        return state.withLock { state in
            guard !state.isInvalid else { return false }
            switch type {
            case .applicationPassword: state.applicationPassword = password
            }
            return true
        }
    }

    /// Whether there is a credential.
    ///
    /// - Parameter type: Of which kind.
    /// - Returns: True from ``setCredential(_:type:)`` until it is taken back.
    public func isCredentialSet(_ type: LACredentialType) -> Bool {
        switch type {
        case .applicationPassword: applicationPassword != nil
        }
    }

    /// Ends the context: from now on nobody is asked, and its credential is gone.
    public func invalidate() {
        state.withLock { state in
            state.isInvalid = true
            state.applicationPassword = nil
        }
    }

    /// The password for items that take one.
    package var applicationPassword: ApplicationPassword? {
        state.withLock { $0.applicationPassword }
    }

    /// Whether the user may be asked.
    package var mayAsk: Bool { state.withLock { !$0.interactionNotAllowed && !$0.isInvalid } }

    /// The text of the question, if there is one.
    package var prompt: String? {
        let reason = localizedReason
        return reason.isEmpty ? nil : reason
    }

    /// How long an answer counts; zero for what is no length of time.
    package var presenceReuseDuration: Duration {
        let seconds = touchIDAuthenticationAllowableReuseDuration
        guard seconds > 0, mayAsk else { return .zero }
        return .seconds(
            Int64(min(seconds, LATouchIDAuthenticationMaximumAllowableReuseDuration)))
    }
}
