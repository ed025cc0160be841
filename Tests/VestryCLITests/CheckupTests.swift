import Testing

@testable import VestryCLI

@Suite struct CheckupTests {
    private static func problem(_ status: VestryCLI.ExitStatus) -> Check {
        .problem(.store, "code", "cause", fix: "do this", status: status)
    }

    private static func checkup(_ checks: [Check]) -> Checkup {
        Checkup(user: "alice", checks: checks, services: [])
    }

    static let statuses: [([Check], VestryCLI.ExitStatus)] = [
        ([], .done), ([.ok(.pam, "a", "b")], .done), ([.note(.pam, "a", "b", fix: "c")], .done),
        ([.warning(.pam, "a", "b", fix: "c")], .done), ([problem(.failure)], .failure),
        ([problem(.failure), problem(.unavailable)], .unavailable),
        ([problem(.unavailable), problem(.denied)], .denied),
        ([problem(.denied), problem(.damaged), .ok(.pam, "a", "b")], .damaged),
        ([problem(.timedOut)], .failure), ([problem(.locked), problem(.failure)], .failure),
    ]

    @Test(arguments: statuses)
    func theWorstProblemDecides(_ checks: [Check], _ status: VestryCLI.ExitStatus) {
        #expect(Self.checkup(checks).exitStatus == status)
    }

    @Test func linesAreGroupedAndCannotCommandTheTerminal() {
        let checkup = Self.checkup([
            .warning(.store, "folder-mode", "bad", about: "/home/\u{1B}[2J", fix: "chmod\nx"),
            .ok(.pam, "pam-module", "loads"), Self.problem(.failure),
        ])
        #expect(
            checkup.text == """
                pam
                  ok       pam-module: loads
                store
                  warning  folder-mode: /home/\\u{1B}[2J: bad
                           fix: chmod\\nx
                  problem  code: cause
                           fix: do this
                problems: 1, warnings: 1, notes: 0

                """)
    }

    @Test func jsonHasTheWorstResult() {
        let checkup = Self.checkup([
            .ok(.pam, "a", "b"), .note(.clock, "c", "d", about: "e", fix: nil),
        ])
        #expect(
            checkup.json.text == #"{"result":"note","status":0,"user":"alice","checks":["#
                + #"{"group":"pam","code":"a","result":"ok","subject":null,"message":"b","fix":null},"#
                + #"{"group":"clock","code":"c","result":"note","subject":"e","message":"d","fix":null}"#
                + #"],"services":[]}"#)
    }
}
