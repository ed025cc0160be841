"""Passwords from the program pinentry: what it may answer, and what is left when it is gone."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from cases_terminal import at_terminal
from harness import Skip, case, equal, eventually
from world import (CANCELLED, DONE, FAILURE, LOCKED, MISMATCH, PASSWORDS, PROGRAM, TIMED_OUT, UNAVAILABLE, USAGE, expect,
                   login, put, start)

PASSWORD = PASSWORDS["alice"]
FOLDER = pathlib.Path("/run/vestry-test/pinentry")

# A pinentry that notes what it sees, gives the answers of a case, and then does what the case wants.
STAND_IN = """#!/usr/bin/python3
import json, os, signal, sys, time

ANSWERS = {answers!r}
DEEDS = {deeds!r}
seen = {{"arguments": sys.argv[1:], "process": os.getpid(), "lines": []}}
seen["environment"] = sorted(os.environ)
seen["descriptors"] = [n for n in range(256) if os.path.exists(f"/proc/self/fd/{{n}}")]
seen["blocked"] = [int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, [])]

def note():
    with open({log!r} + ".new", "w") as file:
        json.dump(seen, file)
    os.rename({log!r} + ".new", {log!r})

def answer(command):
    if DEEDS.get(command) == "close":
        os.close(0)
    os.write(1, ANSWERS.get(command, b"OK\\n"))
    if DEEDS.get(command) == "end":
        sys.exit(0)
    if DEEDS.get(command) == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        seen["hangs"] = True
        note()
        time.sleep(600)

note()
answer("start")
for line in sys.stdin.buffer:
    seen["lines"].append(line.decode())
    note()
    answer(line.split()[0].decode())
    if line == b"BYE\\n":
        break
"""


def stand_in(deeds=None, **answers):
    """Puts a pinentry into a folder of its own, and returns an environment that finds it.

    `answers` are by command, OK where there is none; `deeds` are what follows an answer ("end", "hang"),
    or goes before it ("close": of its input).
    """
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    os.chown(FOLDER, 2001, 2001)
    program = FOLDER / "pinentry"
    program.write_text(STAND_IN.format(answers=answers, deeds=deeds or {}, log=str(FOLDER / "log")))
    program.chmod(0o755)
    return {"environment": {"PATH": str(FOLDER)}}


def given(password):
    """An answer to GETPIN with everything encoded that has to be."""
    for byte in (b"%", b"\r", b"\n"):
        password = password.replace(byte, b"%%%02X" % byte[0])
    return b"D " + password + b"\nOK\n"


def seen():
    return json.loads((FOLDER / "log").read_text())


def is_running():
    return os.path.exists(f"/proc/{seen()['process']}")


def locked_login(password=PASSWORD):
    login(password=password)
    expect(DONE, "lock", "--all")


@case
def unlock_takes_the_password_from_pinentry():
    locked_login()
    result = expect(DONE, "unlock", "--pinentry", **stand_in(GETPIN=given(PASSWORD)))
    equal(result.stdout + result.stderr, b"")
    expect(DONE, "status")
    log = seen()
    equal(log["arguments"], [])
    equal(log["descriptors"], [0, 1, 2])
    equal(log["blocked"], [])
    equal(log["lines"], [
        "SETTITLE Vestry\n", "SETDESC Login password of alice\n", "SETPROMPT Password:\n", "GETPIN\n", "BYE\n"])
    assert not is_running()


@case
def get_asks_by_pinentry_for_items_that_ask_and_for_no_others():
    login()
    put(b"secret", "s", "a", "--require-password", "--label", "100%\nmy_bank")
    options = stand_in(GETPIN=given(PASSWORD))
    equal(expect(DONE, "get", "--pinentry", "s", "a", **options).stdout, b"secret")
    assert "SETDESC Login password to read 100%25\\nmy_bank\n" in seen()["lines"], seen()
    expect(MISMATCH, "get", "--pinentry", "s", "a", says="wrong password", **stand_in(GETPIN=given(b"wrong")))
    expect(CANCELLED, "get", "--pinentry", "s", "a", **stand_in(GETPIN=b"ERR 83886179 cancelled\n"))
    put(b"plain", "s", "b")
    equal(expect(DONE, "get", "--pinentry", "s", "b", **stand_in()).stdout, b"plain")
    assert not (FOLDER / "log").exists(), "nothing to ask"


@case
def without_the_option_pinentry_is_never_started():
    login()
    put(b"secret", "s", "a", "--require-password")
    options = stand_in(GETPIN=given(PASSWORD))
    expect(LOCKED, "get", "s", "a", **options)
    expect(DONE, "lock", "--all")
    expect(FAILURE, "unlock", says="no terminal", **options)
    expect(USAGE, "unlock", "--pinentry", "--password-fd", "0", says="exclude each other", **options)
    assert not (FOLDER / "log").exists()


@case
def what_is_unlocked_is_not_asked_for():
    login()
    expect(DONE, "unlock", "--pinentry", **stand_in())
    assert not (FOLDER / "log").exists()


@case
def a_wrong_password_is_asked_for_once():
    locked_login()
    expect(MISMATCH, "unlock", "--pinentry", **stand_in(GETPIN=given(b"wrong")))
    equal(seen()["lines"].count("GETPIN\n"), 1)
    expect(MISMATCH, "unlock", "--pinentry", **stand_in())
    expect(LOCKED, "status")


@case
def any_password_comes_through():
    password = "50 % of ü漢🗝\n\r\t %25".encode()
    locked_login(password)
    pieces = b"# a comment\nS PIN_REPEATED\n"
    for byte in password:
        # Some encoded that need not be, in both cases of letters, and a line end as Windows has it.
        pieces += b"D %%%02x\r\n" % byte if byte % 2 or byte in b"%\n\r" else b"D %c\n" % byte
    for answer in (given(password), pieces + b"S DONE\nOK\n"):
        expect(DONE, "unlock", "--pinentry", **stand_in(GETPIN=answer))
        expect(DONE, "lock", "--all")


@case
def a_dismissed_question_is_cancelled():
    locked_login()
    for answer in (b"ERR 83886179 Operation cancelled <Pinentry>\n", b"ERR 99\n", b"ERR 83886278 fully\n"):
        expect(CANCELLED, "unlock", "--pinentry", says="cancelled", **stand_in(GETPIN=answer))
        assert not is_running()
    expect(LOCKED, "status")


@case
def pinentrys_own_errors_are_told():
    locked_login()
    answer = b"S ERROR curses.isatty 83918950\nERR 83918950 No \x1b[2Jdevice <Pinentry>\n"
    expect(FAILURE, "unlock", "--pinentry", says="pinentry: No \\u{1B}[2Jdevice <Pinentry> (83918950)",
           **stand_in(GETPIN=answer))
    expect(TIMED_OUT, "unlock", "--pinentry", says="nobody", **stand_in(GETPIN=b"ERR 83886142 Timeout\n"))
    expect(FAILURE, "unlock", "--pinentry", says="busy (1)", **stand_in(start=b"ERR 1 busy\n"))
    # It need not know any option.
    options = stand_in(GETPIN=given(PASSWORD), OPTION=b"ERR 83886254 Unknown option\n")
    options["environment"].update(DISPLAY=":7", LANG="C.UTF-8")
    expect(DONE, "unlock", "--pinentry", **options)
    for option in ("display=:7", "lc-ctype=C.UTF-8", "lc-messages=C.UTF-8"):
        assert f"OPTION {option}\n" in seen()["lines"], seen()
    assert "DISPLAY" in seen()["environment"], seen()


@case
def nonsense_is_no_password_and_is_not_shown():
    locked_login()
    line = b"D MARKER" + b"x" * 1000 + b"\n"
    for answer in (b"MARKER\n", b"D MARKER%2\nOK\n", b"D MARKER%xy\nOK\n", b"D MARKER\nOKAY\n", b"\nOK\n", line + b"OK\n",
                   b"D" * 2000, b"OK\nMARKER\n", b"ERR MARKER\n", b"INQUIRE MARKER\n", b"\0\xff\n", b"S x\n" * 5000):
        result = expect(FAILURE, "unlock", "--pinentry", says="none of its protocol", **stand_in(GETPIN=answer))
        assert b"MARKER" not in result.stdout + result.stderr, result
        assert not is_running()
    expect(FAILURE, "unlock", "--pinentry", says="none of its protocol", **stand_in(start=b"Hello\n"))
    expect(LOCKED, "status")


@case
def an_early_end_is_told():
    locked_login()
    for command, answer in (("start", b""), ("start", b"OK"), ("SETDESC", b""), ("GETPIN", b""), ("GETPIN", b"D half\n")):
        options = stand_in({command: "end"}, **{command: answer})
        expect(FAILURE, "unlock", "--pinentry", says="pinentry ended without an answer", **options)
        assert not is_running()
    # The right password is not enough without the OK after it.
    options = stand_in({"GETPIN": "end"}, GETPIN=b"D " + PASSWORD + b"\n")
    expect(FAILURE, "unlock", "--pinentry", says="pinentry ended without an answer", **options)
    # In the middle of the conversation: the next command goes nowhere.
    expect(FAILURE, "unlock", "--pinentry", says="pinentry ended without an answer", **stand_in({"start": "close"}))
    expect(LOCKED, "status")


@case
def no_pinentry_is_unavailable_and_says_what_to_install():
    locked_login()
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "pinentry").unlink(missing_ok=True)
    options = {"environment": {"PATH": str(FOLDER)}}
    expect(UNAVAILABLE, "unlock", "--pinentry", says="install pinentry-curses", **options)
    (FOLDER / "pinentry").write_text("no program")
    expect(FAILURE, "unlock", "--pinentry", says="Permission denied", **options)
    (FOLDER / "pinentry").chmod(0o755)
    expect(FAILURE, "unlock", "--pinentry", says="Exec format error", **options)


@case
def one_that_hangs_is_ended_by_a_signal_to_the_command():
    locked_login()
    for number, status in ((signal.SIGINT, CANCELLED), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP)):
        process = start("unlock", "--pinentry", **stand_in({"GETPIN": "hang"}, GETPIN=b""))
        eventually(lambda: (FOLDER / "log").exists() and "hangs" in seen(), 20, "the question")
        process.send_signal(number)
        begin = time.monotonic()
        process.communicate(timeout=60)
        equal(process.returncode, status)
        assert time.monotonic() - begin < 10, "it does not wait for a program that ignores SIGTERM"
        assert not is_running()
    expect(LOCKED, "status")


@case
def one_that_does_not_start_is_not_waited_for_for_ever():
    locked_login()
    expect(TIMED_OUT, "unlock", "--pinentry", says="did not start in time", **stand_in({"start": "hang"}, start=b""))
    assert not is_running()


@case
def what_the_caller_ignores_and_a_closed_input_change_nothing():
    locked_login()
    # The password has come, and the last command goes nowhere.
    options = stand_in({"GETPIN": "close"}, GETPIN=given(PASSWORD))
    expect(DONE, "-c", f"trap '' CHLD PIPE INT; exec {PROGRAM} unlock --pinentry 3</dev/null", program="/bin/sh", **options)
    expect(DONE, "status")
    equal(seen()["descriptors"], [0, 1, 2])
    assert not is_running()


@case
def the_password_is_in_guarded_memory_alone():
    locked_login()
    process = start("unlock", "--pinentry", **stand_in({"BYE": "hang"}, BYE=b"", GETPIN=given(PASSWORD)))
    eventually(lambda: (FOLDER / "log").exists() and "hangs" in seen(), 20, "the answer")
    guarded, others = memory_with(process.pid, PASSWORD)
    process.communicate(timeout=60)
    equal(process.returncode, DONE)
    equal(others, [])
    assert guarded, "libsodium's memory, which is left out of dumps, has it"


def memory_with(process, marker):
    """The parts of a process's memory that hold `marker`: those left out of core dumps, and all others."""
    guarded, others = [], []
    part = None
    with open(f"/proc/{process}/smaps") as lines, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in lines:
            if "-" in line.split()[0]:
                part = line.split()
            elif line.startswith("VmFlags:") and part[1][0] == "r" and not part[-1].startswith("[v"):
                start, end = (int(number, 16) for number in part[0].split("-"))
                memory.seek(start)
                if marker in memory.read(end - start):
                    (guarded if "dd" in line.split() else others).append(" ".join(part))
    return guarded, others


@case
def debians_own_pinentry_asks_in_a_window():
    programs = ("/usr/bin/Xvfb", "/usr/bin/xdotool", "/usr/bin/pinentry-gtk-2")
    for program in programs:
        if not os.path.exists(program):
            raise Skip(f"there is no {program}")
    locked_login()
    reader, writer = os.pipe()
    server = subprocess.Popen(
        [programs[0], "-displayfd", str(writer), "-ac", "-nolisten", "tcp"], pass_fds=[writer],
        stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as lines:
            environment = {"PATH": debians("pinentry-gtk-2"), "DISPLAY": ":" + lines.readline().strip()}
        # What is typed while the window still comes up may be lost: so all of it, away with it, and again;
        # and the last key until it has its effect.
        wipe = ["--repeat", "30", "--repeat-delay", "5", "BackSpace"]
        password = [["type", PASSWORD.decode()], ["key", *wipe], ["type", PASSWORD.decode()]]
        for keys, last, status in (([], "Escape", CANCELLED), (password, "Return", DONE)):
            process = start("unlock", "--pinentry", environment=environment)

            def press(*arguments):
                return subprocess.run([programs[1], *arguments], env=environment, stdout=subprocess.DEVNULL).returncode

            eventually(lambda: press("search", "--onlyvisible", "--name", "Vestry") == 0, 60, "the window")
            for arguments in keys:
                press(*arguments)
            eventually(lambda: press("key", last) == 0 and process.poll() is not None, 60, "the end")
            equal(process.returncode, status, process.communicate()[1])
        expect(DONE, "status")
    finally:
        server.terminate()
        server.wait()


def debians(name):
    """A folder for PATH in which one of Debian's programs is the pinentry."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "pinentry").symlink_to(f"/usr/bin/{name}")
    return str(FOLDER)


@at_terminal
def debians_own_pinentry_asks_at_a_terminal(make):
    locked_login()
    environment = {"PATH": debians("pinentry-curses"), "TERM": "xterm", "LANG": "C.UTF-8"}
    terminal = make("unlock", "--pinentry", environment=environment)
    terminal.wait_for(b"Login password of alice")
    terminal.wait_for(b"Password:")
    assert not terminal.echoes
    terminal.type(PASSWORD + b"\r")
    status, shown = terminal.end()
    equal(status, DONE, shown)
    assert PASSWORD not in shown
    assert terminal.is_restored
    expect(DONE, "status")

    expect(DONE, "lock", "--all")
    # By its button, and by the key that ends a program.
    for keys in (b"\t\t\r", b"\x03"):
        terminal = make("unlock", "--pinentry", environment=environment)
        terminal.wait_for(b"Password:")
        terminal.type(b"half" + keys)
        status, shown = terminal.end()
        equal(status, CANCELLED, shown)
        assert b"half" not in shown
        assert terminal.is_restored
    # Without a terminal it says so itself.
    expect(FAILURE, "unlock", "--pinentry", says="pinentry: ", environment=environment)
