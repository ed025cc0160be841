"""What gnome-keyring and KWallet keep, over the Secret Service of a session bus."""

import base64
import hashlib
import json
import os
import socket
import subprocess
import time

from harness import Skip, case, equal, eventually
from real import BUS, HOME, Bus, begin, environment, everything, run, taken
from world import CANCELLED, DONE, TIMED_OUT, expect

# Label, attributes, secret, type of its contents.
ITEMS = [
    ("Ünï €", {"service": "wéb", "account": "älice"}, "sécret €\n".encode(), "text/plain"),
    ("binary", {"service": "binary", "account": "bytes"}, bytes(range(256)), "application/octet-stream"),
    ("empty", {"service": "empty", "account": "none"}, b"", "text/plain"),
    ("long", {"service": "long", "account": "much"}, bytes(range(1, 251)) * 800, "application/octet-stream"),
    ("no names", {"colour": "blue", "shape": "round"}, b"odd", "text/plain"),
    ("no names", {"colour": "red", "shape": "round"}, b"other", "text/plain"),
    ("smb://alice@share.example.org", {
        "xdg:schema": "org.gnome.keyring.NetworkPassword", "server": "share.example.org", "user": "alice",
        "protocol": "smb", "domain": "WORK"}, b"net", "text/plain"),
]
NAMES = {
    ("wéb", "älice"): 0, ("binary", "bytes"): 1, ("empty", "none"): 2, ("long", "much"): 3,
    ("no names", "colour=blue,shape=round"): 4, ("no names", "colour=red,shape=round"): 5,
    ("share.example.org", "alice"): 6,
}
FILL = """
import base64, json, secretstorage, sys
connection = secretstorage.dbus_init()
collection = secretstorage.get_default_collection(connection)
if collection.is_locked():
    assert not collection.unlock()
for label, attributes, secret, kind in json.load(sys.stdin):
    collection.create_item(label, attributes, base64.b64decode(secret), content_type=kind)
"""
LOCK = """
import secretstorage
connection = secretstorage.dbus_init()
for collection in secretstorage.get_all_collections(connection):
    collection.lock()
"""


def has_owner(name="org.freedesktop.secrets"):
    reply = run("dbus-send", f"--bus={BUS}", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.NameHasOwner", f"string:{name}", check=False)
    return b"boolean true" in reply.stdout


def python(program, give=b""):
    if run("python3", "-c", "import secretstorage", check=False).returncode != 0:
        raise Skip("python3-secretstorage is not installed")
    return run("python3", "-c", program, give=give)


def fill(items):
    python(FILL, json.dumps([(a, b, base64.b64encode(c).decode(), d) for a, b, c, d in items]).encode())


def same(found, tool=True):
    expected = {name: ITEMS[index][2] for name, index in NAMES.items()}
    if tool:
        expected["tool", "bob"] = b"from secret-tool"
    equal({name: item["secret"].encode() if "secret" in item else base64.b64decode(item["secretBase64"])
           for name, item in found.items()}, expected)
    equal(found["wéb", "älice"]["label"], "Ünï €")
    equal(found["share.example.org", "alice"]["protocol"], "smb")
    equal(found["share.example.org", "alice"]["securityDomain"], "WORK")


class GnomeKeyring(Bus):
    """The daemon with its login keyring open, as after a login."""

    def __enter__(self):
        super().__enter__()
        self.daemon = self.start(
            "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets", stdin=subprocess.PIPE)
        self.daemon.stdin.write(b"words")
        self.daemon.stdin.close()
        eventually(has_owner, 20, "the daemon")
        return self


@case
def gnome_keyring_gives_all_that_it_keeps():
    begin("gnome-keyring-daemon", "secret-tool", "dbus-daemon")
    with GnomeKeyring():
        run("secret-tool", "store", "--label=Tool", "service", "tool", "account", "bob", give=b"from secret-tool")
        fill(ITEMS)
        same(taken("secret-service", count=8))
        expect(DONE, "import", "--format=secret-service", "--yes", environment=environment(), says="8 unchanged")


@case
def a_locked_keyring_without_a_prompter_says_so():
    """No desktop is there to ask on: an answer, and no endless wait."""
    begin("gnome-keyring-daemon", "secret-tool", "dbus-daemon")
    with GnomeKeyring():
        fill(ITEMS[:1])
        python(LOCK)
        start = time.monotonic()
        result = expect(CANCELLED, "import", "--format=secret-service", "--yes", "--timeout=5s", environment=environment())
        assert time.monotonic() - start < 20, result
        print(f"         {result.stderr.decode().splitlines()}", flush=True)
        equal(everything(), {})


@case
def a_keyring_that_never_answers_is_left_in_time():
    begin("gnome-keyring-daemon", "secret-tool", "dbus-daemon")
    with GnomeKeyring() as bus:
        fill(ITEMS[:1])
        os.killpg(bus.daemon.pid, 19)
        start = time.monotonic()
        expect(TIMED_OUT, "import", "--format=secret-service", "--yes", "--timeout=3s", environment=environment(),
               says="did not answer in time")
        assert time.monotonic() - start < 10


class KWallet(Bus):
    """kwalletd5 with the wallet that a login opens: its key comes as pam_kwallet gives it.

    That is PBKDF2 by SHA-512 with 50,000 rounds over a salt file of 56 bytes, written to a pipe; the session's
    environment comes by a socket, a line each. The first login makes the wallet, and the second one shows it.
    """

    SALT = bytes(range(56))

    def __enter__(self):
        super().__enter__()
        folder = HOME / ".local" / "share" / "kwalletd"
        config = HOME / ".config"
        for path in (folder, config):
            run("mkdir", "-p", str(path))
        for path, contents in ((folder / "kdewallet.salt", self.SALT), (config / "kwalletrc", (
                b"[Wallet]\nEnabled=true\nFirst Use=false\nDefault Wallet=kdewallet\nPrompt on Open=false\n"
                b"[org.freedesktop.secrets]\napiEnabled=true\n[Auto Allow]\nkdewallet=*\n"))):
            path.write_bytes(contents)
            os.chown(path, 2001, 2001)
        self.log_in("first")
        eventually((folder / "kdewallet.kwl").exists, 20, "the wallet")
        process = self.programs.pop()
        process.terminate()
        process.wait()
        self.daemon = self.log_in("second")
        return self

    def log_in(self, name):
        read, write = os.pipe()
        address = str(HOME / name)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(address)
            listener.listen(1)
            process = self.start(
                "kwalletd5", "--pam-login", str(read), str(listener.fileno()), pass_fds=[read, listener.fileno()],
                more={"PAM_KWALLET5_LOGIN": address})
        os.close(read)
        os.write(write, hashlib.pbkdf2_hmac("sha512", b"words", self.SALT, 50000, 56))
        os.close(write)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(address)
            client.sendall("".join(f"{key}={value}\n" for key, value in environment().items()).encode())
        eventually(has_owner, 30, "kwalletd5")
        return process


@case
def kwallet_gives_all_that_it_keeps():
    begin("kwalletd5", "dbus-daemon")
    with KWallet():
        fill(ITEMS)
        same(taken("secret-service", count=7), tool=False)
