"""vestry-lock-watcher with a stand-in for logind on a private bus (programs/logind.c)."""

import contextlib
import os
import pathlib
import queue
import shutil
import signal
import socket
import subprocess
import threading
import time

import world

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path("/run/vestry-test")
WATCHER = "/run/vestry-test/vestry-lock-watcher"
STAND_IN = "/run/vestry-test/logind"
ADDRESS = "unix:path=/run/vestry-test/bus"
ENVIRONMENT = {"DBUS_SYSTEM_BUS_ADDRESS": ADDRESS}
NO_INHIBITORS = FOLDER / "no-inhibitors"
CONFIGURATION = """
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/> <allow own="*"/> <allow send_type="method_call"/> <allow send_type="signal"/>
    <allow send_requested_reply="true"/> <allow receive_type="method_call"/> <allow receive_type="signal"/>
    <allow receive_requested_reply="true"/> <allow receive_type="error"/>
  </policy>
</busconfig>
"""


def prepare():
    """Builds the stand-in, once."""
    if not os.path.exists(STAND_IN):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libsystemd"], capture_output=True, text=True,
                               check=True).stdout.split()
        subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", STAND_IN,
                        HERE / "programs" / "logind.c", *flags], check=True)
        shutil.copy(os.path.join(os.environ["VESTRY_BIN"], "vestry-lock-watcher"), WATCHER)
        os.chmod(WATCHER, 0o755)


class Bus:
    """A bus of the tests' own."""

    def __init__(self):
        (FOLDER / "bus.conf").write_text(CONFIGURATION % ADDRESS)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(FOLDER / "bus")
        self.process = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--nosyslog", "--print-address", f"--config-file={FOLDER}/bus.conf"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self.process.stdout.readline(), "the bus does not start"

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Logind:
    """Says what happens to sessions; hears who delays the sleep."""

    def __init__(self):
        self.process = subprocess.Popen([STAND_IN], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.heard = []
        self.hear("ready")

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode().strip())

    def hear(self, wanted, seconds=10):
        """Waits for a line, and keeps the others for later."""
        end = time.monotonic() + seconds
        while wanted not in self.heard:
            try:
                self.heard.append(self.lines.get(timeout=max(0, end - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"no {wanted!r} from the stand-in, only {self.heard}") from None
        self.heard.remove(wanted)

    def __call__(self, *words):
        self.process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        self.process.stdin.flush()
        self.hear("done")

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


class Watcher:
    """The watcher as a service of alice's; it is ready when this returns."""

    def __init__(self, user="alice"):
        path = str(FOLDER / "notify")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(path)
        os.chmod(path, 0o666)
        self.notify.settimeout(20)
        self.process = world.start(
            program=WATCHER, user=user, environment={**ENVIRONMENT, "NOTIFY_SOCKET": path}, stdout=None)
        self.ready = self.notify.recv(4096).decode()

    def end(self, by=signal.SIGTERM):
        """Ends it, and returns what it wrote."""
        self.notify.close()
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(by)
        return self.process.communicate(timeout=10)[1].decode()


@contextlib.contextmanager
def machine():
    """A bus and logind, with nobody logged in."""
    prepare()
    bus = Bus()
    logind = Logind()
    try:
        yield logind
    finally:
        logind.end()
        bus.end()
        with contextlib.suppress(FileNotFoundError):
            NO_INHIBITORS.unlink()
