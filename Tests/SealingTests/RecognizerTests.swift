import SecureMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct RecognizerTests {
    @Test func marksTellSecretsApart() {
        let recognizer = Recognizer()
        var marks: Set<[UInt8]> = []
        let secrets = (0..<32).map { byte in
            (0..<32).map { $0 == byte ? UInt8(1) : 0 }
        }
        for secret in secrets + [[], [0]] { marks.insert(recognizer.mark(of: SecretBytes(secret))) }
        #expect(marks.count == 34)
        #expect(marks.allSatisfy { $0.count == 16 })
        #expect(marks.contains(recognizer.mark(of: SecretBytes(secrets[5]))))
    }

    @Test func marksAreOfTheirRecognizerAlone() {
        let secret = SecretBytes([UInt8](repeating: 7, count: 32))
        #expect(Recognizer().mark(of: secret) != Recognizer().mark(of: secret))
    }
}
