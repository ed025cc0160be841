"""The command as a user runs it: users, logins, terminals, and what stands in a store."""

import contextlib
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import termios
import time

import keyctl
import session_records
from harness import eventually
from helper_client import set_password
from keyctl import Process

PROGRAM = "/run/vestry-test/vestry"
PASSWORDS = {"alice": b"correct horse", "bob": b"battery staple"}
STORE = pathlib.Path("/home/alice/.local/share/vestry")
ITEMS = STORE / "items.sqlite"
KEYBAG = STORE / "keybag"
DONE, FAILURE, USAGE, NOT_FOUND, LOCKED, MISMATCH, DAMAGED, DUPLICATE, DENIED, UNAVAILABLE = range(10)
CANCELLED, TIMED_OUT = 10, 11

_logins = []


def prepare(folder):
    """Puts the program where every user can run it."""
    os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
    shutil.copy(os.path.join(folder, "vestry"), PROGRAM)
    os.chmod(PROGRAM, 0o755)


def fresh():
    """Nobody is logged in or has a store, and nothing is in the kernel."""
    while _logins:
        logout(_logins[-1])
    session_records.clear()
    for user in PASSWORDS:
        set_password(user, PASSWORDS[user])
        shutil.rmtree(f"/home/{user}/.local", ignore_errors=True)
        process = Process(user)
        process("unlink(search(USER, 'keyring', 'vestry') or 0, USER)")
        process.end()


def login(user="alice", password=None):
    """A login with a password: opens the store, and makes it at the first time; with b"", by a key."""
    session = Process(session_of=user)
    given = PASSWORDS[user] if password is None else password
    reply = session(f"ask(OPEN, {user!r}, {given!r})")
    session.user = user
    _logins.append(session)
    return session, reply


def logout(session):
    """The end of one login session."""
    _logins.remove(session)
    session.end()
    # The kernel frees the session keyring of a dead process a moment later.
    if session.user not in [other.user for other in _logins]:
        eventually(lambda: not has_session(session.user), what="the end of the session")


def has_session(user):
    return b'"reason":"session-' in vestry("status", "--json", user=user).stdout


@contextlib.contextmanager
def nothing_follows():
    """As long as this lasts, no keychain follows a new password."""
    conf = pathlib.Path("/etc/vestry.conf")
    before = conf.read_bytes() if conf.exists() else None
    conf.write_text("follow-new-password = no\n")
    try:
        yield
    finally:
        if before is None:
            conf.unlink()
        else:
            conf.write_bytes(before)


def reboot():
    """Everything in the kernel is gone, as after a reboot."""
    while _logins:
        logout(_logins[-1])
    process = Process("alice")
    process("unlink(search(USER, 'keyring', 'vestry') or 0, USER)")
    process.end()


def becoming(user):
    """For preexec_fn: the user's own process as cron makes it, in no login session."""

    def become():
        keyctl.join_session()
        if isinstance(user, int):
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        elif user != "root":
            keyctl.become(user)

    return become


def start(*arguments, user="alice", environment=None, program=PROGRAM, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen(
        [program, *arguments], env=environment or {}, cwd="/", preexec_fn=becoming(user),
        start_new_session=True, stdout=options.pop("stdout", subprocess.PIPE),
        stderr=options.pop("stderr", subprocess.PIPE), **options)


def vestry(*arguments, give=None, **options):
    """Runs the command to its end, without a terminal; `give` goes to its standard input."""
    if give is not None:
        options["stdin"] = subprocess.PIPE
    process = start(*arguments, **options)
    output, errors = process.communicate(give, timeout=120)
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


def expect(status, *arguments, says="", **options):
    """Runs the command and checks its exit status, and what it says about a failure."""
    result = vestry(*arguments, **options)
    message = (result.stderr or b"").decode()
    assert result.returncode == status, f"{arguments}: {result.returncode} instead of {status}: {message}"
    if status != DONE:
        lines = message.splitlines()
        if lines:
            assert lines[0].startswith("vestry: ") and lines[-1].startswith("vestry: hint: "), message
        else:
            assert arguments[0] == "status", "a failure without a word"
    assert says in message, message
    return result


def put(secret, service, account, *options, **more):
    return expect(DONE, "set", *options, "--", service, account, give=secret, **more)


def secret_of(service, account, **options):
    return expect(DONE, "get", "--", service, account, **options).stdout


def contents(folder=STORE):
    """What stands in the store, to compare later."""
    return {entry.name: entry.read_bytes() for entry in sorted(folder.iterdir()) if entry.is_file()}


class Terminal:
    """The command with a person at a pseudo-terminal."""

    def __init__(self, *arguments, user="alice", program=PROGRAM, environment=None):
        self.master, slave = pty.openpty()
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.seen = b""
        become = becoming(user)

        def prepare_child():
            os.setsid()
            # The first terminal that a session leader opens becomes the controlling one.
            os.close(os.open(os.ttyname(slave), os.O_RDWR))
            become()

        os.chown(os.ttyname(slave), 2001, 2001)
        self.process = subprocess.Popen(
            [program, *arguments], env=environment or {}, cwd="/", stdin=slave, stdout=slave, stderr=slave,
            preexec_fn=prepare_child)

    def wait_for(self, text, seconds=20):
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, f"no {text!r} in {self.seen!r}"
            self._read(0.1)

    def _read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            with contextlib.suppress(OSError):
                self.seen += os.read(self.master, 65536)

    def type(self, keys):
        os.write(self.master, keys)

    def end(self, seconds=60):
        """Waits for the end of the command, and returns its status and all that was shown."""
        limit = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < limit, f"it goes on: {self.seen!r}"
            self._read(0.05)
        self._read(0.05)
        return self.process.returncode, self.seen

    @property
    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.before

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)
