"""`vestry security`: what scripts from a Mac expect of `security`."""

import re

from cases_terminal import at_terminal
from harness import case, equal
from world import DONE, expect, login, logout, put, secret_of, vestry

FIND, ADD, DELETE = (f"{verb}-generic-password" for verb in ("find", "add", "delete"))
FIND_I, ADD_I, DELETE_I = (f"{verb}-internet-password" for verb in ("find", "add", "delete"))
MISSING = b"security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.\n"
WARNING = b"can be seen by every user of this machine"

GENERIC = r"""keychain: "/home/alice/.local/share/vestry"
version: 512
class: "genp"
attributes:
    0x00000007 <blob>="S"
    0x00000008 <blob>=<NULL>
    "acct"<blob>="A"
    "cdat"<timedate>=0x3230[0-9A-F]{24}5A00  "20\d{12}Z\\000"
    "crtr"<uint32>=<NULL>
    "cusi"<sint32>=<NULL>
    "desc"<blob>=<NULL>
    "gena"<blob>=<NULL>
    "icmt"<blob>=<NULL>
    "invi"<sint32>=<NULL>
    "mdat"<timedate>=0x3230[0-9A-F]{24}5A00  "20\d{12}Z\\000"
    "nega"<sint32>=<NULL>
    "prot"<blob>=<NULL>
    "scrp"<sint32>=<NULL>
    "svce"<blob>="S"
    "type"<uint32>=<NULL>
"""
INTERNET = r"""keychain: "/home/alice/.local/share/vestry"
version: 512
class: "inet"
attributes:
    0x00000007 <blob>="L"
    0x00000008 <blob>=<NULL>
    "acct"<blob>="A"
    "atyp"<blob>="form"
    "cdat"<timedate>=0x3230[0-9A-F]{24}5A00  "20\d{12}Z\\000"
    "crtr"<uint32>="abcd"
    "cusi"<sint32>=<NULL>
    "desc"<blob>="K"
    "icmt"<blob>=0x6A0A  "j\\012"
    "invi"<sint32>=<NULL>
    "mdat"<timedate>=0x3230[0-9A-F]{24}5A00  "20\d{12}Z\\000"
    "nega"<sint32>=<NULL>
    "path"<blob>="/p"
    "port"<uint32>=0x000001BB 
    "prot"<blob>=<NULL>
    "ptcl"<uint32>="htps"
    "scrp"<sint32>=<NULL>
    "sdmn"<blob>="D"
    "srvr"<blob>="H"
    "type"<uint32>="efgh"
"""


def security(*arguments, **options):
    result = vestry("security", *arguments, **options)
    return result.returncode, result.stdout, result.stderr


def add(*arguments, password="P"):
    status, output, errors = security(ADD, *arguments, "-w", password)
    equal((status, output), (0, b""))
    assert WARNING in errors and password.encode() not in errors.split(b"warning")[0], errors


@case
def what_is_added_is_found_and_deleted():
    login()
    add("-a", "A", "-s", "S")
    equal(security(FIND, "-s", "S", "-a", "A", "-w"), (0, b"P\n", b""))
    equal(security(FIND, "-wsS"), (0, b"P\n", b""))
    status, output, errors = security(FIND, "-s", "S")
    assert (status, errors) == (0, b"") and re.fullmatch(GENERIC, output.decode()), output.decode()
    status, output, errors = security(FIND, "-g", "-a", "A", "login.keychain")
    assert (status, errors) == (0, b'password: "P"\n') and re.fullmatch(GENERIC, output.decode()), errors
    status, output, errors = security(DELETE, "-s", "S", "-a", "A")
    assert (status, errors) == (0, b"password has been deleted.\n"), errors
    assert re.fullmatch(GENERIC, output.decode()), output
    for verb in (FIND, DELETE):
        equal(security(verb, "-s", "S"), (44, b"", MISSING))


@case
def internet_passwords_have_their_own_attributes():
    login()
    options = ["-a", "A", "-s", "H", "-r", "htps", "-P", "443", "-p", "/p", "-d", "D", "-t", "form", "-l", "L",
               "-j", "j\n", "-D", "K", "-c", "abcd", "-C", "efgh"]
    equal(security(ADD_I, *options, "-A", "-T", "/bin/x", "-T", "", "-w", "P")[0], 0)
    for conditions in (["-s", "H"], ["-a", "A"], ["-r", "htps"], ["-P", "443"], options):
        equal(security(FIND_I, *conditions, "-w"), (0, b"P\n", b""), conditions)
    for conditions in (["-s", "I"], ["-r", "http"], ["-P", "80"], ["-l", "M"]):
        equal(security(FIND_I, *conditions, "-w"), (44, b"", MISSING), conditions)
    status, output, _ = security(FIND_I, "-s", "H")
    assert status == 0 and re.fullmatch(INTERNET, output.decode()), output.decode()
    equal(security(FIND, "-a", "A"), (44, b"", MISSING))
    equal(security(DELETE_I, "-s", "H", "-P", "443")[0], 0)
    equal(security(FIND_I, "-s", "H"), (44, b"", MISSING))
    equal(security(ADD_I, "-a", "A", "-s", "H", "-w", "P")[0], 0)
    output = security(FIND_I, "-s", "H")[1]
    for row in (b'"atyp"<blob>="dflt"', b'"port"<uint32>=0x00000000 \n', b'"ptcl"<uint32>=0x00000000 \n',
                b'0x00000007 <blob>="H"'):
        assert row in output, output


@case
def a_duplicate_is_refused_unless_it_is_to_be_updated():
    login()
    add("-a", "A", "-s", "S", "-j", "C")
    status, output, errors = security(ADD, "-a", "A", "-s", "S", "-w", "Q")
    equal((status, output), (45, b""))
    assert errors.endswith(b"security: SecKeychainItemCreateFromContent (<default>): "
                           b"The specified item already exists in the keychain.\n"), errors
    errors = security(ADD, "-a", "A", "-s", "S", "-w", "Q", "login.keychain")[2]
    assert b"SecKeychainItemCreateFromContent (login.keychain): The specified item already" in errors, errors
    equal(security(FIND, "-s", "S", "-w")[1], b"P\n")
    add("-U", "-a", "A", "-s", "S", "-l", "L", password="Q")
    output = security(FIND, "-s", "S")[1]
    assert b'0x00000007 <blob>="L"' in output and b'"icmt"<blob>="C"' in output, output
    equal(security(FIND, "-s", "S", "-w")[1], b"Q\n")
    # Without a password, the item keeps its own.
    equal(security(ADD, "-U", "-a", "A", "-s", "S", "-j", "D"), (0, b"", b""))
    equal(security(FIND, "-s", "S", "-w")[1], b"Q\n")
    add("-U", "-a", "B", "-s", "S")
    equal(security(FIND, "-a", "B", "-w")[1], b"P\n")


@case
def locked_is_interaction_not_allowed_and_never_missing():
    refusal = b"security: SecKeychainSearchCopyNext: User interaction is not allowed.\n"
    equal(security(FIND, "-s", "S")[0], 50)
    session, _ = login()
    put(b"P", "S", "A", "--accessible", "when-unlocked")
    logout(session)
    for options in ([], ["-w"], ["-g"]):
        equal(security(FIND, "-s", "S", *options), (36, b"", refusal))
    expect(DONE, "lock", "--all")
    equal(security(FIND, "-s", "T"), (36, b"", refusal))
    equal(security(ADD, "-a", "A", "-s", "S", "-X", "50")[0], 36)


@case
def passwords_that_are_no_plain_text_are_hexadecimal():
    login()
    for secret, line, shown in (
            (b"\xc3\xa9\n", b"c3a90a\n", b"0xC3A90A "), (b"a\\b", b"a\\b\n", b'0x615C62  "a\\134b"'),
            (b"", b"\n", b'""'), (b"a b\"", b"a b\"\n", b'"a b""')):
        put(secret, "S", "A")
        equal(security(FIND, "-s", "S", "-w"), (0, line, b""))
        equal(security(FIND, "-s", "S", "-g")[2], b"password: " + shown + b"\n")
    equal(security(ADD, "-U", "-a", "A", "-s", "S", "-X", "00fF")[0], 0)
    equal(secret_of("S", "A"), b"\x00\xff")
    status, _, errors = security(ADD, "-U", "-a", "A", "-s", "S", "-X", "0g")
    assert status == 2 and b"-X must specify valid hex digits" in errors, errors
    equal(secret_of("S", "A"), b"\x00\xff")


@case
def wrong_usage_is_status_2_with_the_usage():
    login()
    for arguments in ([FIND, "-z"], [FIND, "-s"], [ADD, "-a", "A"], [ADD, "-s", "S"], [FIND, "-h"]):
        status, output, errors = security(*arguments)
        assert (status, output) == (2, b"") and b"usage: vestry security " + arguments[0].encode() in errors, errors
    status, _, errors = security(ADD, "-a", "A", "-s", "S", "-p", "hunter2")
    assert status == 2 and b"hunter2" not in errors, errors
    equal(security(FIND, "-s", "S"), (44, b"", MISSING))
    equal(security("dump"), (1, b"", b'security: unknown command "dump"\n'))
    assert b"find-generic-password" in expect(DONE, "security", "--help").stdout
    equal(security(FIND, "-s", "S", "/other.keychain")[0], 50)


@case
def without_a_terminal_the_password_comes_twice_on_standard_input():
    login()
    add_it = [ADD, "-a", "A", "-s", "S", "-U", "-w"]
    equal(security(*add_it, give=b"typed \xc3\xa9\ntyped \xc3\xa9\n"), (0, b"", b""))
    equal(secret_of("S", "A"), "typed é".encode())
    for wrong in (b"one\ntwo\n", b"once\n", b"", b"a\nb\na\nb\n", b"\n\n\n"):
        status, output, errors = security(*add_it, give=wrong)
        equal((status, output, errors), (1, b"", b"security: passwords don't match\n"))
        equal(secret_of("S", "A"), "typed é".encode())


@at_terminal
def a_last_w_asks_twice_and_shows_nothing(make):
    login()
    terminal = make("security", ADD, "-a", "A", "-s", "S", "-j", "MARKER", "-w")
    for prompt in (b"password data for new item: ", b"retype password for new item: "):
        terminal.wait_for(prompt)
        with open(f"/proc/{terminal.process.pid}/cmdline", "rb") as arguments:
            assert b"MARKER" not in arguments.read()
        assert not terminal.echoes
        terminal.type(b"typed secret\n")
    status, shown = terminal.end()
    equal(status, 0)
    assert b"typed" not in shown and WARNING not in shown, shown
    equal(secret_of("S", "A"), b"typed secret")
