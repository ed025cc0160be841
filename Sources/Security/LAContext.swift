public import Foundation
internal import Synchronization

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

    /// Ends the context: from now on nobody is asked.
    public func invalidate() { state.withLock { $0.isInvalid = true } }

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
