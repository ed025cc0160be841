"""The unlock socket where no systemd serves it: by the command that the manual gives."""

import os
import pathlib
import re
import shutil
import subprocess

from harness import Skip, case, equal, eventually
from helper_client import HELPER, SOCKET
from world import DONE, LOCKED, MISMATCH, PASSWORDS, expect, login, put, secret_of

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
