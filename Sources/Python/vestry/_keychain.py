"""The keychain."""

from __future__ import annotations

import ctypes
import time
import weakref
from ctypes import c_bool, c_char_p, c_void_p
from typing import Union

from . import _library
from ._errors import CLASSES, InvalidArgument, NotAvailable, TimedOut, VestryError
from ._items import AFTER_FIRST_UNLOCK, Item, Listing, NativeItem, Status, item
from ._library import check, library, name, text
from ._secret import Secret

#: What a secret can be given as; a text becomes its UTF-8.
Given = Union[str, bytes, bytearray, memoryview]

# So long does an interrupt from the keyboard have to wait at most.
_TURN_SECONDS = 0.5


def version() -> str:
    """The release of the library."""
    return text(library().vestry_version())


class Keychain:
    """The keychain of the user who runs the program.

    It can be made where the keychain is locked or not there yet, which its functions raise. It holds no
    key and no secret.
    """

    def __init__(self, *, keep_open: bool = False, history: bool = True) -> None:
        """Finds the keychain.

        keep_open leaves its files open between calls, for programs that read often: a get then takes
        about a tenth of the time. Without history, what is replaced and deleted is not kept for
        'vestry undo'.
        """
        flags = (_library.KEEP_OPEN if keep_open else 0) | (0 if history else _library.NO_HISTORY)
        self._pointer = c_void_p()
        check(library().vestry_keychain_open(flags, ctypes.byref(self._pointer)))
        # Not when the interpreter ends, where other threads may still use it.
        weakref.finalize(self, library().vestry_keychain_close, self._pointer).atexit = False

    def get(self, service: str, account: str) -> bytes:
        """The secret of an item: its bytes, in a copy that nobody wipes."""
        with self.secret(service, account) as secret:
            return bytes(secret)

    def get_text(self, service: str, account: str) -> str:
        """The secret of an item as text; raises NotText where it is no UTF-8."""
        with self.secret(service, account) as secret:
            return secret.text()

    def secret(self, service: str, account: str) -> Secret:
        """The secret of an item, for a with statement at whose end it is zeroed."""
        found = c_void_p()
        check(library().vestry_get(self._pointer, name(service), name(account), ctypes.byref(found)))
        return Secret(found)

    def set(self, service: str, account: str, secret: Given) -> None:
        """Stores a secret, in place of the one that is there or as a new item."""
        with _Bytes(secret) as given:
            check(library().vestry_set(self._pointer, name(service), name(account), given.pointer, given.length))

    def delete(self, service: str, account: str) -> None:
        """Removes an item; a locked one too."""
        check(library().vestry_delete(self._pointer, name(service), name(account)))

    def get_item(self, attributes: Item) -> Secret:
        """The secret of the one item that has all these attributes.

        Where several items match, that raises InvalidArgument: give more attributes, or the reference.
        """
        found = c_void_p()
        with NativeItem(attributes) as native:
            check(library().vestry_get_item(self._pointer, native, ctypes.byref(found)))
        return Secret(found)

    def set_item(
        self, attributes: Item, secret: Given, *, add_only: bool = False, update_only: bool = False
    ) -> None:
        """Stores a secret with these attributes.

        It takes the place of the item whose names are the same now. Names are service and account; of an
        internet password server, account, protocol, authentication_type, port, path and security_domain.
        What is not given of the other attributes stays.
        """
        flags = (_library.ADD_ONLY if add_only else 0) | (_library.UPDATE_ONLY if update_only else 0)
        with NativeItem(attributes) as native, _Bytes(secret) as given:
            check(library().vestry_set_item(self._pointer, native, given.pointer, given.length, flags))

    def delete_item(self, attributes: Item) -> None:
        """Removes the one item that has all these attributes."""
        with NativeItem(attributes) as native:
            check(library().vestry_delete_item(self._pointer, native))

    def items(self, attributes: Item | None = None) -> Listing:
        """The items of one class that have all these attributes; without any, every generic password."""
        functions = library()
        found = c_void_p()
        with NativeItem(attributes or Item()) as native:
            check(functions.vestry_list_items(self._pointer, native, ctypes.byref(found)))
        try:
            count = functions.vestry_list_count(found)
            return Listing(
                tuple(item(functions.vestry_list_get(found, index)) for index in range(count)),
                functions.vestry_list_locked_count(found), functions.vestry_list_damaged_count(found))
        finally:
            functions.vestry_list_free(found)

    def status(self) -> Status:
        """What can be read now, and why not more."""
        functions = library()
        state, reason = c_char_p(), c_char_p()
        code = functions.vestry_status(self._pointer, ctypes.byref(state), ctypes.byref(reason))
        if state.value is None:
            check(code)
        error = None
        if code:
            error = CLASSES.get(code, VestryError)(
                text(functions.vestry_last_error()), _library.next_step(code), code)
        return Status(text(state.value), text(reason.value), error)

    def is_readable(self, accessible: str = AFTER_FIRST_UNLOCK) -> bool:
        """Whether items of a class can be read now."""
        readable = c_bool()
        check(library().vestry_is_readable(self._pointer, name(accessible), ctypes.byref(readable)))
        return readable.value

    def wait(self, accessible: str = AFTER_FIRST_UNLOCK, timeout: float | None = None) -> None:
        """Sleeps until items of a class can be read, at most timeout seconds; raises TimedOut then.

        A keychain that is not there yet is waited for.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            rest = _TURN_SECONDS if end is None else max(0.0, min(_TURN_SECONDS, end - time.monotonic()))
            code = library().vestry_wait(self._pointer, name(accessible), int(rest * 1000))
            if code != TimedOut.number or (end is not None and time.monotonic() >= end):
                return check(code)


class _Bytes:
    """The bytes of a secret as the library takes them, for the length of a with statement."""

    pointer: c_void_p
    length: int
    _buffer: Union[bytes, bytearray]

    def __init__(self, given: Given) -> None:
        self._copy = isinstance(given, (str, memoryview))
        if isinstance(given, str):
            self._buffer = _encoded(given)
        elif isinstance(given, memoryview):
            self._buffer = bytearray(given)
        elif isinstance(given, (bytes, bytearray)):
            self._buffer = given
        else:
            raise TypeError("a secret is str, bytes, bytearray or memoryview")
        self.length = len(self._buffer)

    def __enter__(self) -> _Bytes:
        if isinstance(self._buffer, bytearray):
            self._held = (ctypes.c_char * self.length).from_buffer(self._buffer)
            self.pointer = ctypes.cast(self._held, c_void_p)
        else:
            self.pointer = ctypes.cast(c_char_p(self._buffer), c_void_p)
        return self

    def __exit__(self, *_: object) -> None:
        if self._copy and isinstance(self._buffer, bytearray):
            self._buffer[:] = bytes(self.length)


def _encoded(secret: str) -> bytearray:
    try:
        return bytearray(secret, "utf-8")
    except UnicodeEncodeError:
        pass
    # Not from within, since that error would carry the secret along.
    raise InvalidArgument("the secret is no text in UTF-8", _library.next_step(InvalidArgument.number))


def is_usable() -> bool:
    """Whether the library is installed and the user has a keychain, be it locked or not."""
    try:
        return Keychain().status().state != "no-store"
    except NotAvailable:
        return False
