"""libvestry in Go and Rust: the manual's examples, built as they stand there, and programs with many threads.

A language is skipped where its compiler is not there: `go` with gcc, `rustc`. Tests/Languages/run gets both, and
reads more often.
"""

import os
import shutil
import subprocess

from harness import Skip, case, equal
from library import ENVIRONMENT, FOLDER, TREE, examples, flags, installed, packaged
from world import DONE, expect, login, put, reboot, start

PROGRAMS = TREE / "Tests/Scripts/programs"
READS = os.environ.get("VESTRY_TEST_READS", "50")


def go(source, name):
    if not shutil.which("go"):
        raise Skip("Go is not installed")
    program = packaged_folder() / name
    environment = {**packaged(), "GOCACHE": str(FOLDER / "go"), "GOFLAGS": "", "GO111MODULE": "off", "GOTOOLCHAIN": "local"}
    equal(subprocess.run(["gofmt", "-d", source], check=True, stdout=subprocess.PIPE).stdout, b"", "not formatted")
    subprocess.run(["go", "vet", source], env=environment, check=True)
    subprocess.run(["go", "build", "-o", program, source], env=environment, check=True)
    return program


def rust(source, name):
    if not shutil.which("rustc"):
        raise Skip("Rust is not installed")
    program = packaged_folder() / name
    subprocess.run(["rustc", "-D", "warnings", "--edition", "2021", "-O", *flags("--libs-only-L"), "-o", program, source],
                   check=True)
    return program


def packaged_folder():
    installed()
    return FOLDER


def run(program, *arguments):
    process = start(*arguments, program=str(program), environment=ENVIRONMENT)
    output, errors = process.communicate(timeout=300)
    return process.returncode, output.decode(), errors.decode()


def tries_the_example(program):
    """What the program of the manual says of a keychain in each state."""
    none = "this account has no keychain yet (-25294); "
    equal([(status, output, errors.startswith(none)) for status, output, errors in (run(program), run(program, "s", "a"))],
          [(1, "", True)] * 2)
    login()
    equal(run(program), (0, "", ""))
    put(b"tok\0en\xff", "api.example.org", "deploy")
    put("\u00fc".encode(), "\u00e4", "\u00f6")
    expect(DONE, "set", "--accessible=when-unlocked", "s", "locked", give=b"x")
    process = start("api.example.org", "deploy", program=str(program), environment=ENVIRONMENT)
    equal(process.communicate(timeout=30), (b"tok\0en\xff", b""))
    equal(run(program, "\u00e4", "\u00f6"), (0, "\u00fc", ""))
    equal(run(program), (0, "api.example.org\tdeploy\n\u00e4\t\u00f6\ns\tlocked\n", ""))
    status, output, errors = run(program, "api.example.org", "other")
    equal((status, output, errors.startswith("no such item (-25300); ")), (1, "", True), errors)
    expect(DONE, "lock")
    equal(run(program), (0, "api.example.org\tdeploy\n\u00e4\t\u00f6\n", "locked: 1\n"))
    status, output, errors = run(program, "s", "locked")
    equal((status, output, errors.startswith("the keychain is locked (-25308); ")), (1, "", True), errors)
    reboot()
    for names in ((), ("api.example.org", "deploy")):
        status, output, errors = run(program, *names)
        equal((status, output, errors.startswith("the keychain is locked (-25308); ")), (1, "", True), errors)


def has_items_for_threads():
    login()
    for account in map(str, range(8)):
        put(account.encode(), "s", account)
    expect(DONE, "lock")


@case
def the_manual_s_example_in_go_works_as_it_stands_there():
    (example,) = examples("package main")
    source = packaged_folder() / "example.go"
    source.write_text(example)
    tries_the_example(go(source, "example-go"))


@case
def the_manual_s_example_in_rust_works_as_it_stands_there():
    (example,) = examples("use std")
    source = packaged_folder() / "example.rs"
    source.write_text(example)
    tries_the_example(rust(source, "example-rust"))


@case
def goroutines_that_change_threads_share_a_keychain():
    program = go(PROGRAMS / "threads.go", "threads-go")
    has_items_for_threads()
    equal(run(program, "64", READS), (0, "done\n", ""))


@case
def threads_of_rust_share_a_keychain():
    program = rust(PROGRAMS / "threads.rs", "threads-rust")
    has_items_for_threads()
    equal(run(program, "8", READS), (0, "done\n", ""))
