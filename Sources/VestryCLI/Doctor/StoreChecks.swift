internal import LinuxSystem
internal import Vestry

/// The store's folders and files, and what is in them.
enum StoreChecks {
    static func run(_ patient: Patient, now: Int64) -> [Check] {
        switch patient {
        case .caller(let account, let keychain):
            return StorePlaces(account, followsLinks: true, now: now).checks
                + health(of: keychain, now: now)
        case .another(let account):
            return StorePlaces(account, followsLinks: false, now: now).checks + [
                .note(
                    .store, "store-not-opened", "root opens nobody's keychain",
                    fix: "runuser -u \(account.name) -- vestry doctor")
            ]
        case .machine:
            return [
                .note(
                    .store, "store-of-nobody", "root has no keychain",
                    fix: "'--user NAME' looks at a person's from outside")
            ]
        }
    }

    private static func health(of keychain: Keychain, now: Int64) -> [Check] {
        let status = keychain.statusOfAccount()
        let report = StatusCommand.Report(status)
        var checks: [Check] = []
        switch status.state {
        case .noStore:
            return [.note(.store, "no-keychain", report.message, fix: report.next)]
        case .noPassword:
            return [
                .warning(
                    .store, "no-password", report.message, fix: report.next ?? Failure.statusHint)
            ]
        case .unavailable:
            return [
                .problem(
                    .store, code(of: status.error), report.message,
                    fix: report.next ?? Failure.statusHint, status: report.exitStatus)
            ]
        case .locked where status.reason == .passwordMismatch:
            checks.append(
                .problem(
                    .store, "password-mismatch", report.message,
                    fix: report.next ?? StatusCommand.Report.rewrapHint))
        case .locked where status.reason == .otherSecret:
            checks.append(
                .warning(
                    .store, "other-secret", report.message,
                    fix: report.next ?? StatusCommand.Report.unlockHint))
        case .locked where status.reason == .noPassword:
            checks.append(
                .warning(
                    .store, "no-password", report.message,
                    fix: report.next ?? StatusCommand.Report.unlockHint))
        case .locked:
            checks.append(.note(.store, "store-locked", report.message, fix: report.next))
        case .afterFirstUnlock, .unlocked:
            checks.append(.ok(.store, "store-open", "\(status.state.rawValue): \(report.message)"))
            if status.mismatchSince != nil {
                checks.append(
                    .warning(
                        .store, "password-mismatch",
                        "the login password does not open this keychain: it locks at the next reboot",
                        fix: report.rewrapHint))
            }
        }
        return checks + items(of: keychain, now: now)
    }

    private static func code(of error: VestryError?) -> String {
        switch error?.code {
        case .damaged, .itemDamaged: "store-damaged"
        case .newerFormat: "store-newer"
        case .denied: "store-denied"
        default: "store-unusable"
        }
    }

    // MARK: - Items

    private static func items(of keychain: Keychain, now: Int64) -> [Check] {
        var (count, lockedCount, damagedCount, futureCount) = (0, 0, 0, 0)
        do throws(VestryError) {
            for itemClass in ItemClass.stored {
                guard let matches = try matches(itemClass, in: keychain) else { continue }
                count += matches.records.count
                lockedCount += matches.lockedCount
                damagedCount += matches.damagedCount
                futureCount += matches.records.count {
                    $0.isFrom(after: now + ClockChecks.tolerance)
                }
            }
        } catch .locked {
            return [
                .note(
                    .store, "items-locked", "the items were not looked at: they are locked",
                    fix: Failure.lockedHint())
            ]
        } catch {
            let failure = Failure(error)
            return [
                .problem(
                    .store, "items-unusable", failure.message, fix: failure.hint,
                    status: failure.status)
            ]
        }
        var checks: [Check] = []
        if damagedCount > 0 {
            checks.append(
                .problem(
                    .store, "items-damaged",
                    damagedCount.counted("item does not open", "items do not open"),
                    fix: "the others are whole; store the damaged ones anew with 'vestry set'",
                    status: .damaged))
        }
        checks.append(.ok(.store, "items", "whole: \(count), locked: \(lockedCount)"))
        if futureCount > 0 {
            checks.append(ClockChecks.future(futureCount.counted("item")))
        }
        return checks
    }

    private static func matches(
        _ itemClass: ItemClass, in keychain: Keychain
    ) throws(VestryError) -> ItemMatches? {
        var query = ItemQuery(itemClass)
        query.synchronizable = .any
        query.isOnlyReadable = true
        do throws(VestryError) {
            return try keychain.find(query)
        } catch .itemNotFound {
            return nil
        }
    }
}

extension ItemRecord {
    fileprivate func isFrom(after seconds: Int64) -> Bool {
        [ItemAttribute.creationDate, .modificationDate].contains { attribute in
            self[attribute]?.date.map { $0 > Double(seconds) } ?? false
        }
    }
}
