import Foundation
import KeychainAccess
import Testing

@Suite struct StatusTests {
    @Test func everyCaseHasItsNumber() {
        #expect(StatusNumbers.all.count == 403)
        #expect(Status.allCases.count == 403)
        for (status, number) in StatusNumbers.all {
            #expect(status.rawValue == number)
            #expect(Status(rawValue: number) == status)
            #expect(Status(status: number) == status)
            #expect(status.errorCode == Int(number))
        }
        #expect(Set(StatusNumbers.all.map(\.1)).count == 403)
    }

    @Test(arguments: [1, -1, 100_110, -67899, -4960, .min, .max] as [OSStatus])
    func anUnknownNumberIsUnexpected(_ number: OSStatus) {
        #expect(Status(status: number) == .unexpectedError)
        #expect(Status(rawValue: number) == nil)
    }

    @Test func everyDescriptionIsASentenceOfItsOwn() {
        let texts = Status.allCases.map(\.description)
        #expect(Set(texts).count == 403)
        for text in texts {
            #expect(text.hasSuffix(".") && text.first?.isUppercase == true)
            #expect(text.utf8.count < 100)
        }
    }

    @Test func bridgesToNSError() {
        let error: any Error = Status.itemNotFound
        let bridged = error as NSError
        #expect(bridged.domain == "com.kishikawakatsumi.KeychainAccess.error")
        #expect(Status.errorDomain == KeychainAccessErrorDomain)
        #expect(bridged.code == -25300)
        #expect(bridged.userInfo[NSLocalizedDescriptionKey] as? String == "There is no such item.")
        #expect(error.localizedDescription == "There is no such item.")
        #expect("\(error)" == "There is no such item.")
    }
}
