public import Foundation

// The names of Core Foundation that source for Keychain Services mentions. A program that imports
// CoreFoundation itself, which Foundation does not bring along, has each of them twice.

/// The dictionaries of the SecItem functions; any `[String: Any]` or `[String: AnyObject]`.
public typealias CFDictionary = [String: Any]
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFString = String
public typealias CFData = Data
public typealias CFDate = Date
public typealias CFArray = [Any]
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
/// Any object: what a search puts its result into.
public typealias CFTypeRef = AnyObject
public typealias CFError = NSError
public typealias CFIndex = Int
public typealias CFOptionFlags = UInt

/// Who gets memory for a function; there is only the default.
public final class CFAllocator: Sendable {
    private init() {}
}

// Apple declares these three as implicitly unwrapped, and source relies on it: it says both
// `kCFBooleanTrue!` and `kCFBooleanTrue as Any`, and gives one to an `AnyObject` as it is.

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The number that stands for true.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The number that stands for false.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The default allocator, which is nil.
public let kCFAllocatorDefault: CFAllocator! = nil
