"""Old secrets, deleted items and snapshots, as the command shows them."""

import json
import os
import pathlib
import shutil
import subprocess
import time

from cases_accounts import clock
from cases_items import CERTIFICATES
from cases_json import check
from cases_repair import edit, repair, report, steps, stored, whole
from cases_terminal import at_terminal
from harness import case, equal
from world import (
    CANCELLED, DAMAGED, DENIED, DONE, FAILURE, ITEMS, KEYBAG, LOCKED, MISMATCH, NOT_FOUND, PASSWORDS, STORE, USAGE, expect,
    login, logout, put, reboot, secret_of, start)

SETTINGS = pathlib.Path("/home/alice/.config/vestry/history")


def parsed(*arguments):
    return json.loads(expect(DONE, *arguments, "--json").stdout)


def entries(*arguments):
    return parsed("history", *arguments)["entries"]


def internet(secret, server, account, *options):
    expect(DONE, "set", "--server", server, *options, account, give=secret)


@case
def undo_brings_back_the_secret_before_and_takes_that_back():
    login()
    for secret in (b"one", b"two", b"three"):
        put(secret, "s", "a")
    equal([(entry["number"], entry["kind"]) for entry in entries("s", "a")], [(1, "old-secret"), (2, "old-secret")])
    text = expect(DONE, "history", "s", "a").stdout.decode()
    assert text.startswith("1\told-secret\treplaced 20") and text.count("\n") == 2, text
    expect(DONE, "undo", "s", "a")
    equal(secret_of("s", "a"), b"two")
    equal(parsed("undo", "--number", "2", "s", "a")["undone"]["number"], 2)
    equal(secret_of("s", "a"), b"one")
    expect(NOT_FOUND, "undo", "--number", "3", "s", "a", says="number 3")
    expect(NOT_FOUND, "undo", "nothing", "a")
    expect(NOT_FOUND, "history", "nothing", "a")
    expect(USAGE, "undo", "--number", "0", "s", "a")


@case
def a_deleted_item_comes_back_by_whatever_names_it():
    login()
    internet(b"web", "h.example.org", "alice", "--protocol", "https")
    put(b"labelled", "s", "a", "--label", "only this")
    expect(DONE, "set", "--certificate", str(CERTIFICATES / "ec.cer"), "--label", "web")
    for named in (["--server", "h.example.org", "alice"], ["--server", "h.example.org", "--protocol", "https"],
                  ["--label", "only this"], ["--class", "certificate", "--label", "web"]):
        expect(DONE, "delete", *named)
        expect(NOT_FOUND, "show", *named)
        equal([entry["kind"] for entry in entries(*named)], ["deleted-item"], named)
        expect(DONE, "undo", *named)
        expect(DONE, "show", *named)
    equal(expect(DONE, "get", "--server", "h.example.org", "alice").stdout, b"web")
    # Not one of other names, and none of two.
    expect(DONE, "delete", "--server", "h.example.org", "alice")
    for other in (["--server", "h.example.org", "bob"], ["--server", "h.example.org", "--protocol", "imap", "alice"],
                  ["--synchronizable", "yes", "--server", "h.example.org", "alice"], ["--label", "another"]):
        expect(NOT_FOUND, "undo", *other)
    internet(b"bob's", "h.example.org", "bob")
    expect(DONE, "delete", "--server", "h.example.org", "bob")
    expect(USAGE, "undo", "--server", "h.example.org", says="2 items match")
    # What is locked may be it.
    internet(b"later", "locked.example.org", "alice", "--accessible", "when-unlocked")
    expect(DONE, "delete", "--server", "locked.example.org", "alice")
    expect(DONE, "lock")
    expect(LOCKED, "undo", "--server", "locked.example.org", "alice")
    equal(expect(DONE, "undo", "--server", "h.example.org", "alice").stdout, b"")


@case
def a_deleted_item_is_listed_and_comes_back():
    login()
    put(b"one", "s", "a", "--label", "L")
    put(b"two", "locked", "a", "--accessible", "when-unlocked")
    expect(DONE, "delete", "s", "a")
    expect(DONE, "delete", "--all", "--yes", "locked")
    expect(NOT_FOUND, "get", "s", "a")
    items = parsed("deleted")["items"]
    equal([item["service"] for item in items], ["locked", "s"])
    days = (items[0]["keptUntil"] - time.time()) / 86_400
    assert 30 <= days <= 31, days
    line = expect(DONE, "deleted").stdout.decode().splitlines()[1].split("\t")
    equal((line[0], line[1], line[3:]), ("generic-password", items[1]["reference"], ["s", "a"]))
    expect(DONE, "lock")
    equal(expect(DONE, "deleted").stderr.split(b"\n")[0], b"vestry: 1 more locked")
    expect(DONE, "undo", "locked", "a")
    expect(LOCKED, "get", "locked", "a")
    expect(DONE, "undo", "--reference", items[1]["reference"])
    equal(secret_of("s", "a"), b"one")
    equal(parsed("show", "s", "a")["label"], "L")


@case
def nothing_is_kept_where_nothing_is_to_be():
    login()
    put(b"MARK-ONE", "s", "a")
    put(b"MARK-TWO", "s", "a", "--no-history")
    equal(entries("s", "a"), [])
    expect(DONE, "delete", "--no-history", "s", "a")
    equal(parsed("deleted")["items"], [])
    SETTINGS.parent.mkdir(parents=True)
    try:
        SETTINGS.write_text("old-values = 0\ndeleted-days = 0\nsnapshots = 0\n")
        put(b"one", "s", "a")
        put(b"two", "s", "a")
        expect(DONE, "delete", "s", "a")
        expect(NOT_FOUND, "history", "s", "a")
        SETTINGS.write_text("old-values = 0\ndeleted = 0\n")
        put(b"one", "s", "a")
        expect(USAGE, "set", "s", "a", give=b"two", says="~/.config/vestry/history:2")
        expect(USAGE, "set", "s", "a", give=b"two", says="put that file right")
        SETTINGS.chmod(0o666)
        message = expect(DENIED, "set", "s", "a", give=b"two", says="put that file right").stderr
        assert b".local/share" not in message, message
        equal(secret_of("s", "a"), b"one")
    finally:
        shutil.rmtree(SETTINGS.parent.parent)


@case
def what_is_kept_is_erased_on_request():
    login()
    for name in ("s", "t"):
        put(b"one", name, "a")
        put(b"two", name, "a")
    equal(parsed("history", "--erase", "s", "a"), {"erased": 1})
    equal(entries("s", "a"), [])
    equal(len(entries("t", "a")), 1)
    expect(DONE, "delete", "s", "a")
    name = expect(DONE, "snapshots", "make").stdout.decode().strip()
    expect(FAILURE, "erase", "--all", says="no terminal to ask on")
    expect(USAGE, "erase", says="--history")
    told = expect(DONE, "erase", "--history", "--yes").stderr.decode()
    assert told.startswith("vestry: 1 snapshot may still hold it\nvestry: hint: "), told
    equal(parsed("erase", "--all", "--yes"), {"oldSecrets": 0, "deletedItems": 1, "snapshots": 1})
    equal(os.listdir(STORE / "snapshots"), [])
    equal(secret_of("t", "a"), b"two")
    expect(NOT_FOUND, "snapshots", "delete", name)


@at_terminal
def the_person_at_the_terminal_is_asked_before_everything_goes(terminal):
    login()
    put(b"one", "s", "a")
    put(b"two", "s", "a")
    name = expect(DONE, "snapshots", "make").stdout.decode().strip()
    for verb, question in ((("erase", "--history"), b"for good? Type yes: "),
                           (("snapshots", "restore", name), b"that there are now? Type yes: ")):
        person = terminal(*verb)
        person.wait_for(question)
        person.type(b"no\n")
        equal(person.end()[0], CANCELLED, verb)
    equal(len(entries("s", "a")), 1)
    person = terminal("erase", "--history")
    person.wait_for(b"Type yes: ")
    person.type(b"yes\n")
    equal(person.end()[0], DONE)
    equal(entries("s", "a"), [])


@case
def a_snapshot_is_restored_in_one_step_and_taken_back():
    login()
    put(b"one", "s", "a")
    name = expect(DONE, "snapshots", "make").stdout.decode().strip()
    put(b"two", "s", "a")
    put(b"new", "t", "a")
    result = parsed("snapshots", "restore", name, "--yes")
    equal((result["restored"]["name"], result["before"]["reason"]), (name, "restore"))
    equal(secret_of("s", "a"), b"one")
    expect(NOT_FOUND, "get", "t", "a")
    expect(DONE, "snapshots", "restore", result["before"]["name"], "--yes")
    equal((secret_of("s", "a"), secret_of("t", "a")), (b"two", b"new"))
    listed = parsed("snapshots")["snapshots"]
    equal([snapshot["reason"] for snapshot in listed], ["restore", "restore", "manual"])
    for snapshot in listed:
        folder = STORE / "snapshots" / snapshot["name"]
        equal(sum(path.stat().st_size for path in folder.iterdir()), snapshot["bytes"])
        equal({path.stat().st_mode & 0o777 for path in folder.iterdir()}, {0o600})
    expect(DONE, "snapshots", "delete", listed[0]["name"])
    equal(len(parsed("snapshots", "list")["snapshots"]), 2)
    expect(NOT_FOUND, "snapshots", "restore", "../..", "--yes")
    expect(USAGE, "snapshots", "restore")
    expect(USAGE, "snapshots", "keep")


@case
def the_first_change_of_a_day_keeps_the_day_before_and_needs_no_key_for_it():
    session, _ = login()
    put(b"one", "s", "a", "--accessible", "when-unlocked")
    yesterday = time.time() - 86_400
    os.utime(ITEMS, (yesterday, yesterday))
    logout(session)
    expect(DONE, "delete", "s", "a")
    snapshots = parsed("snapshots")["snapshots"]
    equal([snapshot["reason"] for snapshot in snapshots], ["daily"])
    expect(DONE, "snapshots", "restore", snapshots[0]["name"], "--yes")
    login()
    equal(secret_of("s", "a"), b"one")


CLASSES = ["after-first-unlock", "when-unlocked", "after-first-unlock-this-device-only",
           "when-unlocked-this-device-only", "when-passcode-set-this-device-only", "presence",
           "presence-this-device-only"]


def rotate(*arguments, status=DONE, **options):
    return expect(status, "rotate", "--password-fd", "0", *arguments, give=PASSWORDS["alice"], **options)


def epochs():
    """The newest and the oldest epoch of each class in the keybag."""
    contents = KEYBAG.read_bytes()
    found = {}
    for index in range(contents[32]):
        entry = contents[40 + 56 * index:][:56]
        found.setdefault(entry[0], []).append(int.from_bytes(entry[4:8], "little"))
    return {(min(numbers), max(numbers)) for number, numbers in found.items() if number != 1}


@case
def rotation_changes_every_key_and_no_secret():
    login()
    for secret in (b"one", b"two"):
        put(secret, "s", "a")
        put(secret, "session", "a", "--accessible", "when-unlocked")
        put(secret, "asks", "a", "--require-password")
    name = expect(DONE, "snapshots", "make").stdout.decode().strip()
    expect(MISMATCH, "rotate", "--password-fd", "0", give=b"wrong")
    equal(epochs(), {(1, 1)})
    result = rotate("--json")
    equal(json.loads(result.stdout), {"resealed": 6, "finished": CLASSES, "unfinished": [], "left": []})
    equal(epochs(), {(2, 2)})
    equal([secret_of("s", "a"), secret_of("session", "a")], [b"two", b"two"])
    told = rotate("--class", "when-unlocked", "--class", "presence").stderr.decode()
    assert told.startswith("vestry: 4 snapshots are from before"), told
    equal(epochs(), {(2, 2), (3, 3)})
    for service in ("s", "session", "asks"):
        expect(DONE, "undo", service, "a")
    equal([secret_of("s", "a"), secret_of("session", "a")], [b"one", b"one"])
    expect(9, "snapshots", "restore", name, "--yes", says="a rotation has dropped")
    # The new keys open at the next login, and nothing but them is kept.
    reboot()
    login()
    equal([secret_of("s", "a"), secret_of("session", "a")], [b"one", b"one"])
    expect(DONE, "lock")
    expect(LOCKED, "rotate", "--password-fd", "0", give=PASSWORDS["alice"])
    expect(USAGE, "rotate", "--class", "index", says="--class")
    expect(USAGE, "rotate", "secret")


@case
def a_rotation_that_is_killed_at_any_point_goes_on():
    login()
    names = [str(number) for number in range(12)]
    for name in names:
        put(b"secret " + name.encode(), name, "a", "--accessible", "when-unlocked")
    kills = 0
    for step in range(12):
        process = start("rotate", "--password-fd", "0", stdin=subprocess.PIPE)
        process.stdin.write(PASSWORDS["alice"])
        process.stdin.close()
        try:
            process.wait(0.02 + step * 0.04)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        for stream in (process.stdout, process.stderr):
            stream.close()
        name = names[step]
        equal(secret_of(name, "a"), b"secret " + name.encode(), step)
        put(b"secret " + name.encode(), name, "a")
    assert kills >= 2, kills
    rotate()
    assert len({oldest for oldest, newest in epochs() if oldest != newest}) == 0, epochs()
    for name in names:
        equal(secret_of(name, "a"), b"secret " + name.encode(), name)


@case
def what_is_erased_stays_whole_under_another_name():
    """CRP-5: a file is zeroed only where nothing else has it."""
    login()
    put(b"one", "s", "a")
    for _ in range(2):
        expect(DONE, "snapshots", "make")
    first, second = sorted((STORE / "snapshots").iterdir())
    other = pathlib.Path("/home/alice/other-name")
    os.link(first / "items.sqlite", other)
    before = other.read_bytes()
    with open(second / "items.sqlite", "rb") as alone:
        expect(DONE, "erase", "--snapshots", "--yes")
        equal(alone.read(), bytes(len(before)))
    equal(other.read_bytes(), before)
    other.unlink()


@case
def a_wrong_clock_neither_loses_a_snapshot_nor_the_order_of_the_past():
    """CLK-1: a machine of 1970, and one of 2100."""
    then, later = ({"LD_PRELOAD": clock(), "CLOCK_SECONDS": seconds} for seconds in ("90", "4102444800"))
    login()
    SETTINGS.parent.mkdir(parents=True)
    try:
        SETTINGS.write_text("snapshots = 2\n")
        for count, environment in enumerate(({}, {}, then, later, {}), 1):
            made = json.loads(expect(DONE, "snapshots", "make", "--json", environment=environment).stdout)["made"]["name"]
            names = [snapshot["name"] for snapshot in parsed("snapshots")["snapshots"]]
            assert made in names and len(names) == min(count, 2), (made, names)
        put(b"one", "s", "a", "--expires=+1d")
        for number, environment in enumerate((then, later, {}, then)):
            # At that time it was over.
            if environment is later:
                expect(NOT_FOUND, "get", "s", "a", environment=environment)
                continue
            put(b"value %d" % number, "s", "a", environment=environment)
        equal(secret_of("s", "a"), b"value 3")
        expect(DONE, "undo", "s", "a")
        equal(secret_of("s", "a"), b"value 2")
        expect(DONE, "undo", "--number=2", "s", "a", environment=then)
        equal(secret_of("s", "a"), b"value 0")
        expect(DONE, "check", environment=then)
        expect(DONE, "check")
    finally:
        shutil.rmtree(SETTINGS.parent.parent)


@case
def a_damaged_old_secret_alone_is_put_aside():
    stored("a")
    put(b"newer", "s", "a")
    put(b"secret of a", "s", "a")
    edit("UPDATE old_value SET value = zeroblob(60) WHERE row = 1")
    (finding,) = report(DAMAGED)["findings"]
    check(finding, "Each finding")
    equal((finding["kind"], finding["oldSecret"], finding["item"]["account"]), ("old-secret-damaged", 2, "a"))
    text = expect(DAMAGED, "check").stdout.decode()
    assert "generic-password s a: old secret 2: " in text and "secrets and deleted items: 1 whole, 1 damaged" in text, text
    done = repair(DAMAGED)
    equal((done["whole"], done["lost"], done["pastLost"]), (1, 0, 1))
    assert ("past-quarantined", "a") in steps(done), done
    whole("a")
    expect(DONE, "undo", "s", "a")
    equal(secret_of("s", "a"), b"newer")
    # A snapshot that is damaged says nothing of the keychain.
    name = json.loads(expect(DONE, "snapshots", "make", "--json").stdout)["made"]["name"]
    (STORE / "snapshots" / name / "items.sqlite").write_bytes(b"nothing")
    expect(DAMAGED, "check", says="the keychain is whole, and 1 of its snapshots")
    expect(DONE, "snapshots", "delete", name)
    expect(DONE, "check")
