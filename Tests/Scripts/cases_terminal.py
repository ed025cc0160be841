"""A person at a terminal: asked without echo, and the terminal put back on every way out."""

import signal

from harness import case, equal
from world import CANCELLED, DONE, LOCKED, MISMATCH, NOT_FOUND, PASSWORDS, PROGRAM, Terminal, expect, login, put, secret_of

PASSWORD = PASSWORDS["alice"]


def at_terminal(function):
    """A case that gets a maker of terminals, all closed at its end."""

    def run():
        terminals = []

        def make(*arguments, **options):
            terminals.append(Terminal(*arguments, **options))
            return terminals[-1]

        try:
            function(make)
        finally:
            for terminal in terminals:
                terminal.close()

    run.__name__ = function.__name__
    return case(run)


@at_terminal
def set_asks_twice_and_shows_nothing(make):
    login()
    terminal = make("set", "s", "a")
    for prompt in (b"Secret for s a: ", b"The same again: "):
        terminal.wait_for(prompt)
        assert not terminal.echoes
        terminal.type(b"typed secret\n")
    status, shown = terminal.end()
    equal(status, DONE)
    assert b"typed" not in shown, shown
    assert terminal.is_restored
    equal(secret_of("s", "a"), b"typed secret")


@at_terminal
def two_different_secrets_are_a_mismatch(make):
    login()
    terminal = make("set", "s", "a")
    terminal.wait_for(b"Secret")
    terminal.type(b"one\n")
    terminal.wait_for(b"again")
    terminal.type(b"two\n")
    equal(terminal.end()[0], MISMATCH)
    expect(NOT_FOUND, "get", "s", "a")


@at_terminal
def get_adds_a_newline_only_for_a_terminal(make):
    login()
    put(b"secret", "s", "a")
    equal(make("get", "s", "a").end(), (DONE, b"secret\r\n"))
    equal(secret_of("s", "a"), b"secret")


@at_terminal
def unlock_asks_at_the_terminal_whatever_stdin_is(make):
    login()
    expect(DONE, "lock", "--all")
    terminal = make("unlock")
    terminal.wait_for(b"Login password of alice: ")
    terminal.type(PASSWORD + b"\n")
    status, shown = terminal.end()
    equal(status, DONE, shown)
    assert PASSWORD not in shown
    assert terminal.is_restored
    expect(DONE, "status")
    # Open already: nothing to ask.
    equal(make("unlock").end(), (DONE, b""))
    expect(DONE, "lock", "--all")
    terminal = make("unlock")
    terminal.wait_for(b"Login password")
    terminal.type(b"wrong\n")
    equal(terminal.end()[0], MISMATCH)
    expect(LOCKED, "status")


@at_terminal
def rewrap_asks_for_both_passwords_and_shows_neither(make):
    login()
    for again, status in ((b"other", MISMATCH), (b"new one", DONE)):
        terminal = make("rewrap")
        terminal.wait_for(b"Password that opens the keychain of alice: ")
        terminal.type(PASSWORD + b"\n")
        terminal.wait_for(b"Login password of alice: ")
        terminal.type(b"new one\n")
        terminal.wait_for(b"The same again: ")
        terminal.type(again + b"\n")
        ended, shown = terminal.end()
        equal(ended, status, shown)
        assert PASSWORD not in shown and b"new one" not in shown
        assert terminal.is_restored


@at_terminal
def control_C_cancels_and_restores_the_terminal(make):
    login()
    expect(DONE, "lock", "--all")
    for arguments in (["set", "s", "a"], ["unlock"]):
        terminal = make(*arguments)
        terminal.wait_for(b": ")
        terminal.type(b"half a sec\x03")
        status, shown = terminal.end()
        equal(status, CANCELLED, shown)
        assert b"half" not in shown and b"cancelled" in shown, shown
        assert terminal.is_restored


@at_terminal
def control_D_cancels_too(make):
    login()
    terminal = make("set", "s", "a")
    terminal.wait_for(b": ")
    terminal.type(b"\x04")
    equal(terminal.end()[0], CANCELLED)
    assert terminal.is_restored


@at_terminal
def signals_end_the_program_after_the_terminal_is_restored(make):
    login()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        terminal = make("set", "s", "a")
        terminal.wait_for(b": ")
        assert not terminal.echoes
        terminal.process.send_signal(number)
        equal(terminal.end()[0], -number)
        assert terminal.is_restored


@at_terminal
def control_Z_stops_with_the_terminal_restored_and_asks_again(make):
    login()
    # A shell with job control above it, because the kernel stops no orphaned process group.
    terminal = make(
        "-m", "-c", f"{PROGRAM} set s a; echo stopped; read line; fg >/dev/null", program="/bin/bash")
    terminal.wait_for(b"Secret for s a: ")
    assert not terminal.echoes
    terminal.type(b"half\x1a")
    terminal.wait_for(b"stopped")
    assert terminal.echoes
    terminal.seen = b""
    terminal.type(b"\n")
    for prompt in (b"Secret for s a: ", b"The same again: "):
        terminal.wait_for(prompt)
        assert not terminal.echoes
        terminal.type(b"typed\n")
    status, shown = terminal.end()
    equal(status, DONE, shown)
    assert b"half" not in shown
    equal(secret_of("s", "a"), b"typed")


@at_terminal
def a_line_that_the_terminal_would_cut_is_refused(make):
    login()
    terminal = make("set", "s", "a")
    terminal.wait_for(b": ")
    for _ in range(5):
        terminal.type(b"x" * 1000)
    terminal.type(b"\n")
    status, shown = terminal.end()
    equal(status, 1, shown)
    assert b"from a file or a pipe" in shown, shown
    expect(NOT_FOUND, "get", "s", "a")


@at_terminal
def a_prompt_cannot_be_commanded_by_a_name(make):
    login()
    terminal = make("set", "s\x1b[2J", "a")
    terminal.wait_for(b"\\u{1B}[2J")
    assert b"\x1b[2J" not in terminal.seen
