"""Other people's programs, as alice runs them."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from harness import Skip
from world import DONE, becoming, expect, login

HOME = pathlib.Path("/run/vestry-test/real")
BUS = f"unix:path={HOME}/bus"


def begin(*programs):
    """An empty home of alice's, and a keychain; skips where a program is missing."""
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    (HOME / "runtime").mkdir(mode=0o700)
    for path in (HOME, HOME / "runtime"):
        os.chown(path, 2001, 2001)
        os.chmod(path, 0o700)
    login()


def environment(**more):
    return {
        "PATH": "/usr/bin:/bin", "HOME": str(HOME), "XDG_RUNTIME_DIR": str(HOME / "runtime"), "LANG": "C.UTF-8",
        "DBUS_SESSION_BUS_ADDRESS": BUS, "QT_QPA_PLATFORM": "offscreen", **more}


def run(*arguments, give=b"", check=True, **more):
    """Runs a program as alice, to its end."""
    result = subprocess.run(
        arguments, input=give, env=environment(**more), preexec_fn=becoming("alice"), cwd=HOME, capture_output=True,
        timeout=120, check=False)
    if check and result.returncode != 0:
        raise AssertionError(f"{arguments[0]}: {result.returncode} {result.stdout} {result.stderr}")
    return result


class Bus:
    """A session bus of alice's, which starts services by their names as a desktop's does."""

    def __enter__(self):
        self.programs = []
        self.start("dbus-daemon", "--session", "--nofork", "--nosyslog", f"--address={BUS}")
        end = time.monotonic() + 10
        while not (HOME / "bus").exists():
            assert time.monotonic() < end, "the bus does not start"
            time.sleep(0.02)
        return self

    def start(self, *arguments, **options):
        more = options.pop("more", {})
        process = subprocess.Popen(
            arguments, env=environment(**more), preexec_fn=becoming("alice"), cwd=HOME, start_new_session=True,
            stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            **options)
        self.programs.append(process)
        return process

    def __exit__(self, *_):
        for process in reversed(self.programs):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def taken(name, *arguments, count, status=DONE, **options):
    """Imports as alice, and returns what there is afterwards, by service or server and account."""
    options.setdefault("environment", environment())
    expect(status, "import", "--format", name, "--yes", *arguments, says=f"{count} added", **options)
    return everything()


def everything():
    """The secrets of all items, by service or server and account."""
    exported = json.loads(expect(DONE, "export", "--json", "--plain-text").stdout)
    found = {}
    for item in exported["items"]:
        name = (item.get("service", item.get("server")), item.get("account"))
        assert name not in found, name
        found[name] = item
    return found


def file_of(path):
    """A file of alice's in her home."""
    path = HOME / path
    os.chown(path, 2001, 2001)
    return str(path)
