"""The keychain that the login opens.

    >>> import vestry
    >>> keychain = vestry.Keychain()
    >>> keychain.set("git.example.org", "alice", "correct horse")
    >>> keychain.get_text("git.example.org", "alice")
    'correct horse'

It needs the library libvestry.so.0 (the package libvestry0), in which everything happens; the module
asks nobody for anything. All of it can be used from several threads at once, and after os.fork(). Every
failure is a subclass of VestryError, which has Apple's number as its code, and the next step.
"""

from ._errors import (
    Busy,
    Cancelled,
    Damaged,
    Denied,
    DiskFull,
    Duplicate,
    InputOutput,
    InvalidArgument,
    ItemDamaged,
    Locked,
    MissingEntitlement,
    NewerFormat,
    NoKeychain,
    NotAvailable,
    NotFound,
    NotText,
    OutOfMemory,
    QuotaExceeded,
    ReadOnly,
    ReadOnlyAttribute,
    ServiceNotAvailable,
    TimedOut,
    TooLarge,
    Unimplemented,
    VestryError,
    WrongPassword,
)
from ._items import (
    AFTER_FIRST_UNLOCK,
    AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY,
    WHEN_PASSCODE_SET_THIS_DEVICE_ONLY,
    WHEN_UNLOCKED,
    WHEN_UNLOCKED_THIS_DEVICE_ONLY,
    Item,
    Listing,
    Status,
)
from ._keychain import Keychain, version
from ._secret import Secret

__all__ = [
    "AFTER_FIRST_UNLOCK",
    "AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY",
    "Busy",
    "Cancelled",
    "Damaged",
    "Denied",
    "DiskFull",
    "Duplicate",
    "InputOutput",
    "InvalidArgument",
    "Item",
    "ItemDamaged",
    "Keychain",
    "Listing",
    "Locked",
    "MissingEntitlement",
    "NewerFormat",
    "NoKeychain",
    "NotAvailable",
    "NotFound",
    "NotText",
    "OutOfMemory",
    "QuotaExceeded",
    "ReadOnly",
    "ReadOnlyAttribute",
    "Secret",
    "ServiceNotAvailable",
    "Status",
    "TimedOut",
    "TooLarge",
    "Unimplemented",
    "VestryError",
    "WHEN_PASSCODE_SET_THIS_DEVICE_ONLY",
    "WHEN_UNLOCKED",
    "WHEN_UNLOCKED_THIS_DEVICE_ONLY",
    "WrongPassword",
    "version",
]
