import CKeyutils
import CSQLite
import CSodium
import Foundation

/// The least that a keychain's operations can cost: one raw read of a kernel key, one prepared
/// statement on an open connection, one box, with nothing checked.
///
/// Its key is in the kernel, and its file on the file system of the keychain's; SQLite is as it comes,
/// but for synchronous=FULL. No box has a context, no row more than one tag, and whatever is wrong stays
/// unnoticed: a program that did no more would not be a keychain.
final class Floor {
    private var database: OpaquePointer?
    private var select: OpaquePointer?
    private var insert: OpaquePointer?
    private var change: OpaquePointer?
    private var all: OpaquePointer?
    private let key: key_serial_t
    private let nonce = [UInt8](repeating: 5, count: 24)
    private var keyBytes = [UInt8](repeating: 0, count: 32)
    private var plaintext = [UInt8](repeating: 0, count: 4096)
    private(set) var count = 0

    init(folder: String) {
        key = unsafe add_key(
            "user", "vestry benchmark", [UInt8](repeating: 3, count: 32), 32,
            KEY_SPEC_PROCESS_KEYRING)
        let path = folder + "/vestry-benchmark.sqlite"
        unlink(path)
        check(unsafe sqlite3_open(path, &database))
        run("PRAGMA synchronous = FULL")
        run(
            "CREATE TABLE item (row INTEGER PRIMARY KEY, tag BLOB UNIQUE NOT NULL, box BLOB NOT NULL)"
        )
        unsafe select = prepare("SELECT box FROM item WHERE tag = ?1")
        unsafe insert = prepare("INSERT INTO item (tag, box) VALUES (?1, ?2)")
        unsafe change = prepare("UPDATE item SET box = ?2 WHERE tag = ?1")
        unsafe all = prepare("SELECT box FROM item ORDER BY row")
    }

    func fill(to total: Int) {
        run("BEGIN")
        while count < total { add() }
        run("COMMIT")
    }

    func add() {
        write(unsafe insert, tag: count)
        count += 1
    }

    /// Takes away what was added beyond `total`.
    func trim(to total: Int) {
        run("DELETE FROM item WHERE row > \(total)")
        count = min(count, total)
    }

    func update(_ number: Int) { write(unsafe change, tag: number) }

    func get(_ number: Int) {
        readKey()
        let tag = tag(number)
        unsafe tag.withUnsafeBytes {
            _ = unsafe sqlite3_bind_blob(select, 1, $0.baseAddress, CInt($0.count), nil)
            check(unsafe sqlite3_step(select), SQLITE_ROW)
            unsafe open(select)
            check(unsafe sqlite3_reset(select))
        }
    }

    func list() {
        readKey()
        var found = 0
        while unsafe sqlite3_step(all) == SQLITE_ROW {
            unsafe open(all)
            found += 1
        }
        check(unsafe sqlite3_reset(all))
        precondition(found == count)
    }

    private func readKey() {
        let read = unsafe keyBytes.withUnsafeMutableBytes {
            unsafe keyctl_read(key, $0.baseAddress, 32)
        }
        precondition(read == 32)
    }

    /// As a keyed hash makes them: their order says nothing.
    private func tag(_ number: Int) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: 32)
        let input = withUnsafeBytes(of: number) { Array($0) }
        _ = unsafe crypto_generichash(&tag, 32, input, 8, keyBytes, 32)
        return tag
    }

    private func open(_ statement: OpaquePointer?) {
        guard let column = unsafe sqlite3_column_blob(statement, 0) else { fatalError("no box") }
        let box = unsafe column.assumingMemoryBound(to: UInt8.self)
        let count = unsafe sqlite3_column_bytes(statement, 0)
        let status = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            &plaintext, nil, nil, box, UInt64(count), nil, 0, nonce, keyBytes)
        precondition(status == 0)
    }

    private func write(_ statement: OpaquePointer?, tag number: Int) {
        readKey()
        let tag = tag(number)
        var secret = [UInt8](repeating: 0, count: 200)
        unsafe randombytes_buf(&secret, secret.count)
        var box = [UInt8](repeating: 0, count: 216)
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            &box, nil, secret, UInt64(secret.count), nil, 0, nil, nonce, keyBytes)
        unsafe tag.withUnsafeBytes { tag in
            unsafe box.withUnsafeBytes { box in
                _ = unsafe sqlite3_bind_blob(statement, 1, tag.baseAddress, CInt(tag.count), nil)
                _ = unsafe sqlite3_bind_blob(statement, 2, box.baseAddress, CInt(box.count), nil)
                check(unsafe sqlite3_step(statement), SQLITE_DONE)
                check(unsafe sqlite3_reset(statement))
            }
        }
    }

    private func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        check(unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        return unsafe statement
    }

    private func run(_ sql: String) { check(unsafe sqlite3_exec(database, sql, nil, nil, nil)) }

    private func check(_ status: CInt, _ expected: CInt = SQLITE_OK) {
        precondition(status == expected, "SQLite result \(status)")
    }
}
