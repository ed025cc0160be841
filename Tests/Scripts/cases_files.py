"""Damaged, foreign, read-only, full: a named failure, and nothing changed."""

import contextlib
import os
import shutil
import sqlite3
import subprocess

from harness import case, equal
from world import (
    DAMAGED, DENIED, DONE, FAILURE, ITEMS, KEYBAG, STORE, UNAVAILABLE, contents, expect, login, put, reboot,
    secret_of)


def replace(path, data):
    path.unlink()
    path.write_bytes(data)
    os.chmod(path, 0o600)
    os.chown(path, 2001, 2001)


def refused(status, says, path, check=True):
    """Every verb refuses the store as it is, and leaves it so."""
    before = path.lstat()
    for arguments in (["get", "s", "a"], ["list"], ["delete", "s", "a"]):
        expect(status, *arguments, says=says)
    expect(status, "set", "s", "b", give=b"x", says=says)
    result = expect(status, "status")
    equal(result.stdout.decode().splitlines()[0], "unavailable")
    assert says in result.stdout.decode(), result.stdout
    after = path.lstat()
    equal((after.st_ino, after.st_size, after.st_mode, after.st_mtime_ns),
          (before.st_ino, before.st_size, before.st_mode, before.st_mtime_ns))


def stored():
    login()
    put(b"secret", "s", "a")


@case
def a_damaged_file_is_neither_empty_nor_replaced():
    for path in (ITEMS, KEYBAG):
        stored()
        whole = path.read_bytes()
        for data in (b"", whole[:18], b"[section]\nkey=value\n", whole[:-1] + b"!" if path == KEYBAG else whole[:4096]):
            replace(path, data)
            refused(DAMAGED, path.name, path)
            equal(path.read_bytes(), data)
        replace(path, whole)
        equal(secret_of("s", "a"), b"secret")


@case
def a_missing_keybag_beside_items_is_damage():
    stored()
    KEYBAG.unlink()
    refused(DAMAGED, "keybag is missing", ITEMS)
    equal(sorted(contents()), ["items.sqlite", "keybag.previous"])


@case
def another_stores_items_are_damage():
    stored()
    login("bob")
    put(b"bob's", "s", "a", user="bob")
    replace(ITEMS, open("/home/bob/.local/share/vestry/items.sqlite", "rb").read())
    refused(DAMAGED, "different stores", ITEMS)


@case
def one_damaged_item_is_told_apart():
    stored()
    put(b"other", "t", "a")
    with contextlib.closing(sqlite3.connect(ITEMS)) as database:
        database.execute("UPDATE item SET value = zeroblob(60) WHERE row = 1")
        database.execute("UPDATE item SET metadata = zeroblob(60) WHERE row = 1")
        database.commit()
    expect(DAMAGED, "get", "s", "a", says="the item is damaged")
    equal(secret_of("t", "a"), b"other")
    result = expect(DAMAGED, "list", says="1 more damaged")
    equal(result.stdout, b"t\ta\n")
    expect(DONE, "delete", "s", "a")
    expect(DONE, "list")


@case
def a_newer_format_is_left_alone():
    stored()
    with contextlib.closing(sqlite3.connect(ITEMS)) as database:
        database.execute("PRAGMA user_version = 3")
    refused(UNAVAILABLE, "newer release", ITEMS)


@case
def links_and_special_files_are_denied():
    for path in (ITEMS, KEYBAG):
        stored()
        whole = path.read_bytes()
        other = STORE / "elsewhere"
        other.write_bytes(whole)
        makers = (
            lambda: path.symlink_to(other), lambda: path.symlink_to("/etc/passwd"), lambda: os.mkfifo(path),
            lambda: path.mkdir())
        for make in makers:
            path.unlink()
            make()
            refused(DENIED, "link or another special file", path)
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
                path.touch()
        other.unlink()
        replace(path, whole)


@case
def wrong_owners_and_modes_are_denied_by_name():
    for path, name in ((ITEMS, "items.sqlite"), (KEYBAG, "keybag"), (STORE, "store directory")):
        stored()
        os.chown(path, 0, 0)
        refused(DENIED, f"{name} belongs to user 0 and not to user 2001", path)
        os.chown(path, 2001, 2001)
        mode = path.stat().st_mode & 0o777
        os.chmod(path, mode | 0o040)
        refused(DENIED, f"{name} has mode 0{mode | 0o040:o}", path)
        os.chmod(path, mode)
        equal(secret_of("s", "a"), b"secret")


@case
def a_missing_home_is_not_a_missing_keychain():
    stored()
    os.rename("/home/alice", "/home/alice.away")
    try:
        expect(UNAVAILABLE, "get", "s", "a", says="home directory /home/alice is missing")
        assert not os.path.exists("/home/alice")
    finally:
        os.rename("/home/alice.away", "/home/alice")


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


@case
def a_read_only_home_is_read():
    stored()
    before = contents()
    mount("--bind", "/home/alice", "/home/alice")
    try:
        mount("-o", "remount,bind,ro", "/home/alice")
        equal(secret_of("s", "a"), b"secret")
        equal(expect(DONE, "list").stdout, b"s\ta\n")
        expect(FAILURE, "set", "s", "a", give=b"x", says="cannot be written to")
        expect(FAILURE, "delete", "s", "a", says="cannot be written to")
        expect(DONE, "lock", "--all")
        expect(DONE, "unlock", "--password-fd", "0", give=b"correct horse")
        equal(secret_of("s", "a"), b"secret")
    finally:
        subprocess.run(["umount", "/home/alice"], check=True)
    assert contents() == before


@case
def a_full_disk_changes_nothing():
    stored()
    shutil.copytree(STORE, "/run/vestry-test/store")
    mount("-t", "tmpfs", "-o", "size=256k,mode=700,uid=2001,gid=2001", "none", str(STORE))
    try:
        for file in ("items.sqlite", "keybag", "keybag.previous"):
            shutil.copy(f"/run/vestry-test/store/{file}", STORE)
            os.chown(STORE / file, 2001, 2001)
            os.chmod(STORE / file, 0o600)
        with contextlib.suppress(OSError), open(STORE / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        before = contents()
        expect(FAILURE, "set", "s", "a", give=b"x", says="no space left")
        expect(FAILURE, "set", "s", "b", give=bytes(100_000), says="no space left")
        expect(FAILURE, "delete", "s", "a", says="no space left")
        equal(secret_of("s", "a"), b"secret")
        assert contents() == before
        # Neither does the first secret of a store leave half a file.
        ITEMS.unlink()
        with contextlib.suppress(OSError), open(STORE / "filler", "ab", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        expect(FAILURE, "set", "s", "a", give=b"x", says="no space left")
        equal(sorted(contents()), ["filler", "keybag", "keybag.previous"])
        (STORE / "filler").unlink()
        put(b"y", "s", "a")
        equal(secret_of("s", "a"), b"y")
    finally:
        subprocess.run(["umount", str(STORE)], check=True)
        shutil.rmtree("/run/vestry-test/store")
