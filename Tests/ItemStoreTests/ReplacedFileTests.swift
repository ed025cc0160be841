import Foundation
import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import ItemStore

/// A file that a repair puts into the place of the one that others have open.
@Suite struct ReplacedFileTests {
    let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// How many descriptors of this process stand for the file at a path.
    private func openCount(of path: String) -> Int {
        var file = stat()
        guard unsafe lstat(path, &file) == 0 else { return 0 }
        return (0..<1024).count { descriptor in
            var status = stat()
            return unsafe fstat(CInt(descriptor), &status) == 0 && status.st_dev == file.st_dev
                && status.st_ino == file.st_ino
        }
    }

    private func isEventually(_ condition: () -> Bool) -> Bool {
        for _ in 0..<5_000 {
            if condition() { return true }
            usleep(1_000)
        }
        return false
    }

    @Test(arguments: [false, true])
    func aWriterThatWaitedWritesToTheNewFile(isKeptOpen: Bool) throws {
        try write(in: home) { try $0.insert(row(1), tags: []) }
        let home = home
        let writer = Writer()
        do {
            let directory = try home.storeDirectory()
            let old = try ItemFileExamination.open(
                in: directory, storeID: storeID, isWriter: true)
            guard let old else { throw TemporaryHome.Failure() }
            Thread.detachNewThread {
                writer.run {
                    let file = ItemFile(isKeptOpen: isKeptOpen)
                    let store = try ItemStore.openForWriting(
                        in: home.storeDirectory(), storeID: storeID, creating: false, file: file)
                    guard let store else { throw TemporaryHome.Failure() }
                    try store.insert(row(2), tags: [])
                    try store.commit()
                    let read = try ItemStore.openForReading(
                        in: home.storeDirectory(), storeID: storeID, file: file)
                    guard let read else { throw TemporaryHome.Failure() }
                    return try read.rows(tag: nil).map(\.primaryTag)
                }
            }
            // It waits from here on.
            let path = home.storePath + "/items.sqlite"
            #expect(isEventually { openCount(of: path) == 2 })
            let new = try NewItemFile(storeID: storeID)
            try new.insert(row(3), tags: [])
            try new.replace(in: directory, whileHolding: old, keepingOldAs: "old")
        }
        #expect(try writer.tags() == [tag(3), tag(2)])
        let tags = try read(in: home) { try $0.rows(tag: nil).map(\.primaryTag) }
        #expect(tags == [tag(3), tag(2)])
    }

    @Test func aKeptFileNoticesTheNewOne() throws {
        try write(in: home) { try $0.insert(row(1), tags: []) }
        let file = ItemFile(isKeptOpen: true)
        func known(_ byte: UInt8) throws -> ItemRow? {
            let store = try ItemStore.openForReading(
                in: home.storeDirectory(), storeID: storeID, isForOneRow: true, file: file)
            guard let store else { return nil }
            return try store.row(primaryTag: tag(byte), boxes: .metadataAndValue)
        }
        #expect(try known(1) == row(1))
        #expect(try known(1) == row(1))
        do {
            let directory = try home.storeDirectory()
            let old = try ItemFileExamination.open(
                in: directory, storeID: storeID, isWriter: true)
            guard let old else { throw TemporaryHome.Failure() }
            let new = try NewItemFile(storeID: storeID)
            try new.insert(row(2), tags: [])
            try new.replace(in: directory, whileHolding: old, keepingOldAs: "old")
        }
        #expect(try known(1) == nil)
        #expect(try known(2) == row(2))
    }

    /// The copy that it was put back from stays attached to its connection.
    @Test func aKeptFileIsPutBackTwice() throws {
        let file = ItemFile(isKeptOpen: true)
        let copy = try home.storeDirectory()
        try write(in: home) { try $0.insert(row(1), tags: []) }
        _ = try copy.descriptor.makeDirectory("copy")
        guard let folder = try copy.folder("copy") else { throw TemporaryHome.Failure() }
        #expect(try ItemStore.copyFile(from: copy, to: folder))
        for byte: UInt8 in [2, 3] {
            try write(in: home) { try $0.insert(row(byte), tags: []) }
            let store = try ItemStore.openForWriting(
                in: home.storeDirectory(), storeID: storeID, creating: false, file: file)
            guard let store else { throw TemporaryHome.Failure() }
            try store.replaceEverything(fromCopyIn: folder, storeID: storeID)
            try store.commit()
            let tags = try read(in: home) { try $0.rows(tag: nil).map(\.primaryTag) }
            #expect(tags == [tag(1)])
        }
        #expect(openCount(of: home.storePath + "/copy/items.sqlite") == 0)
    }
}

/// What a thread of its own has written and read.
private final class Writer: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<[[UInt8]], any Error>?>(nil)

    func run(_ body: () throws -> [[UInt8]]) {
        let outcome = Result { try body() }
        result.withLock { $0 = outcome }
        end.signal()
    }

    func tags() throws -> [[UInt8]] {
        end.wait()
        return try result.withLock { try $0?.get() ?? [] }
    }
}
