"""A secret that does not outlive its use."""

from __future__ import annotations

import ctypes
from types import TracebackType

from ._errors import NotText
from ._library import library, next_step


class Secret:
    """The bytes of a secret, which are zeroed at the end of a with statement.

        with keychain.secret("git.example.org", "alice") as secret:
            connection.send(secret.view)

    view shows the bytes without copying them, and shows zeros afterwards. bytes(secret) and text() make
    copies that nobody wipes.
    """

    __slots__ = ("_bytes",)

    def __init__(self, taken: ctypes.c_void_p) -> None:
        """Takes a vestry_secret over, which is freed."""
        functions = library()
        try:
            length = functions.vestry_secret_length(taken)
            self._bytes = bytearray(length)
            if length:
                target = (ctypes.c_char * length).from_buffer(self._bytes)
                ctypes.memmove(target, functions.vestry_secret_bytes(taken), length)
        finally:
            functions.vestry_secret_free(taken)

    @property
    def view(self) -> memoryview:
        """The bytes, to be read."""
        return memoryview(self._bytes).toreadonly()

    def text(self) -> str:
        """The secret as text; raises NotText where it is no UTF-8."""
        try:
            return self._bytes.decode()
        except UnicodeDecodeError:
            pass
        # Not from within, since that error would carry the secret along.
        raise NotText("the secret is no text", next_step(NotText.number))

    def wipe(self) -> None:
        """Zeroes the bytes."""
        self._bytes[:] = bytes(len(self._bytes))

    def __bytes__(self) -> bytes:
        return bytes(self._bytes)

    def __len__(self) -> int:
        return len(self._bytes)

    def __repr__(self) -> str:
        return "<vestry.Secret>"

    def __enter__(self) -> Secret:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wipe()

    def __del__(self) -> None:
        if hasattr(self, "_bytes"):
            self.wipe()

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")
