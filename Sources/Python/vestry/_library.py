"""libvestry.so.0 as vestry.h declares it."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_void_p

from ._errors import CLASSES, InvalidArgument, NotAvailable, VestryError

NAME = "libvestry.so.0"
NOT_FOUND = -25300
KEEP_OPEN, NO_HISTORY = 1, 2
ADD_ONLY, UPDATE_ONLY = 1, 2

_FUNCTIONS: dict[str, tuple[object, list[object]]] = {
    "vestry_error_message": (c_char_p, [c_int]),
    "vestry_error_next_step": (c_char_p, [c_int]),
    "vestry_last_error": (c_char_p, []),
    "vestry_version": (c_char_p, []),
    "vestry_keychain_open": (c_int, [c_uint, POINTER(c_void_p)]),
    "vestry_keychain_close": (None, [c_void_p]),
    "vestry_status": (c_int, [c_void_p, POINTER(c_char_p), POINTER(c_char_p)]),
    "vestry_is_readable": (c_int, [c_void_p, c_char_p, POINTER(c_bool)]),
    "vestry_wait": (c_int, [c_void_p, c_char_p, c_int64]),
    "vestry_secret_bytes": (c_void_p, [c_void_p]),
    "vestry_secret_length": (c_size_t, [c_void_p]),
    "vestry_secret_free": (None, [c_void_p]),
    "vestry_get": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p)]),
    "vestry_set": (c_int, [c_void_p, c_char_p, c_char_p, c_void_p, c_size_t]),
    "vestry_delete": (c_int, [c_void_p, c_char_p, c_char_p]),
    "vestry_item_new": (c_int, [POINTER(c_void_p)]),
    "vestry_item_free": (None, [c_void_p]),
    "vestry_item_set_text": (c_int, [c_void_p, c_char_p, c_char_p]),
    "vestry_item_set_number": (c_int, [c_void_p, c_char_p, c_int64]),
    "vestry_item_text": (c_char_p, [c_void_p, c_char_p]),
    "vestry_item_number": (c_int, [c_void_p, c_char_p, POINTER(c_int64)]),
    "vestry_get_item": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "vestry_set_item": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_uint]),
    "vestry_delete_item": (c_int, [c_void_p, c_void_p]),
    "vestry_list_items": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "vestry_list_count": (c_size_t, [c_void_p]),
    "vestry_list_get": (c_void_p, [c_void_p, c_size_t]),
    "vestry_list_locked_count": (c_size_t, [c_void_p]),
    "vestry_list_damaged_count": (c_size_t, [c_void_p]),
    "vestry_list_free": (None, [c_void_p]),
}


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded when it is first needed."""
    try:
        loaded = ctypes.CDLL(NAME)
    except OSError as error:
        raise NotAvailable(str(error), "install the package libvestry0") from None
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = arguments
    return loaded


def check(code: int) -> None:
    """Raises what a function of the library has returned."""
    if code == 0:
        return
    # What the library keeps is the thread's, and the thread has called nothing else meanwhile.
    message = text(library().vestry_last_error())
    raise CLASSES.get(code, VestryError)(message, next_step(code), code)


def next_step(code: int) -> str:
    return text(library().vestry_error_next_step(code))


def text(given: bytes | None) -> str:
    """A text of the library's."""
    return (given or b"").decode("utf-8", "replace")


def name(given: str) -> bytes:
    """A text for the library, which ends it at a zero."""
    try:
        encoded = given.encode()
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise InvalidArgument("a name is no text in UTF-8, or has a zero in it", next_step(InvalidArgument.number))
    return encoded
