"""`vestry check` finds every damage, and `vestry repair` saves what opens and throws nothing away."""

import contextlib
import json
import os
import random
import sqlite3

from cases_files import replace
from harness import case, equal
from helper_client import REWRAP, ask
from world import (
    CANCELLED, DAMAGED, DONE, FAILURE, ITEMS, KEYBAG, LOCKED, MISMATCH, NOT_FOUND, STORE, USAGE, Terminal, contents,
    expect, login, put, reboot, secret_of, start, vestry)

PAGE = 4096
PREVIOUS = STORE / "keybag.previous"


def stored(*names):
    login()
    for name in names or ("a", "b", "c"):
        put(f"secret of {name}".encode(), "s", name)


def edit(*statements):
    """Changes the file behind the keychain's back."""
    with contextlib.closing(sqlite3.connect(ITEMS)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    os.chown(ITEMS, 2001, 2001)


def report(status, *options, verb="check", **more):
    result = vestry(verb, "--json", *options, **more)
    assert result.returncode == status, (result.returncode, result.stdout, result.stderr)
    return json.loads(result.stdout)


def kinds(status, *options, **more):
    found = report(status, *options, **more)
    return sorted((finding["kind"], (finding["item"] or {}).get("account")) for finding in found["findings"])


def repair(status=DONE, *options):
    return report(status, "--yes", *options, verb="repair")


def steps(done):
    return sorted((step["kind"], (step["item"] or {}).get("account")) for step in done["steps"])


def whole(*names, check=DONE):
    for name in names:
        equal(secret_of("s", name), f"secret of {name}".encode())
    equal(expect(DONE, "list").stdout, "".join(f"s\t{name}\n" for name in sorted(names)).encode())
    expect(check, "check")


@case
def a_whole_keychain_is_found_whole_and_left_alone():
    expect(NOT_FOUND, "check")
    stored()
    put(b"p", "s", "p", "--access-control=user-presence")
    before = contents()
    found = report(DONE)
    equal((found["sound"], found["whole"], found["damaged"], found["locked"]), (True, 4, 0, 0))
    equal(report(DONE, "--password-fd", "0", give=b"correct horse\n")["whole"], 4)
    expect(MISMATCH, "check", "--password-fd", "0", give=b"wrong")
    equal(expect(DONE, "repair", "--yes").stdout,
          b"nothing to repair\nitems: 4 whole, 0 not saved, 0 kept as they are\n")
    equal(contents(), before)


@case
def each_damage_has_its_name():
    """An edit of the file, and what the check says of it."""
    table = [
        ("UPDATE item SET value = zeroblob(60) WHERE row = 1", [("item-damaged", "a")]),
        ("UPDATE item SET value = (SELECT value FROM item WHERE row = 2) WHERE row = 1", [("item-damaged", "a")]),
        ("UPDATE item SET metadata = zeroblob(60) WHERE row = 1", [("item-damaged", None)]),
        ("UPDATE item SET version = 7, value_version = 7 WHERE row = 1", [("item-damaged", None)]),
        ("UPDATE item SET accessibility = 3 WHERE row = 1", [("item-damaged", None)]),
        ("UPDATE item SET item_class = 9 WHERE row = 1", [("item-newer", None)]),
        ("UPDATE item SET epoch = 2, value_epoch = 2 WHERE row = 1", [("item-newer", None)]),
        ("UPDATE item SET primary_tag = randomblob(32) WHERE row = 1", [("item-tags", "a")]),
        ("DELETE FROM tag WHERE item = 1", [("item-tags", "a")]),
        ("DELETE FROM tag WHERE item = 1 AND tag = (SELECT min(tag) FROM tag WHERE item = 1)", [("item-tags", "a")]),
        ("INSERT OR IGNORE INTO tag SELECT tag, 2 FROM tag WHERE item = 1", [("item-tags", "b")]),
        ("DELETE FROM item WHERE row = 1", [("file-damaged", None)]),
        ("CREATE TABLE other (x)", [("file-damaged", None)]),
        ("CREATE TRIGGER loss AFTER INSERT ON item BEGIN DELETE FROM item; END", [("file-damaged", None)]),
        ("DROP INDEX tag_by_item", [("file-damaged", None)]),
        ("PRAGMA application_id = 1", [("file-damaged", None)]),
        ("DELETE FROM store", [("file-damaged", None)]),
    ]
    stored()
    before = ITEMS.read_bytes()
    for statement, expected in table:
        edit(statement)
        status = 9 if expected[0][0] == "item-newer" else DAMAGED
        equal(kinds(status), expected, statement)
        replace(ITEMS, before)
    expect(DONE, "check")


@case
def locked_items_are_counted_and_never_called_damaged():
    stored("a")
    put(b"w", "s", "w", "--accessible=when-unlocked")
    edit("UPDATE item SET value = zeroblob(60) WHERE row = 2")
    expect(DONE, "lock")
    found = report(LOCKED)
    equal((found["whole"], found["locked"], found["findings"]), (1, 1, []))
    expect(LOCKED, "check", says="not checked, because locked: 1 item\n")
    expect(DONE, "lock", "--all")
    equal(report(LOCKED)["locked"], 2)
    expect(LOCKED, "check", says="not checked, because locked: 2 items\n")
    expect(DONE, "unlock", "--password-fd", "0", give=b"correct horse")
    equal(kinds(DAMAGED), [("item-damaged", "w")])


@case
def a_changed_presence_value_is_found_with_and_without_the_password():
    login()
    put(b"p", "s", "p", "--access-control=user-presence")
    put(b"q", "s", "q", "--access-control=user-presence")
    edit("UPDATE item SET value = (SELECT value FROM item WHERE row = 2) WHERE row = 1")
    equal(kinds(DAMAGED), [("item-damaged", "p")])
    equal(kinds(DAMAGED, "--password-fd", "0", give=b"correct horse"), [("item-damaged", "p")])
    terminal = Terminal("check", "--ask")
    terminal.wait_for(b"Login password of alice: ")
    terminal.type(b"correct horse\n")
    status, seen = terminal.end()
    terminal.close()
    assert status == DAMAGED and b"generic-password s p: " in seen, (status, seen)


@case
def what_does_not_open_is_put_aside_and_the_rest_goes_on():
    stored()
    edit("UPDATE item SET value = zeroblob(60) WHERE row = 2")
    damaged = ITEMS.read_bytes()
    before = contents()
    plan = report(DAMAGED, "--dry-run", verb="repair")
    equal((plan["dryRun"], plan["whole"], plan["lost"]), (True, 2, 1))
    equal(contents(), before)
    expect(FAILURE, "repair", says="no terminal to ask on")
    equal(contents(), before)
    done = repair(DAMAGED)
    equal(steps(done), [
        ("file-kept", None), ("file-kept", None), ("file-rebuilt", None), ("item-quarantined", "b")])
    whole("a", "c")
    (old,) = STORE.glob("items.sqlite.damaged-*")
    (quarantine,) = STORE.glob("items.sqlite.quarantine-*")
    equal(old.read_bytes(), damaged)
    for file in (old, quarantine, ITEMS):
        equal((file.stat().st_uid, file.stat().st_mode & 0o7777), (2001, 0o600), file.name)
    with contextlib.closing(sqlite3.connect(quarantine)) as database:
        rows = database.execute("SELECT number, reason, length(reference), value FROM quarantine").fetchall()
    equal([(row[0], row[2], row[3]) for row in rows], [(2, 16, bytes(60))])
    # The place is free again, and a second repair has nothing to do.
    equal(repair()["steps"], [])
    put(b"secret of b", "s", "b")
    whole("a", "b", "c")


@case
def tags_and_duplicates_are_put_right():
    stored()
    edit("DELETE FROM tag", "UPDATE item SET primary_tag = randomblob(32) WHERE row = 1")
    expect(NOT_FOUND, "get", "s", "a")
    done = repair()
    equal(steps(done), [("file-kept", None), ("file-rebuilt", None)] + [("item-tags-rebuilt", n) for n in "abc"])
    whole("a", "b", "c")
    # A row that is there twice under two tags.
    edit("INSERT INTO item SELECT 9, randomblob(16), item_class, accessibility, access_control, expires, epoch, "
         "version, value_epoch, value_version, randomblob(32), metadata, value FROM item WHERE row = 1")
    equal(kinds(DAMAGED), [("item-damaged", None)])
    repair(DAMAGED)
    whole("a", "b", "c")


@case
def locked_items_go_through_a_repair_as_they_are():
    stored()
    put(b"w", "s", "w", "--accessible=when-unlocked")
    edit("UPDATE item SET value = zeroblob(60) WHERE row = 2")
    expect(DONE, "lock")
    done = repair(DAMAGED)
    equal((done["whole"], done["lost"], done["kept"]), (2, 1, 1))
    expect(DONE, "unlock", "--password-fd", "0", give=b"correct horse")
    equal(secret_of("s", "w"), b"w")
    equal(report(DONE)["whole"], 3)
    # With everything locked nothing is known, and nothing is done.
    edit("DELETE FROM tag")
    before = contents()
    expect(DONE, "lock", "--all")
    edit("PRAGMA application_id = 1")
    before = contents()
    expect(LOCKED, "repair", "--yes", says="were not repaired")
    equal(contents(), before)


@case
def what_is_lost_comes_back_from_the_newest_whole_snapshot():
    stored()
    expect(DONE, "snapshots", "make")
    put(b"later", "s", "d")
    put(b"secret of a, changed", "s", "a")
    edit("UPDATE item SET value = zeroblob(60) WHERE row IN (1, 2)", "UPDATE item SET value = zeroblob(60) WHERE row = 4")
    done = repair(DAMAGED)
    equal([step for step in steps(done) if step[0].startswith("item-")],
          [("item-quarantined", "a"), ("item-quarantined", "b"), ("item-quarantined", "d"),
           ("item-restored", "a"), ("item-restored", "b")])
    whole("a", "b", "c")
    # All of it; and a snapshot that is damaged is passed over.
    put(b"secret of e", "s", "e")
    expect(DONE, "snapshots", "make")
    newest = sorted((STORE / "snapshots").iterdir())[-1] / "items.sqlite"
    data = newest.read_bytes()
    newest.write_bytes(data[:len(data) // 2])
    replace(ITEMS, b"")
    done = repair()
    assert all(step[0] in ("file-rebuilt", "file-kept", "item-restored") for step in steps(done)), steps(done)
    whole("a", "b", "c", check=DAMAGED)
    expect(DAMAGED, "check", says="the keychain is whole, and 1 of its snapshots is damaged")


@case
def pages_that_are_lost_cost_their_items_alone():
    login()
    names = [f"n{number:03}" for number in range(120)]
    for name in names:
        put(f"secret of {name}".encode(), "s", name)
    put(bytes(range(256)) * 400, "large", "a")
    before = ITEMS.read_bytes()
    generator = random.Random(4711)
    print("         seed 4711", flush=True)
    for count in (1, 3, 8):
        data = bytearray(before)
        pages = generator.sample(range(1, len(data) // PAGE), count)
        for page in pages:
            data[page * PAGE:(page + 1) * PAGE] = generator.randbytes(PAGE)
        replace(ITEMS, bytes(data))
        expect(DAMAGED, "check")
        result = vestry("repair", "--yes", "--json")
        assert result.returncode in (DONE, DAMAGED), (pages, result)
        done = json.loads(result.stdout)
        # Of 4 KiB, at most some rows; an inner page of the tree costs none, since an index leads around it.
        assert done["whole"] >= len(names) - 20 * count, (pages, done["whole"])
        expect(DONE, "check")
        found = {line.split(b"\t")[1].decode() for line in expect(DONE, "list", "s").stdout.splitlines()}
        assert len(found) >= len(names) - 20 * count, (pages, len(found), done)
        for name in sorted(found)[::10]:
            equal(secret_of("s", name), f"secret of {name}".encode())
        for old in STORE.glob("items.sqlite.*"):
            old.unlink()


@case
def a_cut_file_gives_back_what_is_left_of_it():
    stored(*[f"n{number:03}" for number in range(60)])
    before = ITEMS.read_bytes()
    for size in (len(before) - PAGE, len(before) // 2 // PAGE * PAGE, len(before) - 100):
        replace(ITEMS, before[:size])
        expect(DAMAGED, "check")
        result = vestry("repair", "--yes")
        if result.returncode in (DONE, DAMAGED) and list(STORE.glob("items.sqlite.damaged-*")):
            expect(DONE, "check")
        else:
            # Nothing of it opens: it stays.
            equal((result.returncode, ITEMS.read_bytes()), (DAMAGED, before[:size]))
        for old in STORE.glob("items.sqlite.*"):
            old.unlink()


@case
def a_file_of_which_nothing_is_left_stays_in_its_place():
    stored()
    before = ITEMS.read_bytes()
    for data in (b"", before[:18], bytes(len(before)), os.urandom(len(before))):
        replace(ITEMS, data)
        kept = contents()
        expect(DAMAGED, "repair", "--yes", says="nothing can be read of items.sqlite")
        expect(DAMAGED, "repair", "--yes", says="vestry restore FILE")
        equal(contents(), kept)
    login("bob")
    put(b"bob's", "s", "a", user="bob")
    replace(ITEMS, open("/home/bob/.local/share/vestry/items.sqlite", "rb").read())
    kept = contents()
    equal(kinds(DAMAGED), [("file-damaged", None)])
    expect(DAMAGED, "repair", "--yes", says="different stores")
    equal(contents(), kept)


@case
def a_damaged_keybag_comes_back_from_the_one_before():
    stored()
    # A new keybag has a copy.
    good = KEYBAG.read_bytes()
    equal(PREVIOUS.read_bytes(), good)
    replace(KEYBAG, good[:100])
    repair()
    equal(KEYBAG.read_bytes(), good)
    for file in STORE.glob("keybag.damaged-*"):
        file.unlink()
    equal(ask(REWRAP, "alice", b"correct horse", b"new one").result, "rewrapped")
    good = KEYBAG.read_bytes()
    damages = [good[:-1] + bytes([good[-1] ^ 1]), good[:100], b"", None]
    for damage in damages:
        KEYBAG.unlink()
        if damage is not None:
            replace_new(KEYBAG, damage)
        expect(DAMAGED, "get", "s", "a", says="keybag")
        equal(kinds(DAMAGED), [("keybag-damaged", None)])
        equal(steps(report(DONE, "--dry-run", verb="repair"))[-1:], [("keybag-restored", None)])
        done = repair()
        assert ("keybag-restored", None) in steps(done), done
        equal(KEYBAG.read_bytes(), PREVIOUS.read_bytes())
        kept = list(STORE.glob("keybag.damaged-*"))
        equal([file.read_bytes() for file in kept], [] if damage is None else [damage])
        whole("a", "b", "c")
        for file in kept:
            file.unlink()
    # It opens with the password before, as the manual says.
    reboot()
    expect(MISMATCH, "unlock", "--password-fd", "0", give=b"new one")
    expect(DONE, "unlock", "--password-fd", "0", give=b"correct horse")
    whole("a", "b", "c")


def replace_new(path, data):
    path.write_bytes(data)
    os.chmod(path, 0o600)
    os.chown(path, 2001, 2001)


@case
def a_keybag_without_a_way_back_stays_in_its_place():
    stored()
    good = KEYBAG.read_bytes()
    login("bob")
    foreign = open("/home/bob/.local/share/vestry/keybag", "rb").read()
    for previous, says in ((b"", "keybag.previous has 0 of"), (foreign, "keybag.previous is of another store")):
        replace(KEYBAG, good[:100])
        if PREVIOUS.exists():
            PREVIOUS.unlink()
        replace_new(PREVIOUS, previous)
        kept = contents()
        expect(DAMAGED, "repair", "--yes", says=says)
        equal(contents(), kept)
    PREVIOUS.unlink()
    kept = contents()
    expect(DAMAGED, "repair", "--yes", says="there is no keybag.previous")
    equal(contents(), kept)


@case
def a_keybag_comes_back_from_a_snapshot():
    stored()
    expect(DONE, "snapshots", "make")
    equal(ask(REWRAP, "alice", b"correct horse", b"new one").result, "rewrapped")
    for damage in (b"", None):
        PREVIOUS.unlink(missing_ok=True)
        KEYBAG.unlink()
        if damage is not None:
            replace_new(KEYBAG, damage)
        equal(steps(repair())[-1], ("keybag-restored", None))
        whole("a", "b", "c")
        for file in STORE.glob("keybag.damaged-*"):
            file.unlink()
    # It opens with the password of then. One from before a rotation opens nothing, and is none.
    reboot()
    login()
    whole("a", "b", "c")
    expect(DONE, "rotate", "--password-fd", "0", give=b"correct horse")
    KEYBAG.unlink()
    PREVIOUS.unlink(missing_ok=True)
    expect(DAMAGED, "repair", "--yes", says="there is no keybag.previous")
    assert not KEYBAG.exists()


@case
def a_removed_item_file_is_no_keychain_without_items():
    login()
    # Nothing was stored yet, and nothing is missing.
    expect(NOT_FOUND, "get", "s", "a")
    expect(DONE, "snapshots", "make")
    for name in ("a", "b"):
        put(f"secret of {name}".encode(), "s", name)
    items = ITEMS.read_bytes()
    ITEMS.unlink()
    kept = contents()
    for arguments in (["get", "s", "a"], ["set", "s", "c"], ["delete", "s", "a"], ["list"], ["unlock"],
                      ["import", "--format", "git", "--yes", "-"]):
        expect(DAMAGED, *arguments, give=b"https://a:b@h.example.org\n", says="items.sqlite is missing beside snapshots")
    equal(kinds(DAMAGED), [("file-damaged", None)])
    # The one snapshot that there is has none of the items, and without it there is no more to be had.
    expect(DAMAGED, "repair", "--yes", says="no snapshot is whole and has items")
    expect(DONE, "erase", "--snapshots", "--yes")
    expect(DAMAGED, "repair", "--yes", says="no snapshot is whole and has items")
    equal(contents(), kept)
    replace_new(ITEMS, items)
    expect(DONE, "snapshots", "make")
    put(b"changed", "s", "a")
    ITEMS.unlink()
    equal(steps(report(DONE, "--dry-run", verb="repair")),
          [("file-rebuilt", None), ("item-restored", "a"), ("item-restored", "b")])
    assert not ITEMS.exists()
    repair()
    whole("a", "b")


@case
def a_snapshot_with_dropped_keys_is_no_way_back():
    stored()
    expect(DONE, "rotate", "--password-fd", "0", give=b"correct horse")
    equal(len(json.loads(expect(DONE, "snapshots", "--json").stdout)["snapshots"]), 1)
    replace(ITEMS, b"")
    expect(DAMAGED, "repair", "--yes", says="nothing can be read of items.sqlite")


@case
def a_person_is_shown_the_plan_and_asked():
    stored()
    edit("UPDATE item SET value = zeroblob(60) WHERE row = 2")
    before = contents()
    for answer, status in ((b"no\n", CANCELLED), (b"yes\n", DAMAGED)):
        equal(contents(), before)
        terminal = Terminal("repair")
        terminal.wait_for(b"item-quarantined: generic-password s b: ")
        terminal.wait_for(b"Repair the keychain? Type yes: ")
        terminal.type(answer)
        equal(terminal.end()[0], status)
        terminal.close()
    whole("a", "c")
    expect(USAGE, "repair", "--yes", "--dry-run")
    expect(USAGE, "check", "s")


@case
def a_writer_that_waited_for_a_repair_writes_into_the_new_file():
    stored()
    edit("UPDATE item SET value = zeroblob(60) WHERE row = 2")
    with contextlib.closing(sqlite3.connect(ITEMS, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        waiting = [vestry_started("repair", "--yes"), vestry_started("set", "s", "d", give=b"secret of d")]
        database.execute("ROLLBACK")
    for process in waiting:
        process.wait(timeout=30)
    equal(waiting[0].returncode, DAMAGED)
    # Before the repair, after it, or told to try again: never into the file that was put away.
    if waiting[1].returncode != DONE:
        equal(waiting[1].returncode, 11)
        put(b"secret of d", "s", "d")
    whole("a", "c", "d")


def vestry_started(*arguments, give=b""):
    process = start(*arguments, stdin=-1)
    process.stdin.write(give)
    process.stdin.close()
    return process
