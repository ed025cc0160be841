"""Arguments, help, and what is never shown."""

import subprocess

from harness import case, equal, eventually
from world import DONE, LOCKED, NOT_FOUND, PROGRAM, UNAVAILABLE, USAGE, expect, login, put, start, vestry

VERBS = "set get show list rename delete generate status lock unlock rewrap recover protectors wait security".split()


@case
def every_verb_explains_itself():
    overview = expect(DONE, "--help").stdout.decode()
    equal(expect(DONE, "help").stdout.decode(), overview)
    for verb in VERBS:
        text = expect(DONE, verb, "--help").stdout.decode()
        assert text.startswith(f"usage: vestry {verb}"), text
        equal(expect(DONE, "help", verb).stdout.decode(), text)
        assert f"\n  {verb} " in overview, verb
        if verb != "security":
            expect(DONE, verb, "--version")
    assert expect(DONE, "--version").stdout.startswith(b"vestry 0."), "version"


@case
def wrong_usage_is_status_2_and_names_the_mistake():
    expect(USAGE, says="no verb")
    expect(USAGE, "frobnicate", says="unknown verb 'frobnicate'")
    expect(USAGE, "get", "one", says="expected SERVICE and ACCOUNT")
    expect(USAGE, "get", "--frob", "s", "a", says="unknown option '--frob'")
    expect(USAGE, "set", "--accessible", "always", "s", "a", says="needs a CLASS")
    expect(USAGE, "wait", "--timeout", "soon", says="a number of seconds")
    expect(USAGE, b"get", b"\xff", b"a", says="not valid UTF-8")


@case
def a_secret_as_an_argument_is_refused_and_not_repeated():
    login()
    result = expect(USAGE, "set", "s", "a", "hunter2", says="never taken from the arguments")
    assert b"hunter2" not in result.stdout + result.stderr
    result = expect(USAGE, "set", "--secret=hunter2", "s", "a", says="unknown option '--secret'")
    assert b"hunter2" not in result.stderr
    result = expect(USAGE, "unlock", "hunter2", says="never taken from the arguments")
    assert b"hunter2" not in result.stderr
    expect(NOT_FOUND, "get", "s", "a")


@case
def messages_name_no_secret_and_no_item():
    login()
    put(b"MARKER-SECRET", "MARKER-SERVICE", "MARKER-ACCOUNT")
    results = [
        expect(NOT_FOUND, "get", "MARKER-SERVICE", "MARKER-OTHER"),
        expect(NOT_FOUND, "delete", "MARKER-OTHER", "MARKER-ACCOUNT"),
        expect(DONE, "lock", "--all"),
        expect(LOCKED, "get", "MARKER-SERVICE", "MARKER-ACCOUNT"),
    ]
    for result in results:
        assert b"MARKER" not in result.stdout + result.stderr, result


@case
def arguments_environment_and_memory_hold_no_secret_for_others():
    login()
    process = start("set", "s", "a", stdin=subprocess.PIPE, environment={"HOME": "/home/alice"})
    process.stdin.write(b"MARKER-SECRET")
    process.stdin.flush()
    folder = f"/proc/{process.pid}"
    eventually(lambda: forbids_core(folder), what="the program sets itself up")
    assert b"MARKER" not in open(f"{folder}/cmdline", "rb").read()
    peek = subprocess.run(
        ["sh", "-c", f"cat {folder}/environ || cat {folder}/mem"], user="alice", capture_output=True)
    assert peek.returncode != 0 and peek.stdout == b"", peek
    process.communicate()
    equal(process.returncode, DONE)


def forbids_core(folder):
    with open(f"{folder}/limits") as limits:
        return any(line.startswith("Max core file size") and line.split()[4:6] == ["0", "0"] for line in limits)


@case
def a_user_without_a_record_is_told_so():
    expect(UNAVAILABLE, "get", "s", "a", user=4242, says="no user with ID 4242")


@case
def closed_and_full_outputs_are_failures():
    login()
    put(b"secret", "s", "a")
    equal(shell(f"{PROGRAM} get s a >&-"), 1)
    equal(shell(f"{PROGRAM} get s a >/dev/full"), 1)
    equal(shell(f"{PROGRAM} list >&-"), 1)
    equal(shell(f"{PROGRAM} get s a 2>&- >/dev/null"), 0)
    equal(shell(f"{PROGRAM} set s b <&-"), 1)
    expect(NOT_FOUND, "get", "s", "b")
    equal(vestry("get", "s", "a").stdout, b"secret")


def shell(command):
    return vestry("-c", command, program="/bin/sh").returncode
