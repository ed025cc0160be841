"""Asks vestry-session-helper, as pam_vestry and the vestry library do (pam/protocol/CUnlockProtocol.h)."""

import ctypes
import os
import pathlib
import re
import socket
import struct
import subprocess
import threading

HELPER = "/usr/libexec/vestry-session-helper"
SOCKET = "/run/vestry/unlock.sock"
PASSWORD_MAX = 512
REQUEST = struct.Struct("=IIIHH256s512s512sIBBH64s16s")
REPLY = struct.Struct("=IIIiiI16s32s")
OPEN, UNLOCK, REWRAP, AUTHORIZE, CLOSE, ADD_PROTECTOR, REMOVE_PROTECTOR, RECOVER, BEGIN_ROTATION, END_ROTATION = \
    range(1, 11)
DEVICE_KEY = 11
# What a secret is, as the keybag numbers protectors.
LOGIN_PASSWORD, PREVIOUS_PASSWORD, RECOVERY_CODE, PASSPHRASE, KEY_FILE = range(1, 6)
# Classes whose key the helper gives to whoever types the password.
PRESENCE, PRESENCE_THIS_DEVICE_ONLY = 7, 8

RESULTS = (
    "opened enrolled already-open rewrapped opened-by-previous no-password no-store wrong-password "
    "damaged newer-format denied not-served unknown-user home-missing no-device-key "
    "no-keyring-support keyring-blocked keyring-quota busy no-memory write-failed bad-request failed "
    "reopened closed followed protector-out-of-reach protector-needed no-such-protector keybag-full"
).split()
# Those with numbers further on.
RESULTS = dict(enumerate(RESULTS)) | {30: "rotation-begun", 31: "rotation-ended", 35: "read-only", 36: "input-output",
                                       37: "device-key-fits", 38: "device-key-shut", 39: "device-key-of-another",
                                       40: "not-the-password", 41: "follows-next", 42: "account-without-password"}
SESSIONS = "not-asked counts no-keyring failed".split()


class Reply:
    """What the helper answered, in words."""

    def __init__(self, packet):
        (version, result, session, self.presence, self.session_keyring,
         self.epoch, self.store, self.key) = REPLY.unpack(packet)
        assert version == 1, version
        self.result = RESULTS[result]
        self.session = SESSIONS[session]

    def __repr__(self):
        return f"{self.result}/{self.session}"


def request(verb, user="", password=b"", new_password=b"", budget=10_000, version=1,
            key_class=0, opener=0, kind=0, label=b"", protector=b""):
    """The bytes of one request packet; longer passwords are cut, as every asker does."""
    password, new_password = password[:PASSWORD_MAX], new_password[:PASSWORD_MAX]
    return REQUEST.pack(
        version, verb, budget, len(password), len(new_password),
        user.encode(), password, new_password, key_class, opener, kind, len(label), label, protector)


def ask_raw(packet, helper=HELPER):
    """Starts the helper with a socket pair and returns the raw reply; b"" when there is none."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        with theirs:
            process = subprocess.Popen([helper], stdin=theirs, env={}, close_fds=True)
        ours.send(packet)
        ours.settimeout(60)
        try:
            return ours.recv(4096)
        finally:
            process.wait()


_crypt = ctypes.CDLL("libcrypt.so.1").crypt
_crypt.argtypes, _crypt.restype = (ctypes.c_char_p, ctypes.c_char_p), ctypes.c_char_p
_shadow_lock = threading.RLock()


def set_record(user, record):
    """Writes what stands in /etc/shadow for the account's password."""
    with _shadow_lock:
        shadow = pathlib.Path("/etc/shadow")
        before = shadow.read_text()
        # A function, because a record can have what a template would read as a group.
        after = re.sub(rf"^{re.escape(user)}:[^:]*:", lambda _: f"{user}:{record}:", before, flags=re.M)
        if after != before:
            new = pathlib.Path("/etc/shadow.new")
            new.write_text(after)
            new.chmod(0o640)
            new.rename(shadow)


def set_password(user, password):
    """Gives the account this password, as `chpasswd` does."""
    with _shadow_lock:
        record = _crypt(password, b"$6$rounds=1000$vestrytest$")
        # What libxcrypt does not take no record can have.
        set_record(user, "*" if record.startswith(b"*") else record.decode())


def ask(verb, user="", password=b"", new_password=b"", is_accounts=True, **options):
    """Asks the helper. Whatever lets somebody in has compared the password with the account's before, unless
    a case says that something else did."""
    if verb == OPEN and password and is_accounts:
        set_password(user, password[:PASSWORD_MAX])
    return Reply(ask_raw(request(verb, user, password, new_password, **options)))


def serve(path=SOCKET):
    """Does in a child process what systemd does for vestry-unlock.socket; returns its pid."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.path.exists(path):
        os.unlink(path)
    listener.bind(path)
    os.chmod(path, 0o666)
    listener.listen(64)
    pid = os.fork()
    if pid:
        listener.close()
        return pid
    try:
        while True:
            connection, _ = listener.accept()
            subprocess.Popen([HELPER], stdin=connection, env={}, close_fds=True)
            connection.close()
    finally:
        os._exit(0)
