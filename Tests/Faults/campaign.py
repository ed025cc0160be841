"""Interrupts an operation at every system call that changes a file, in every way, and looks what is left."""

import errno
import os
import shutil
import signal
import subprocess

import world
from world import DONE, STORE, vestry

LIBRARY = "/run/vestry-test/interrupt.so"
COUNT = "/run/vestry-test/count"
# How many of the possible interruptions are made: all, or every so many.
ALL, SHORT = 1, 40
share = ALL
total = 0

KILL, TORN = "kill", "torn"
FULL, BROKEN, QUOTA = str(errno.ENOSPC), str(errno.EIO), str(errno.EDQUOT)
# Once, as when somebody else has just freed some space; and from then on.
WAYS = (KILL, TORN, FULL, BROKEN, FULL + "+", BROKEN + "+", QUOTA)


class Outcome:
    """What became of one run."""

    def __init__(self, way, process, output, errors):
        self.way = way
        self.status = process.returncode
        self.output = output
        self.errors = errors.decode(errors="replace")

    @property
    def was_killed(self):
        return self.status == -signal.SIGKILL

    @property
    def succeeded(self):
        return self.status == DONE

    def __repr__(self):
        return f"{self.way}: {self.status} {self.errors}"


def environment(at, way="", count="", folder="/home/alice"):
    return {
        "LD_PRELOAD": LIBRARY, "FAULT_FOLDER": folder, "FAULT_AT": str(at), "FAULT_WAY": way,
        "FAULT_COUNT": count,
    }


def run(arguments, give, at, way="", count=""):
    process = world.start(
        *arguments, stdin=subprocess.PIPE, environment=environment(at, way, count))
    output, errors = process.communicate(give, timeout=60)
    return Outcome(way, process, output, errors)


def counted():
    """How many calls the last run made that can be interrupted."""
    with open(COUNT) as file:
        return int(file.read())


class Saved:
    """The files of a store, to begin from again."""

    def __init__(self):
        self.files = {path: path.read_bytes() for path in STORE.rglob("*") if path.is_file()}

    def restore(self):
        shutil.rmtree(STORE)
        STORE.mkdir(mode=0o700)
        for path, data in self.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for path in (STORE, *STORE.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
            os.chown(path, 2001, 2001)


def interruptions(count, ways=WAYS):
    """The calls and ways of a campaign over an operation of so many calls."""
    every = [(at, way) for at in range(1, count + 1) for way in ways]
    # Even over both: a step that has no factor in common with the number of ways.
    return every[::share] if share == ALL else every[3::share]


def campaign(perform, restore, verify, ways=WAYS):
    """Runs an operation with all its interruptions.

    `perform(at, way, count)` runs it and returns an Outcome; `restore()` comes before each run; `verify(outcome)`
    raises when what is left is wrong.
    """
    global total
    restore()
    # For every user, since most of them could not make it there.
    with open(COUNT, "w") as file:
        os.fchmod(file.fileno(), 0o666)
    outcome = perform(0, "", COUNT)
    count = counted()
    assert count > 0, f"nothing to interrupt: {outcome}"
    verify(outcome)
    made = 0
    for at, way in interruptions(count, ways):
        restore()
        outcome = perform(at, way, "")
        if way == TORN and not outcome.was_killed:
            # Not a write.
            continue
        made += 1
        try:
            if way == KILL:
                assert outcome.was_killed, f"it was not killed: {outcome}"
            verify(outcome)
        except AssertionError as error:
            raise AssertionError(f"call {at} of {count}, {outcome}: {error}") from error
    total += made
    print(f"         {count} calls, {made} interruptions", flush=True)


def says_why(outcome):
    """A failing write has its cause named, and the right status."""
    if outcome.was_killed or outcome.succeeded:
        return
    word = "input/output error" if outcome.way.startswith(BROKEN) else "no space left"
    words = [word]
    if not outcome.way.endswith("+"):
        # SQLite tries once more, with success, and has forgotten the cause.
        words.append("input/output error")
    assert outcome.status == world.FAILURE and any(word in outcome.errors for word in words), outcome


def is_whole():
    """The store opens, and every part of it is as it was written."""
    result = vestry("check")
    assert result.returncode == DONE, f"check: {result.returncode} {result.stdout} {result.stderr}"


def value(account, service="s"):
    """The item's secret; None when there is no such item."""
    result = vestry("get", "--", service, account)
    if result.returncode == world.NOT_FOUND:
        return None
    assert result.returncode == DONE, f"get {account}: {result}"
    return result.stdout
