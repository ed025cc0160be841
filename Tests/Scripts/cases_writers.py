"""Many writers, killed writers, stopped writers."""

import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import threading
import time

from harness import Skip, case, equal
from world import (DONE, ITEMS, PASSWORDS, PROGRAM, STORE, TIMED_OUT, contents, expect, login, put, reboot,
                   secret_of, start, vestry)


@case
def parallel_writers_lose_nothing():
    login()
    failures = []

    def write(writer):
        for number in range(20):
            result = vestry("set", f"writer {writer}", str(number), give=f"{writer}/{number}".encode())
            if result.returncode != DONE:
                failures.append(result)

    # Together they also make the file.
    writers = [threading.Thread(target=write, args=(writer,)) for writer in range(16)]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    equal(failures, [])
    items = json.loads(expect(DONE, "list", "--json").stdout)["items"]
    equal(len(items), 320)
    for writer, number in [(0, 0), (7, 13), (15, 19)]:
        equal(secret_of(f"writer {writer}", str(number)), f"{writer}/{number}".encode())
    equal(sorted(contents()), ["items.sqlite", "keybag", "keybag.previous"])


@case
def eight_processes_of_32_threads_lose_nothing_for_a_minute():
    program = pathlib.Path(os.environ["VESTRY_BIN"], "Writers")
    if not program.exists():
        raise Skip("Writers is not built")
    copy = shutil.copy(program, "/run/vestry-test/Writers")
    login()
    put(b"", "shared", "")
    writers = [
        start(str(number), "32", "60", program=copy, stdout=subprocess.PIPE) for number in range(8)]
    totals = collections.Counter()
    errors = []
    for writer in writers:
        output = writer.communicate()[0].decode()
        equal(writer.returncode, 0)
        for line in output.splitlines():
            name, text = line.split(" ", 1)
            if name == "error":
                errors.append(text)
            else:
                totals[name] += int(text)
    equal(inspection(), "[('ok',)] [] []")
    equal(errors[:5], [], f"{len(errors)} errors")
    items = json.loads(expect(DONE, "list", "--json").stdout)["items"]
    assert totals["own"] > 500, totals
    equal(secret_of("shared", ""), f"0/0/{totals['secret']}".encode())
    equal(len([item for item in items if item["service"] == "shared"]), 1)
    shared = json.loads(expect(DONE, "show", "--json", "shared", "").stdout)
    equal(shared["comment"], f"1/0/{totals['comment']}")
    left = expect(
        DONE, "-c", COUNT_INTERNET_PASSWORDS, str(ITEMS), program="/usr/bin/python3").stdout
    equal(totals["added"] - totals["deleted"], int(left))
    equal(sorted(contents()), ["items.sqlite", "keybag", "keybag.previous"])


INSPECT = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for query in "PRAGMA integrity_check", "PRAGMA foreign_key_check", "SELECT row FROM item WHERE row NOT IN (SELECT item FROM tag)":
    print(database.execute(query).fetchall(), end=" ")
"""


def inspection():
    """What SQLite says of the file, tags of no item, and items without a tag."""
    return expect(DONE, "-c", INSPECT, str(ITEMS), program="/usr/bin/python3").stdout.decode().strip()


COUNT_INTERNET_PASSWORDS = """
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM item WHERE item_class = 2").fetchone()[0])
"""


@case
def parallel_writers_of_one_item_leave_one_whole_secret():
    login()
    secrets = [bytes([letter]) * 50_000 for letter in b"abcdefgh"]
    writers = [start("set", "s", "a", stdin=subprocess.PIPE) for _ in secrets]
    for writer, secret in zip(writers, secrets):
        threading.Thread(target=writer.communicate, args=(secret,)).start()
    for writer in writers:
        equal(writer.wait(60), DONE)
    assert secret_of("s", "a") in secrets
    equal(len(json.loads(expect(DONE, "list", "--json").stdout)["items"]), 1)


@case
def readers_never_miss_an_item_that_is_being_replaced():
    login()
    put(b"0", "s", "a")
    failures = []

    def repeat(count, *arguments, give=None):
        for _ in range(count):
            result = vestry(*arguments, give=give)
            if result.returncode != DONE:
                failures.append(result)

    # Half of the writers move the item to another class each time.
    classes = ["after-first-unlock", "when-unlocked"]
    threads = [threading.Thread(target=repeat, args=(25, "get", "s", "a")) for _ in range(4)] + [
        threading.Thread(
            target=repeat, args=(25, "set", "--accessible", classes[n % 2], "s", "a"),
            kwargs={"give": str(n).encode()})
        for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(failures, [])
    assert secret_of("s", "a") in (b"0", b"1", b"2", b"3")


@case
def a_writer_killed_at_any_system_call_leaves_old_or_new():
    if not shutil.which("strace"):
        raise Skip("no strace")
    login()
    put(b"old", "s", "a")
    killed = 0
    for call in ("openat", "pwrite64", "fdatasync", "fsync", "unlink", "ftruncate", "fcntl", "close", "newfstatat"):
        for occurrence in range(1, 100):
            put(b"old", "s", "a")
            status = set_killed_at(call, occurrence)
            assert secret_of("s", "a") in ((b"old", b"new") if status else (b"new",)), (call, occurrence)
            if status == DONE:
                break
            equal(status, 128 + signal.SIGKILL, f"{call} {occurrence}")
            killed += 1
    assert killed > 20, killed
    put(b"x", "s", "a")
    equal(sorted(contents()), ["items.sqlite", "keybag", "keybag.previous"])


def set_killed_at(call, occurrence):
    process = start(
        "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={occurrence}", "--", PROGRAM, "set", "s", "a",
        program=shutil.which("strace"), stdin=subprocess.PIPE)
    process.communicate(b"new", timeout=60)
    return 128 - process.returncode if process.returncode < 0 else process.returncode


@case
def the_first_writer_killed_at_any_system_call_leaves_no_broken_file():
    if not shutil.which("strace"):
        raise Skip("no strace")
    login()
    for call in ("openat", "write", "fsync", "renameat2", "pwrite64", "unlink"):
        for occurrence in range(1, 100):
            ITEMS.unlink(missing_ok=True)
            shutil.rmtree(STORE / "snapshots", ignore_errors=True)
            status = set_killed_at(call, occurrence)
            put(b"next", "t", "a")
            equal(secret_of("t", "a"), b"next")
            if status == DONE:
                break


@case
def writers_killed_at_random_leave_old_or_new():
    login()
    values = [b"0" * 100_000]
    put(values[0], "s", "a")
    for number in range(1, 40):
        value = str(number).encode() * 50_000
        writer = start("set", "s", "a", stdin=subprocess.PIPE)
        threading.Thread(target=feed, args=(writer, value)).start()
        time.sleep(random.uniform(0, 0.012))
        writer.kill()
        writer.wait()
        found = secret_of("s", "a")
        assert found in (values[-1], value), number
        values.append(found)


def feed(writer, value):
    try:
        writer.stdin.write(value)
        writer.stdin.close()
    except OSError:
        pass


HOLDER = """
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(600)
"""


@case
def a_stopped_writer_does_not_stop_readers_and_a_dead_one_nobody():
    login()
    put(b"x", "s", "a")
    holder = start("-c", HOLDER, str(ITEMS), program="/usr/bin/python3")
    equal(holder.stdout.readline(), b"held\n")
    holder.send_signal(signal.SIGSTOP)
    for _ in range(5):
        equal(secret_of("s", "a"), b"x")
    began = time.monotonic()
    expect(TIMED_OUT, "set", "s", "a", give=b"y", says="busy")
    assert 4 < time.monotonic() - began < 40, time.monotonic() - began
    holder.kill()
    holder.wait()
    began = time.monotonic()
    put(b"y", "s", "a")
    assert time.monotonic() - began < 4
    equal(secret_of("s", "a"), b"y")


@case
def writers_lose_nothing_while_the_password_changes():
    session, _ = login()
    failures, written, done = [], [], threading.Event()

    def write():
        while not done.is_set():
            number = str(len(written))
            result = vestry("set", "s", number, give=number.encode())
            if result.returncode != DONE:
                failures.append(result)
            written.append(number)

    writer = threading.Thread(target=write)
    writer.start()
    password, changes = PASSWORDS["alice"], []
    for count in range(6):
        new = b"password %d" % count
        changes.append(str(session(f"ask(REWRAP, 'alice', {password!r}, {new!r}).result")))
        password = new
    done.set()
    writer.join()
    equal(failures, [])
    equal(changes, ["rewrapped"] * 6)
    assert len(written) > 6, written
    for user_can_still_read in ("the keys of before", "the new password"):
        for number in written:
            equal(secret_of("s", number), number.encode(), user_can_still_read)
        reboot()
        login(password=password)
