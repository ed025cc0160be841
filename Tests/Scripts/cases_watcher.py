"""The lock watcher: what locks, what does not, and what it costs."""

import contextlib
import pathlib
import signal
import subprocess
import time

from cases_locking import PASSWORD, switches_and_ticks
from harness import case, equal, eventually
from helper_client import UNLOCK, ask
from logind import ENVIRONMENT, NO_INHIBITORS, WATCHER, Bus, Logind, Watcher, machine, prepare
from world import LOCKED, expect, login, logout, put, secret_of, vestry

ALICE, BOB = 2001, 2002
CONF = pathlib.Path("/etc/vestry.conf")


@contextlib.contextmanager
def watched(*sessions):
    """Alice, logged in with one item of each class, with these sessions for logind, and the watcher."""
    login()
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked")
    with machine() as logind:
        for session in sessions:
            logind("session", session, ALICE)
        watcher = Watcher()
        try:
            equal(word(), "unlocked")
            yield logind, watcher
        finally:
            watcher.end()


def word():
    return vestry("status").stdout.decode().split()[0]


def locks(seconds=1.0):
    """The keys of the one class are gone within a second, and those of the other stay."""
    eventually(lambda: word() == "after-first-unlock", seconds, "the lock")
    expect(LOCKED, "get", "s", "wu")
    equal(secret_of("s", "afu"), b"afu")


def stays(logind):
    """Nothing is locked by what has been said."""
    heard(logind)
    equal(word(), "unlocked")


def heard(logind):
    """All that logind has said until now has had its effect: messages are taken one after the other."""
    logind("ping")
    logind.hear("pong")


def again():
    """What unlocking the screen by password does, through PAM."""
    equal(ask(UNLOCK, "alice", PASSWORD).result, "opened")
    equal(word(), "unlocked")


@case
def a_locked_screen_drops_the_keys_and_its_password_puts_them_back():
    with watched("a") as (logind, _):
        for _ in range(2):
            logind("lock", "a")
            locks()
            logind("unlock", "a")
            heard(logind)
            equal(word(), "after-first-unlock", "no password, no keys: a fingerprint will do for a screen only")
            again()
        logind("set", "a", "LockedHint", 1)
        locks()
        again()
        logind("set", "a", "LockedHint", 0)
        stays(logind)
        logind("set", "a", "LockedHint", 1)
        locks()


@case
def a_session_that_is_open_and_not_locked_keeps_the_keys():
    with watched("screen", "ssh") as (logind, _):
        logind("lock", "screen")
        stays(logind)
        logind("remove", "ssh")
        locks()
        again()
        # Its request is still there: a second session that comes and goes finds it unlocked.
        logind("unlock", "screen")
        logind("session", "later", ALICE)
        logind("remove", "later")
        stays(logind)
        # By the hint of the one and the signal of the other.
        logind("session", "other", ALICE)
        logind("set", "screen", "LockedHint", 1)
        stays(logind)
        logind("lock", "other")
        locks()


@case
def sessions_that_are_no_persons_keep_nothing():
    with watched("screen") as (logind, _):
        for name, value in (("Class", "greeter"), ("Class", "background"), ("Class", "lock-screen"),
                            ("State", "closing")):
            logind("session", "other", ALICE)
            logind("set", "other", name, value)
            logind("lock", "screen")
            locks()
            again()
            logind("remove", "other")
            logind("unlock", "screen")


@case
def what_happens_to_others_is_their_matter():
    with watched("a") as (logind, _):
        logind("session", "b", BOB)
        stays(logind)
        asked = logind.heard.count("listed")
        # However often somebody else locks: it costs logind no answers.
        for _ in range(20):
            logind("lock", "b")
            logind("set", "b", "LockedHint", 1)
            logind("set", "b", "LockedHint", 0)
        stays(logind)
        equal(logind.heard.count("listed"), asked)
        logind("remove", "b")
        stays(logind)
        # And bob's open session keeps nothing of alice's.
        logind("session", "b", BOB)
        logind("lock", "a")
        locks()


@case
def a_locker_that_says_nothing_is_known_by_its_password():
    with watched("screen", "ssh") as (logind, _):
        logind("lock", "screen")
        stays(logind)
        # swaylock, i3lock: the password is typed, and no signal comes.
        again()
        logind("remove", "ssh")
        stays(logind)
        logind("lock", "screen")
        locks()


@case
def a_login_does_not_unlock_the_screen():
    with watched("screen", "ssh") as (logind, _):
        logind("lock", "screen")
        stays(logind)
        # Its password is reported as the locker's is, and then its session begins.
        other, _ = login()
        logind("session", "scp", ALICE)
        stays(logind)
        logind("remove", "scp")
        logout(other)
        stays(logind)
        logind("remove", "ssh")
        locks()


@case
def a_session_that_locks_before_the_watcher_starts_is_found():
    login()
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked")
    with machine() as logind:
        logind("session", "a", ALICE)
        logind("set", "a", "LockedHint", 1)
        watcher = Watcher()
        locks()
        equal(watcher.end(), "")


@case
def before_the_machine_sleeps_the_keys_are_gone():
    with watched("a", "ssh") as (logind, _):
        logind.hear("inhibited")
        for _ in range(2):
            logind("sleep", 1)
            # Only now may it sleep; nothing has to be waited for.
            logind.hear("released", 1)
            equal(word(), "after-first-unlock")
            equal(secret_of("s", "afu"), b"afu")
            logind("sleep", 0)
            logind.hear("inhibited")
            again()


@case
def without_the_right_to_delay_sleep_it_locks_as_fast_as_it_can():
    prepare()
    NO_INHIBITORS.touch()
    with watched("a") as (logind, watcher):
        logind("sleep", 1)
        locks()
        again()
        logind("lock", "a")
        locks()
        assert "sleep does not wait for the lock" in watcher.end(), "the reason is not told"


@case
def a_logind_that_answers_nobody_cannot_hold_up_the_lock():
    with watched("a", "ssh") as (logind, _):
        # It might have told that another session is open.
        logind("freeze", "a")
        locks(1.0)


@case
def a_new_logind_and_a_new_bus_are_found():
    login()
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked")
    prepare()
    bus, logind = Bus(), Logind()
    logind("session", "a", ALICE)
    watcher = Watcher()
    try:
        logind.hear("inhibited")
        logind("name", 0)
        logind.hear("released")
        logind("name", 1)
        logind.hear("inhibited")
        logind("lock", "a")
        locks()
        again()
        # All at once, and the sessions have gone on meanwhile.
        logind.end()
        bus.end()
        time.sleep(0.5)
        equal(watcher.process.poll(), None)
        bus = Bus()
        time.sleep(0.5)
        logind = Logind()
        logind("session", "a", ALICE)
        logind.hear("inhibited", 60)
        logind("set", "a", "LockedHint", 1)
        locks()
    finally:
        text = watcher.end()
        logind.end()
        bus.end()
    assert "connecting again" in text, text


@case
def a_screen_that_was_locked_stays_so_for_a_new_logind():
    with watched("screen", "ssh") as (logind, _):
        logind.hear("inhibited")
        logind("lock", "screen")
        stays(logind)
        logind("name", 0)
        logind("name", 1)
        logind.hear("inhibited")
        logind("remove", "ssh")
        locks()


@case
def without_logind_it_says_so_and_ends():
    prepare()
    for has_bus in (False, True):
        bus = Bus() if has_bus else None
        try:
            watcher = Watcher()
            assert watcher.ready.startswith("READY=1\nSTATUS=no logind here"), watcher.ready
            equal(watcher.process.wait(10), 0)
            text = watcher.end()
            assert "no logind here" in text and "vestry lock" in text, text
        finally:
            if bus:
                bus.end()


@case
def it_sleeps_until_something_happens():
    with watched("a", "ssh") as (logind, watcher):
        for words in ([], ["lock", "a"]):
            # Once more with what it watches while a session is locked.
            if words:
                logind(*words)
            eventually(lambda: b"poll" in pathlib.Path(f"/proc/{watcher.process.pid}/wchan").read_bytes())
            time.sleep(0.3)
            before = switches_and_ticks(watcher.process)
            time.sleep(2)
            equal(switches_and_ticks(watcher.process), before)


@case
def nobody_there_for_the_configured_time_locks():
    CONF.write_text("lock-after-idle = 1\n")
    login()
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked")
    try:
        with machine() as logind:
            def left(seconds, session):
                logind("set", session, "IdleSinceHint", int((time.time() - seconds) * 1e6))

            logind("session", "terminal", ALICE)
            logind("session", "desktop", ALICE)
            logind("set", "desktop", "Type", "wayland")
            logind("set", "desktop", "IdleHint", 1)
            left(600, "terminal")
            left(55, "desktop")
            began = time.monotonic()
            watcher = Watcher()
            eventually(lambda: word() == "after-first-unlock", 20, "the lock")
            assert 4 < time.monotonic() - began < 20, time.monotonic() - began
            locks()
            watcher.end()
            again()
            # Somebody is there: at the desktop, which says so, or over ssh, of which nobody knows better.
            logind("set", "desktop", "IdleHint", 0)
            watcher = Watcher()
            stays(logind)
            watcher.end()
            logind("set", "desktop", "IdleHint", 1)
            logind("set", "terminal", "IdleSinceHint", 0)
            watcher = Watcher()
            stays(logind)
            # Unless that one is locked.
            logind("lock", "terminal")
            stays(logind)
            left(120, "desktop")
            watcher.end()
            logind("set", "terminal", "LockedHint", 1)
            watcher = Watcher()
            locks()
            watcher.end()
    finally:
        CONF.unlink()


@case
def a_wrong_configuration_is_told_and_locks_as_ever():
    login()
    put(b"afu", "s", "afu")
    put(b"wu", "s", "wu", "--accessible", "when-unlocked")
    CONF.write_text("lock-after-idle = soon\n")
    try:
        with machine() as logind:
            logind("session", "a", ALICE)
            watcher = Watcher()
            logind("lock", "a")
            locks()
            text = watcher.end()
            assert "/etc/vestry.conf:1: lock-after-idle" in text, text
    finally:
        CONF.unlink()


@case
def it_holds_no_secret_and_takes_no_argument():
    prepare()
    result = subprocess.run([WATCHER, "--all"], capture_output=True, env=ENVIRONMENT)
    equal((result.returncode, result.stdout), (2, b""))
    assert b"takes no arguments" in result.stderr, result.stderr
    with watched("a") as (logind, watcher):
        logind("lock", "a")
        locks()
        # The one key that it reads is the number of the keyring: those of items are never asked for.
        trace = subprocess.Popen(
            ["strace", "-f", "-p", str(watcher.process.pid), "-e", "trace=keyctl,openat"], stderr=subprocess.PIPE)
        trace.stderr.readline()
        again()
        logind("unlock", "a")
        logind("lock", "a")
        locks()
        trace.send_signal(signal.SIGINT)
        calls = trace.communicate()[1].decode()
        assert calls.count("KEYCTL_REVOKE") == 3, calls
        equal(calls.count("KEYCTL_READ"), 1, calls)
        equal("/home/" in calls, False, calls)
