"""Which sessions there are, and which gave no password."""

import json
import os
import re
import time

from harness import case, equal, eventually
from keyctl import Process
from session_records import FOLDER, GIVEN, NONE, clear, record
from world import DONE, LOCKED, PASSWORDS, expect, login, logout, reboot, vestry

PASSWORD = PASSWORDS["alice"]
HELP = "next: run 'vestry unlock'"


def log_in_by_key():
    """A login without a password."""
    return login(password=b"")[0]


def sessions(**options):
    return json.loads(vestry("status", "--json", **options).stdout)["sessions"]


def lines(status=DONE):
    """What `status` prints, and of it the lines of sessions with their times and names left out."""
    shown = expect(status, "status").stdout.decode().splitlines()
    pattern = r"session by (\S+) since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: (.*)"
    found = [re.fullmatch(pattern, line) for line in shown if line.startswith("session ")]
    return shown, [match.group(2) for match in found]


@case
def status_lists_the_sessions_and_what_they_gave():
    began = int(time.time())
    first, _ = login()
    second = log_in_by_key()
    shown, given = lines()
    equal(shown[:2], ["unlocked", "a login session is open"])
    equal((len(shown), sorted(given)), (4, ["no password", "password given"]), shown)
    found = sessions()
    equal(sorted(session["gavePassword"] for session in found), [False, True])
    for session in found:
        equal(began <= session["since"] <= time.time(), True)
        equal(session["program"], open(f"/proc/{first.pid}/comm").read().strip())
    equal(sessions(user="bob"), [], "alice's are not bob's")
    logout(first)
    equal([session["gavePassword"] for session in sessions()], [False])
    logout(second)
    equal(sessions(), [])
    equal(lines()[0], ["after-first-unlock", "when-unlocked items are locked: no login session is open"])


@case
def the_one_command_that_helps_is_named_once():
    login()
    reboot()
    session = log_in_by_key()
    shown, given = lines(LOCKED)
    equal((shown[0], shown[2], given, len(shown)), ("locked", HELP, ["no password"], 4), shown)
    equal(sessions()[0]["gavePassword"], False)
    expect(DONE, "unlock", "--password-fd", "0", give=PASSWORD)
    shown, given = lines()
    equal((shown[0], given, len(shown)), ("unlocked", ["no password"], 3), shown)
    expect(DONE, "lock")
    shown, given = lines()
    equal((shown[0], shown[2], given, len(shown)), ("after-first-unlock", HELP, ["no password"], 4), shown)
    assert "no open session gave a password" in shown[1], shown
    # Where somebody typed a password, it is a lock.
    login()
    expect(DONE, "lock")
    assert "locked: by the screen" in lines()[0][1], lines()
    logout(session)


@case
def what_is_no_record_of_a_running_host_is_not_shown():
    session, _ = login()
    name = record(session.pid)
    equal(len(sessions()), 1)
    number, start = name.split(".")[1:]
    others = {
        f"2001.{number}.{int(start) + 1}": GIVEN, "2001.4194304.1": GIVEN, f"2002.{number}.{start}": GIVEN,
        f"2001.{os.getpid()}.x": GIVEN, record(os.getpid()): b"perhaps\n", record(1): b"",
    }
    for other, contents in others.items():
        (FOLDER / other).write_bytes(contents)
    equal(len(sessions()), 1)
    (FOLDER / name).write_bytes(NONE)
    equal([session["gavePassword"] for session in sessions()], [False])
    (FOLDER / name).chmod(0)
    equal(sessions(), [])
    clear()
    equal(sessions(), [])
    FOLDER.rmdir()
    try:
        equal(sessions(), [])
        equal(lines()[0], ["unlocked", "a login session is open"])
    finally:
        FOLDER.mkdir()


@case
def the_name_of_a_host_cannot_command_the_terminal():
    login()
    host = Process()
    host("open('/proc/self/comm', 'wb').write(b'\\x1b[2J\\n: \\xff')")
    (FOLDER / record(host.pid)).write_bytes(GIVEN)
    try:
        shown = vestry("status").stdout.decode()
        assert "\\u{1B}[2J\\n: \ufffd" in shown and "\x1b" not in shown, shown
        equal(len(shown.splitlines()), 4)
        assert "\x1b[2J\n: \ufffd" in [session["program"] for session in sessions()]
    finally:
        host.end()
    eventually(lambda: len(sessions()) == 1, what="only the login")
