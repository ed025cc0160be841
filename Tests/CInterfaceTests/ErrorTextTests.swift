import CVestry
import SecureMemory
import Testing
import Vestry

@testable import CInterface

@Suite struct ErrorTextTests {
    @Test(arguments: ErrorTexts.codes)
    func everyCodeHasAMessageWithItsNumberAndANextStep(code: VestryError.Code) {
        let message = String(cString: vestry_error_message(code.rawValue))
        #expect(message == VestryError(code).description)
        #expect(message != "error (\(code.rawValue))")
        #expect(!String(cString: vestry_error_next_step(code.rawValue)).isEmpty)
    }

    @Test func theLastErrorIsTheThreads() {
        #expect(vestry_wait(nil, "x", 0) == VESTRY_PARAMETER)
        #expect(String(cString: vestry_last_error()) == "invalid argument: NULL (-50)")
    }

    @Test func aLongErrorIsCut() {
        let text = String(repeating: "x", count: 5000)
        CVestryKeepError(text, text.utf8.count)
        #expect(String(cString: CVestryKeptError()) == String(repeating: "x", count: 1023))
    }

    @Test(arguments: [0, 1, 255, 256, 257])
    func aZeroStandsBehindASecret(count: Int) {
        let holder = SecretHolder(copying: SecretBytes.random(count: count))
        #expect(holder.bytes.count == count)
        #expect(holder.bytes.withUnsafePointer { $0[count] } == 0)
    }

    @Test func lengthsAreCheckedBeforeAnythingIsCopied() throws {
        for length in [-1, Int.min, Int.max, Keychain.maximumSecretByteCount + 1] {
            #expect(throws: VestryError.self) { _ = try checked(nil, length).count }
        }
        #expect(throws: VestryError.self) { _ = try checked(nil, 1).count }
        let empty = try checked(nil, 0)
        #expect(empty.count == 0)
    }
}
