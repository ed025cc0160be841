import Glibc
import LinuxSystem
import Testing

@Suite struct AccountTests {
    @Test func findsRootByNameAndNumber() throws {
        let root = try #require(try Account.named("root"))
        #expect(root.user == 0 && root.group == 0 && root.homeDirectory == "/root")
        #expect(try Account.with(user: 0) == root)
    }

    /// A name of digits is a name, never a number.
    @Test(arguments: ["0", "0x0", "nobody-has-this-name", "", "root ", "../root"])
    func findsNoAccountOfThisName(_ name: String) throws {
        #expect(try Account.named(name) == nil)
    }

    @Test func groupsHoldThePrimaryOne() throws {
        let root = try #require(try Account.named("root"))
        #expect(try root.groups().contains(0))
    }
}
