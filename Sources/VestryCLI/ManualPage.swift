/// The manual pages of section 1, each with the verbs that it has more about than their `--help`.
enum ManualPage: String, CaseIterable {
    case overview = "vestry"
    case items = "vestry-items"
    case history = "vestry-history"
    case unlock = "vestry-unlock"
    case protectors = "vestry-protectors"
    case backup = "vestry-backup"
    case importing = "vestry-import"
    case doctor = "vestry-doctor"

    var verbs: [any Command.Type] {
        switch self {
        case .overview: [CompleteCommand.self]
        case .items:
            [
                SetCommand.self, GetCommand.self, ShowCommand.self, ListCommand.self,
                RenameCommand.self, DeleteCommand.self, GenerateCommand.self,
            ]
        case .history:
            [
                HistoryCommand.self, UndoCommand.self, DeletedCommand.self, EraseCommand.self,
                SnapshotsCommand.self,
            ]
        case .unlock:
            [
                StatusCommand.self, LockCommand.self, UnlockCommand.self, RewrapCommand.self,
                WaitCommand.self,
            ]
        case .protectors: [ProtectorsCommand.self, RecoverCommand.self, RotateCommand.self]
        case .backup: [BackupCommand.self, RestoreCommand.self, ExportCommand.self]
        case .importing: [ImportCommand.self]
        case .doctor: [DoctorCommand.self, CheckCommand.self, RepairCommand.self]
        }
    }

    /// What `--help` of a verb prints: how it is used, and the page that has more.
    static func help(of verb: any Command.Type) -> String {
        let page = allCases.first { page in page.verbs.contains { $0.name == verb.name } }
        return verb.usage + "\n\((page ?? .overview).rawValue)(1) has more.\n"
    }
}
