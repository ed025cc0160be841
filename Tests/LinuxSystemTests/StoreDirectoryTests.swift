import Glibc
import LinuxSystem
import Testing

@Suite struct StoreDirectoryTests {
    static func account(home: String) -> Account {
        Account(name: "somebody", user: geteuid(), group: getegid(), homeDirectory: home)
    }

    @Test func thereIsNoneAtFirst() throws {
        let home = try TemporaryFolder()
        let isNil = try StoreDirectory.open(of: Self.account(home: home.path)) == nil
        #expect(isNil)
        #expect(home.names().isEmpty)
    }

    @Test func madeOnceThenOpened() throws {
        let home = try TemporaryFolder()
        let account = Self.account(home: home.path)
        let made = try StoreDirectory.create(for: account)
        #expect(made.path == home.path + "/.local/share/vestry")
        #expect(try made.descriptor.status().st_mode & 0o7777 == 0o700)
        let isThere = try StoreDirectory.open(of: account) != nil
        #expect(isThere)
        _ = try StoreDirectory.create(for: account)
    }

    /// People keep `~/.local/share` on another disk.
    @Test func followsLinksAboveTheStore() throws {
        let home = try TemporaryFolder()
        let elsewhere = try TemporaryFolder()
        _ = unsafe system("mkdir '\(home.path)/.local'")
        _ = unsafe symlink(elsewhere.path, home.path + "/.local/share")
        _ = try StoreDirectory.create(for: Self.account(home: home.path))
        #expect(elsewhere.names() == ["vestry"])
    }

    @Test func refusesALinkInThePlaceOfTheStore() throws {
        let home = try TemporaryFolder()
        _ = unsafe system("mkdir -p '\(home.path)/.local/share'")
        _ = unsafe symlink("/tmp", home.path + "/.local/share/vestry")
        #expect(throws: PrivateFileError.self) {
            _ = try StoreDirectory.open(of: Self.account(home: home.path))?.path
        }
        #expect(throws: PrivateFileError.self) {
            _ = try StoreDirectory.create(for: Self.account(home: home.path)).path
        }
    }

    @Test func refusesAStoreThatOthersMayRead() throws {
        let home = try TemporaryFolder()
        _ = unsafe system("mkdir -p -m 755 '\(home.path)/.local/share/vestry'")
        #expect(throws: PrivateFileError.tooPermissive(mode: 0o755)) {
            _ = try StoreDirectory.open(of: Self.account(home: home.path))?.path
        }
    }

    /// An account whose home is missing must not get a store in `/` or in the current folder.
    @Test(arguments: ["", ".", "home", "/nowhere/at/all"])
    func aMissingHomeIsAnError(_ path: String) {
        #expect(throws: PrivateFileError.system(SystemCallError("openat", errno: ENOENT))) {
            _ = try StoreDirectory.create(for: Self.account(home: path)).path
        }
    }

    @Test func leftoversOfAnInterruptedWriteDoNotCount() throws {
        let home = try TemporaryFolder()
        let store = try StoreDirectory.create(for: Self.account(home: home.path))
        _ = unsafe system("touch '\(store.path)/.keybag.new-abc'")
        #expect(try store.isEmpty())
        _ = unsafe system("touch '\(store.path)/items.sqlite'")
        #expect(try !store.isEmpty())
    }

    // `#expect` takes no property of a noncopyable value.
    func isInPlace(
        _ store: borrowing StoreDirectory, _ expected: Bool,
        at location: SourceLocation = #_sourceLocation
    ) {
        let actual = store.isInPlace
        #expect(actual == expected, sourceLocation: location)
    }

    func isOpen(
        _ store: borrowing StoreDirectory, _ expected: Bool,
        at location: SourceLocation = #_sourceLocation
    ) {
        let actual = store.isOpen
        #expect(actual == expected, sourceLocation: location)
    }

    @Test func knowsWhetherItIsStillInPlace() throws {
        let home = try TemporaryFolder()
        let account = Self.account(home: home.path)
        let store = try StoreDirectory.create(for: account)
        let moved = home.path + "/moved"
        isInPlace(store, true)
        unsafe chmod(store.path, 0o750)
        isInPlace(store, false)
        unsafe chmod(store.path, 0o700)
        isInPlace(store, true)
        unsafe rename(store.path, moved)
        isInPlace(store, false)
        unsafe symlink(moved, store.path)
        isInPlace(store, false)
        unsafe unlink(store.path)
        let other = try StoreDirectory.create(for: account)
        isInPlace(store, false)
        isInPlace(other, true)
        isOpen(store, true)
    }

    @Test func knowsWhetherItsDescriptorIsAnotherFiles() throws {
        let home = try TemporaryFolder()
        let store = try StoreDirectory.create(for: Self.account(home: home.path))
        isOpen(store, true)
        // No other test gets the number in between.
        let own = dup(store.descriptor.rawValue)
        let other = unsafe open("/", O_RDONLY | O_DIRECTORY)
        dup2(other, store.descriptor.rawValue)
        isOpen(store, false)
        dup2(own, store.descriptor.rawValue)
        isOpen(store, true)
        close(own)
        close(other)
    }
}
