"""Names, passwords and clocks as people and machines have them."""

import contextlib
import json
import os
import pathlib
import subprocess
import unicodedata

from harness import case, equal
from helper_client import HELPER, OPEN, Reply, ask_raw, request, set_record
from keyctl import Process
from world import (
    DONE, LOCKED, MISMATCH, NOT_FOUND, STORE, expect, login, logout, put, reboot, secret_of, vestry)

LOCALES = ("C", "C.UTF-8", "de_DE.ISO-8859-1", "nonsense")


def unlock(password, status=DONE, **options):
    expect(DONE, "lock", "--all")
    expect(status, "unlock", "--password-fd", "0", give=password, **options)


@case
def a_password_is_its_bytes_in_every_locale():
    password = "Straße 漢 é 😀"
    login(password=password.encode())
    for name in LOCALES:
        unlock(password.encode(), environment={"LC_ALL": name, "LANG": name})
    # What looks the same is another password, as it is for pam_unix.
    unlock(unicodedata.normalize("NFD", password).encode(), MISMATCH)
    unlock(password.encode("utf-16"), MISMATCH)


@case
def one_line_end_is_none_of_the_password():
    # More passwords: passwords_are_bytes_cut_at_512 of the helper's tests.
    for password in (b" -a:b\\ ", b"p" * 513):
        reboot()
        fresh_store()
        login(password=password)
        for end in (b"", b"\n", b"\r\n"):
            unlock(password + end)
        if len(password) < 512:
            unlock(password + b"\n\n", MISMATCH)
            unlock(b" " + password, MISMATCH)
            unlock(password + b" ", MISMATCH)
        else:
            # As for pam_unix, what stands after the 512th byte does not count.
            unlock(password[:512] + b"something else")


def fresh_store():
    subprocess.run(["rm", "-rf", "/home/alice/.local"], check=True)


@contextlib.contextmanager
def accounts(*lines):
    passwd = pathlib.Path("/etc/passwd")
    before = passwd.read_text()
    try:
        passwd.write_text(before + "".join(line + "\n" for line in lines))
        yield
    finally:
        passwd.write_text(before)


@case
def a_name_of_digits_is_a_name_and_a_number_says_so():
    login("bob")
    put(b"bob's", "s", "a", user="bob")
    with accounts("2002:x:3000:3000::/home/digits:/bin/sh"):
        # Not bob, whose user ID it is.
        expect(DONE, "lock", "--all", "--user", "2002", user="root")
        equal(secret_of("s", "a", user="bob"), b"bob's")
        expect(DONE, "lock", "--all", "--user", "uid:2002", user="root")
        expect(4, "get", "s", "a", user="bob")
    for wrong in ("uid:", "uid:2999", "uid:-1", "uid:4294967295", "uid:99999999999", "uid:2002x", "uid: 2002", "0x7d2"):
        expect(NOT_FOUND, "lock", "--all", "--user", wrong, user="root", says="there is no account")


def clock():
    """The library that sets the clock of a program to CLOCK_SECONDS."""
    library = "/run/vestry-test/clock.so"
    source = pathlib.Path(__file__).resolve().parent / "programs" / "clock.c"
    if not os.path.exists(library):
        subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    return library


@case
def a_machine_that_starts_in_1970_keeps_everything():
    library = clock()
    login()
    put(b"of now", "s", "old")
    modified = json.loads(expect(DONE, "show", "--json", "s", "old").stdout)["modified"]
    reboot()
    wrapper = pathlib.Path("/run/vestry-test/helper-of-1970")
    wrapper.write_text(f"#!/bin/sh\nLD_PRELOAD={library} CLOCK_SECONDS=60 exec {HELPER}\n")
    wrapper.chmod(0o755)
    equal(Reply(ask_raw(request(OPEN, "alice", b"correct horse"), helper=str(wrapper))).result, "opened")
    then = {"LD_PRELOAD": library, "CLOCK_SECONDS": "90"}
    equal(secret_of("s", "old", environment=then), b"of now")
    put(b"of then", "s", "new", environment=then)
    put(b"again", "s", "old", environment=then)
    shown = json.loads(expect(DONE, "show", "--json", "s", "new", environment=then).stdout)
    equal((shown["created"], shown["modified"]), (90, 90))
    shown = json.loads(expect(DONE, "show", "--json", "s", "old").stdout)
    assert shown["modified"] >= modified, "it went backwards"
    expect(DONE, "check", environment=then)
    # And the jump to now, and past it.
    for environment in ({}, {"LD_PRELOAD": library, "CLOCK_SECONDS": "4102444800"}):
        equal(secret_of("s", "old", environment=environment), b"again")
        equal(secret_of("s", "new", environment=environment), b"of then")
        put(b"again", "s", "new", environment=environment)
        put(b"of then", "s", "new", environment=environment)
        expect(DONE, "check", environment=environment)
    os.unlink(wrapper)


@case
def an_account_without_a_password_chooses_what_opens_its_keychain():
    # EMP-1.
    set_record("alice", "")
    session = login(password=b"")[0]
    equal(status_of("no-password", "no-password", status=NOT_FOUND)["code"], None)
    text = vestry("status").stdout.decode()
    assert text.startswith("no-password\n") and "'vestry protectors add passphrase'" in text, text
    message = expect(NOT_FOUND, "set", "s", "a", give=b"hunter2", says="no password that could open").stderr
    assert b"'vestry protectors add passphrase'" in message, message
    error = json.loads(vestry("get", "--json", "s", "a").stderr)["error"]
    equal((error["code"], error["name"], error["status"]), (-25294, "noPassword", NOT_FOUND))
    for arguments in (["unlock"], ["rewrap"], ["protectors", "list"], ["protectors", "remove", "x"]):
        expect(NOT_FOUND, *arguments, says="no password that could open")
    equal(STORE.exists(), False)
    finding = [check for check in doctor() if check["code"] == "no-password"]
    equal([(check["result"], "passphrase" in check["fix"]) for check in finding], [("warning", True)])
    result = expect(DONE, "protectors", "add", "passphrase", "--passphrase-fd", "0", give=b"five random words\n")
    assert b"'vestry unlock --with passphrase' opens" in result.stderr, result.stderr
    put(b"hunter2", "s", "a")
    expect(NOT_FOUND, "rewrap", says="no login password yet")
    logout(session)
    reboot()
    login(password=b"")
    status = status_of("locked", "no-password", status=LOCKED)
    assert "vestry unlock --with KIND" in status["next"], status
    equal(status["classesBehind"], [])
    expect(LOCKED, "get", "s", "a")
    expect(DONE, "unlock", "--with", "passphrase", "--password-fd", "0", give=b"five random words")
    equal(secret_of("s", "a"), b"hunter2")
    # It gets a password, and the machine has been off.
    reboot()
    equal(login(password=b"new")[1], "wrong-password/counts")
    status = status_of("locked", "password-mismatch", status=LOCKED)
    assert "'vestry recover --with KIND'" in status["next"], status
    read, write = os.pipe()
    os.write(write, b"new")
    os.close(write)
    expect(DONE, "recover", "--with", "passphrase", "--password-fd", "0", "--new-password-fd", str(read),
           give=b"five random words", pass_fds=[read])
    os.close(read)
    reboot()
    equal(login(password=b"new")[1], "opened/counts")
    equal(secret_of("s", "a"), b"hunter2")


@case
def a_login_that_gave_something_else_is_told_as_what_it_is():
    # NPW-5.
    login()
    put(b"hunter2", "s", "a")
    reboot()
    session = Process(session_of="alice")
    equal(session("ask(OPEN, 'alice', b'correct horse123456', is_accounts=False)"), "not-the-password/counts")
    status = status_of("locked", "other-secret", status=LOCKED)
    equal(status["mismatchSince"], None)
    assert "vestry doctor" in status["next"], status
    equal([check["result"] for check in doctor() if check["code"] == "other-secret"], ["warning"])
    session.end()
    login()
    equal(secret_of("s", "a"), b"hunter2")


def status_of(state, reason, status=DONE):
    found = json.loads(expect(status, "status", "--json").stdout)
    equal((found["state"], found["reason"]), (state, reason))
    return found


def doctor():
    return json.loads(vestry("doctor", "--json").stdout)["checks"]
