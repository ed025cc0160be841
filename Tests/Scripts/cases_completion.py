"""Completion in the shells: it shows what stands in an open keychain, and nothing of a locked one."""

import os
import pathlib
import shutil
import subprocess

import world
from harness import Skip, case, equal
from world import DONE, LOCKED, PROGRAM, Terminal, expect, login, put, vestry

SHELLS = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging" / "completions"
ENVIRONMENT = {"PATH": os.path.dirname(PROGRAM) + ":/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "dumb",
               "LC_ALL": "C.UTF-8"}


def candidates(*words):
    result = expect(DONE, "complete", "--", *words)
    equal(result.stderr, b"", words)
    return result.stdout.decode().splitlines()


def keychain():
    login()
    for service, account in (("db", "app"), ("db", "backup"), ("https://x.org:8", "me"), ("my db", "it's"),
                             ("bad\nname", "a"), ("-dash", "a")):
        put(b"the secret", service, account)
    expect(DONE, "set", "--server", "www.example.org", "alice", give=b"the secret")


@case
def words_are_completed_from_the_open_keychain():
    keychain()
    for words, found in (
        (("get", ""), ["-dash", "db", "https://x.org:8", "my db"]),
        (("get", "d"), ["db"]),
        (("get", "db", ""), ["app", "backup"]),
        (("get", "db", "b"), ["backup"]),
        (("get", "other", ""), []),
        (("get", "--service=db", "--account", ""), ["app", "backup"]),
        (("get", "--", "-"), ["-dash"]),
        (("get", "--server", ""), ["www.example.org"]),
        (("get", "--server", "www.example.org", ""), ["alice"]),
        (("get", "--group", "other", ""), []),
        (("get", "db", "app", ""), []),
        (("list", "h"), ["https://x.org:8"]),
        (("sta",), ["status"]),
        (("help", "sta"), ["status"]),
        (("backup", ""), ["/"]),
        (("set", "--accessible=when-unlocked-"), ["--accessible=when-unlocked-this-device-only"]),
        (("nonsense", ""), []),
    ):
        equal(candidates(*words), found, words)
    assert "the secret" not in vestry("complete", "--", "get", "").stdout.decode()


@case
def a_locked_keychain_shows_nothing_and_stays_locked():
    keychain()
    expect(DONE, "lock", "--all")
    before = world.contents()
    for words in (("get", ""), ("get", "db", ""), ("list", ""), ("get", "--server", "")):
        equal(candidates(*words), [], words)
    equal(expect(LOCKED, "status").stdout.split()[0], b"locked")
    equal(world.contents(), before)


@case
def who_has_no_keychain_gets_none():
    equal(candidates("get", ""), [])
    equal(world.STORE.exists(), False)


def in_bash(line):
    """What bash has in the place of a line when Tab is pressed behind it."""
    terminal = Terminal("--norc", "--noprofile", "-i", program="/bin/bash", environment=ENVIRONMENT)
    try:
        script = SHELLS / "bash" / "vestry"
        # The words that the shell would run are printed instead.
        terminal.type(f"PS1=; . {script}; bind 'set bell-style none'; echo rea''dy\n".encode())
        terminal.wait_for(b"ready\r\n")
        terminal.type(line.encode() + b"\t \x01printf '<%s>' \x05\n")
        terminal.type(b"echo do''ne\n")
        terminal.wait_for(b"done\r\n")
        shown = terminal.seen.decode()
        return shown[shown.rindex("<vestry>"):].split("\r\n")[0].split("echo")[0]
    finally:
        terminal.close()


@case
def bash_completes_with_its_own_quoting():
    keychain()
    for line, found in (
        ("vestry statu", "<vestry><status>"),
        ("vestry get db ba", "<vestry><get><db><backup>"),
        ("vestry get my", "<vestry><get><my db>"),
        ("vestry get 'my", "<vestry><get><my db>"),
        ("vestry get \"my", "<vestry><get><my db>"),
        ("vestry get my\\ d", "<vestry><get><my db>"),
        ("vestry get my\\ db it", "<vestry><get><my db><it's>"),
        ("vestry get https:", "<vestry><get><https://x.org:8>"),
        ("vestry get https://x.org:8 m", "<vestry><get><https://x.org:8><me>"),
        ("vestry set --accessible=after-first-unlock-", "<vestry><set><--accessible=after-first-unlock-this-device-only>"),
        ("vestry set --accessible when-p", "<vestry><set><--accessible><when-passcode-set-this-device-only>"),
        ("vestry backup /etc/hostn", "<vestry><backup></etc/hostname>"),
    ):
        equal(in_bash(line)[:len(found)], found, line)


@case
def bash_runs_nothing_that_stands_in_the_line():
    for word, plain in (("$(exit 7)", "$(exit 7)"), ("`exit 7`", "`exit 7`"), ("\"$HOME\\\"\"", '$HOME"'), ("a\\", "a\\"),
                        ("'x'\\''y'", "x'y"), ("*", "*")):
        result = subprocess.run(
            ["bash", "--norc", "-c", '. "$1"; __vestry_plain "$2"; printf %s "$REPLY"', "bash", SHELLS / "bash" / "vestry", word],
            capture_output=True, check=True)
        equal(result.stdout.decode(), plain, word)


@case
def zsh_and_fish_take_the_same_words():
    if not shutil.which("zsh") and not shutil.which("fish"):
        raise Skip("neither zsh nor fish is installed")
    keychain()
    if shutil.which("fish"):
        for line, found in (("vestry get db ", ["app", "backup"]), ("vestry statu", ["status"])):
            result = subprocess.run(
                ["fish", "--no-config", "-c", f"source {SHELLS}/fish/vestry.fish; complete -C '{line}'"],
                env=ENVIRONMENT, preexec_fn=world.becoming("alice"), cwd="/", capture_output=True, check=True)
            equal(result.stdout.decode().split(), found, f"fish: {line}")
    if shutil.which("zsh"):
        terminal = Terminal("-f", "-i", program=shutil.which("zsh"), environment=ENVIRONMENT)
        try:
            terminal.type(f"PS1=; fpath=({SHELLS}/zsh $fpath); autoload -Uz compinit; compinit -D; echo rea''dy\n".encode())
            terminal.wait_for(b"ready\r\n")
            terminal.type(b"vestry get my\t\x01print -rl -- \x05; echo do''ne\n")
            terminal.wait_for(b"done\r\n")
            assert "\r\nmy db\r\n" in terminal.seen.decode(), terminal.seen
        finally:
            terminal.close()
