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
}
