"""Facts about the file, and how it is loaded."""

import os
import re
import shutil
import subprocess
import tempfile

from rig import MODULE, Skip, check, equal


def run(*command):
    if not shutil.which(command[0]):
        raise Skip(f"needs {command[0]}")
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic(tag):
    return re.findall(rf"\({tag}\)[^\n]*\[(.*?)\]", run("readelf", "-dW", MODULE))


def case_is_small_when_stripped(world):
    with tempfile.NamedTemporaryFile() as copy:
        run("strip", "-o", copy.name, MODULE)
        size = os.path.getsize(copy.name)
        check(size <= 65536, f"{size} bytes")


def case_needs_libpam_and_libc_only(world):
    check(set(dynamic("NEEDED")) <= {"libpam.so.0", "libc.so.6"}, str(dynamic("NEEDED")))


def case_exports_entry_points_only(world):
    lines = run("nm", "-D", "--defined-only", MODULE).split("\n")
    names = {line.split()[-1] for line in lines if line}
    equal(
        names,
        {f"pam_sm_{name}" for name in (
            "authenticate", "setcred", "acct_mgmt", "open_session", "close_session", "chauthtok")},
        "exported symbols")


def case_stays_loaded(world):
    check("NODELETE" in run("readelf", "-dW", MODULE), "not linked nodelete")


def case_searches_no_folder_for_libraries(world):
    if dynamic("RUNPATH") or dynamic("RPATH"):
        raise Skip("built without --disable-local-rpath")


def case_runs_nothing_when_loaded(world):
    symbols = run("readelf", "-sW", MODULE)
    check("_GLOBAL__sub_I" not in symbols, "has a constructor")
    for name in ("pthread_create", "signal", "sigaction", "atexit", "fork", "system", "setenv"):
        found = re.search(rf"UND {name}(@|$)", symbols, re.M)
        check(not found, f"uses {name}")


def case_has_no_trap_that_code_leads_to(world):
    # A failed Swift check is an ud2 at the end of its function. The language's own runtime has one
    # for C++ exceptions, which nothing refers to.
    if os.uname().machine != "x86_64":
        raise Skip("knows the trap of x86_64 only")
    function, with_trap = None, set()
    for line in run("objdump", "-d", "--no-show-raw-insn", MODULE).split("\n"):
        start = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if start:
            function = start.group(1)
        elif re.search(r"\tud2", line):
            with_trap.add(function)
    if not function:
        raise Skip("no code was found")
    with_trap.discard("_swift_exceptionPersonality")
    equal(with_trap, set(), "functions with a trap")


def case_loads_and_unloads_a_hundred_times(world):
    world.login_service()
    outcome = world.host(
        "state", f"reload={MODULE}", "state", "answer=37", "auth", "open", "close")
    equal(outcome["reload"], "done", "reload")
    before, after = outcome.all("state")
    equal(after, before, "state")
    equal(outcome["open"], "0", "open after it")
