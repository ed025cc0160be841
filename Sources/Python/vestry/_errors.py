"""One class for each reason why something can fail."""

from __future__ import annotations

from typing import ClassVar


class VestryError(Exception):
    """Something failed, and nothing was changed.

    code is the number in vestry.h, Apple's where Keychain Services has the same condition; message says
    what was wrong, and next_step what to do about it. None of them has a secret, a service or an account.
    """

    number: ClassVar[int] = 0

    def __init__(self, message: str, next_step: str, code: int | None = None) -> None:
        super().__init__(f"{message}; {next_step}")
        self.code = self.number if code is None else code
        self.message = message
        self.next_step = next_step


class NotFound(VestryError):
    """No item has these names."""

    number = -25300


class Duplicate(VestryError):
    """An item with these names exists already."""

    number = -25299


class Locked(VestryError):
    """The item's class is locked, or the item asks for the user at each read."""

    number = -25308


class WrongPassword(VestryError):
    """A password does not open the keychain or the item."""

    number = -25293


class Cancelled(VestryError):
    """A person dismissed the question."""

    number = -128


class InvalidArgument(VestryError, ValueError):
    """An argument is too long or unknown, or several items match and one is meant."""

    number = -50


class NotAvailable(VestryError):
    """Something that the keychain needs is not there: the library, kernel keyring, home directory."""

    number = -25291


class ServiceNotAvailable(VestryError):
    """The unlock service does not run."""

    number = -67585


class NoKeychain(VestryError):
    """The account has no keychain yet."""

    number = -25294


class TooLarge(VestryError):
    """The secret is longer than 8 MiB."""

    number = -25302


class Damaged(VestryError):
    """A file of the keychain is not what was written."""

    number = -25295


class ItemDamaged(Damaged):
    """One item does not open although its class is unlocked."""

    number = -26275


class NewerFormat(VestryError):
    """A newer release wrote the keychain."""

    number = -25310


class DiskFull(VestryError):
    """The file system is full."""

    number = -34


class ReadOnly(VestryError):
    """The file system or the file is read-only."""

    number = -25292


class Denied(VestryError):
    """Owner, mode or type of a file forbids its use."""

    number = -25243


class Busy(VestryError):
    """Other programs keep the keychain busy."""

    number = -67869


class QuotaExceeded(VestryError):
    """The user's share of kernel keys is used up."""

    number = -67596


class OutOfMemory(VestryError):
    """Not enough memory."""

    number = -108


class TimedOut(VestryError, TimeoutError):
    """The time was over first."""

    number = 100110


class MissingEntitlement(VestryError):
    """The access group is none of this program's."""

    number = -34018


class ReadOnlyAttribute(VestryError):
    """Only the keychain sets this attribute."""

    number = -25309


class Unimplemented(VestryError):
    """This release cannot do it."""

    number = -4


class NotText(VestryError):
    """A secret is no text in UTF-8."""

    number = -67594


class InputOutput(VestryError):
    """A file or system call failed."""

    number = -36


def _all(base: type[VestryError]) -> list[type[VestryError]]:
    return [found for direct in base.__subclasses__() for found in [direct, *_all(direct)]]


CLASSES: dict[int, type[VestryError]] = {found.number: found for found in _all(VestryError)}
