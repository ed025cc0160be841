/// Under which keys the boxes of some rows are sealed.
public struct RowSealing: Hashable, Sendable {
    public let accessibility: UInt8
    public let accessControl: UInt32
    /// Of the metadata, or the note.
    public let epoch: UInt32
    public let valueEpoch: UInt32
}

extension ItemStore {
    /// The least epochs that a writer may seal with, by the classes' numbers.
    ///
    /// A class that is not here was never rotated. Whoever has read the keybag before a rotation
    /// finds out by this, in its transaction, that its keys are of the past.
    public func leastEpochs() throws(ItemStoreError) -> [UInt8: UInt32] {
        let query = try Statement("SELECT class, least FROM class_epoch", on: database)
        var epochs: [UInt8: UInt32] = [:]
        while try query.step() {
            epochs[try query.integer(at: 0, as: UInt8.self)] = try query.integer(
                at: 1, as: UInt32.self)
        }
        return epochs
    }

    /// Lets nobody seal under earlier epochs of a class any more.
    public func setLeastEpoch(_ epoch: UInt32, ofClass number: UInt8) throws(ItemStoreError) {
        let insertion = try Statement(
            """
            INSERT INTO class_epoch (class, least) VALUES (?1, ?2)
            ON CONFLICT (class) DO UPDATE SET least = max(least, excluded.least)
            """, on: database)
        try insertion.bind(Int64(number), at: 1)
        try insertion.bind(Int64(epoch), at: 2)
        try insertion.run()
    }

    /// Under which keys everything in the file is sealed: items, old values and deleted items; each
    /// once.
    public func sealings() throws(ItemStoreError) -> Set<RowSealing> {
        let query = try Statement(
            """
            SELECT accessibility, access_control, epoch, value_epoch FROM item
            UNION SELECT accessibility, access_control, epoch, value_epoch FROM old_value
            UNION SELECT accessibility, access_control, epoch, value_epoch FROM deleted
            """, on: database)
        var sealings: Set<RowSealing> = []
        while try query.step() {
            sealings.insert(
                RowSealing(
                    accessibility: try query.integer(at: 0, as: UInt8.self),
                    accessControl: try query.integer(at: 1, as: UInt32.self),
                    epoch: try query.integer(at: 2, as: UInt32.self),
                    valueEpoch: try query.integer(at: 3, as: UInt32.self)))
        }
        return sealings
    }
}
