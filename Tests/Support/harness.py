"""A test runner in one page: functions marked with @case, one line each, and a closing line of counts."""

import os
import re
import subprocess
import sys
import tempfile
import time
import traceback

_cases = []


class Skip(Exception):
    """A case that can prove nothing on this machine; the text says why."""


def case(function):
    """Registers a test; its docstring, or its name, is the claim."""
    _cases.append(function)
    return function


def equal(actual, expected, what=""):
    if actual != expected:
        raise AssertionError(f"{what + ': ' if what else ''}{actual!r} instead of {expected!r}")


def eventually(condition, seconds=5.0, what="condition"):
    """Waits for what the kernel or another process does in its own time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(f"{what}: not within {seconds} s")


def side_by_side(command, shares):
    """Runs `command`, which calls `main`, once for each share of the cases, all at once, and exits.

    Prints the lines of one share as they come and those of the others after them, then the sums. Cases
    mostly wait for other programs, so that two shares take little more than half of the time.
    """
    runs = []
    for share in range(shares):
        output = tempfile.TemporaryFile("w+") if share else subprocess.PIPE
        environment = {**os.environ, "VESTRY_TEST_SHARE": f"{share}/{shares}"}
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True)
        runs.append((process, output))
    counts = {}
    statuses = []
    for process, output in runs:
        lines = process.stdout
        if lines is None:
            process.wait()
            output.seek(0)
            lines = output
        for line in lines:
            if re.fullmatch(r"(\d+ \w+(, |$))+", line.rstrip("\n")):
                for number, word in re.findall(r"(\d+) (\w+)", line):
                    counts[word] = counts.get(word, 0) + int(number)
            else:
                print(line, end="", flush=True)
        statuses.append(process.wait())
    _close(counts)
    sys.exit(1 if any(statuses) or not counts.get("passed") else 0)


def _close(counts):
    """The closing lines: what a runner counts of its own, and the cases."""
    cases = ("passed", "failed", "skipped")
    for word, number in counts.items():
        if word not in cases:
            print(f"{number} {word}")
    print(", ".join(f"{counts.get(word, 0)} {word}" for word in cases if word != "skipped" or counts.get(word)))


def main(setup=None, more=None):
    """Runs the cases whose names hold one of the arguments (all without any), and exits.

    $VESTRY_TEST_SHARE, as in 0/2, limits it to every second of them, for example. `more` returns what
    else to count, by its name.
    """
    wanted = sys.argv[1:]
    share, shares = map(int, os.environ.get("VESTRY_TEST_SHARE", "0/1").split("/"))
    chosen = [function for function in _cases
              if not wanted or any(word in function.__name__ for word in wanted)]
    passed = failed = skipped = 0
    for function in chosen[share::shares]:
        name = function.__name__.replace("_", " ")
        try:
            if setup:
                setup()
            function()
        except Skip as reason:
            skipped += 1
            print(f"skipped  {name}: {reason}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED   {name}", flush=True)
            traceback.print_exc()
        else:
            passed += 1
            print(f"ok       {name}", flush=True)
    _close({**(more() if more else {}), "passed": passed, "failed": failed, "skipped": skipped})
    sys.exit(1 if failed or not (passed or shares > 1) else 0)
