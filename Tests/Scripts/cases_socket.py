"""The unlock socket where no systemd serves it: by the command that the manual gives."""

import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import time

import keyctl
from harness import Skip, case, equal, eventually
from helper_client import HELPER, SOCKET
from world import DONE, LOCKED, MISMATCH, PASSWORDS, TIMED_OUT, expect, login, put, secret_of, vestry

PLACES = 16
MANUAL = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging/manual/vestry-session-helper.8"


@case
def socat_serves_the_socket_as_the_manual_says():
    if not shutil.which("socat"):
        raise Skip("socat is not installed")
    login()
    put(b"x", "s", "a")
    expect(DONE, "lock", "--all")
    command = re.search(r"^# (socat (?:.*\\e\n)*.*)\n", MANUAL.read_text(), re.M).group(1)
    command = command.replace("\\e\n", "").replace("\\-", "-")
    assert "/usr/libexec/vestry-session-helper" in command, command
    os.rename(SOCKET, SOCKET + ".kept")
    server = subprocess.Popen(
        ["sh", "-c", "exec " + command.replace("/usr/libexec/vestry-session-helper", HELPER)], env={"PATH": "/usr/bin"})
    try:
        eventually(lambda: os.path.exists(SOCKET) and os.stat(SOCKET).st_mode & 0o777 == 0o666)
        expect(MISMATCH, "unlock", "--password-fd", "0", give=b"wrong")
        expect(LOCKED, "get", "s", "a")
        expect(DONE, "unlock", "--password-fd", "0", give=PASSWORDS["alice"])
        equal(secret_of("s", "a"), b"x")
    finally:
        server.terminate()
        server.wait()
        os.rename(SOCKET + ".kept", SOCKET)


@case
def a_user_who_takes_all_places_keeps_nobody_else_out():
    for user in ("alice", "bob"):
        login(user)
        expect(DONE, "lock", "--all", user=user)
    ready, tell = os.pipe()
    silent = os.fork()
    if silent == 0:
        keyctl.become("alice")
        connections = [silent_connection() for _ in range(PLACES)]
        os.write(tell, b"x")
        # Each has a helper, which waits for five seconds for what is never said.
        while True:
            for ended in select.select(connections, [], [])[0]:
                ended.close()
                connections[connections.index(ended)] = silent_connection()
    try:
        os.read(ready, 1)
        eventually(lambda: is_busy("alice"), 20)
        start = time.monotonic()
        expect(DONE, "unlock", "--password-fd", "0", user="bob", give=PASSWORDS["bob"])
        assert time.monotonic() - start < 3
    finally:
        os.kill(silent, signal.SIGKILL)
        os.waitpid(silent, 0)
        os.close(ready)
        os.close(tell)
    eventually(lambda: vestry("unlock", "--password-fd", "0", give=PASSWORDS["alice"]).returncode == DONE)


def silent_connection():
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(SOCKET)
    return connection


def is_busy(user):
    # What is open already asks nobody.
    expect(DONE, "lock", "--all", user=user)
    result = vestry("unlock", "--password-fd", "0", give=PASSWORDS[user], user=user)
    return result.returncode == TIMED_OUT and b"too many unlocks at once" in result.stderr
