/// Whether the clock can be right: items end by it, and a wrong one is hard to see.
enum ClockChecks {
    /// What is later than this from now, in seconds, was not written by a clock that is right: a day,
    /// so that no time zone or slow clock counts.
    static let tolerance: Int64 = 86_400

    /// 2024-01-01: before that there was no Vestry.
    private static let earliest: Int64 = 1_704_067_200

    static func run(now: Int64) -> [Check] {
        guard now < earliest else { return [.ok(.clock, "clock", "can be right")] }
        return [
            .problem(
                .clock, "clock-wrong", "the clock stands before 2024",
                fix:
                    "'sudo timedatectl set-ntp true' where the package systemd-timesyncd or another"
                    + " time service is installed, or else 'sudo date --set=TIME'")
        ]
    }

    /// Something has a time in the future.
    static func future(_ what: String) -> Check {
        .warning(
            .clock, "written-in-future", "written more than a day from now", about: what,
            fix:
                "set the clock; if it is right, it was wrong then: 'vestry set' writes an item anew"
        )
    }
}
