"""Where a password must not be: in memory afterwards, in the log, in arguments."""

import os
import subprocess

from rig import RESULT, Skip, check, equal, masked, reply

MARKER = b"mArKeR-7b1f-0000-correct-horse-9d"
MASKED = masked(MARKER)
OTHER = b"oThEr--3c2e-0000-battery-staple-1"


def case_the_scan_finds_what_is_there(world):
    # The instrument first.
    world.login_service()
    equal(world.host(f"plant={MASKED}", f"scan={MASKED}")["scan"], "found", "planted")
    equal(world.host(f"scan={MASKED}")["scan"], "clean", "not planted")


def case_the_stash_is_the_only_copy_until_the_session_opens(world):
    world.login_service()
    outcome = world.host(
        f"answer={MASKED}", "auth", f"scan={MASKED}", "setcred=establish", "open",
        f"scan={MASKED}", "close", f"scan={MASKED}")
    equal(outcome.all("scan"), ["found", "clean", "clean"], "after authenticate, open, close")


def case_nothing_is_left_whatever_the_helper_does(world):
    # LEAK-1.
    for mode in ("reply 0", "reply 7", "exit", "early-exit", "crash 9", "hang", "size 3"):
        world.reset()
        world.mode(mode)
        world.login_service("timeout=1 debug")
        for steps in (["open"], ["setcred=refresh"], ["user=bob", "open"],
                      ["user=bob", "setcred=refresh"], ["user=root", "open"],
                      ["user=root", "setcred=reinit"]):
            outcome = world.host(f"answer={MASKED}", "auth", *steps, f"scan={MASKED}")
            equal(outcome["scan"], "clean", f"memory with {mode} after {steps}")


def case_nothing_is_left_after_a_failed_login(world):
    world.service(f"auth required ask ask is={masked(b'x')}", "auth optional vestry")
    for status in ("0", "7"):
        outcome = world.host(f"answer={MASKED}", "auth", f"end={status}", f"scan={MASKED}")
        equal((outcome["auth"], outcome["scan"]), ("7", "clean"), "auth and memory")


def case_nothing_of_a_first_try_is_left_after_the_second(world):
    world.login_service()
    outcome = world.host(f"answer={MASKED}", f"answer={masked(OTHER)}", "auth", "auth",
                         f"scan={MASKED}")
    equal(outcome["scan"], "clean", "memory")


def case_nothing_is_left_in_a_screen_locker(world):
    world.login_service()
    for served in (True, False):
        world.reset()
        if served:
            world.serve(reply(RESULT["OPENED"]))
        outcome = world.host("uid=2001", f"answer={MASKED}", "auth", f"scan={MASKED}")
        equal(outcome["scan"], "clean", "memory")


def case_nothing_is_left_after_a_password_change(world):
    world.login_service(token=f"ask old={OTHER.hex()}")
    outcome = world.host(f"answer={MASKED}", f"answer={MASKED}", "chauthtok", f"scan={MASKED}")
    equal((outcome["chauthtok"], outcome["scan"]), ("0", "clean"), "status and memory")
    request = world.requests()[0]
    equal((request.password, request.new_password), (OTHER, MARKER), "request")


def case_no_core_file_has_the_stash(world):
    # The stash's own memory is out of core dumps: gcore keeps to what the kernel would dump.
    if subprocess.run(["sh", "-c", "command -v gcore >/dev/null"]).returncode:
        raise Skip("needs gcore")
    world.login_service()
    found = {}
    for planted in (True, False):
        near, far = os.pipe()
        steps = [f"plant={MASKED}"] if planted else [f"answer={MASKED}", "auth"]
        host = subprocess.Popen(
            [f"{world.programs}/host", str(far), world.services, "test", "alice", *steps,
             f"scan={MASKED}", "wait=20000"], pass_fds=(far,))
        os.close(far)
        text = b""
        while b"scan=" not in text:
            text += os.read(near, 4096)
        core = f"{world.programs}/core"
        subprocess.run(["gcore", "-o", core, str(host.pid)], capture_output=True)
        host.kill()
        host.wait()
        os.close(near)
        if not os.path.exists(f"{core}.{host.pid}"):
            raise Skip("gcore cannot attach here")
        with open(f"{core}.{host.pid}", "rb") as file:
            found[planted] = MARKER in file.read()
        os.remove(f"{core}.{host.pid}")
    check(found[True], "the instrument does not find what is planted")
    check(not found[False], "the stash is in the core file")


def case_debug_logs_hold_no_secret(world):
    # ARG-2: nothing of the token, and no number that could be its length.
    token = b"S3cr3t" * 61 + b"!"
    check(len(token) == 367, "a length that no other number is")
    world.login_service("debug timeout=1", token=f"ask old={token.hex()}")
    for mode in ("reply 0", "reply 7", "reply 8", "exit", "hang", "size 3", "crash 9"):
        world.mode(mode)
        world.host(f"answer={masked(token)}", f"answer={masked(token)}", f"answer={masked(token)}",
                   "auth", "setcred=refresh", "auth", "open", "close", "chauthtok",
                   "user=bob", "open")
    lines = world.log()
    check(len(lines) > 20, f"only {len(lines)} lines")
    for line in lines:
        for part in ("S3cr3t", "cr3t", "367", token.hex()[:8]):
            check(part not in line.text, f"{part!r} in {line.text!r}")


def case_debug_writes_more(world):
    counts = []
    for options in ("", "debug"):
        world.reset()
        world.login_service(options)
        world.host(f"answer={MASKED}", "auth", "open", "close")
        counts.append(len(world.log()))
    check(counts[0] == 1 and counts[1] > 1, f"lines {counts}")


def case_arguments_hold_no_secret(world):
    # ARG-1, ARG-3: seen from outside, while the helper runs.
    world.login_service("timeout=3")
    world.mode("slow 1500 0")
    near, far = os.pipe()
    host = subprocess.Popen(
        [f"{world.programs}/host", str(far), world.services, "test", "alice",
         f"answer={MASKED}", "auth", "open"], pass_fds=(far,))
    os.close(far)
    seen = 0
    while host.poll() is None:
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                for kind in ("cmdline", "environ"):
                    with open(f"/proc/{number}/{kind}", "rb") as file:
                        text = file.read()
                    check(MARKER not in text, f"the password in {kind} of {text[:60]!r}")
                    seen += text.startswith(b"/usr/libexec/vestry-session-helper\0")
            except (FileNotFoundError, ProcessLookupError):
                pass
    os.close(near)
    check(seen, "the helper was never seen")
