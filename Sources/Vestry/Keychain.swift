internal import Glibc
internal import ItemStore
internal import Keybag
internal import KeyClasses
package import LinuxSystem

/// Gets the key of a presence class, by proof that the user is there.
typealias PresenceAuthorizer = @Sendable (KeyClass) throws(VestryError) -> ClassKey

/// The keychain of the user who runs this program.
///
/// ```swift
/// let keychain = try Keychain()
/// let key = ItemKey(service: "git.example.org", account: "alice")
/// let token = try keychain.secret(for: key)
/// ```
///
/// The place comes from the account database, never from `HOME`: under `sudo -E`, in cron and in a
/// unit, the effective user's own keychain is used.
///
/// A value holds no key, no descriptor and no state: each operation opens what it needs, reads the
/// class keys from the kernel, and forgets them. It can be used from any thread. A program that uses it
/// many times a second can keep its files open (``keptOpen()``).
public struct Keychain: Sendable {
    /// The largest secret, in bytes: 8 MiB.
    public static let maximumSecretByteCount = 8 * 1024 * 1024

    /// The largest text or data of an attribute, in bytes; of a text, those of its UTF-8.
    public static let maximumTextByteCount = ItemMetadata.maximumValueByteCount

    /// The access group of items that name none.
    public static let defaultAccessGroup = "default"

    /// The access groups of this program: those that `~/.config/vestry/access-groups` gives it, or
    /// ``defaultAccessGroup`` alone.
    ///
    /// New items go to the first; a search looks into all; any other is
    /// ``VestryError/Code/missingEntitlement``. A program can name its groups here instead: groups keep
    /// the items of programs apart, and keep nobody out. Empty where the file is not understood; every
    /// operation on items throws the reason then.
    public var accessGroups: [String] = [defaultAccessGroup]

    /// Why there are no groups.
    private var accessGroupError: VestryError?

    /// Asks the person for the login password, where an item asks for the user at each read.
    ///
    /// Nil stands for ``defaultPresenceHandler``. Where there is neither, such items are
    /// ``VestryError/Code/locked``.
    public var presenceHandler: PresenceHandler?

    /// How long an answer counts for the next reads, in whole seconds; zero asks at each.
    ///
    /// The key is kept in the kernel's process keyring: for this process, not for its children, and
    /// not for threads that were running before. The kernel wipes it when the time is over. At most
    /// ``maximumPresenceReuseDuration``.
    public var presenceReuseDuration = Duration.zero

    /// Whether what is replaced and deleted is kept for ``undo(_:)``, as far as the user's
    /// `~/.config/vestry/history` says; false keeps nothing of it.
    public var keepsHistory = true

    let account: Account

    /// In place of the helper, in tests: gives the key of a presence class for one operation.
    var presenceAuthorizer: PresenceAuthorizer?

    /// The class keys of a keychain for tests; nil for a real one, whose keys are in the kernel.
    private(set) var processKeys: ProcessKeys?

    /// What stays open between operations; nil where nothing does.
    private var keptFiles: KeptFiles?

    /// The certificates, DER, that others are trusted by; nil for the system's.
    package var trustAnchors: [[UInt8]]?

    /// Finds the calling user's account.
    ///
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/notAvailable`` when the account
    ///   database has no record of the effective user ID, as happens in containers.
    public init() throws(VestryError) {
        let user = geteuid()
        let account = try mappingErrors { () throws(SystemCallError) in
            try Account.with(user: user)
        }
        guard let account else {
            throw VestryError(
                .notAvailable, detail: "the account database has no user with ID \(user)")
        }
        self.init(account: account)
        do throws(VestryError) {
            accessGroups = try AccessGroupFile.groups(of: account)
        } catch {
            // The lock state has nothing to do with groups.
            (accessGroups, accessGroupError) = ([], error)
        }
    }

    /// The groups, at least one.
    ///
    /// - Throws: `VestryError` with the code `missingEntitlement` or `denied`.
    func usableAccessGroups() throws(VestryError) -> [String] {
        guard accessGroups.isEmpty else { return accessGroups }
        throw accessGroupError ?? VestryError(.missingEntitlement)
    }

    /// The group of new items.
    ///
    /// - Throws: As ``usableAccessGroups()``.
    func firstAccessGroup() throws(VestryError) -> String {
        guard let group = try usableAccessGroups().first else {
            throw VestryError(.missingEntitlement)
        }
        return group
    }

    package init(account: Account) {
        self.account = account
    }

    /// A keychain whose class keys are in this process, and not in the kernel.
    package init(account: Account, keys: ProcessKeys) {
        self.account = account
        processKeys = keys
        presenceAuthorizer = { keyClass throws(VestryError) in try keys.presenceKey(keyClass) }
    }

    /// This keychain with its files kept open between operations, for programs that use it often.
    ///
    /// ```swift
    /// let keychain = try Keychain().keptOpen()
    /// ```
    ///
    /// An operation answers as it does otherwise, and a read in about a tenth of the time. The
    /// descriptors of the folder and of the item file stay open, and SQLite's memory, the keybag and the
    /// rows that were read last, sealed as they are, stay in this process; the class keys are read from
    /// the kernel for each operation, and forgotten.
    /// Nothing is locked in between. Before each operation it is looked whether the files are still the
    /// same: if not, they are opened anew.
    ///
    /// Copies share the files, which close when the last copy goes. They can be used from any thread:
    /// an operation that runs while another one has the files opens its own, and takes its time, so that
    /// busy threads better call this once each. A child of fork(2) opens its own too.
    ///
    /// A program may close descriptors that it has not opened, as daemons do when they start: where one
    /// is not the folder's or the item file's any more, the files are given up, without closing
    /// anything of others, and opened anew. An operation in whose course that happens fails.
    ///
    /// - Returns: A copy; this value keeps nothing open that did not before. Nothing is opened yet.
    public func keptOpen() -> Keychain {
        var copy = self
        copy.keptFiles = KeptFiles()
        return copy
    }

    /// The folder that the keychain is or would be in.
    public var path: String {
        account.homeDirectory + "/" + StoreDirectory.path.joined(separator: "/")
    }

    /// The user's login name.
    public var accountName: String { account.name }

    /// The store, for one operation.
    func openStore() throws(VestryError) -> OpenStore {
        // Whether there is a keychain for tests is a matter of its state.
        if let processKeys { _ = try processKeys.key(.index) }
        let lent = try keptFiles?.lend { () throws(VestryError) in
            try openFiles(keptOpen: true)
        }
        if let lent {
            return OpenStore(lent.files, loan: lent.loan, processKeys: processKeys)
        }
        return try OpenStore(openFiles(keptOpen: false), processKeys: processKeys)
    }

    private func openFiles(keptOpen: Bool) throws(VestryError) -> StoreFiles {
        if let processKeys {
            let directory = try mappingErrors { () throws(PrivateFileError) in
                try StoreDirectory.create(for: account)
            }
            return StoreFiles(
                directory: directory, keybag: processKeys.keybag, keybagFile: nil,
                isKeptOpen: keptOpen)
        }
        let directory = try openDirectory()
        let read = try mappingErrors { () throws(KeybagError) in
            try Keybag.readIdentified(in: directory)
        }
        guard let read else {
            // A keybag is made once, before any item; items without one must not be taken for a
            // keychain that was never there.
            for name in [ItemStore.fileName, Keybag.previousFileName, SnapshotFolder.name]
            where Self.exists(name, in: directory) {
                throw VestryError(.damaged, detail: "the file keybag is missing beside \(name)")
            }
            throw VestryError(.noSuchKeychain)
        }
        return StoreFiles(
            directory: directory, keybag: read.keybag, keybagFile: read.file, isKeptOpen: keptOpen)
    }

    /// Opens the folder that the keychain is in.
    ///
    /// - Throws: `VestryError` with the code `noSuchKeychain`, `notAvailable` or `denied`.
    func openDirectory() throws(VestryError) -> StoreDirectory {
        let directory: StoreDirectory?
        do throws(PrivateFileError) {
            directory = try StoreDirectory.open(of: account)
        } catch .system(let error) where error.errno == ENOENT {
            throw VestryError(
                .notAvailable, detail: "the home directory \(account.homeDirectory) is missing")
        } catch {
            throw error.publicError
        }
        guard let directory else { throw VestryError(.noSuchKeychain) }
        return directory
    }

    static func exists(
        _ name: String, in directory: borrowing StoreDirectory
    ) -> Bool {
        do throws(PrivateFileError) {
            try directory.descriptor.checkPrivate(name, ownedBy: directory.owner)
            return true
        } catch {
            guard case .system(let failure) = error else { return true }
            return failure.errno != ENOENT
        }
    }
}
