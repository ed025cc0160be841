"""One table: what can be wrong with a store's files, and what each command and a login say to it."""

import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess

from cases_files import mount, replace
from harness import case, equal
from helper_client import HELPER, OPEN, REWRAP, Reply, ask, ask_raw, request
from world import (
    DAMAGED, DENIED, DONE, FAILURE, ITEMS, KEYBAG, LOCKED, STORE, UNAVAILABLE, contents, expect, login, put, reboot,
    secret_of, vestry)

HOME = pathlib.Path("/home/alice")
PREVIOUS = STORE / "keybag.previous"
PASSWORD = b"correct horse"


def change(path, edit):
    """Replaces a file by what `edit` makes of its bytes."""
    replace(path, edit(path.read_bytes()))


def instead(path, make):
    """Puts something else in a file's place."""
    path.rename(path.with_name("elsewhere"))
    make(path)


def fifo(path):
    os.mkfifo(path, 0o600)
    os.chown(path, 2001, 2001)


def folder(path):
    path.mkdir(0o700)
    os.chown(path, 2001, 2001)


def link(path):
    path.symlink_to("elsewhere")


def foreign(path):
    login("bob")
    put(b"bob's", "s", "a", user="bob")
    replace(path, pathlib.Path("/home/bob/.local/share/vestry", path.name).read_bytes())


def version(number):
    with contextlib.closing(sqlite3.connect(ITEMS)) as database:
        database.execute(f"PRAGMA user_version = {number}")
    os.chown(ITEMS, 2001, 2001)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


DAMAGE = (DAMAGED, "damaged", ("vestry check", "vestry repair"))
OWNER = (DENIED, "denied", ("yours with mode 0600",))
NEWER = (UNAVAILABLE, "newerFormat", ("upgrade vestry",))
# Each: the name; what does it; the exit status, the code and words of the hint; words of the message; and what
# a login is told.
KEYBAG_ROWS = (
    ("zero length", lambda: change(KEYBAG, lambda data: b""), DAMAGE, "keybag has 0 of", "damaged"),
    ("cut", lambda: change(KEYBAG, lambda data: data[:700]), DAMAGE, "keybag has 700 of", "damaged"),
    ("one bit flipped", lambda: change(KEYBAG, lambda data: flipped(data, 700)), DAMAGE, "fails its checksum",
     "damaged"),
    ("something else", lambda: change(KEYBAG, lambda data: b"[section]\n" * 20), DAMAGE, "is not a keybag", "damaged"),
    ("longer", lambda: change(KEYBAG, lambda data: data + b"x"), DAMAGE, "instead of", "damaged"),
    ("huge", lambda: os.truncate(KEYBAG, 2 << 30), DAMAGE, "has more than 65536 bytes", "damaged"),
    ("gone", KEYBAG.unlink, DAMAGE, "keybag is missing", "damaged"),
    ("a later format", lambda: change(KEYBAG, lambda data: data[:8] + b"\xff\x7f" + data[10:]), NEWER,
     "format version 32767", "newer-format"),
    ("an earlier format", lambda: change(KEYBAG, lambda data: data[:8] + b"\0\0" + data[10:]), DAMAGE,
     "format version 0", "damaged"),
    ("another user's", lambda: foreign(KEYBAG), DAMAGE, "different stores", "wrong-password"),
    ("root's", lambda: os.chown(KEYBAG, 0, 0), OWNER, "keybag belongs to user 0", "denied"),
    ("open to others", lambda: KEYBAG.chmod(0o644), OWNER, "keybag has mode 0644", "denied"),
    ("a link", lambda: instead(KEYBAG, link), OWNER, "keybag is a link or another special file", "denied"),
    ("a FIFO", lambda: instead(KEYBAG, fifo), OWNER, "keybag is a link or another special file", "denied"),
    ("a folder", lambda: instead(KEYBAG, folder), OWNER, "keybag is a link or another special file", "denied"),
    ("unreadable", lambda: KEYBAG.chmod(0), OWNER, "keybag, openat: Permission denied", "denied"),
)


def items_gone():
    """The first item makes the folder of snapshots too."""
    ITEMS.unlink()
    folder(STORE / "snapshots")


ITEM_ROWS = (
    ("gone", items_gone, DAMAGE, "items.sqlite is missing beside snapshots"),
    ("zero length", lambda: change(ITEMS, lambda data: b""), DAMAGE, "items.sqlite, not an item file"),
    ("cut", lambda: change(ITEMS, lambda data: data[:4096]), DAMAGE, "items.sqlite"),
    ("a few bytes", lambda: change(ITEMS, lambda data: data[:18]), DAMAGE, "items.sqlite"),
    ("something else", lambda: change(ITEMS, lambda data: b"[section]\n" * 2000), DAMAGE, "items.sqlite"),
    ("zeros", lambda: change(ITEMS, lambda data: bytes(len(data))), DAMAGE, "items.sqlite"),
    ("a later format", lambda: version(99), NEWER, "items.sqlite has version 99"),
    ("an earlier format", lambda: version(0), DAMAGE, "no such schema version"),
    ("another user's", lambda: foreign(ITEMS), DAMAGE, "different stores"),
    ("root's", lambda: os.chown(ITEMS, 0, 0), OWNER, "items.sqlite belongs to user 0"),
    ("open to others", lambda: ITEMS.chmod(0o640), OWNER, "items.sqlite has mode 0640"),
    ("a link", lambda: instead(ITEMS, link), OWNER, "items.sqlite is a link or another special file"),
    ("a FIFO", lambda: instead(ITEMS, fifo), OWNER, "items.sqlite is a link or another special file"),
    ("a folder", lambda: instead(ITEMS, folder), OWNER, "items.sqlite is a link or another special file"),
    ("unreadable", lambda: ITEMS.chmod(0), OWNER, "items.sqlite, open: Permission denied"),
)
PLACE_ROWS = (
    ("the folder is root's", lambda: os.chown(STORE, 0, 0), OWNER, "store directory belongs to user 0"),
    ("the folder is open to others", lambda: STORE.chmod(0o750), OWNER, "store directory has mode 0750"),
    ("the folder is a link", lambda: instead(STORE, link), OWNER, "store directory is a link"),
    ("the folder is a file", lambda: instead(STORE, lambda path: path.touch(0o600)), OWNER,
     "store directory is a link or another special file"),
)


def state():
    """Names, kinds, owners, modes and sizes of everything in the home."""
    return {str(path): (path.lstat().st_mode, path.lstat().st_uid, path.lstat().st_size)
            for path in HOME.rglob("*")}


def begin():
    login()
    put(b"secret", "s", "a")
    return contents()


def put_back(files):
    """Makes the store's folder anew, with these files."""
    if STORE.is_dir() and not STORE.is_symlink():
        shutil.rmtree(STORE)
    else:
        STORE.unlink()
    for path in [STORE, STORE.with_name("elsewhere")]:
        shutil.rmtree(path, ignore_errors=True)
    STORE.mkdir(mode=0o700)
    os.chown(STORE, 2001, 2001)
    for name, data in files.items():
        (STORE / name).write_bytes(data)
        os.chmod(STORE / name, 0o600)
        os.chown(STORE / name, 2001, 2001)


def answers(what, wanted, says):
    """All commands give the same specific answer, and leave everything as it is."""
    status, name, hints = wanted
    before = state()
    commands = [(["get", "s", "a"], b""), (["set", "s", "b"], b"x"), (["delete", "s", "a"], b""), (["list"], b"")]
    for arguments, give in commands:
        result = vestry(arguments[0], "--json", *arguments[1:], give=give)
        equal((result.returncode, result.stdout), (status, b""), f"{what}: {arguments} {result.stderr}")
        error = json.loads(result.stderr)["error"]
        equal(error["name"], name, f"{what}: {arguments}")
        assert says in error["message"], f"{what}: {error['message']}"
        assert all(hint in error["next"] for hint in hints), f"{what}: {error['next']}"
    result = vestry("status", "--json")
    equal(result.returncode, status, f"{what}: status")
    told = json.loads(result.stdout)
    equal((told["state"], told["reason"]), ("unavailable", "failure"), what)
    assert says in told["message"] and all(hint in told["next"] for hint in hints), f"{what}: {told}"
    result = vestry("check", "--json")
    equal(result.returncode, status, f"{what}: check {result}")
    if status == DAMAGED:
        assert json.loads(result.stdout)["findings"], what
    equal(state(), before, what)


def answers_login(what, wanted):
    """A login is told, and goes on; it takes no longer, and makes nothing."""
    before = state()
    reply = ask(OPEN, "alice", PASSWORD)
    equal(reply.result, wanted, f"login, {what}")
    equal(state(), before, f"login, {what}")


@case
def every_damage_of_the_keybag_has_its_answer():
    files = begin()
    for name, damage, wanted, says, told in KEYBAG_ROWS:
        put_back(files)
        damage()
        answers(f"keybag {name}", wanted, says)
        answers_login(f"keybag {name}", told)


@case
def every_damage_of_the_items_has_its_answer():
    files = begin()
    for name, damage, wanted, says in ITEM_ROWS:
        put_back(files)
        damage()
        answers(f"items {name}", wanted, says)
        # The helper never looks at items.
        if name in ("zero length", "a FIFO"):
            answers_login(f"items {name}", "already-open")


@case
def every_wrong_folder_has_its_answer():
    files = begin()
    for name, damage, wanted, says in PLACE_ROWS:
        put_back(files)
        damage()
        answers(name, wanted, says)
        answers_login(name, "denied")


@case
def no_password_is_asked_for_where_it_does_not_help():
    files = begin()
    for path, says in ((KEYBAG, "fails its checksum"), (ITEMS, "items.sqlite")):
        put_back(files)
        change(path, lambda data: flipped(data, 700) if path == KEYBAG else b"x" * 8192)
        expect(DAMAGED, "unlock", says=says)
        expect(DAMAGED, "rewrap", says=says)


@case
def items_that_are_damaged_and_locked_can_be_unlocked_and_repaired():
    """By somebody whose logins give no password: 'vestry unlock' is all there is."""
    begin()
    expect(DONE, "snapshots", "make")
    for damage in (lambda: change(ITEMS, lambda data: b""), ITEMS.unlink):
        reboot()
        login(password=b"")
        damage()
        message = expect(LOCKED, "repair", "--yes").stderr
        assert b"vestry unlock" in message, message
        expect(DONE, "unlock", "--password-fd", "0", give=PASSWORD, says="opened, but the keychain is damaged")
        expect(DAMAGED, "get", "s", "a")
        expect(DONE, "repair", "--yes")
        equal(secret_of("s", "a"), b"secret")


@case
def a_missing_home_has_its_answer():
    begin()
    away = HOME.with_name("alice.away")
    HOME.rename(away)
    try:
        for arguments, give in ((["get", "s", "a"], b""), (["set", "s", "a"], b"x"), (["check"], b""),
                                (["repair", "--yes"], b"")):
            expect(UNAVAILABLE, *arguments, give=give, says="the home directory /home/alice is missing")
        equal(ask(OPEN, "alice", PASSWORD).result, "home-missing")
        assert not HOME.exists()
    finally:
        away.rename(HOME)
    equal(secret_of("s", "a"), b"secret")


@contextlib.contextmanager
def read_only_home():
    mount("--bind", str(HOME), str(HOME))
    try:
        mount("-o", "remount,bind,ro", str(HOME))
        yield
    finally:
        subprocess.run(["umount", str(HOME)], check=True)


@case
def a_read_only_home_has_its_answers():
    begin()
    with read_only_home():
        equal(secret_of("s", "a"), b"secret")
        expect(DONE, "check")
        expect(DONE, "repair", "--yes")
        for arguments, give in ((["set", "s", "a"], b"x"), (["delete", "s", "a"], b"")):
            expect(FAILURE, *arguments, give=give, says="the keychain cannot be written to: items.sqlite")
        equal(ask(OPEN, "alice", PASSWORD).result, "already-open")
        equal(ask(REWRAP, "alice", PASSWORD, b"new").result, "read-only")
    # The damage is told there too, and no repair is begun.
    with contextlib.closing(sqlite3.connect(ITEMS)) as database:
        database.execute("DELETE FROM tag")
        database.commit()
    os.chown(ITEMS, 2001, 2001)
    with read_only_home():
        expect(DAMAGED, "check")
        expect(FAILURE, "repair", "--yes", says="cannot be written to")
    # Nor does a first login find a place.
    shutil.rmtree(HOME / ".local")
    with read_only_home():
        equal(ask(OPEN, "alice", PASSWORD).result, "read-only")


@case
def a_folder_that_takes_no_file_says_so():
    begin()
    STORE.chmod(0o500)
    equal(secret_of("s", "a"), b"secret")
    for arguments, give in ((["set", "s", "a"], b"x"), (["delete", "s", "a"], b"")):
        expect(FAILURE, *arguments, give=give, says="the keychain cannot be written to: items.sqlite")
    STORE.chmod(0o700)


@case
def a_full_disk_has_its_answers():
    """For check and repair, and a login; for the rest see a_full_disk_changes_nothing."""
    files = begin()
    mount("-t", "tmpfs", "-o", "size=128k,mode=700,uid=2001,gid=2001", "none", str(STORE))
    try:
        for name, data in files.items():
            (STORE / name).write_bytes(data)
            os.chmod(STORE / name, 0o600)
            os.chown(STORE / name, 2001, 2001)
        with contextlib.closing(sqlite3.connect(ITEMS)) as database:
            database.execute("DELETE FROM tag")
            database.commit()
        os.chown(ITEMS, 2001, 2001)
        with contextlib.suppress(OSError), open(STORE / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        before = contents()
        expect(DAMAGED, "check")
        expect(FAILURE, "repair", "--yes", says="no space left")
        equal(contents(), before)
        equal(ask(OPEN, "alice", PASSWORD).result, "already-open")
        (STORE / "filler").unlink()
        expect(DONE, "repair", "--yes")
        equal(secret_of("s", "a"), b"secret")
    finally:
        subprocess.run(["umount", str(STORE)], check=True)


@case
def a_home_that_root_cannot_search_is_served():
    """As on NFS with root squashed: only the user's own rights, supplementary groups included, open it."""
    helper = pathlib.Path("/run/vestry-test/squashed-helper")
    helper.write_text("#!/bin/sh\nexec setpriv --bounding-set=-dac_override,-dac_read_search "
                      f"--inh-caps=-dac_override,-dac_read_search {HELPER}\n")
    helper.chmod(0o755)

    def squashed():
        return Reply(ask_raw(request(OPEN, "alice", PASSWORD), helper=str(helper))).result

    passwd, group = (pathlib.Path("/etc", name).read_text() for name in ("passwd", "group"))
    team = pathlib.Path("/home/team")
    try:
        team.mkdir(mode=0o750)
        os.chown(team, 0, 2500)
        shutil.copytree(HOME, team / "alice")
        shutil.chown(team / "alice", 2001, 2001)
        (team / "alice").chmod(0o700)
        pathlib.Path("/etc/group").write_text(group + "team:x:2500:alice\n")
        pathlib.Path("/etc/passwd").write_text(passwd.replace(":/home/alice:", ":/home/team/alice:"))
        equal(squashed(), "enrolled")
        put(b"on the server", "s", "a")
        equal(secret_of("s", "a"), b"on the server")
        expect(DONE, "check")
        expect(DONE, "lock", "--all")
        equal(squashed(), "opened")
        # Without the group the home is closed, which is no missing store.
        pathlib.Path("/etc/group").write_text(group + "team:x:2500:\n")
        expect(DONE, "lock", "--all")
        equal(squashed(), "denied")
        expect(DENIED, "get", "s", "a", says="Permission denied")
    finally:
        pathlib.Path("/etc/passwd").write_text(passwd)
        pathlib.Path("/etc/group").write_text(group)
        shutil.rmtree(team)
        helper.unlink()
