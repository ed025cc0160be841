import CSQLite
import ItemStore
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

func text(_ secret: borrowing SecretBytes) -> String {
    String(decoding: secret.exposed, as: UTF8.self)
}

extension TestKeychain {
    /// The same keychain, with a user who is there.
    var attended: Keychain {
        var keychain = keychain
        keychain.presenceAuthorizer = { keyClass throws(VestryError) in
            guard let key = SharedKeybag.shared?.key(keyClass) else { throw VestryError(.locked) }
            return key
        }
        return keychain
    }

    /// Runs SQL on the file, as whoever holds the file can.
    func tamper(_ sql: String, file: String = "items.sqlite") throws {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        let path = home.storePath + "/" + file
        try #require(unsafe sqlite3_open(path, &database) == SQLITE_OK)
        try #require(unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
    }

    /// The file's rows as they are.
    func rows(_ boxes: ItemBoxes = .metadata) throws -> [ItemRow] {
        let directory = try home.storeDirectory()
        let items = try ItemStore.openForReading(
            in: directory, storeID: keyring.store.bytes)
        guard let items else { return [] }
        let reader = try items.reader(of: boxes)
        return try items.numbers(ItemSearch()).map { try reader.row($0) }
    }
}

/// The code that `body` throws, or nil.
func code(_ body: () throws(VestryError) -> Void) -> VestryError.Code? {
    do throws(VestryError) {
        try body()
        return nil
    } catch {
        return error.code
    }
}
