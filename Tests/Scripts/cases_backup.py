"""Backups: one sealed file, and the way back into a store, on this machine or another one."""

import json
import os
import pathlib
import re

from cases_json import check, out
from cases_terminal import at_terminal
from harness import case, equal
from world import (CANCELLED, DAMAGED, DENIED, DONE, DUPLICATE, FAILURE, LOCKED, MISMATCH, NOT_FOUND, PASSWORDS,
                   UNAVAILABLE, USAGE, contents, expect, login, put, secret_of)

FOLDER = pathlib.Path("/run/vestry-test/backups")
FILE = str(FOLDER / "file")
WORDS = b"four words are enough"


def prepare():
    """A folder for alice alone, empty."""
    FOLDER.mkdir(exist_ok=True)
    for entry in FOLDER.iterdir():
        entry.unlink()
    os.chown(FOLDER, 2001, 2001)
    os.chmod(FOLDER, 0o700)
    login()


def sealed(status, verb, *arguments, passphrase=WORDS, **options):
    """The command, with the passphrase on descriptor 0."""
    return expect(status, verb, "--passphrase-fd=0", *arguments, FILE, give=passphrase + b"\n", **options)


def back_up(*arguments, **options):
    return sealed(DONE, "backup", *arguments, **options)


def listing():
    return json.loads(expect(DONE, "list", "--json", "--class", "any").stdout)["items"]


@case
def a_backup_brings_everything_back_with_dates_and_references():
    prepare()
    put(b"the first", "s", "a", "--label=L", "--comment=C", "--accessible=when-unlocked")
    put(b"x" * 100_000, "s", "b", "--expires=+1d")
    expect(DONE, "set", "--server=h", "--port=443", "n", give=b"net")
    before = listing()
    back_up()
    equal(os.stat(FILE).st_mode & 0o7777, 0o600)
    equal([entry.name for entry in FOLDER.iterdir()], ["file"])
    content = pathlib.Path(FILE).read_bytes()
    assert b"default" not in content and b"the first" not in content
    expect(DONE, "delete", "--all", "--yes")
    expect(DONE, "delete", "--all", "--yes", "--server=h")
    result = sealed(DONE, "restore", "--yes", says="3 added")
    equal(result.stdout, b"")
    equal(listing(), before)
    equal((secret_of("s", "a"), secret_of("s", "b")), (b"the first", b"x" * 100_000))
    sealed(DONE, "restore", "--yes", says="3 unchanged")


@case
def another_machine_with_another_password_takes_it():
    prepare()
    put(b"one", "s", "a")
    put(b"here", "s", "here", "--accessible=when-unlocked-this-device-only")
    back_up(says="without 1 item of this device alone")
    os.chown(FILE, 2002, 2002)
    os.chmod(FOLDER, 0o755)
    login("bob")
    sealed(DONE, "restore", "--yes", user="bob", says="without 1 item of this device alone")
    equal(secret_of("s", "a", user="bob"), b"one")
    expect(NOT_FOUND, "get", "s", "here", user="bob")


@case
def a_wrong_passphrase_a_damaged_file_and_a_newer_one_are_three_answers():
    prepare()
    put(b"one", "s", "a")
    back_up()
    whole = pathlib.Path(FILE).read_bytes()
    before = contents()
    sealed(MISMATCH, "restore", "--yes", passphrase=b"other", says="not the passphrase of the backup")
    for damaged in (whole[:-1], whole[:50], whole[:108], b"", whole[:120] + b"\0" + whole[121:], whole + b"\0"):
        pathlib.Path(FILE).write_bytes(damaged)
        sealed(DAMAGED, "restore", "--yes", says="the backup is damaged")
    pathlib.Path(FILE).write_bytes(whole[:8] + b"\x02" + whole[9:])
    sealed(UNAVAILABLE, "restore", "--yes", says="the backup has version 2")
    equal(contents(), before)
    for path, says in ((FOLDER / "none", "No such file"), (FOLDER, "Invalid argument")):
        message = expect(FAILURE, "restore", "--yes", "--passphrase-fd=0", str(path), give=b"", says=says).stderr
        assert b"name a file that you can read" in message, message
    closed = pathlib.Path(FILE).with_name("closed")
    closed.write_bytes(whole)
    closed.chmod(0)
    # Of root's, with nothing to be put right in the keychain's own folder.
    message = expect(DENIED, "restore", "--yes", "--passphrase-fd=0", str(closed), give=b"").stderr
    assert b".local/share" not in message and b"name a file that you can read" in message, message
    expect(FAILURE, "backup", "--passphrase-fd=0", "/nowhere/file", give=WORDS, says="a folder of yours")


@case
def a_dry_run_and_an_unanswered_question_change_nothing():
    prepare()
    put(b"old", "s", "a")
    put(b"gone", "s", "b")
    back_up()
    put(b"new", "s", "a")
    expect(DONE, "delete", "s", "b")
    before = contents()
    result = sealed(DONE, "restore", "--dry-run", "--merge=incoming", says="1 added, 1 replaced")
    equal(sorted(result.stdout.splitlines()),
          [b"added\tgeneric-password\ts\tb", b"replaced\tgeneric-password\ts\ta"])
    sealed(FAILURE, "restore", says="no terminal to ask on")
    equal({name: data for name, data in contents().items() if "journal" not in name}, before)


@case
def the_rules_keep_what_they_say():
    prepare()
    put(b"old", "s", "a")
    back_up()
    put(b"new", "s", "a")
    for rule, secret, says in (("newest", b"new", "1 kept"), ("stored", b"new", "1 kept"),
                               ("keep-both", b"new", "1 added-beside"), ("incoming", b"old", "1 replaced")):
        sealed(DONE, "restore", "--yes", "--merge", rule, says=says)
        equal(secret_of("s", "a"), secret, rule)
    equal(secret_of("s", "a (2)"), b"old")
    sealed(USAGE, "restore", "--yes", "--merge=mine", says="needs one of newest, stored, incoming, keep-both, ask")


@at_terminal
def a_person_says_yes_and_decides_each_conflict(make):
    prepare()
    put(b"old", "s", "a")
    put(b"old", "s", "b")
    back_up()
    put(b"new", "s", "a")
    put(b"new", "s", "b")
    terminal = make("restore", "--merge=ask", FILE)
    terminal.wait_for(b"Passphrase of the backup: ")
    assert not terminal.echoes
    terminal.type(WORDS + b"\n")
    terminal.wait_for(b"s a: stored 2")
    terminal.type(b"what\n")
    terminal.wait_for(b"b(oth): what\r\ns a: stored 2")
    terminal.type(b"i\n")
    terminal.wait_for(b"s b: stored 2")
    terminal.type(b"s\n")
    terminal.wait_for(b"1 replaced, 1 kept. Go on? Type yes: ")
    terminal.type(b"yes\n")
    equal(terminal.end()[0], DONE)
    equal((secret_of("s", "a"), secret_of("s", "b")), (b"old", b"new"))
    terminal = make("restore", FILE)
    terminal.wait_for(b"Passphrase")
    terminal.type(WORDS + b"\n")
    terminal.wait_for(b"Go on?")
    terminal.type(b"no\n")
    equal(terminal.end()[0], CANCELLED)


@at_terminal
def a_passphrase_is_asked_for_twice(make):
    prepare()
    put(b"one", "s", "a")
    for again, status in ((b"other", MISMATCH), (WORDS, DONE)):
        terminal = make("backup", FILE)
        terminal.wait_for(b"Passphrase for the backup: ")
        terminal.type(WORDS + b"\n")
        terminal.wait_for(b"The same again: ")
        assert not terminal.echoes
        terminal.type(again + b"\n")
        equal(terminal.end()[0], status)
        equal(os.path.exists(FILE), status == DONE)
    sealed(DONE, "restore", "--yes", says="1 unchanged")


@at_terminal
def a_recovery_code_is_shown_once_or_written_once(make):
    prepare()
    put(b"one", "s", "a")
    terminal = make("backup", "--recovery-code", FILE)
    status, shown = terminal.end()
    equal(status, DONE)
    code = re.search(rb"Recovery code: ((?:[0-9A-Z]{4}-){13}[0-9A-Z*~$=])\r\n", shown).group(1)
    sealed(DONE, "restore", "--yes", passphrase=code.lower().replace(b"-", b" "), says="1 unchanged")
    wrong = (b"1" if code[:1] == b"0" else b"0") + code[1:]
    sealed(MISMATCH, "restore", "--yes", passphrase=wrong, says="mistyped")
    expect(FAILURE, "backup", "--recovery-code", "--force", FILE, says="no terminal to show the recovery code on")
    written = FOLDER / "code"
    expect(DONE, "backup", "--code-output", str(written), "--force", FILE)
    equal(written.stat().st_mode & 0o7777, 0o600)
    sealed(DONE, "restore", "--yes", passphrase=written.read_bytes(), says="1 unchanged")
    expect(DUPLICATE, "backup", "--code-output", str(written), "--force", FILE, says="the file exists already")
    sealed(MISMATCH, "restore", "--yes", passphrase=code, says="not the recovery code")


@case
def nothing_is_replaced_or_left_out_unasked():
    prepare()
    put(b"one", "s", "a")
    put(b"two", "s", "b", "--accessible=when-unlocked")
    put(b"three", "s", "c", "--require-password")
    sealed(LOCKED, "backup", says="asks for the login password")
    back_up("--readable-only", says="without 1 item that could not be read")
    sealed(DUPLICATE, "backup", says="the file exists already")
    expect(DONE, "lock")
    sealed(LOCKED, "backup", "--force", says="1 item cannot be read now")
    result = out("backup", "--json", "--passphrase-fd=0", "--readable-only", "--force", FILE, give=WORDS)
    equal(result, {"items": 1, "thisDeviceOnly": 0, "applicationPassword": 0, "locked": 2, "damaged": 0})
    check(result, "backup")
    sealed(USAGE, "backup", "--force", passphrase=b"", says="an empty passphrase")
    expect(DONE, "lock", "--all")
    sealed(LOCKED, "backup", "--force")
    sealed(LOCKED, "restore", "--yes")


@at_terminal
def items_that_ask_are_asked_for_once(make):
    prepare()
    put(b"one", "s", "a", "--require-password")
    put(b"two", "s", "b", "--require-password")
    terminal = make("backup", "--code-output", str(FOLDER / "code"), FILE)
    terminal.wait_for(b"Login password to read all items that ask for it: ")
    terminal.type(PASSWORDS["alice"] + b"\n")
    status, shown = terminal.end()
    equal((status, shown.count(b"Login password")), (DONE, 1))
    expect(DONE, "delete", "--all", "--yes")
    sealed(DONE, "restore", "--yes", passphrase=(FOLDER / "code").read_bytes(), says="2 added")
    expect(LOCKED, "get", "s", "a", says="asks for the login password at each read")


@case
def results_of_restore_have_the_documented_members():
    prepare()
    put(b"one", "s", "a")
    back_up()
    put(b"new", "s", "a")
    result = out("restore", "--json", "--dry-run", "--passphrase-fd=0", FILE, give=WORDS)
    check(result, "restore")
    check(result["items"][0], "Merged items", "Items", "Generic passwords")
    equal((result["dryRun"], result["items"][0]["result"], result["items"][0]["conflict"]), (True, "kept", True))
    expect(USAGE, "restore", says="expected one FILE")
    expect(USAGE, "backup", "--recovery-code", "--passphrase-fd=0", FILE, says="exclude each other")


@case
def a_backup_that_fails_leaves_nothing():
    prepare()
    put(b"one", "s", "a")
    os.chmod(FOLDER, 0o500)
    expect(FAILURE, "backup", "--passphrase-fd=0", "/dev/full/x", give=WORDS)
    result = expect(DENIED, "backup", "--passphrase-fd=0", FILE, give=WORDS, says="Permission denied")
    equal(result.stdout, b"")
    os.chmod(FOLDER, 0o700)
    equal(list(FOLDER.iterdir()), [])
