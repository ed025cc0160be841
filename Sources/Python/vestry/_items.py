"""What is known about items and keychains besides secrets."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Iterator
from ctypes import c_int64, c_void_p

from ._errors import VestryError
from ._library import check, library, name, text

#: From the user's first login with a password after boot until reboot.
AFTER_FIRST_UNLOCK = "after-first-unlock"
#: While a login session is open and not screen-locked.
WHEN_UNLOCKED = "when-unlocked"
AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY = "after-first-unlock-this-device-only"
WHEN_UNLOCKED_THIS_DEVICE_ONLY = "when-unlocked-this-device-only"
WHEN_PASSCODE_SET_THIS_DEVICE_ONLY = "when-passcode-set-this-device-only"


@dataclasses.dataclass(frozen=True)
class Item:
    """Attributes: of an item to find, of one to store, or of one that was found.

    None is an attribute that is not given. A class that is not given is "internet-password" where an
    attribute of those is, else "generic-password". The dates are seconds since 1970.
    """

    service: str | None = None
    account: str | None = None
    label: str | None = None
    comment: str | None = None
    description: str | None = None
    accessible: str | None = None
    group: str | None = None
    #: The item's own name, 32 hexadecimal digits.
    reference: str | None = None
    server: str | None = None
    #: Such as "https", or a code of four characters.
    protocol: str | None = None
    #: Such as "http-basic".
    authentication_type: str | None = None
    path: str | None = None
    security_domain: str | None = None
    port: int | None = None
    synchronizable: bool | None = None
    expires: int | None = None
    #: Set by the keychain, as modified is.
    created: int | None = None
    modified: int | None = None
    #: "generic-password" or "internet-password".
    item_class: str | None = None


_NAMES = {
    "item_class": b"class",
    "authentication_type": b"authenticationType",
    "security_domain": b"securityDomain",
}
_NUMBERS = ("port", "synchronizable", "expires", "created", "modified")
_ATTRIBUTES = [(field.name, _NAMES.get(field.name, field.name.encode())) for field in dataclasses.fields(Item)]


@dataclasses.dataclass(frozen=True)
class Listing:
    """The items that were found, the oldest first, and how many more there are."""

    items: tuple[Item, ...]
    #: How many more there are whose class is locked.
    locked: int
    #: How many more do not open although their class is unlocked.
    damaged: int

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclasses.dataclass(frozen=True)
class Status:
    """What can be read now, and why not more, in the words of 'vestry status --json'."""

    state: str
    reason: str
    #: What must be put right; only where the state is "unavailable".
    error: VestryError | None


class NativeItem:
    """A vestry_item with the attributes of an Item, for the length of a with statement."""

    def __init__(self, item: Item) -> None:
        self.pointer = c_void_p()
        functions = library()
        check(functions.vestry_item_new(ctypes.byref(self.pointer)))
        try:
            for field, attribute in _ATTRIBUTES:
                value = getattr(item, field)
                if value is None:
                    continue
                if field in _NUMBERS:
                    check(functions.vestry_item_set_number(self.pointer, attribute, _number(value)))
                else:
                    check(functions.vestry_item_set_text(self.pointer, attribute, name(value)))
        except BaseException:
            functions.vestry_item_free(self.pointer)
            raise

    def __enter__(self) -> c_void_p:
        return self.pointer

    def __exit__(self, *_: object) -> None:
        library().vestry_item_free(self.pointer)


def _number(value: int) -> int:
    """The number, or the nearest that the library has and refuses."""
    return max(-(2**63), min(2**63 - 1, value))


def item(native: int) -> Item:
    """The attributes of a vestry_item."""
    functions = library()
    values: dict[str, str | int | bool] = {}
    for field, attribute in _ATTRIBUTES:
        if field in _NUMBERS:
            number = c_int64()
            if functions.vestry_item_number(native, attribute, ctypes.byref(number)) == 0:
                values[field] = bool(number.value) if field == "synchronizable" else number.value
        else:
            found = functions.vestry_item_text(native, attribute)
            if found is not None:
                values[field] = text(found)
    return Item(**values)  # type: ignore[arg-type]
