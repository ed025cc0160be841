"""The operations of the campaign, each with what must be true after it."""

import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess

import campaign
import keyctl
import world
from campaign import Outcome, Saved, environment, is_whole, says_why, value
from harness import case, equal
from helper_client import (
    ADD_PROTECTOR, HELPER, OPEN, PASSPHRASE, RECOVER, REWRAP, UNLOCK, Reply, ask, request, set_password)
from world import ITEMS, KEYBAG, STORE, expect, login, put, vestry

ACKNOWLEDGED = {"a": b"first", "b": bytes(range(256)) * 40, "c": b""}
LARGE = os.urandom(150_000)


def begin(**more):
    """A store with items that were acknowledged."""
    login()
    # On a busy machine, a first login can take longer than it is given.
    for _ in range(5):
        if KEYBAG.exists():
            break
        login()
    for name, secret in {**ACKNOWLEDGED, **more}.items():
        put(secret, "s", name)
    return Saved()


def all_is_there(**more):
    """The store is whole, and has what was acknowledged."""
    is_whole()
    for name, secret in {**ACKNOWLEDGED, **more}.items():
        equal(value(name), secret, name)


def over_items(arguments, give, old, new, saved, others=ACKNOWLEDGED):
    """Interrupts a verb that gives the item "x" the secret `new` (None: none at all) in place of `old`."""

    def verify(outcome):
        is_whole()
        for name, secret in others.items():
            equal(value(name), secret, name)
        now = value("x")
        says_why(outcome)
        if outcome.succeeded:
            equal(now, new, "acknowledged")
        elif outcome.was_killed:
            assert now in (old, new), f"neither old nor new: {now!r}"
        else:
            equal(now, old, "a failure changes nothing")

    campaign.campaign(
        lambda at, way, count: campaign.run(arguments, give, at, way, count), saved.restore, verify)


@case
def a_new_item():
    over_items(["set", "s", "x"], b"new", None, b"new", begin())


@case
def a_new_large_item():
    over_items(["set", "s", "x"], LARGE, None, LARGE, begin())


@case
def a_shorter_secret_over_a_longer_one():
    over_items(["set", "s", "x"], b"short", LARGE[:20_000], b"short", begin(x=LARGE[:20_000]))


@case
def a_longer_secret_over_a_shorter_one():
    over_items(["set", "s", "x"], LARGE[:60_000], b"short", LARGE[:60_000], begin(x=b"short"))


@case
def the_removal_of_an_item():
    over_items(["delete", "s", "x"], b"", LARGE[:20_000], None, begin(x=LARGE[:20_000]))


@case
def the_removal_of_many_items():
    begin()
    for number in range(12):
        put(b"many", "s", f"x{number}" if number else "x", "--label=many")
    over_items(["delete", "--all", "--yes", "--service", "s", "--label=many"], b"", b"many", None, Saved())


@case
def another_name():
    over_items(["rename", "--to-account", "y", "s", "x"], b"", b"named", None, begin(x=b"named"))


@case
def a_made_password():
    saved = begin()

    def verify(outcome):
        is_whole()
        says_why(outcome)
        now = value("x")
        assert now is not None if outcome.succeeded else now is None or outcome.was_killed, now

    campaign.campaign(
        lambda at, way, count: campaign.run(["generate", "s", "x"], b"", at, way, count), saved.restore, verify)


@case
def the_first_item_of_a_store():
    login()
    over_items(["set", "s", "x"], b"first of all", None, b"first of all", Saved(), others={})


@case
def a_restored_snapshot():
    begin(x=b"old")
    name = expect(world.DONE, "snapshots", "make").stdout.decode().split()[0]
    put(b"new", "s", "x")
    over_items(["snapshots", "restore", name, "--yes"], b"", b"new", b"old", Saved())


@case
def a_restored_backup():
    begin(x=b"old")
    file = "/home/alice/faults.backup"
    if os.path.exists(file):
        os.unlink(file)
    expect(world.DONE, "backup", "--passphrase-fd=0", file, give=b"passphrase")
    put(b"new", "s", "x")
    over_items(
        ["restore", "--yes", "--merge=incoming", "--passphrase-fd=0", file], b"passphrase", b"new", b"old", Saved())


@case
def an_undone_change():
    begin(x=b"old")
    put(b"new", "s", "x")
    over_items(["undo", "s", "x"], b"", b"new", b"old", Saved())


@case
def a_repair():
    begin(x=b"lost")
    with contextlib.closing(sqlite3.connect(ITEMS)) as database:
        database.execute("UPDATE item SET value = zeroblob(60) WHERE row = 4")
        database.execute("DELETE FROM tag WHERE item = 1")
        database.commit()
    os.chown(ITEMS, 2001, 2001)
    saved = Saved()

    def verify(outcome):
        # One item could not be saved, which is not what this is about.
        if outcome.status != world.DAMAGED:
            says_why(outcome)
        for name in "bc":
            equal(value(name), ACKNOWLEDGED[name], name)
        # Whether or not this one came to its end, the next one does.
        result = vestry("repair", "--yes")
        assert result.returncode in (world.DONE, world.DAMAGED), result
        is_whole()
        for name, secret in ACKNOWLEDGED.items():
            equal(value(name), secret, name)
        # Nothing was thrown away.
        damaged = saved.files[ITEMS]
        assert any(file.read_bytes() == damaged for file in STORE.glob("items.sqlite.damaged-*")), "the old file"

    campaign.campaign(
        lambda at, way, count: campaign.run(["repair", "--yes"], b"", at, way, count), saved.restore, verify)


@case
def a_rotation():
    begin(x=b"sealed anew")
    put(b"sealed anew too", "s", "x")
    saved = Saved()

    def restore():
        saved.restore()
        # The kernel has the keys of the rotation before.
        expect(world.DONE, "lock", "--all")
        assert opens(world.PASSWORDS["alice"])

    def rotate(at, way="", count=""):
        return campaign.run(["rotate", "--password-fd=0"], world.PASSWORDS["alice"], at, way, count)

    def everything():
        all_is_there(x=b"sealed anew too")

    def verify(outcome):
        says_why(outcome)
        everything()
        # Wherever it was interrupted, it goes on from there, also after a reboot.
        expect(world.DONE, "lock", "--all")
        assert opens(world.PASSWORDS["alice"])
        everything()
        expect(world.DONE, "rotate", "--password-fd", "0", give=world.PASSWORDS["alice"])
        everything()

    campaign.campaign(rotate, restore, verify)


# MARK: the helper's verbs


def helper(packet, at, way="", count="", folder="/home/alice"):
    """Asks a helper that is interrupted; the outcome's output is its reply, or b"" without one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        with theirs:
            process = subprocess.Popen(
                [HELPER], stdin=theirs, env=environment(at, way, count, folder), close_fds=True,
                preexec_fn=keyctl.join_session, stderr=subprocess.DEVNULL)
        ours.send(packet)
        ours.settimeout(60)
        try:
            reply = ours.recv(4096)
        except ConnectionResetError:
            reply = b""
        process.wait()
    outcome = Outcome(way, process, reply, b"")
    outcome.result = Reply(reply).result if reply else None
    return outcome


def opens(password):
    return ask(UNLOCK, "alice", password).result in ("opened", "opened-by-previous")


HELPER_WAYS = (
    campaign.KILL, campaign.TORN, campaign.FULL, campaign.BROKEN, campaign.FULL + "+", campaign.QUOTA,
    campaign.QUOTA + "+")


def refused(outcome):
    equal(outcome.result, "input-output" if outcome.way == campaign.BROKEN else "write-failed")


@case
def a_password_change():
    saved = begin()
    old, new = world.PASSWORDS["alice"], b"another one"

    def verify(outcome):
        if outcome.result == "rewrapped":
            assert opens(new), "the new password was acknowledged"
        elif outcome.result is not None:
            refused(outcome)
        # Whether the change took effect is not for this module to know.
        assert opens(old), "the old password"
        is_whole()
        for name, secret in ACKNOWLEDGED.items():
            equal(value(name), secret, name)

    campaign.campaign(
        lambda at, way, count: helper(request(REWRAP, "alice", old, new), at, way, count), saved.restore,
        verify, HELPER_WAYS)


@case
def the_first_login_with_a_new_password():
    begin()
    old, new = world.PASSWORDS["alice"], b"another one"
    equal(ask(REWRAP, "alice", old, new).result, "rewrapped")
    saved = Saved()

    def restore():
        saved.restore()
        expect(world.DONE, "lock", "--all")

    def verify(outcome):
        # A login never fails because the old password could not be forgotten.
        assert outcome.was_killed or outcome.result == "opened", outcome.result
        assert opens(new), "the new password"
        is_whole()

    campaign.campaign(
        lambda at, way, count: helper(request(OPEN, "alice", new), at, way, count), restore, verify,
        HELPER_WAYS)


@case
def a_way_back_with_a_passphrase():
    begin()
    old, words, new = world.PASSWORDS["alice"], b"five random words", b"another one"
    equal(ask(ADD_PROTECTOR, "alice", old, words, kind=PASSPHRASE).result, "rewrapped")
    saved = Saved()

    def verify(outcome):
        if outcome.result == "rewrapped":
            assert opens(new), "the new password was acknowledged"
        else:
            if outcome.result is not None:
                refused(outcome)
            assert opens(new) or opens(old), "neither password"
        equal(ask(UNLOCK, "alice", words, opener=PASSPHRASE).result, "opened", "the passphrase")
        all_is_there()

    campaign.campaign(
        lambda at, way, count: helper(request(RECOVER, "alice", words, new, opener=PASSPHRASE), at, way, count),
        saved.restore, verify, HELPER_WAYS)


@case
def a_login_that_the_keychain_follows():
    saved = begin()
    old, new = world.PASSWORDS["alice"], b"another one"
    set_password("alice", new)

    def verify(outcome):
        # It goes on in any case, with what is open.
        assert outcome.was_killed or outcome.result in ("followed", "wrong-password"), outcome.result
        if outcome.result == "followed":
            assert opens(new), "the new password was acknowledged"
        assert opens(old), "the old password"
        all_is_there()

    campaign.campaign(
        lambda at, way, count: helper(request(OPEN, "alice", new), at, way, count), saved.restore, verify,
        HELPER_WAYS)


@case
def the_first_login_of_all():
    password = world.PASSWORDS["alice"]
    set_password("alice", password)

    def restore():
        shutil.rmtree("/home/alice/.local", ignore_errors=True)
        vestry("lock", "--all")

    def verify(outcome):
        if outcome.result not in (None, "enrolled"):
            refused(outcome)
        before = KEYBAG.read_bytes() if KEYBAG.exists() else None
        if outcome.result == "enrolled":
            assert before, "no keybag, and it was acknowledged"
        # Whatever is left, the next login opens it, or makes it.
        result = ask(OPEN, "alice", password).result
        assert result in ("opened", "already-open", "reopened") if before else result == "enrolled", result
        put(b"stored", "s", "a")
        is_whole()

    campaign.campaign(
        lambda at, way, count: helper(request(OPEN, "alice", password), at, way, count), restore, verify,
        HELPER_WAYS)
