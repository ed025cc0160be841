import SecureMemory
import Testing
import Vestry

@testable import VestryCLI

@Suite struct ItemOptionTests {
    private func values(
        _ arguments: [String]
    ) throws -> (itemClass: ItemClass, values: [ItemAttribute: AttributeValue]) {
        guard case .run(let command) = try Invocation(parsing: ["set"] + arguments) else {
            throw UsageError("no command")
        }
        let item = try #require(command as? SetCommand).storage.item
        return (item.itemClass, item.values)
    }

    static let attributes: [(String, String, ItemAttribute, AttributeValue)] = [
        ("--service", "é", .service, "é"), ("--account", "", .account, ""),
        ("--label", "L", .label, "L"), ("--comment", "C", .comment, "C"),
        ("--description", "D", .kindDescription, "D"), ("--type", "abcd", .type, 0x6162_6364),
        ("--type", "42", .type, 42), ("--creator", "    ", .creator, 0x2020_2020),
        ("--creator", "1234", .creator, 1234), ("--invisible", "yes", .isInvisible, true),
        ("--negative", "no", .isNegative, false), ("--generic", "a", .generic, .data([0x61])),
        ("--generic-hex", "00fF", .generic, .data([0, 0xFF])),
        ("--generic-hex", "", .generic, .data([])),
        ("--accessible", "when-unlocked", .accessible, "ak"),
        ("--expires", "2030-01-31T18:00:00Z", .expirationDate, .date(1_896_112_800)),
        ("--expires", "2028-02-29", .expirationDate, .date(1_835_395_200)),
        ("--expires", "never", .expirationDate, .date(.infinity)),
        ("--server", "h", .server, "h"), ("--protocol", "https", .networkProtocol, "htps"),
        ("--protocol", "ssh", .networkProtocol, "ssh "),
        ("--protocol", "xyz!", .networkProtocol, "xyz!"),
        ("--authentication-type", "html-form", .authenticationType, "form"),
        ("--port", "65535", .port, 65_535), ("--path", "/p", .path, "/p"),
        ("--security-domain", "d", .securityDomain, "d"),
    ]

    @Test(arguments: attributes)
    func eachOptionGivesItsAttribute(
        _ option: String, _ text: String, _ attribute: ItemAttribute, _ value: AttributeValue
    ) throws {
        let names =
            attribute.belongs(to: .genericPassword)
            ? (option == "--service" || option == "--account" ? [] : ["--service", "s"])
            : (option == "--server" ? [] : ["--server", "h"])
        let others = option == "--account" ? ["--service", "s"] : names
        #expect(try values([option, text] + others).values[attribute] == value)
    }

    @Test func everyGivingOptionIsTested() {
        let ofFiles: Set = ["--application-tag", "--application-label"]
        let tested = Set(Self.attributes.map(\.0)).union(ofFiles)
        #expect(tested == Set(AttributeOption.giving.map(\.name)))
    }

    @Test func optionsOfOneClassImplyIt() throws {
        #expect(try values(["--server", "h", "a"]).itemClass == .internetPassword)
        #expect(try values(["s", "a"]).itemClass == .genericPassword)
        #expect(try values(["--key", "file"]).itemClass == .key)
        #expect(try values(["--certificate", "file"]).itemClass == .certificate)
    }

    @Test func everyAttributeHasOneNameInOutput() {
        let names = ItemAttribute.allCases.map(ItemDescription.name)
        #expect(Set(names).count == names.count)
    }

    @Test func timesAreReadAsTheyAreWritten() {
        for seconds: Int64 in [0, 1, 951_782_400, 1_796_012_028, -1, 253_402_300_799] {
            #expect(Moment.seconds(Moment.text(seconds)) == Double(seconds))
        }
        for text in [
            "", "+", "+5", "+5w", "+-5s", "soon", "2027-13-01", "2027-1-1", "2027-01-01T24:00:00Z",
            "2027-01-01T00:00:00", "2027-01-01T00:00:00+01:00", "2027-01-01T", "2027-02-29",
        ] {
            #expect(Moment.seconds(text) == nil, "\(text)")
        }
    }
}

@Suite struct PasswordRecipeTests {
    private func recipe(_ arguments: [String]) throws -> PasswordRecipe {
        guard case .run(let command) = try Invocation(parsing: ["generate"] + arguments) else {
            throw UsageError("no command")
        }
        return try #require(command as? GenerateCommand).recipe
    }

    private func bytes(_ recipe: PasswordRecipe) -> [UInt8] {
        recipe.password().withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test func everySetIsInEveryPassword() throws {
        let recipe = try recipe(["--length", "4", "--characters", "lower,upper,digits,symbols"])
        for _ in 0..<200 {
            let password = bytes(recipe)
            #expect(password.count == 4)
            #expect(recipe.sets.allSatisfy { set in password.contains { set.contains($0) } })
        }
    }

    @Test func lookalikesAreLeftOut() throws {
        let recipe = try recipe(
            [
                "--length", "4096", "--characters", "lower,upper,digits,symbols",
                "--without-lookalikes",
            ])
        #expect(!bytes(recipe).contains { "0Oo1lI|".utf8.contains($0) })
        #expect(Set(bytes(recipe)).count == 94 - 7)
    }

    /// 2^32 is no multiple of 10, and a byte none of 62: a remainder would favour the first ones.
    @Test func charactersAreEquallyLikely() throws {
        let recipe = try recipe(["--length", "4096"])
        var counts: [UInt8: Int] = [:]
        for _ in 0..<64 { for byte in bytes(recipe) { counts[byte, default: 0] += 1 } }
        let expected = 64.0 * 4096 / 62
        // Chi-squared with 61 degrees of freedom; beyond 150 once in some 10^9 runs.
        let deviation = counts.values.reduce(0.0) {
            $0 + (Double($1) - expected) * (Double($1) - expected) / expected
        }
        #expect(counts.count == 62)
        #expect(deviation < 150)
    }
}
