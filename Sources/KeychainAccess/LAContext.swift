public import Foundation
internal import Synchronization

/// What a program wants of the questions that a ``Keychain`` asks.
///
/// Linux has no LocalAuthentication framework; this is as much of its class as a keychain takes.
/// A context holds no proof of the user: items that ask for one ask each time.
public final class LAContext: Sendable {
    private struct State {
        var interactionNotAllowed = false
        var localizedReason = ""
        var reuseDuration: TimeInterval = 0
        var isInvalid = false
    }

    private let state = Mutex(State())

    /// A context that allows questions.
    public init() {}

    /// Whether nobody may be asked: then items that ask for the user answer with
    /// ``Status/interactionNotAllowed``.
    public var interactionNotAllowed: Bool {
        get { state.withLock { $0.interactionNotAllowed } }
        set { state.withLock { $0.interactionNotAllowed = newValue } }
    }

    /// The text of the question, where the ``Keychain`` has none of its own.
    public var localizedReason: String {
        get { state.withLock { $0.localizedReason } }
        set { state.withLock { $0.localizedReason = newValue } }
    }

    /// Kept, and without effect: there is no biometric method whose answer could be used again.
    public var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.withLock { $0.reuseDuration } }
        set { state.withLock { $0.reuseDuration = newValue } }
    }

    /// Ends the context: from now on nobody is asked.
    public func invalidate() { state.withLock { $0.isInvalid = true } }

    var mayAsk: Bool { state.withLock { !$0.interactionNotAllowed && !$0.isInvalid } }
}
