"""Locked, unlocked, and never mixed with missing."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time

from harness import case, equal, eventually
from helper_client import SOCKET
from world import (
    DENIED, DONE, LOCKED, MISMATCH, NOT_FOUND, PASSWORDS, PROGRAM, STORE, TIMED_OUT, UNAVAILABLE, USAGE, expect, login,
    logout, nothing_follows, put, reboot, secret_of, start, vestry)

PASSWORD = PASSWORDS["alice"]


def unlock(given, status=DONE, **options):
    return expect(status, "unlock", "--password-fd", "0", give=given, **options)


def state():
    """The first word of `status`, which `status --json` must repeat."""
    result = vestry("status")
    word = result.stdout.decode().splitlines()[0]
    structured = vestry("status", "--json")
    value = json.loads(structured.stdout)
    equal((value["state"], structured.returncode), (word, result.returncode))
    equal(sorted(value), [
        "behindSince", "classesBehind", "code", "deviceKey", "isOfAnotherMachine", "message", "mismatchSince", "next",
        "path", "reason", "sessions", "state"])
    equal(value["path"], str(STORE))
    if value["mismatchSince"] is not None:
        assert b"does not open this keychain" in result.stdout and b"vestry rewrap" in result.stdout
    return word, value["reason"], result.returncode


@case
def without_a_keychain_nothing_is_found_and_nothing_is_made():
    equal(state(), ("no-store", "never-enrolled", NOT_FOUND))
    for arguments in (["get", "s", "a"], ["delete", "s", "a"], ["list"], ["unlock"]):
        expect(NOT_FOUND, *arguments, says="no keychain yet")
    expect(NOT_FOUND, "set", "s", "a", give=b"x", says="no keychain yet")
    expect(DONE, "lock", "--all")
    assert not os.path.exists("/home/alice/.local")


@case
def cron_reads_after_logout_what_is_after_first_unlock():
    session, reply = login()
    assert "enrolled/counts" in reply, reply
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked")
    equal(state(), ("unlocked", "session-open", DONE))
    logout(session)
    equal(secret_of("s", "afu"), b"afu")
    equal(state(), ("after-first-unlock", "no-session", DONE))
    result = expect(LOCKED, "get", "s", "wu", says="locked")
    equal(result.stdout, b"")
    expect(LOCKED, "set", "s", "wu", give=b"x")
    expect(LOCKED, "set", "--accessible", "when-unlocked", "s", "new", give=b"x")
    expect(NOT_FOUND, "get", "s", "new")
    login()
    equal(secret_of("s", "wu"), b"wu")


@case
def after_a_reboot_everything_is_locked_and_nothing_is_missing():
    login()
    put(b"x", "s", "a")
    reboot()
    equal(state(), ("locked", "not-unlocked", LOCKED))
    for arguments in (["get", "s", "a"], ["get", "s", "absent"], ["delete", "s", "a"], ["list"]):
        start_time = time.monotonic()
        result = expect(LOCKED, *arguments, says="vestry unlock")
        equal(result.stdout, b"")
        assert time.monotonic() - start_time < 5, arguments
    expect(LOCKED, "set", "s", "a", give=b"y")
    unlock(PASSWORD)
    equal(secret_of("s", "a"), b"x")


@case
def a_locked_item_can_be_deleted_and_is_counted():
    session, _ = login()
    put(b"1", "s", "afu")
    for name in "bc":
        put(b"2", "s", name, "--accessible", "when-unlocked")
    logout(session)
    result = vestry("list")
    equal((result.returncode, result.stdout), (DONE, b"s\tafu\n"))
    assert b"2 more locked" in result.stderr, result.stderr
    equal(json.loads(vestry("list", "--json").stdout)["locked"], 2)
    expect(DONE, "delete", "s", "b")
    equal(json.loads(vestry("list", "--json").stdout)["locked"], 1)
    expect(NOT_FOUND, "get", "s", "b")


@case
def lock_drops_the_when_unlocked_keys_and_unlock_puts_them_back():
    login()
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked-this-device-only")
    expect(DONE, "lock")
    equal(state(), ("after-first-unlock", "session-locked", DONE))
    expect(LOCKED, "get", "s", "wu")
    equal(secret_of("s", "afu"), b"afu")
    unlock(PASSWORD)
    equal(state(), ("unlocked", "session-open", DONE))
    equal(secret_of("s", "wu"), b"wu")
    expect(DONE, "lock", "--all")
    equal(state()[0], "locked")
    expect(LOCKED, "get", "s", "afu")
    unlock(PASSWORD)
    equal(state()[0], "unlocked")


@case
def one_line_end_after_the_password_is_dropped():
    login()
    for given in (PASSWORD, PASSWORD + b"\n", PASSWORD + b"\r\n"):
        expect(DONE, "lock", "--all")
        unlock(given)
    expect(DONE, "lock", "--all")
    for given in (PASSWORD + b"\n\n", PASSWORD + b" ", b" " + PASSWORD, b"wrong", b"", b"\n"):
        unlock(given, MISMATCH, says="wrong password")
    equal(state()[0], "locked")


@case
def a_password_that_root_changed_is_explained_and_rewrapped():
    session, _ = login()
    put(b"secret", "s", "a")
    # The keychain is open, and stays open, under a password that is not the login's any more.
    with nothing_follows():
        equal(str(session("repr(ask(OPEN, 'alice', b'set by root'))")), "wrong-password/counts")
    equal(state(), ("unlocked", "session-open", DONE))
    mentions = vestry("status").stdout
    assert b"locks at the next reboot" in mentions, mentions
    reboot()
    login(password=b"set by root")
    equal(state(), ("locked", "password-mismatch", LOCKED))
    lines = vestry("status").stdout.decode().splitlines()
    assert lines[1].startswith("the login password does not open this keychain, since 2"), lines
    equal(sum("rewrap" in line for line in lines), 1, lines)
    # The login password opens nothing here, and nothing says that it does.
    for arguments in (["get", "s", "a"], ["list"], ["check"]):
        hint = expect(LOCKED, *arguments).stderr.decode().splitlines()[-1]
        assert "vestry rewrap" in hint and "log in with your password" not in hint, hint
    unlock(b"set by root", MISMATCH, says="'vestry rewrap' asks for both")
    for old, new, status in ((b"wrong", b"set by root", MISMATCH), (b"", b"set by root", MISMATCH),
                             (PASSWORD, b"", MISMATCH), (PASSWORD, b"set by root", DONE)):
        read, write = os.pipe()
        os.write(write, new + b"\n")
        os.close(write)
        expect(status, "rewrap", "--old-password-fd", "0", "--new-password-fd", str(read),
               give=old, pass_fds=(read,))
        os.close(read)
    equal(secret_of("s", "a"), b"secret")
    reboot()
    _, reply = login(password=b"set by root")
    assert "opened" in str(reply), reply
    equal(state(), ("unlocked", "session-open", DONE))
    equal(secret_of("s", "a"), b"secret")


@case
def without_a_terminal_unlock_asks_nobody():
    login()
    expect(DONE, "lock", "--all")
    expect(1, "unlock", says="no terminal")
    expect(1, "unlock", "--password-fd", "77", says="descriptor 77")


@case
def without_the_service_unlock_says_how_to_start_it():
    login()
    expect(DONE, "lock", "--all")
    os.rename(SOCKET, SOCKET + ".away")
    try:
        unlock(PASSWORD, UNAVAILABLE, says="systemctl start vestry-unlock.socket")
    finally:
        os.rename(SOCKET + ".away", SOCKET)


@case
def starting_the_service_is_no_advice_for_what_it_answered():
    login()
    expect(DONE, "lock", "--all")
    configuration = pathlib.Path("/etc/vestry.conf")
    configuration.write_text("enabled = no\n")
    try:
        result = unlock(PASSWORD, UNAVAILABLE, says="/etc/vestry.conf")
        assert b"systemctl" not in result.stderr, result.stderr
    finally:
        configuration.unlink()


@case
def a_service_that_is_not_roots_gets_no_password():
    import socket
    login()
    expect(DONE, "lock", "--all")
    os.rename(SOCKET, SOCKET + ".away")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = 0
    try:
        listener.bind(SOCKET)
        os.chmod(SOCKET, 0o666)
        pid = os.fork()
        if pid == 0:
            # SO_PEERCRED tells who called listen(2).
            os.setresuid(2002, 2002, 2002)
            listener.listen(4)
            connection, _ = listener.accept()
            os._exit(len(connection.recv(4096)) > 0)
        eventually(lambda: listening(SOCKET), what="listener")
        unlock(PASSWORD, UNAVAILABLE, says="not root's")
        _, status = os.waitpid(pid, 0)
        equal(status, 0, "bytes were sent")
    finally:
        listener.close()
        os.unlink(SOCKET)
        os.rename(SOCKET + ".away", SOCKET)


def listening(path):
    with open("/proc/net/unix") as table:
        # Flags 00010000: a socket that listens.
        return any(path in line.split() and line.split()[3] == "00010000" for line in table)


@case
def waiting_ends_with_the_unlock():
    login()
    put(b"x", "s", "a")
    reboot()
    expect(TIMED_OUT, "wait", "--timeout", "0", says="timed out")
    began = time.monotonic()
    expect(TIMED_OUT, "wait", "--timeout=1")
    assert 0.9 < time.monotonic() - began < 10
    waiting = start("wait", "--timeout", "60")
    time.sleep(0.3)
    equal(waiting.poll(), None)
    unlock(PASSWORD)
    equal(waiting.wait(10), DONE)
    expect(DONE, "wait")
    expect(TIMED_OUT, "wait", "--timeout", "0", "--for", "when-unlocked")
    login()
    expect(DONE, "wait", "--timeout", "0", "--for", "when-unlocked")


@case
def waiting_begins_before_the_keychain_is_there():
    waiting = start("wait", "--timeout", "60")
    time.sleep(0.3)
    login()
    equal(waiting.wait(10), DONE)


def sleeper(*arguments, **options):
    """Starts a command that waits, and returns when it sleeps in poll(2) until something happens."""
    process = start(*arguments, **options)
    eventually(lambda: b"poll" in pathlib.Path(f"/proc/{process.pid}/wchan").read_bytes(), what=f"{arguments} sleeps")
    return process


def switches_and_ticks(process):
    """How often the process has been woken, and its processor time."""
    folder = pathlib.Path(f"/proc/{process.pid}")
    status = dict(line.split(":\t") for line in (folder / "status").read_text().splitlines() if ":\t" in line)
    return (int(status["voluntary_ctxt_switches"]),
            *map(int, (folder / "stat").read_text().rsplit(")", 1)[1].split()[11:13]))


@case
def waiting_costs_nothing_until_the_unlock():
    login()
    put(b"x", "s", "a")
    reboot()
    for arguments in (["wait"], ["wait", "--timeout", "1h"], ["get", "--wait=30s", "s", "a"]):
        process = sleeper(*arguments)
        before = switches_and_ticks(process)
        # Longer than a look every two seconds would take.
        time.sleep(2.5)
        equal(switches_and_ticks(process), before, f"{arguments} sleeps on")
        unlock(PASSWORD)
        equal(process.wait(10), DONE)
        expect(DONE, "lock", "--all")


@case
def waiting_outlives_the_folder_of_the_reports():
    login()
    reboot()
    folder = pathlib.Path("/run/vestry/unlocked")
    process = sleeper("wait", "--timeout", "1m")
    try:
        folder.rename("/run/vestry/unlocked.away")
        unlock(PASSWORD)
        equal(process.wait(10), DONE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        pathlib.Path("/run/vestry/unlocked.away").rename(folder)


@case
def get_waits_for_the_class_of_the_item():
    session, _ = login()
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked")
    put(b"asks", "s", "asks", "--require-password")
    for name in (b"afu", b"wu"):
        equal(expect(DONE, "get", "--wait=0", "s", name).stdout, name)
    # It is there, open, and still asks: waiting would not help.
    began = time.monotonic()
    expect(LOCKED, "get", "--wait=1h", "s", "asks")
    expect(NOT_FOUND, "get", "--wait=1h", "s", "absent")
    assert time.monotonic() - began < 10
    logout(session)
    equal(expect(DONE, "get", "--wait=0", "s", "afu").stdout, b"afu")
    result = expect(TIMED_OUT, "get", "--wait=0", "s", "wu", says="timed out")
    equal(result.stdout, b"")
    value = json.loads(expect_json(TIMED_OUT, "get", "--json", "--wait", "1", "s", "wu"))
    equal(value["error"]["status"], TIMED_OUT)
    waiting = sleeper("get", "--wait=1m", "s", "wu")
    login()
    equal((waiting.communicate(timeout=10)[0], waiting.returncode), (b"wu", DONE))


def expect_json(status, *arguments):
    result = vestry(*arguments)
    equal(result.returncode, status)
    return result.stderr


@case
def get_waits_for_a_keychain_and_then_says_what_is_not_in_it():
    expect(TIMED_OUT, "get", "--wait=0", "s", "a")
    waiting = sleeper("get", "--wait=1m", "s", "a")
    login()
    equal(waiting.wait(10), NOT_FOUND)
    reboot()
    began = time.monotonic()
    expect(TIMED_OUT, "get", "--wait=1s", "s", "a", says="vestry unlock")
    assert 0.9 < time.monotonic() - began < 10


@case
def root_locks_any_user_and_nobody_else_does():
    _, _ = login()
    login("bob")
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked")
    put(b"bob", "s", "afu", user="bob")
    for arguments in (["lock", "--user", "alice"], ["lock", "--all", "--user=alice"]):
        expect(DENIED, *arguments, user="bob", says="only root may lock the keychain of another user")
    equal(state(), ("unlocked", "session-open", DONE))
    expect(DONE, "lock", "--user", "alice", user="root")
    equal(state(), ("after-first-unlock", "session-locked", DONE))
    equal(secret_of("s", "afu"), b"afu")
    unlock(PASSWORD)
    expect(DONE, "lock", "--all", "--user", "alice", user="root")
    equal(state()[0], "locked")
    equal(secret_of("s", "afu", user="bob"), b"bob")
    unlock(PASSWORD)
    # One's own name is nobody else's.
    expect(DONE, "lock", "--all", "--user", "alice")
    equal(state()[0], "locked")
    for name in ("nosuch", "2001", "", "\033[2J"):
        for user in ("root", "alice"):
            expect(USAGE if name == "" else NOT_FOUND, "lock", "--user", name, user=user)
    # Root has no keychain, and nothing to lock is no failure.
    expect(DONE, "lock", "--user", "root", user="root")
    expect(DENIED, "lock", "--user", "root")


@case
def root_locks_without_looking_at_what_the_user_controls():
    login()
    trap = STORE.parent
    trap.rename("/home/alice/kept")
    try:
        # Whoever opens these as root would hang or read what is not theirs.
        os.mkfifo(trap)
        groups = pathlib.Path("/home/alice/.config/vestry")
        groups.mkdir(parents=True)
        (groups / "access-groups").symlink_to("/etc/shadow")
        trace = subprocess.run(
            ["strace", "-f", "-e", "trace=%file,setresuid", PROGRAM, "lock", "--all", "--user", "alice"],
            capture_output=True, text=True, timeout=60)
        equal(trace.returncode, 0, trace.stderr)
        calls = trace.stderr.splitlines()
        became = next(n for n, call in enumerate(calls) if re.match(r"setresuid\(2001, 2001, 2001\) *= 0", call))
        equal([call for call in calls[:became] if "/home/" in call], [])
    finally:
        trap.unlink()
        pathlib.Path("/home/alice/kept").rename(trap)
        shutil.rmtree("/home/alice/.config", ignore_errors=True)
    equal(state()[0], "locked")


@case
def waiting_costs_no_processor_time():
    login()
    reboot()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    expect(TIMED_OUT, "wait", "--timeout", "2")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used < 0.5, used
