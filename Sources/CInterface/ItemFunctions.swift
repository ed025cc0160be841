internal import CVestry
internal import SecureMemory
internal import Vestry

// vestry.h says what each of them does; the compiler compares the types.

@c @implementation
public func vestry_item_new(_ result: UnsafeMutablePointer<OpaquePointer?>!) -> CInt {
    answering { () throws(VestryError) in
        guard let result = unsafe result else { throw VestryError(parameter: "NULL") }
        unsafe result.pointee = handOut(ItemHolder())
    }
}

@c @implementation
public func vestry_item_free(_ item: OpaquePointer!) { unsafe takeBack(item, ItemHolder.self) }

@c @implementation
public func vestry_item_set_text(
    _ item: OpaquePointer!, _ attribute: UnsafePointer<CChar>!, _ text: UnsafePointer<CChar>!
) -> CInt {
    answering { () throws(VestryError) in
        let holder = try unsafe object(item, ItemHolder.self)
        let field = try unsafe Field(attribute)
        guard let text = unsafe text else { return try holder.set(field, nil) }
        try holder.set(field, unsafe checked(text))
    }
}

@c @implementation
public func vestry_item_set_number(
    _ item: OpaquePointer!, _ attribute: UnsafePointer<CChar>!, _ number: Int64
) -> CInt {
    answering { () throws(VestryError) in
        try unsafe object(item, ItemHolder.self).set(Field(attribute), number)
    }
}

@c @implementation
public func vestry_item_text(
    _ item: OpaquePointer!, _ attribute: UnsafePointer<CChar>!
) -> UnsafePointer<CChar>! {
    guard let field = try? unsafe Field(attribute) else { return nil }
    return unsafe known(item, ItemHolder.self)?.pointer(field)
}

@c @implementation
public func vestry_item_number(
    _ item: OpaquePointer!, _ attribute: UnsafePointer<CChar>!,
    _ number: UnsafeMutablePointer<Int64>!
) -> CInt {
    unsafe number?.pointee = 0
    return answering { () throws(VestryError) in
        let holder = try unsafe object(item, ItemHolder.self)
        let field = try unsafe Field(attribute)
        guard let number = unsafe number else { throw VestryError(parameter: "NULL") }
        guard field.isNumber else { throw VestryError(parameter: "\(field.rawValue) is a text") }
        guard let value = holder.number(field) else { throw VestryError(.itemNotFound) }
        unsafe number.pointee = value
    }
}

@c @implementation
public func vestry_get_item(
    _ keychain: OpaquePointer!, _ item: OpaquePointer!,
    _ secret: UnsafeMutablePointer<OpaquePointer?>!
) -> CInt {
    unsafe secret?.pointee = nil
    return answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        let item = try unsafe object(item, ItemHolder.self)
        guard let secret = unsafe secret else { throw VestryError(parameter: "NULL") }
        unsafe secret.pointee = handOut(try holder.secret(of: item))
    }
}

@c @implementation
public func vestry_set_item(
    _ keychain: OpaquePointer!, _ item: OpaquePointer!, _ bytes: UnsafeRawPointer!,
    _ length: Int, _ flags: CUnsignedInt
) -> CInt {
    answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        let item = try unsafe object(item, ItemHolder.self)
        let mode: KeychainHolder.Mode
        switch flags {
        case 0: mode = .addOrUpdate
        case VESTRY_ADD_ONLY: mode = .addOnly
        case VESTRY_UPDATE_ONLY: mode = .updateOnly
        default: throw VestryError(parameter: "no such flag")
        }
        try holder.store(unsafe checked(bytes, length), as: item, mode)
    }
}

@c @implementation
public func vestry_delete_item(_ keychain: OpaquePointer!, _ item: OpaquePointer!) -> CInt {
    answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        try holder.delete(unsafe object(item, ItemHolder.self))
    }
}

@c @implementation
public func vestry_list_items(
    _ keychain: OpaquePointer!, _ item: OpaquePointer!,
    _ list: UnsafeMutablePointer<OpaquePointer?>!
) -> CInt {
    unsafe list?.pointee = nil
    return answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        guard let list = unsafe list else { throw VestryError(parameter: "NULL") }
        unsafe list.pointee = handOut(try holder.list(known(item, ItemHolder.self)))
    }
}

@c @implementation
public func vestry_list_count(_ list: OpaquePointer!) -> Int {
    unsafe known(list, ListHolder.self)?.items.count ?? 0
}

@c @implementation
public func vestry_list_get(_ list: OpaquePointer!, _ index: Int) -> OpaquePointer! {
    guard let list = unsafe known(list, ListHolder.self), list.items.indices.contains(index)
    else { return nil }
    // The list owns it.
    return unsafe OpaquePointer(Unmanaged.passUnretained(list.items[index]).toOpaque())
}

@c @implementation
public func vestry_list_locked_count(_ list: OpaquePointer!) -> Int {
    unsafe known(list, ListHolder.self)?.lockedCount ?? 0
}

@c @implementation
public func vestry_list_damaged_count(_ list: OpaquePointer!) -> Int {
    unsafe known(list, ListHolder.self)?.damagedCount ?? 0
}

@c @implementation
public func vestry_list_free(_ list: OpaquePointer!) { unsafe takeBack(list, ListHolder.self) }
