"""The Python module, and its backend for the package keyring, as Debian's Python runs them for a user."""

import re
import shutil
import signal
import subprocess

from harness import Skip, case, equal
from library import ENVIRONMENT, HEADER, TREE, installed, modules
from world import DONE, ITEMS, expect, login, put, reboot, secret_of, start

PYTHON = "/usr/bin/python3"


def begin(*arguments, **options):
    installed()
    shutil.copy(TREE / "Tests/Scripts/programs/keychain.py", modules() / "test_keychain.py")
    environment = {
        **ENVIRONMENT, "PYTHONPATH": str(modules()), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1",
        "HOME": f"/home/{options.get('user', 'alice')}"}
    return start(*arguments, program=PYTHON, environment=environment, **options)


def python(code, **options):
    """What a piece of Python prints, or the last line of its failure."""
    process = begin("-W", "error", "-c", code, **options)
    output, errors = process.communicate(timeout=60)
    return (output if process.returncode == 0 else errors.splitlines()[-1]).decode().strip()


@case
def the_python_module_does_what_it_says():
    login()
    process = begin("-W", "error", "-m", "unittest", "-v", "test_keychain")
    output, errors = process.communicate(timeout=100)
    equal(process.returncode, 0, errors.decode())
    ran = int(re.search(rb"Ran (\d+) tests", errors).group(1))
    source = (TREE / "Tests/Scripts/programs/keychain.py").read_text()
    equal(ran, len(re.findall("    def test_", source)))


@case
def python_tells_locked_missing_and_damaged_apart():
    get = "import vestry; print(vestry.Keychain().get('s', 'a'))"
    status = "import vestry; s = vestry.Keychain().status(); print(s.state, type(s.error).__name__)"
    equal(python(get).split(":")[0], "vestry._errors.NoKeychain")
    equal(python(status), "no-store NoneType")
    login()
    put(b"from the command", "s", "a")
    equal(python(get), "b'from the command'")
    reboot()
    equal(python(get), "vestry._errors.Locked: the keychain is locked (-25308); "
                       "log in with your password, or run 'vestry unlock'")
    equal(python(status), "locked NoneType")
    equal(python("import vestry; vestry.Keychain().wait(timeout=0.1)").split(":")[0], "vestry._errors.TimedOut")
    equal(python("import vestry; print(vestry.Keychain().is_readable())"), "False")
    login()
    ITEMS.chmod(0o644)
    equal(python(get).split(":")[0], "vestry._errors.Denied")
    equal(python(status), "unavailable Denied")


@case
def python_waits_for_the_login_and_can_be_interrupted():
    login()
    put(b"at last", "s", "a")
    reboot()
    code = ("import vestry; k = vestry.Keychain(keep_open=True); print('waiting', flush=True); k.wait(); "
            "print(k.get_text('s', 'a'))")
    waiting = begin("-c", code)
    equal(waiting.stdout.readline(), b"waiting\n")
    interrupted = begin("-c", code)
    equal(interrupted.stdout.readline(), b"waiting\n")
    interrupted.send_signal(signal.SIGINT)
    equal(b"KeyboardInterrupt" in interrupted.communicate(timeout=20)[1], True)
    login()
    equal(waiting.communicate(timeout=20)[0], b"at last\n")


@case
def python_without_the_library_says_what_is_missing():
    code = ("import vestry._library; vestry._library.NAME = 'libvestry.so.none'; import vestry; "
            "vestry.Keychain()")
    message = python(code)
    equal(message.startswith("vestry._errors.NotAvailable: libvestry.so.none: cannot open"), True, message)
    equal(message.endswith("install the package libvestry0"), True, message)


@case
def python_knows_every_function_and_number_of_the_header():
    header = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    declared = sorted(re.findall(r"\b(vestry_\w+)\(", header))
    numbers = sorted(int(number) for number in re.findall(r"^#define VESTRY_\w+ \(?(-\d+|100110)\)?$", header, re.M))
    found = python("import vestry._library as l; print(sorted(l._FUNCTIONS)); "
                   "print(sorted(set(l.CLASSES) - {-67594}))")
    equal(found.splitlines(), [str(declared), str(numbers)])


def keyring(*calls):
    """What each of several calls of the package keyring returns or raises."""
    code = ["import keyring, keyring.backend", "from keyring import *", "def module(b): return type(b).__module__"]
    for call in calls:
        code.append(f"try: print({call})\nexcept Exception as error: print(type(error).__name__)")
    return python("\n".join(code)).splitlines()


@case
def keyring_finds_the_backend_and_uses_it():
    if subprocess.run([PYTHON, "-c", "import keyring"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("python3-keyring is not installed")
    backends = "'vestry.keyring_backend' in map(module, keyring.backend.get_all_keyring())"
    # Who has no keychain keeps what was there before.
    equal(keyring(backends), ["False"])
    login()
    put(b"from the command", "s", "b")
    put(b"\xff", "s", "c")
    expect(DONE, "set", "--accessible=when-unlocked", "w", "a", give=b"x")
    pair = "(lambda c: c and (c.username, c.password))"
    equal(keyring(
        backends, "get_keyring().name", "get_keyring().priority", "get_password('s', 'a')",
        "get_credential('none', None)", "set_password('s', 'a', 'grüße')", "get_password('s', 'a')",
        "get_password('s', 'b')", "get_password('s', 'c')", f"{pair}(get_credential('s', None))",
        f"{pair}(get_credential('s', 'a'))", f"{pair}(get_credential('s', 'd'))", "delete_password('s', 'b')",
        "delete_password('s', 'b')"
    ), ["True", "Vestry", "6", "None", "None", "None", "grüße", "from the command", "KeyringError",
        "('b', 'from the command')", "('a', 'grüße')", "None", "None", "PasswordDeleteError"])
    equal(secret_of("s", "a"), "grüße".encode())
    expect(DONE, "lock")
    equal(keyring("get_password('w', 'a')", "get_credential('w', None)", "get_credential('w', 'a')",
                  "set_password('w', 'a', 'y')", "delete_password('w', 'a')", "get_password('w', 'a')"),
          ["KeyringLocked"] * 4 + ["None", "None"])


@case
def mypy_finds_nothing_wrong_with_the_types():
    mypy = shutil.which("mypy")
    if not mypy:
        raise Skip("mypy is not installed")
    result = subprocess.run(
        [mypy, "--strict", "--cache-dir=/dev/null", "--ignore-missing-imports", TREE / "Sources" / "Python" / "vestry"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    equal(result.returncode, 0, result.stdout)
