"""libvestry: what programs in C find in vestry.h, compiled as they are and run by a user.

The cases with valgrind in their names run by name only.
"""

import pathlib
import re
import shutil
import subprocess
import sys

from harness import Skip, case, equal
from library import ENVIRONMENT, FOLDER, HEADER, HEADERS, LIBRARY, TREE, examples, flags, installed, modules
from world import DONE, ITEMS, KEYBAG, contents, expect, login, put, reboot, secret_of, start

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


def compiled(source, name, *options, compiler="gcc"):
    """A program for everybody to run."""
    program = installed() / name
    if not program.exists():
        subprocess.run([compiler, *WARNINGS, *options, f"-I{HEADERS}", "-o", program, source,
                        f"-L{FOLDER}", "-lvestry", "-pthread"], check=True)
    return str(program)


def begin(*arguments, **options):
    program = compiled(TREE / "Tests/Scripts/programs/library.c", "program", "-std=c99", "-O1")
    return start(*arguments, program=program, environment=ENVIRONMENT, **options)


def run(*arguments, **options):
    process = begin(*arguments, **options)
    output, errors = process.communicate(timeout=100)
    equal((process.returncode, errors.decode()), (0, ""), str(arguments))
    return output.decode()


def answers():
    """What each function says about one item."""
    lines = [line.split(" ", 1) for line in run("answers").splitlines()[:-1]]
    return dict(lines)


@case
def every_function_of_the_library_does_what_the_header_says():
    login()
    equal(run("functions"), "done\n")
    equal(expect(DONE, "list", "--class=any").stdout, b"")


@case
def the_library_refuses_every_argument_that_is_wrong():
    login()
    equal(run("mistakes"), "done\n")
    # And without a keychain nothing else happens but another answer.
    equal(expect(DONE, "list", "--class=any").stdout, b"")


@case
def the_library_and_the_command_see_the_same_items():
    login()
    put(b"from the command", "s", "a")
    equal(answers()["get"], "0 from the command")
    equal(secret_of("s", "a"), b"new")


@case
def the_library_tells_locked_missing_and_damaged_apart():
    equal(answers(), {
        "status": "0 no-store never-enrolled", "when-unlocked": "0 0", "after-first-unlock": "0 0",
        "wait": "100110", "get": "-25294 this account has no keychain yet (-25294)", "get_item": "-25294",
        "list": "-25294 0 0 0", "set": "-25294", "set_item": "-25294"})
    login()
    found = answers()
    equal(found["get"], "-25300 no such item (-25300)")
    equal((found["get_item"], found["list"], found["set_item"]), ("-25300", "0 0 0 0", "0"))
    expect(DONE, "set", "--accessible=when-unlocked", "s", "a", give=b"x")
    expect(DONE, "lock")
    before = contents()
    equal(answers(), {
        "status": "0 after-first-unlock session-locked", "when-unlocked": "0 0", "after-first-unlock": "0 1",
        "wait": "100110", "get": "-25308 the keychain is locked (-25308)", "get_item": "-25308",
        "list": "0 0 1 0", "set": "-25308", "set_item": "-25308"})
    expect(DONE, "lock", "--all")
    locked = answers()
    equal(locked["status"], "0 locked not-unlocked")
    equal([locked[name].split()[0] for name in ("get", "get_item", "list", "set", "set_item")], ["-25308"] * 5)
    equal(contents(), before)


@case
def the_library_removes_what_is_locked_and_reads_every_group():
    login()
    for account in "123":
        expect(DONE, "set", "--accessible=when-unlocked", "locked", account, give=b"x")
    expect(DONE, "lock")
    equal(run("locked"), "done\n")
    folder = pathlib.Path("/home/alice/.config/vestry")
    folder.mkdir(parents=True)
    (folder / "access-groups").write_text("* = default work\n")
    try:
        equal(run("groups"), "done\n")
    finally:
        shutil.rmtree(folder.parent)


@case
def the_library_says_what_is_wrong_with_the_files():
    login()
    put(b"x", "s", "a")
    ITEMS.chmod(0o644)
    denied = answers()
    equal(denied["status"], "-25243 unavailable failure")
    equal([denied[name].split()[0] for name in ("get", "get_item", "list", "set", "set_item")], ["-25243"] * 5)
    ITEMS.chmod(0o600)
    whole = KEYBAG.read_bytes()
    KEYBAG.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    damaged = answers()
    equal(damaged["status"], "-25295 unavailable failure")
    equal([damaged[name].split()[0] for name in ("get", "get_item", "list", "set", "set_item", "wait")],
          ["-25295"] * 6)
    KEYBAG.write_bytes(whole)
    equal(secret_of("s", "a"), b"x")


@case
def a_program_sleeps_in_the_library_until_the_login():
    login()
    put(b"at last", "s", "a")
    reboot()
    waiting = begin("wait", "-1")
    equal(waiting.stdout.readline(), b"waiting\n")
    login()
    equal(waiting.communicate(timeout=20)[0], b"at last\n")
    reboot()
    equal(run("wait", "50"), "waiting\n100110\n")


@case
def the_library_is_a_quiet_guest():
    """No thread, no signal handler, no descriptor left; three entries are one thread, and two dots."""
    login()
    equal(run("guest"), "done\n")


@case
def secrets_of_the_library_are_in_locked_memory_and_zeroed():
    login()
    equal(run("memory"), "done\n")


@case
def threads_share_a_keychain_of_the_library():
    login()
    equal(run("threads", "8"), "done\n")
    for thread in range(8):
        equal(secret_of("t", str(thread)), f"{thread}/19".encode())


@case
def children_of_fork_use_the_library_while_threads_do():
    login()
    equal(run("children"), "done\n")


@case
def the_library_exports_its_header_and_nothing_else():
    installed()
    header = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    declared = set(re.findall(r"\b(vestry_\w+)\(", header))
    listing = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, stdout=subprocess.PIPE, text=True)
    names = {line.split()[-1] for line in listing.stdout.splitlines()}
    equal({name.replace("@@VESTRY_0", "") for name in names} - {"VESTRY_0"}, declared)
    used = (TREE / "Tests/Scripts/programs/library.c").read_text()
    equal([name for name in declared if name + "(" not in used], [], "functions that no test calls")


@case
def the_library_needs_no_swift_and_has_no_path_of_its_own():
    installed()
    dynamic = subprocess.run(["readelf", "-dW", LIBRARY], check=True, stdout=subprocess.PIPE, text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    equal([name for name in needed if "wift" in name or "dispatch" in name], [])
    equal(re.findall(r"\(SONAME\).*\[(.*)\]", dynamic), ["libvestry.so.0"])
    equal(re.findall("RPATH|RUNPATH|TEXTREL", dynamic), [])
    equal("NODELETE" in dynamic, True, "never unloaded")


@case
def the_header_is_c_and_cpp():
    installed()
    for compiler, standard, ending in (("gcc", "c99", "c"), ("gcc", "c17", "c"), ("g++", "c++17", "cpp")):
        source = FOLDER / f"header.{ending}"
        source.write_text("#include <vestry.h>\nint main(void) { return vestry_version() == 0; }\n")
        program = compiled(source, f"header-{standard}", f"-std={standard}", compiler=compiler)
        equal(start(program=program, environment=ENVIRONMENT).wait(timeout=20), 0)
    version = re.search(r'VESTRY_VERSION "(.*)"', HEADER.read_text()).group(1)
    equal(expect(DONE, "--version").stdout.decode(), f"vestry {version}\n")


@case
def the_attributes_have_the_names_of_the_commands_output():
    names = set(re.findall(r'^#define VESTRY_\w+ "(\w+)" +/\*', HEADER.read_text(), re.M))
    equal(len(names), 19)
    login()
    expect(DONE, "set", "--server=h", "--comment=C", "--description=D", "a", give=b"")
    expect(DONE, "set", "--comment=C", "--description=D", "s", "a", give=b"")
    output = (expect(DONE, "list", "--json", "--class=internet-password").stdout
              + expect(DONE, "list", "--json").stdout).decode()
    equal([name for name in names if f'"{name}":' not in output], [])


@case
def pkg_config_finds_the_library_and_the_examples_of_its_manual_work():
    login()
    put(b"token", "api.example.org", "deploy")
    options = flags("--cflags", "--libs")
    printed = []
    for number, example in enumerate(examples("#include")):
        program = FOLDER / f"example-{number}"
        source = program.with_suffix(".c")
        source.write_text(example)
        subprocess.run(["gcc", *WARNINGS, "-o", program, source, *options], check=True)
        printed.append(start(program=str(program), environment=ENVIRONMENT))
    for example in examples("import vestry"):
        printed.append(start("-B", "-c", example, program="/usr/bin/python3",
                             environment={**ENVIRONMENT, "PYTHONPATH": str(modules())}))
    outputs = [(*process.communicate(timeout=30), process.returncode) for process in printed]
    equal(outputs, [(b"token", b"", 0), (b"alice after-first-unlock\n", b"", 0), (b"5\n", b"", 0)])


@case
def valgrind_finds_nothing_wrong_with_the_library():
    if not any("valgrind" in word for word in sys.argv[1:]):
        raise Skip("runs by name only, because it takes a minute")
    program = compiled(TREE / "Tests/Scripts/programs/library.c", "program", "-std=c99", "-O1")
    for what in ("functions", "mistakes", "answers"):
        login()
        process = start("--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite", program, what,
                        program="/usr/bin/valgrind", environment=ENVIRONMENT)
        _, errors = process.communicate(timeout=500)
        equal(process.returncode, 0, errors.decode())
