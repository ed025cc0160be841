"""The world of the PAM tests: a private /dev with a system log, service files, hosts and helpers."""

import collections
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "Support"))
import helper_client  # noqa: E402
from harness import Skip, equal  # noqa: E402, F401
from helper_client import CLOSE, HELPER, OPEN, REQUEST, REWRAP, SOCKET, UNLOCK  # noqa: E402, F401

MODULE = os.environ["VESTRY_PAM_MODULE"]
STAND_IN = "/run/stand-in"

# security/_pam_types.h
SUCCESS, PERM_DENIED, AUTH_ERR, IGNORE = 0, 6, 7, 25

# As enum vestry_result spells them.
RESULTS = {number: name.upper().replace("-", "_") for number, name in helper_client.RESULTS.items()}
RESULT = {name: number for number, name in RESULTS.items()}

Request = collections.namedtuple("Request", "verb budget user password new_password raw facts")
LogLine = collections.namedtuple("LogLine", "level text")


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def masked(password):
    """As the programs take passwords, so that no process holds one that it should not."""
    return bytes(byte ^ 0x5A for byte in password).hex()


def parse_request(raw, facts=None):
    version, verb, budget, count, new_count, user, password, new, *others = REQUEST.unpack(raw)
    equal(others, [0, 0, 0, 0, bytes(64), bytes(16)], "fields that the module never uses")
    equal(version, 1, "protocol version")
    check(count <= 512 and new_count <= 512, "a count beyond its field")
    check(not any(password[count:]) and not any(new[new_count:]), "unused bytes are not zero")
    check(b"\0" in user and not any(user[user.index(b"\0"):]), "the name does not end in zeros")
    return Request(
        verb, budget, user.rstrip(b"\0").decode(), password[:count], new[:new_count], raw, facts)


class Outcome:
    """What a host said: the last value of each step, and all values in order."""

    def __init__(self, text, seconds):
        self.lines = [line.split("=", 1) for line in text.splitlines() if "=" in line]
        self.values = dict(self.lines)
        self.seconds = seconds

    def all(self, name):
        return [value for key, value in self.lines if key == name]

    def __getitem__(self, name):
        return self.values.get(name)


class World:
    def __init__(self):
        self.programs = tempfile.mkdtemp(dir="/run")
        self.build("host", "-lpam")
        self.build("helper")
        self.build("pam_ask", "-fPIC", "-shared", "-lpam", suffix=".so")
        self.build("slow_send", "-fPIC", "-shared", suffix=".so")
        self.ask = f"{self.programs}/pam_ask.so"
        os.chmod(self.programs, 0o755)
        self.services = f"{self.programs}/services"
        os.mkdir(self.services)
        os.mkdir(STAND_IN, 0o755)
        self.make_devices()
        self.log_lines = []
        self.log_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.log_socket.bind("/dev/log")
        os.chmod("/dev/log", 0o666)
        threading.Thread(target=self.read_log, daemon=True).start()
        self.server = None

    def build(self, name, *options, suffix=""):
        subprocess.run(
            ["gcc", "-std=gnu11", "-O1", "-Wall", "-o", f"{self.programs}/{name}{suffix}",
             f"{HERE}/programs/{name}.c", *options], check=True)

    def make_devices(self):
        """A /dev of our own: the machine's must not get a log socket."""
        place = "/run/devices"
        os.mkdir(place)
        mount = lambda *arguments: subprocess.run(["mount", *arguments], check=True)
        mount("-t", "tmpfs", "-o", "mode=755", "devices", place)
        for name in ("null", "zero", "full", "random", "urandom", "tty"):
            if os.path.exists(f"/dev/{name}"):
                open(f"{place}/{name}", "w").close()
                mount("--bind", f"/dev/{name}", f"{place}/{name}")
        os.mkdir(f"{place}/pts")
        mount("-t", "devpts", "-o", "newinstance,ptmxmode=666", "devpts", f"{place}/pts")
        os.symlink("pts/ptmx", f"{place}/ptmx")
        for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
            os.symlink(f"/proc/self/fd{target}", f"{place}/{name}")
        mount("--rbind", place, "/dev")

    def read_log(self):
        while True:
            data = self.log_socket.recv(65536)
            match = re.match(rb"<(\d+)>(.*)", data, re.S)
            if match:
                text = match.group(2).rstrip(b"\0\n").decode(errors="backslashreplace")
                self.log_lines.append(LogLine(int(match.group(1)) & 7, text))

    def log(self):
        """Our module's lines so far. A datagram is queued before syslog(3) returns."""
        marker = f"marker {time.monotonic_ns()}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(f"<86>{marker}".encode(), "/dev/log")
        while not any(line.text == marker for line in self.log_lines):
            time.sleep(0.002)
        return [line for line in self.log_lines if "pam_vestry" in line.text]

    def reset(self):
        if self.server:
            self.server.close()
            self.server = None
        for path in (f"{STAND_IN}/log", SOCKET):
            if os.path.exists(path):
                os.remove(path)
        shutil.copy(f"{self.programs}/helper", HELPER)
        self.mode("reply 0")
        for serial, _ in handover_keys():
            keyctl("unlink", serial, "@u")
        self.log()
        self.log_lines.clear()

    def end(self):
        self.reset()

    def mode(self, text):
        with open(f"{STAND_IN}/mode", "w") as file:
            file.write(text)
        os.chmod(f"{STAND_IN}/mode", 0o644)

    def service(self, *lines, name="test"):
        """Writes a service file; "vestry" and "ask" stand for the modules' paths."""
        path = f"{self.services}/{name}"
        with open(path, "w") as file:
            for line in lines:
                line = re.sub(r"(?<=\s)vestry\b", MODULE, line, count=1)
                line = re.sub(r"(?<=\s)ask\b", self.ask, line, count=1)
                file.write(line + "\n")
        return name

    def login_service(self, options="", token="ask", name="test"):
        return self.service(
            f"auth required ask {token}",
            f"auth optional vestry {options}",
            "account required ask",
            "session required ask",
            f"session optional vestry {options}",
            f"password required ask {token}",
            f"password optional vestry {options}",
            name=name)

    def host(self, *steps, service="test", user="alice", timeout=40, argv=(), pass_fds=(), **options):
        # What a host says fits into a pipe, so nobody has to read before it ends.
        near, far = os.pipe()
        start = time.monotonic()
        process = subprocess.run(
            [*argv, f"{self.programs}/host", str(far), self.services, service, user, *steps],
            timeout=timeout, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, pass_fds=(far, *pass_fds), **options)
        seconds = time.monotonic() - start
        os.close(far)
        with open(near, errors="backslashreplace") as file:
            outcome = Outcome(file.read(), seconds)
        equal(process.returncode, 0, f"status of the host ({process.stdout.decode()[-300:]})")
        equal(outcome["finished"], "yes", "host finished")
        return outcome

    def requests(self):
        """What the stand-in helpers were asked, in order."""
        if not os.path.exists(f"{STAND_IN}/log"):
            return []
        found = []
        with open(f"{STAND_IN}/log") as file:
            for line in file:
                facts = dict(part.split("=", 1) for part in line.split())
                equal(facts["size"], str(REQUEST.size), "size of the packet")
                found.append(parse_request(bytes.fromhex(facts["request"]), facts))
        return found

    def serve(self, reply=None, backlog=4, accept=True):
        """A stand-in behind the unlock socket; `reply` makes the packet."""
        server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        server.bind(SOCKET)
        os.chmod(SOCKET, 0o666)
        server.listen(backlog)
        self.server = server
        asked = []

        def work():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    asked.append(parse_request(connection.recv(4096)))
                    if reply:
                        connection.send(reply)
                    else:
                        time.sleep(3)

        if accept:
            threading.Thread(target=work, daemon=True).start()
        return asked


def reply(result, session=0, presence=0, keyring=0, version=1):
    return helper_client.REPLY.pack(version, result, session, presence, keyring, 0, b"", b"")


def keyctl(*arguments, check_status=True):
    process = subprocess.run(["keyctl", *arguments], capture_output=True, text=True)
    if check_status:
        equal(process.returncode, 0, f"keyctl {arguments[0]} ({process.stderr.strip()})")
    return process.stdout.strip() if process.returncode == 0 else None


def handover_keys():
    """Live hand-over keys in root's user keyring."""
    keys = []
    for serial in (keyctl("rlist", "@u") or "").split():
        described = keyctl("rdescribe", serial, check_status=False)
        if described and "vestry:handover:" in described:
            keys.append((serial, described))
    return keys
