"""Items that ask for the login password at each read."""

import time

from cases_terminal import at_terminal
from harness import case, equal
from keyctl import Process
from world import CANCELLED, DONE, LOCKED, MISMATCH, PASSWORDS, expect, login, put, secret_of, vestry

PASSWORD = PASSWORDS["alice"]


@at_terminal
def get_asks_for_the_password_with_the_label_and_without_echo(make):
    login()
    put(b"secret", "s", "a", "--require-password", "--label", "my bank")
    for _ in range(2):
        terminal = make("get", "s", "a")
        terminal.wait_for(b"Login password to read my bank: ")
        assert not terminal.echoes
        terminal.type(PASSWORD + b"\n")
        status, shown = terminal.end()
        equal(status, DONE)
        assert shown.endswith(b"secret\r\n"), shown
        assert PASSWORD not in shown
        assert terminal.is_restored


@at_terminal
def security_asks_for_the_password_too(make):
    login()
    put(b"secret", "s", "a", "--require-password")
    terminal = make("security", "find-generic-password", "-s", "s", "-w")
    terminal.wait_for(b"Login password to read s")
    terminal.type(PASSWORD + b"\n")
    status, shown = terminal.end()
    equal(status, DONE)
    assert shown.endswith(b"secret\r\n"), shown
    result = vestry("security", "find-generic-password", "-s", "s", "-w")
    equal((result.returncode, result.stdout), (36, b""))
    equal(vestry("security", "find-generic-password", "-s", "s").returncode, DONE)


@at_terminal
def without_a_label_the_question_has_the_names_made_harmless(make):
    login()
    put(b"secret", "s\x1b[31m", "a", "--require-password")
    terminal = make("get", "--", "s\x1b[31m", "a")
    terminal.wait_for(b"Login password to read s")
    terminal.wait_for(b" a: ")
    assert b"\x1b" not in terminal.seen, terminal.seen
    terminal.type(b"\x03")
    equal(terminal.end()[0], CANCELLED)


@at_terminal
def a_wrong_password_is_told_slowly_and_a_dismissed_question_at_once(make):
    login()
    put(b"secret", "s", "a", "--require-password")
    terminal = make("get", "s", "a")
    terminal.wait_for(b"Login password")
    start = time.monotonic()
    terminal.type(b"wrong\n")
    status, shown = terminal.end()
    equal(status, MISMATCH)
    assert time.monotonic() - start >= 0.9
    assert b"secret" not in shown and b"wrong password" in shown, shown
    for key in (b"\x03", b"\x04"):
        terminal = make("get", "s", "a")
        terminal.wait_for(b"Login password")
        terminal.type(key)
        equal(terminal.end()[0], CANCELLED)
        assert terminal.is_restored


@case
def without_a_terminal_it_is_locked_and_says_why():
    login()
    put(b"secret", "s", "a", "--require-password")
    result = expect(LOCKED, "get", "s", "a", says="asks for the login password at each read", give=PASSWORD + b"\n")
    equal(result.stdout, b"")
    # Its attributes and its secret can be listed and replaced without the password.
    assert b"s" in expect(DONE, "list").stdout
    put(b"other", "s", "a")
    expect(LOCKED, "get", "s", "a")
    expect(DONE, "delete", "s", "a")
    put(b"plain", "s", "a")
    equal(secret_of("s", "a"), b"plain")


@at_terminal
def an_item_that_is_there_can_begin_to_ask(make):
    login()
    put(b"one", "s", "a", "--accessible", "when-unlocked-this-device-only")
    put(b"two", "s", "a", "--require-password")
    expect(LOCKED, "get", "s", "a")
    terminal = make("get", "s", "a")
    terminal.wait_for(b"Login password")
    terminal.type(PASSWORD + b"\n")
    equal(terminal.end()[0], DONE)
    assert b"two\r\n" in terminal.seen, terminal.seen


@at_terminal
def writers_do_not_wait_for_the_person_at_the_terminal(make):
    login()
    put(b"secret", "s", "a", "--require-password")
    terminal = make("get", "s", "a")
    terminal.wait_for(b"Login password")
    start = time.monotonic()
    put(b"new", "s", "a")
    put(b"other", "s", "b")
    assert time.monotonic() - start < 20
    terminal.type(PASSWORD + b"\n")
    equal(terminal.end()[0], DONE)
    assert b"new\r\n" in terminal.seen, "what stands there after the answer"


@at_terminal
def a_read_leaves_no_key_in_any_keyring_of_the_user(make):
    login()
    put(b"secret", "s", "a", "--require-password")
    watcher = Process("alice")
    names = "[l.split()[8] for l in open('/proc/keys') if 'vestry' in l]"
    before = watcher(names)
    terminal = make("get", "s", "a")
    terminal.wait_for(b"Login password")
    terminal.type(PASSWORD + b"\n")
    equal(terminal.end()[0], DONE)
    equal(sorted(watcher(names)), sorted(before))
    assert before and not [name for name in before if "held" in name], before
    watcher.end()
