// OSStatus and SecAccessControl are Security's; source that names them need not import it, as with
// KeychainAccess.
@_exported public import Security
