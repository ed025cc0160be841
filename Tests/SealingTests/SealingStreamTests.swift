import SecureMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct SealingStreamTests {
    let key = [UInt8](repeating: 7, count: 32)

    func stream(_ texts: [String]) -> (header: [UInt8], boxes: [[UInt8]]) {
        let sealer = StreamSealer(key: SecretBytes(key))
        return (
            sealer.header,
            texts.enumerated().map {
                sealer.seal(SecretBytes($1), isLast: $0 == texts.count - 1)
            }
        )
    }

    func open(_ header: [UInt8], _ boxes: [[UInt8]], key: [UInt8]? = nil) throws -> [String] {
        let opener = try StreamOpener(key: SecretBytes(key ?? self.key), header: header)
        var texts: [String] = []
        for (index, box) in boxes.enumerated() {
            let opened = try opener.open(box)
            texts.append(String(decoding: opened.plaintext.exposed, as: UTF8.self))
            #expect(opened.isLast == (index == boxes.count - 1))
        }
        return texts
    }

    @Test func readsBackWhatItSealed() throws {
        let texts = ["one", "", String(repeating: "x", count: 100_000)]
        let (header, boxes) = stream(texts)
        #expect(try open(header, boxes) == texts)
        #expect(boxes.map(\.count) == texts.map { $0.utf8.count + streamBoxOverhead })
        #expect(header.count == streamHeaderByteCount)
    }

    @Test func refusesAnotherOrderKeyOrStart() throws {
        let (header, boxes) = stream(["one", "two", "three"])
        for other in [[boxes[1], boxes[0]], [boxes[0], boxes[0]], [boxes[0], boxes[2]]] {
            #expect(throws: SealingError.authenticationFailed) { try open(header, other) }
        }
        let otherKey = [UInt8](repeating: 8, count: 32)
        #expect(throws: SealingError.authenticationFailed) {
            try open(header, boxes, key: otherKey)
        }
        #expect(throws: SealingError.authenticationFailed) {
            try open(stream(["x"]).header, boxes)
        }
        #expect(throws: SealingError.truncated) { try open([1, 2, 3], boxes) }
    }

    @Test func rejectsEveryTruncationAndEveryChange() throws {
        let (header, boxes) = stream(["text"])
        for count in 0..<boxes[0].count {
            #expect(throws: SealingError.self) {
                try open(header, [Array(boxes[0].prefix(count))])
            }
        }
        for offset in boxes[0].indices {
            var changed = boxes[0]
            changed[offset] ^= 1
            #expect(throws: SealingError.authenticationFailed) { try open(header, [changed]) }
        }
    }
}
