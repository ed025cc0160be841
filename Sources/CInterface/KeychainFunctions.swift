internal import CVestry
internal import SecureMemory
internal import Vestry

// vestry.h says what each of them does; the compiler compares the types.

@c @implementation
public func vestry_keychain_open(
    _ flags: CUnsignedInt, _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> CInt {
    unsafe result?.pointee = nil
    return answering { () throws(VestryError) in
        let known = VESTRY_KEEP_OPEN | VESTRY_NO_HISTORY
        guard let result = unsafe result else { throw VestryError(parameter: "NULL") }
        guard flags & ~known == 0 else { throw VestryError(parameter: "no such flag") }
        var keychain = try Keychain()
        keychain.keepsHistory = flags & VESTRY_NO_HISTORY == 0
        if flags & VESTRY_KEEP_OPEN != 0 { keychain = keychain.keptOpen() }
        unsafe result.pointee = handOut(KeychainHolder(keychain))
    }
}

@c @implementation
public func vestry_keychain_close(_ keychain: OpaquePointer!) {
    unsafe takeBack(keychain, KeychainHolder.self)
}

@c @implementation
public func vestry_status(
    _ keychain: OpaquePointer!, _ state: UnsafeMutablePointer<UnsafePointer<CChar>?>!,
    _ reason: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> CInt {
    unsafe state?.pointee = nil
    unsafe reason?.pointee = nil
    return answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        guard let state = unsafe state else { throw VestryError(parameter: "NULL") }
        let status = holder.keychain().status()
        unsafe state.pointee = StatusWords.pointer(status.state)
        unsafe reason?.pointee = StatusWords.pointer(status.reason)
        if let error = status.error { throw error }
    }
}

@c @implementation
public func vestry_is_readable(
    _ keychain: OpaquePointer!, _ accessible: UnsafePointer<CChar>!,
    _ readable: UnsafeMutablePointer<Bool>!
) -> CInt {
    unsafe readable?.pointee = false
    return answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        guard let readable = unsafe readable else { throw VestryError(parameter: "NULL") }
        unsafe readable.pointee = try holder.keychain().isReadable(accessibility(accessible))
    }
}

@c @implementation
public func vestry_wait(
    _ keychain: OpaquePointer!, _ accessible: UnsafePointer<CChar>!, _ milliseconds: Int64
) -> CInt {
    answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        let isReadable = try holder.keychain().wait(
            for: unsafe accessibility(accessible),
            timeout: milliseconds < 0 ? nil : .milliseconds(milliseconds))
        guard isReadable else { throw VestryError(.timedOut) }
    }
}

private func accessibility(_ word: UnsafePointer<CChar>?) throws(VestryError) -> Accessibility {
    guard let accessibility = Accessibility(rawValue: try unsafe checked(word)) else {
        throw VestryError(parameter: "no such class")
    }
    return accessibility
}

@c @implementation
public func vestry_get(
    _ keychain: OpaquePointer!, _ service: UnsafePointer<CChar>!,
    _ account: UnsafePointer<CChar>!, _ secret: UnsafeMutablePointer<OpaquePointer?>!
) -> CInt {
    unsafe secret?.pointee = nil
    return answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        let key = try unsafe ItemKey(service: checked(service), account: checked(account))
        guard let secret = unsafe secret else { throw VestryError(parameter: "NULL") }
        unsafe secret.pointee = handOut(try holder.secret(of: ItemHolder(key)))
    }
}

@c @implementation
public func vestry_set(
    _ keychain: OpaquePointer!, _ service: UnsafePointer<CChar>!,
    _ account: UnsafePointer<CChar>!, _ bytes: UnsafeRawPointer!, _ length: Int
) -> CInt {
    answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        let key = try unsafe ItemKey(service: checked(service), account: checked(account))
        try holder.store(unsafe checked(bytes, length), for: key)
    }
}

@c @implementation
public func vestry_delete(
    _ keychain: OpaquePointer!, _ service: UnsafePointer<CChar>!,
    _ account: UnsafePointer<CChar>!
) -> CInt {
    answering { () throws(VestryError) in
        let holder = try unsafe object(keychain, KeychainHolder.self)
        let key = try unsafe ItemKey(service: checked(service), account: checked(account))
        try holder.delete(ItemHolder(key))
    }
}

@c @implementation
public func vestry_secret_bytes(_ secret: OpaquePointer!) -> UnsafeRawPointer! {
    // The bytes stay where they are until the secret is freed.
    unsafe known(secret, SecretHolder.self)?.bytes.withUnsafePointer { unsafe UnsafeRawPointer($0) }
}

@c @implementation
public func vestry_secret_length(_ secret: OpaquePointer!) -> Int {
    unsafe known(secret, SecretHolder.self)?.bytes.count ?? 0
}

@c @implementation
public func vestry_secret_free(_ secret: OpaquePointer!) {
    unsafe takeBack(secret, SecretHolder.self)
}
