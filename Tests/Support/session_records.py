"""The helper's records of login sessions (Sources/LinuxSystem/SessionRecord.swift)."""

import os
import pathlib

FOLDER = pathlib.Path("/run/vestry/sessions")
GIVEN, NONE = b"password\n", b"no password\n"


def start_ticks(pid):
    # The name before it can hold any byte.
    return int(pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])


def record(pid, user=2001):
    """The name of the record of a session that the process has opened."""
    return f"{user}.{pid}.{start_ticks(pid)}"


def records():
    """What is recorded; an empty file is no record."""
    found = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    return {name: contents for name, contents in found.items() if contents}


def clear():
    for path in FOLDER.iterdir():
        os.unlink(path)
