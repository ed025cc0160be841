"""What opens the keychain besides the login password, and the way back with it."""

import json
import os
import pathlib
import re

from harness import case, equal
from world import (
    DONE, DUPLICATE, FAILURE, KEYBAG, LOCKED, MISMATCH, NOT_FOUND, PASSWORDS, USAGE, Terminal, contents, expect, login,
    put, reboot, secret_of, vestry)

FOLDER = pathlib.Path("/run/vestry-test/protectors")
OLD, NEW = PASSWORDS["alice"], b"a new one"


def folder():
    FOLDER.mkdir(mode=0o755, exist_ok=True)
    os.chown(FOLDER, 2001, 2001)
    for path in FOLDER.iterdir():
        path.unlink()
    return FOLDER


def listed():
    return json.loads(expect(DONE, "protectors", "list", "--json").stdout)["protectors"]


def kinds():
    return [protector["kind"] for protector in listed()]


def add(*arguments, password=OLD, status=DONE, **options):
    return expect(status, "protectors", "add", *arguments, "--password-fd", "0", give=password, **options)


def recover(status, secret, *options, new=NEW, says=""):
    read, write = os.pipe()
    os.write(write, new)
    os.close(write)
    try:
        return expect(
            status, "recover", *options, "--new-password-fd", str(read), give=secret, pass_fds=[read], says=says)
    finally:
        os.close(read)


@case
def a_recovery_code_in_a_file_brings_the_secrets_back():
    login()
    put(b"hunter2", "db", "app")
    path = folder() / "code"
    add("recovery-code", "--output", str(path), "--label", "in the safe")
    status = path.stat()
    equal((status.st_uid, status.st_mode & 0o7777), (2001, 0o600))
    code = path.read_bytes()
    assert re.fullmatch(rb"([0-9A-HJKMNP-TV-Z]{4}-){13}[0-9A-Z*~$=]", code), code
    found = listed()
    equal([(p["kind"], p["label"]) for p in found], [("login-password", None), ("recovery-code", "in the safe")])
    assert all(re.fullmatch("[0-9a-f]{32}", p["id"]) and p["created"] > 1_700_000_000 for p in found), found
    lines = expect(DONE, "protectors", "list").stdout.decode().splitlines()
    equal([line.split("\t")[1::2] for line in lines], [["login-password", ""], ["recovery-code", "in the safe"]])
    # The password is lost: root sets a new one, and the machine has been off.
    reboot()
    login(password=NEW)
    equal(vestry("get", "db", "app").returncode, 4)
    recover(DONE, code.lower().replace(b"-", b" ") + b"\n", "--password-fd", "0")
    equal(secret_of("db", "app"), b"hunter2")
    reboot()
    equal(login(password=NEW)[1], "opened/counts")
    equal(secret_of("db", "app"), b"hunter2")
    equal(kinds(), ["login-password", "recovery-code"])


@case
def a_mistyped_code_is_told_before_anything_is_tried():
    login()
    path = folder() / "code"
    add("recovery-code", "--output", str(path))
    code = path.read_bytes()
    before = contents()
    wrong = code[:-1] + (b"8" if code[-1:] == b"7" else b"7")
    recover(MISMATCH, wrong, "--password-fd", "0", says="its check symbol differs")
    recover(MISMATCH, code[:-2], "--password-fd", "0", says="too few or too many symbols")
    recover(MISMATCH, b"!" + code, "--password-fd", "0", says="a symbol that no code has")
    equal(contents(), before)


@case
def a_recovery_code_is_shown_on_a_terminal_alone():
    login()
    before = contents()
    add("recovery-code", status=FAILURE, says="shown on a terminal alone")
    equal(contents(), before)
    terminal = Terminal("protectors", "add", "recovery-code")
    try:
        terminal.wait_for(b"Login password of alice: ")
        terminal.type(OLD + b"\n")
        status, shown = terminal.end()
    finally:
        terminal.close()
    equal(status, DONE)
    code = re.search(rb"([0-9A-Z]{4}-){13}[0-9A-Z*~$=]", shown)
    assert code and b"shown this once" in shown and OLD not in shown, shown
    recover(DONE, code.group(), "--password-fd", "0")


@case
def a_passphrase_and_a_key_file_open_it_too():
    login()
    put(b"hunter2", "db", "app")
    path = folder() / "key"
    read, write = os.pipe()
    os.write(write, b"five random words here\n")
    os.close(write)
    expect(DONE, "protectors", "add", "passphrase", "--passphrase-fd", str(read), "--password-fd", "0", give=OLD,
           pass_fds=[read])
    os.close(read)
    add("key-file", str(path), "--make")
    equal((path.stat().st_mode & 0o7777, len(path.read_bytes())), (0o600, 32))
    equal(kinds(), ["login-password", "passphrase", "key-file"])
    # An account without a password, as passwd -d leaves it, still has its secrets.
    reboot()
    login(password=b"")
    equal(vestry("get", "db", "app").returncode, 4)
    expect(MISMATCH, "unlock", "--with", "passphrase", "--password-fd", "0", give=OLD, says="this passphrase opens nothing")
    expect(DONE, "unlock", "--with", "passphrase", "--password-fd", "0", give=b"five random words here")
    equal(secret_of("db", "app"), b"hunter2")
    recover(DONE, b"five random words here", "--with", "passphrase", "--password-fd", "0", new=b"one")
    recover(DONE, b"", "--with", "key-file", "--with-file", str(path), new=b"two")
    reboot()
    login(password=b"two")
    equal(secret_of("db", "app"), b"hunter2")
    # Another file, one that is too small, and none at all.
    (folder() / "other").write_bytes(b"x" * 32)
    recover(MISMATCH, b"", "--with", "key-file", "--with-file", str(FOLDER / "other"), says="this key file opens nothing")
    (FOLDER / "small").write_bytes(b"x" * 31)
    recover(FAILURE, b"", "--with", "key-file", "--with-file", str(FOLDER / "small"), says="32 bytes to 16 MiB")
    recover(FAILURE, b"", "--with", "key-file", "--with-file", str(FOLDER / "none"), says="No such file")


@case
def a_protector_is_removed_and_the_login_password_stays():
    login()
    folder()
    for name in ("one", "two"):
        add("key-file", str(FOLDER / name), "--make", "--label", name)
    first, second, third = (protector["id"] for protector in listed())
    before = contents()
    expect(FAILURE, "protectors", "remove", first, says="the login password always opens")
    expect(NOT_FOUND, "protectors", "remove", "", says="no protector has this id")
    expect(NOT_FOUND, "protectors", "remove", "xyz", says="no protector has this id")
    expect(MISMATCH, "protectors", "remove", second, "--password-fd", "0", give=b"wrong")
    equal(contents(), before)
    expect(DONE, "protectors", "remove", second[:12].upper(), "--password-fd", "0", give=OLD)
    # By its own secret, the last one that is not the login password's.
    result = expect(
        DONE, "protectors", "remove", third, "--with", "key-file", "--with-file", str(FOLDER / "two"))
    assert b"only the login password opens" in result.stderr, result.stderr
    equal(kinds(), ["login-password"])


@case
def no_file_is_replaced_and_none_is_left_of_a_failure():
    login()
    path = folder() / "there"
    path.write_bytes(b"something else")
    add("recovery-code", "--output", str(path), status=DUPLICATE)
    add("key-file", str(path), "--make", status=DUPLICATE)
    equal(path.read_bytes(), b"something else")
    result = add("key-file", str(FOLDER / "none" / "new"), "--make", status=FAILURE)
    assert b"in a folder that you can write to" in result.stderr, result.stderr
    for arguments in (["recovery-code", "--output", str(FOLDER / "new")], ["key-file", str(FOLDER / "new"), "--make"]):
        add(*arguments, password=b"wrong", status=MISMATCH)
        equal((FOLDER / "new").exists(), False)
    equal(kinds(), ["login-password"])


@case
def what_is_no_protector_is_refused_before_any_question():
    login()
    before = contents()
    for arguments in (
            [], ["frob"], ["add"], ["add", "password"], ["add", "key-file"], ["remove"], ["list", "x"],
            ["add", "passphrase", "--output", "x"], ["add", "recovery-code", "--make"],
            ["add", "recovery-code", "--label", "x" * 65], ["list", "--label", "x"],
            ["add", "passphrase", "--with", "key-file"], ["add", "passphrase", "--with", "frob"]):
        expect(USAGE, "protectors", *arguments)
    # One descriptor for two secrets: nothing is read, so the first does not take both.
    for arguments in (
            ["rewrap", "--old-password-fd", "0", "--new-password-fd", "0"],
            ["recover", "--password-fd", "0", "--new-password-fd", "0"],
            ["protectors", "add", "passphrase", "--password-fd", "0", "--passphrase-fd", "0"]):
        expect(USAGE, *arguments, give=OLD + b"\n" + NEW + b"\n", says="need a descriptor each")
    expect(USAGE, "recover", "CODE", says="never taken from the arguments")
    expect(NOT_FOUND, "recover", says="no recovery code")
    add("passphrase", "--passphrase-fd", "9", status=FAILURE)
    equal(contents(), before)


@case
def another_machines_items_stay_behind_and_are_counted():
    login()
    put(b"anywhere", "db", "app")
    for name in ("one", "two"):
        put(b"here", "db", name, "--accessible", "after-first-unlock-this-device-only")
    put(b"asks", "db", "asks", "--accessible", "after-first-unlock-this-device-only", "--access-control=user-presence")
    put(b"still here", "db", "two", "--accessible", "after-first-unlock-this-device-only")
    # What a copied home finds on another machine.
    key = pathlib.Path("/var/lib/vestry/device.key")
    own = key.read_bytes()
    try:
        key.write_bytes(os.urandom(32))
        reboot()
        login()
        status = json.loads(vestry("status", "--json").stdout)
        equal((status["state"], status["isOfAnotherMachine"]), ("unlocked", True))
        expect(LOCKED, "get", "db", "one", says="this item is another machine's")
        assert b"'vestry rewrap' lets new ones be stored" in vestry("status").stdout
        read, write = os.pipe()
        os.write(write, OLD)
        os.close(write)
        result = expect(
            DONE, "rewrap", "--old-password-fd", "0", "--new-password-fd", str(read), give=OLD, pass_fds=[read])
        os.close(read)
        assert b"3 this-device-only items are another machine's" in result.stderr, result.stderr
        equal(json.loads(vestry("status", "--json").stdout)["isOfAnotherMachine"], False)
        equal(secret_of("db", "app"), b"anywhere")
        put(b"new", "db", "three", "--accessible", "after-first-unlock-this-device-only")
        equal(secret_of("db", "three"), b"new")
        # They are locked here, and not damaged: nothing puts them aside.
        for verb in ("get", "show"):
            message = expect(LOCKED, verb, "db", "one", says="this item is another machine's").stderr
            assert b"'vestry delete' makes room" in message
            assert b"'vestry get' prints it there" in message and b"log in with your" not in message, message
        expect(LOCKED, "get", "db", "asks")
        for arguments, status in ((["list"], DONE), (["check"], LOCKED)):
            message = expect(status, *arguments, says="no password opens these here").stderr
            assert b"log in with your" not in message, message
        before = contents()
        expect(LOCKED, "check", says="not checked, because locked: 3 items, 1 old secret or deleted item\n")
        expect(LOCKED, "check", "--password-fd", "0", says="3 items", give=OLD)
        equal(expect(DONE, "repair", "--yes").stdout.splitlines()[0], b"nothing to repair")
        equal(contents(), before)
        # A rotation goes on without them, and keeps their key.
        result = vestry("rotate", "--json", "--password-fd", "0", give=OLD)
        left = json.loads(result.stdout)["left"]
        equal((result.returncode, len(left)), (FAILURE, 3))
        for item in left:
            equal(list(item), ["reference", "reason"])
            equal(re.fullmatch("[0-9a-f]{32}", item["reference"]) is not None, True, item["reference"])
            assert f"{item['reference']}: {item['reason']}".encode() in result.stderr, result.stderr
        assert b'"message":"3 items could not be sealed anew, which keep ' in result.stderr, result.stderr
        equal(secret_of("db", "three"), b"new")
    finally:
        key.write_bytes(own)
    # Nor has their own machine lost them, and it can store new ones beside them.
    reboot()
    login()
    expect(DONE, "unlock", "--with", "passphrase", "--password-fd", "0", give=OLD)
    equal(secret_of("db", "one"), b"here")
    reboot()
    login()
    read, write = os.pipe()
    os.write(write, OLD)
    os.close(write)
    recovery = ("recover", "--with", "passphrase", "--password-fd", "0", "--new-password-fd", str(read))
    result = expect(DONE, *recovery, give=OLD, pass_fds=[read])
    os.close(read)
    assert b"1 this-device-only item is another machine's" in result.stderr, result.stderr
    reboot()
    login()
    put(b"and here", "db", "four", "--accessible", "after-first-unlock-this-device-only")
    for name, secret in (("one", b"here"), ("two", b"still here"), ("four", b"and here"), ("app", b"anywhere")):
        equal(secret_of("db", name), secret, name)
    expect(LOCKED, "get", "db", "three")


@case
def a_device_key_out_of_reach_is_not_another_machine():
    login()
    put(b"anywhere", "db", "app")
    put(b"here", "db", "one", "--accessible", "after-first-unlock-this-device-only")
    key = pathlib.Path("/var/lib/vestry/device.key")
    away = key.with_name("device.key.away")
    try:
        key.rename(away)
        reboot()
        login()
        status = json.loads(vestry("status", "--json").stdout)
        equal((status["state"], status["deviceKey"], status["isOfAnotherMachine"]), ("unlocked", "missing", False))
        text = vestry("status").stdout.decode()
        assert "this machine's device key is missing" in text and "device-key status" in text, text
        equal(secret_of("db", "app"), b"anywhere")
        expect(LOCKED, "get", "db", "one")
    finally:
        away.rename(key)
    # It is there again, and an unlock is all that it takes.
    equal(json.loads(vestry("status", "--json").stdout)["deviceKey"], "missed")
    assert b"not at hand at the last unlock\nnext: run 'vestry unlock'" in vestry("status").stdout
    expect(DONE, "unlock", "--password-fd", "0", give=OLD)
    equal(json.loads(vestry("status", "--json").stdout)["deviceKey"], None)
    equal(secret_of("db", "one"), b"here")


@case
def what_did_not_follow_a_new_password_is_named():
    login()
    put(b"hunter2", "db", "app")
    equal(login(password=NEW)[1], "followed/counts")
    status = json.loads(vestry("status", "--json").stdout)
    assert "presence" in status["classesBehind"] and status["behindSince"] > 1_700_000_000, status
    text = vestry("status").stdout.decode()
    assert "does not open, for they were not open when it was new: " in text and "vestry rewrap" in text, text
    equal(kinds(), ["login-password", "previous-password"])
    reboot()
    equal(login(password=NEW)[1], "opened/counts")
    equal(secret_of("db", "app"), b"hunter2")
    recover(DONE, OLD, "--with", "previous-password", "--password-fd", "0")
    status = json.loads(vestry("status", "--json").stdout)
    equal((status["classesBehind"], status["behindSince"]), ([], None))
    assert KEYBAG.exists()
