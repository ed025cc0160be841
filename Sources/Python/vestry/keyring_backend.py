"""The keychain for programs that use the package keyring, which finds this by itself.

It stands before the Secret Service and KWallet where the user has a keychain, and is left out where
not. A locked keychain raises KeyringLocked: its passwords are not taken for missing.
"""

from __future__ import annotations

from typing import Optional

import keyring.backend
import keyring.credentials
import keyring.errors

from ._errors import Locked, NotFound, VestryError
from ._items import Item
from ._keychain import Keychain, is_usable


class _Priority:
    """A property of the class, as keyring asks for it; releases of keyring have theirs in different places."""

    def __get__(self, instance: object, owner: object = None) -> float:
        if not is_usable():
            raise RuntimeError("libvestry0 is not installed, or this user has no keychain yet")
        return 6


class Keyring(keyring.backend.KeyringBackend):
    """Generic passwords of the keychain: the username is the account."""

    name = "Vestry"
    #: Above the Secret Service (5) and KWallet (5.1); raises where this cannot be used.
    priority = _Priority()

    def get_password(self, service: str, username: str) -> Optional[str]:
        """The password, or None where there is none."""
        try:
            return Keychain().get_text(service, username)
        except NotFound:
            return None
        except VestryError as error:
            raise _translated(error) from error

    def set_password(self, service: str, username: str, password: str) -> None:
        """Stores a password."""
        try:
            Keychain().set(service, username, password)
        except Locked as error:
            raise _translated(error) from error
        except VestryError as error:
            raise keyring.errors.PasswordSetError(str(error)) from error

    def delete_password(self, service: str, username: str) -> None:
        """Removes a password; raises PasswordDeleteError where there is none."""
        try:
            Keychain().delete(service, username)
        except Locked as error:
            raise _translated(error) from error
        except VestryError as error:
            raise keyring.errors.PasswordDeleteError(str(error)) from error

    def get_credential(
        self, service: str, username: Optional[str]
    ) -> Optional[keyring.credentials.Credential]:
        """Username and password; without a username, those of the service's oldest item."""
        if username is None:
            try:
                listing = Keychain().items(Item(service=service))
            except VestryError as error:
                raise _translated(error) from error
            if not len(listing):
                if listing.locked:
                    raise keyring.errors.KeyringLocked("the items of the service are locked")
                return None
            username = listing.items[0].account or ""
        password = self.get_password(service, username)
        if password is None:
            return None
        return keyring.credentials.SimpleCredential(username, password)


def _translated(error: VestryError) -> keyring.errors.KeyringError:
    if isinstance(error, Locked):
        return keyring.errors.KeyringLocked(str(error))
    return keyring.errors.KeyringError(str(error))
