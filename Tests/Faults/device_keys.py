"""Device keys: whoever is interrupted, the machine has the key before or the one after, and nobody loses an item."""

import os
import pathlib
import pwd
import shutil
import subprocess

import campaign
import world
from campaign import Outcome, Saved, environment, is_whole, value
from harness import Skip, case, equal
from helper_client import HELPER, OPEN, ask, request
from operations import HELPER_WAYS, helper
from world import expect, login, put

FOLDER = pathlib.Path("/var/lib/vestry")
NOTES = FOLDER / "users"
KEY = FOLDER / "device.key"
SECRET = b"stays on this machine"
SEALED = b"vestry device key 1, sealed\n"


def command(arguments, at=0, way="", count=""):
    interrupted = environment(at, way, count, str(FOLDER)) if at or count else {}
    process = subprocess.Popen(
        [HELPER, "device-key", *arguments], env=interrupted, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.communicate(timeout=60)
    return Outcome(way, process, output, errors)


def key_files():
    return {path: path.read_bytes() for path in FOLDER.rglob("*") if path.is_file()}


class Begun:
    """A store with an item that needs the device key, and nobody else on this machine, to begin from again."""

    def __init__(self, *commands):
        shutil.rmtree(FOLDER)
        NOTES.mkdir(mode=0o700, parents=True)
        FOLDER.chmod(0o700)
        KEY.write_bytes(os.urandom(32))
        KEY.chmod(0o600)
        for account in pwd.getpwall():
            if 1000 <= account.pw_uid <= 59999 and account.pw_name != "alice":
                (NOTES / str(account.pw_uid)).write_text("none\n")
        login()
        put(SECRET, "s", "x", "--accessible=after-first-unlock-this-device-only")
        for arguments in commands:
            outcome = command(arguments)
            equal(outcome.status, 0, outcome)
        self.save()

    def save(self):
        self.saved, self.keys = Saved(), key_files()

    def restore(self):
        self.saved.restore()
        shutil.rmtree(FOLDER)
        NOTES.mkdir(mode=0o700, parents=True)
        FOLDER.chmod(0o700)
        for path, contents in self.keys.items():
            path.write_bytes(contents)
            path.chmod(0o600)
        expect(world.DONE, "lock", "--all")


def older_keys():
    return list(FOLDER.glob("device.key.old-*"))


def comes_by():
    """A login after a reboot; the item is there."""
    expect(world.DONE, "lock", "--all")
    result = ask(OPEN, "alice", world.PASSWORDS["alice"]).result
    assert result in ("opened", "reopened"), result
    equal(value("x"), SECRET)


def goes_on():
    """Whatever was left: the item is there, now and when nothing older is kept any more."""
    equal(command(["status"]).status, 0, "the present device key")
    comes_by()
    comes_by()
    equal(older_keys(), [])
    is_whole()


def says_why(outcome):
    if not outcome.was_killed and not outcome.succeeded:
        assert outcome.status in (world.FAILURE, world.UNAVAILABLE) and "hint: " in outcome.errors, outcome


@case
def a_replaced_device_key():
    begun = Begun()
    before = KEY.read_bytes()

    def verify(outcome):
        says_why(outcome)
        now = KEY.read_bytes()
        equal(len(now), 32)
        if outcome.succeeded:
            assert now != before
        else:
            comes_by()
            # Once more, over all that was left.
            equal(command(["replace"]).status, 0)
            equal([path.name for path in FOLDER.glob(".*")], [], "nothing is left over")
        goes_on()

    campaign.campaign(
        lambda at, way, count: command(["replace"], at, way, count), begun.restore, verify, HELPER_WAYS)


def over_sealing(begun, arguments, is_sealed):
    def verify(outcome):
        says_why(outcome)
        if outcome.succeeded:
            for path in (KEY, *older_keys()):
                equal(path.read_bytes().startswith(SEALED), is_sealed, path)
        comes_by()
        equal(command(arguments).status, 0, "once more")
        equal(KEY.read_bytes().startswith(SEALED), is_sealed)
        equal([path.name for path in FOLDER.glob(".*")], [], "nothing is left over")
        goes_on()

    campaign.campaign(
        lambda at, way, count: command(arguments, at, way, count), begun.restore, verify, HELPER_WAYS)


def can_seal():
    if not os.access("/usr/bin/systemd-creds", os.X_OK):
        raise Skip("systemd-creds is not installed")


@case
def a_sealed_device_key():
    can_seal()
    over_sealing(Begun(["replace"]), ["seal", "--with", "host"], True)


@case
def an_unsealed_device_key():
    can_seal()
    over_sealing(Begun(["seal", "--with", "host"], ["replace"]), ["unseal"], False)


@case
def the_first_login_with_a_new_device_key():
    begun = Begun(["replace"])
    password = world.PASSWORDS["alice"]

    def verify(outcome):
        # A login never fails because something could not be wrapped anew.
        assert outcome.was_killed or outcome.result == "opened", outcome.result
        goes_on()

    for folder in ("/home/alice", str(FOLDER)):
        campaign.campaign(
            lambda at, way, count, folder=folder: helper(request(OPEN, "alice", password), at, way, count, folder),
            begun.restore, verify, HELPER_WAYS)


@case
def a_forgotten_device_key():
    begun = Begun(["replace"])
    comes_by()
    equal(len(older_keys()), 1)
    begun.save()

    def verify(outcome):
        assert outcome.was_killed or outcome.result == "opened", outcome.result
        goes_on()

    campaign.campaign(
        lambda at, way, count: helper(
            request(OPEN, "alice", world.PASSWORDS["alice"]), at, way, count, str(FOLDER)),
        begun.restore, verify, HELPER_WAYS)
