"""A test runner in one page: functions marked with @case, one line each, and a closing line of counts."""

import sys
import time
import traceback

_cases = []


class Skip(Exception):
    """A case that can prove nothing on this machine; the text says why."""


def case(function):
    """Registers a test; its docstring, or its name, is the claim."""
    _cases.append(function)
    return function


def deal(number, count):
    """Leaves every so many of the cases that the arguments name, from this number on."""
    wanted = sys.argv[1:]
    _cases[:] = [f for f in _cases if not wanted or any(word in f.__name__ for word in wanted)][number::count]


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


def main(setup=None):
    """Runs the cases whose names hold one of the arguments (all without any), and exits."""
    wanted = sys.argv[1:]
    passed = failed = skipped = 0
    for function in _cases:
        name = function.__name__.replace("_", " ")
        if wanted and not any(word in function.__name__ for word in wanted):
            continue
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
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed or not passed else 0)
