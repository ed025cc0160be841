"""What other programs keep, taken over; and everything printed for them."""

import base64
import json
import os
import pathlib
import shutil
import subprocess

from cases_items import CERTIFICATES
from cases_json import check, out
from cases_pinentry import memory_with
from cases_terminal import at_terminal
from harness import Skip, case, equal
from logind import ADDRESS, Bus
from world import (CANCELLED, DONE, DUPLICATE, FAILURE, LOCKED, NOT_FOUND, PASSWORDS, TIMED_OUT, UNAVAILABLE, USAGE,
                   becoming, contents, expect, login, put, secret_of, vestry)

FOLDER = pathlib.Path("/run/vestry-test/import")


def prepare():
    """A folder for alice alone, empty."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    os.chown(FOLDER, 2001, 2001)
    os.chmod(FOLDER, 0o700)
    login()


def file_of(text):
    path = FOLDER / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.chown(path, 2001, 2001)
    return str(path)


def take(text, name, *arguments, status=DONE, **options):
    return expect(status, "import", "--format", name, *arguments, file_of(text), **options)


def items():
    return json.loads(expect(DONE, "list", "--json", "--class", "any").stdout)["items"]


def net_secret(server, account):
    return expect(DONE, "get", "--server", server, account).stdout


@case
def each_format_brings_its_passwords():
    prepare()
    take("https://alice:p%40ss@git.example.org\n", "git", "--yes", says="1 added")
    equal(net_secret("git.example.org", "alice"), b"p@ss")
    take("machine mail.example.org login bob password x", "netrc", "--yes", says="1 added")
    equal(net_secret("mail.example.org", "bob"), b"x")
    auth = base64.b64encode(b"carol:secret:x").decode()
    take(json.dumps({"auths": {"ghcr.io": {"auth": auth}}}), "docker", "--yes", says="1 added")
    equal(net_secret("ghcr.io", "carol"), b"secret:x")
    take("name,url,username,password\nBank,,dave,pin\n", "csv", "--yes", says="1 added")
    equal(secret_of("Bank", "dave"), b"pin")
    take('"Account","Login Name","Password","Web Site","Comments"\n"M","erin","k","",""\n', "keepass-csv", "--yes")
    equal(secret_of("M", "erin"), b"k")
    take("<KeePassFile><Root><Group><Entry><String><Key>Title</Key><Value>T</Value></String>"
         "<String><Key>Password</Key><Value>v</Value></String></Entry></Group></Root></KeePassFile>",
         "keepass-xml", "--yes", says="1 added")
    equal(secret_of("T", ""), b"v")
    take('keychain: "x"\nversion: 512\nclass: "genp"\nattributes:\n    "acct"<blob>="a"\n    "svce"<blob>="mac"\n'
         'data:\n"m"\n', "macos", "--yes", says="1 added")
    equal(secret_of("mac", "a"), b"m")
    equal(items()[0]["accessible"], "after-first-unlock")


@case
def a_dry_run_names_items_without_their_secrets():
    prepare()
    before = contents()
    result = take("name,username,password\nBank,dave,hunter2\n", "csv", "--dry-run", says="1 added")
    equal(result.stdout, b"added\tgeneric-password\tBank\tdave\n")
    assert b"hunter2" not in result.stdout + result.stderr
    expect(NOT_FOUND, "get", "Bank", "dave")
    result = out("import", "--format=csv", "--dry-run", "--json", str(FOLDER / "file"))
    check(result, "import")
    equal({name for name in before if "sqlite" not in name}, {name for name in contents() if "sqlite" not in name})


@case
def a_malformed_entry_is_named_and_nothing_is_imported():
    prepare()
    text = "https://a:b@h\nhunter2\nhttps://c:d@h\n"
    result = take(text, "git", "--yes", status=FAILURE, says="file, line 2: no address with user and password")
    assert b"hunter2" not in result.stderr
    equal(items(), [])
    take(text, "git", "--yes", "--skip-malformed", says="passed over: /run/vestry-test/import/file, line 2")
    equal(len(items()), 2)
    for name, broken in (("json", "{"), ("csv", 'a,password\n"x'), ("keepass-xml", "<a"), ("netrc", "hunter2"),
                         ("docker", "[]"), ("macos", "x"), ("json", '{"format":"vestry-export","version":2,"items":[]}')):
        result = take(broken, name, "--yes", "--skip-malformed", status=FAILURE)
        assert b"hunter2" not in result.stderr, result.stderr
        # No entry is to be passed over where the file is another one.
        assert b"--format says" in result.stderr and b"--skip" not in result.stderr, result.stderr
    expect(FAILURE, "import", "--format=csv", str(FOLDER / "none"), says="name a file that is there")
    take('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/shadow">]><KeePassFile>&b;</KeePassFile>', "keepass-xml",
         "--yes", status=FAILURE, says="DOCTYPE")
    equal(len(items()), 2)


@case
def duplicates_follow_the_rules_of_restore():
    prepare()
    put(b"old", "Bank", "dave", "--comment=mine")
    text = "name,username,password\nBank,dave,new\nBank,dave,new\n"
    take(text, "csv", "--yes", "--merge=stored", says="2 kept")
    equal(secret_of("Bank", "dave"), b"old")
    take(text, "csv", "--yes", says="1 replaced, 1 unchanged")
    equal(secret_of("Bank", "dave"), b"new")
    equal(json.loads(expect(DONE, "show", "--json", "Bank", "dave").stdout)["comment"], "mine")
    take(text, "csv", "--yes", "--accessible=when-unlocked", says="2 unchanged")
    take(text.replace("new", "other"), "csv", "--yes", "--merge=keep-both", says="1 added-beside, 1 unchanged")
    equal(secret_of("Bank", "dave (2)"), b"other")


@case
def two_entries_of_a_file_with_one_name_are_both_taken():
    prepare()
    text = "name,username,password,totp\nBank,dave,one,\nBank,dave,two,\nBank,dave,one,code\n"
    take(text, "csv", "--yes", says="1 added, 1 added-beside, 1 unchanged")
    equal((secret_of("Bank", "dave"), secret_of("Bank", "dave (2)")), (b"one", b"two"))
    # Again, and by every rule: the same is there already.
    for rule in ("newest", "stored", "incoming", "keep-both"):
        take(text, "csv", "--yes", "--merge", rule, says="3 unchanged")
    # What the keychain had before is under the rule, and what the file has is not lost by it.
    put(b"mine", "Bank", "dave")
    take(text, "csv", "--yes", "--merge=stored", says="3 kept")
    take(text, "csv", "--yes", says="1 replaced, 2 unchanged")
    equal((secret_of("Bank", "dave"), secret_of("Bank", "dave (2)")), (b"one", b"two"))
    result = take(text, "csv", "--dry-run", says="not taken over: the columns 'totp'")
    assert b"code" not in result.stderr


@case
def one_item_that_cannot_be_written_stops_all():
    prepare()
    put(b"x", "first", "a", "--accessible=when-unlocked")
    expect(DONE, "lock")
    text = "name,username,password\nzero,a,1\nfirst,a,2\n"
    take(text, "csv", "--yes", status=LOCKED)
    expect(NOT_FOUND, "get", "zero", "a")
    take("name,username,password\nzero,a,1\n", "csv", "--yes", "--accessible=when-unlocked", status=LOCKED)
    take("name,username,password\nzero,a,1\n", "csv", "--yes")


@at_terminal
def a_person_is_asked_before_anything_is_written(make):
    prepare()
    path = file_of("name,username,password\nBank,dave,pin\n")
    expect(FAILURE, "import", "--format=csv", path, says="no terminal to ask on")
    for answer, status in ((b"no\n", CANCELLED), (b"yes\n", DONE)):
        terminal = make("import", "--format=csv", path)
        terminal.wait_for(b"1 added. Go on? Type yes: ")
        terminal.type(answer)
        equal(terminal.end()[0], status)
        equal(vestry("get", "Bank", "dave").returncode, DONE if status == DONE else NOT_FOUND)


def formats_with(marker, count):
    """A file of each format with the marker as the secret of so many items, with escapes where the format has any."""
    auth = base64.b64encode(b"carol:" + marker).decode()
    text = marker.decode()
    percent, backslash, doubled, entity = (text.replace('"', escape) for escape in ("%22", '\\"', '""', "&quot;"))
    percent = percent.replace(" ", "%20")

    def lines(line):
        return "".join(line(number) for number in range(count))

    entries = lines(lambda n: f"<Entry><String><Key>Title</Key><Value>{n}</Value></String><String><Key>Password</Key>"
                              f"<Value>{entity}</Value></String></Entry>")
    return {
        "git": lines(lambda n: f"https://alice:{percent}@git{n}.example.org\n"),
        "netrc": lines(lambda n: f'machine h{n} login bob password "{backslash}"\n'),
        "docker": json.dumps({"auths": {f"h{n}.io": {"auth": auth} for n in range(count)}}),
        "csv": "name,username,password\n" + lines(lambda n: f'Bank {n},dave,"{doubled}"\n'),
        "keepass-xml": f"<KeePassFile><Root><Group>{entries}</Group></Root></KeePassFile>",
        "macos": 'keychain: "x"\nversion: 512\n' + lines(
            lambda n: f'class: "genp"\nattributes:\n    "acct"<blob>="{n}"\n    "svce"<blob>="mac"\ndata:\n"{text}"\n'),
        "json": json.dumps({"format": "vestry-export", "version": 1, "items": [
            {"class": "generic-password", "service": "s", "account": str(n), "secret": text} for n in range(count)]}),
    }


@at_terminal
def an_imported_secret_is_in_guarded_memory_alone(make):
    """At the question whether to go on, when everything was read."""
    prepare()
    for marker in (b'marker "of an imported secret" that is long', b'mark"er"7'):
        # So many that not all of what was given back is in use again by then.
        for name, text in formats_with(marker, 200).items():
            terminal = make("import", "--format", name, file_of(text))
            terminal.wait_for(b"200 added. Go on? Type yes: ")
            guarded, others = memory_with(terminal.process.pid, marker)
            assert guarded, f"{name}: the instrument finds nothing"
            equal(others, [], name)
            terminal.type(b"no\n")
            equal(terminal.end()[0], CANCELLED)


@case
def what_is_exported_comes_back_as_it_was():
    prepare()
    put(b"text \"\\\n\x01\xc3\xa9", "s", "a", "--label=L", "--comment=C", "--type=abcd", "--generic-hex=00ff", "--expires=+1d")
    put(b"\xff\x00", "s", "bytes", "--accessible=when-unlocked")
    put(b"here", "s", "here", "--accessible=when-unlocked-this-device-only")
    expect(DONE, "set", "--server=h", "--protocol=https", "--port=1", "n", give=b"net")
    expect(DONE, "set", "--certificate", "-", give=(CERTIFICATES / "ec.cer").read_bytes())
    expect(DONE, "set", "--key", "-", "--application-tag=t", give=(CERTIFICATES / "ec.sec1").read_bytes())
    result = expect(DONE, "export", "--json", "--plain-text", says="without 1 item of this device alone")
    exported = json.loads(result.stdout)
    check(exported, "export")
    equal([item.get("secret") or base64.b64decode(item["secretBase64"]) for item in exported["items"]][:2],
          ["text \"\\\n\x01é", b"\xff\x00"])
    for item in exported["items"]:
        check({name: item[name] for name in ("secret", "secretBase64") if name in item}, "Secrets", partly=True)
    before = [item for item in items() if item["account" if "account" in item else "class"] != "here"]
    for options in ((), ("--server=h",), ("--class=certificate",), ("--class=key",)):
        expect(DONE, "delete", "--all", "--yes", *options)
    take(result.stdout, "json", "--yes", says="5 added")
    equal(items(), before)
    equal(secret_of("s", "a"), b"text \"\\\n\x01\xc3\xa9")
    equal(secret_of("s", "bytes"), b"\xff\x00")
    take(result.stdout, "json", "--yes", says="5 unchanged")
    wrong = json.dumps(exported).replace('"comment"', '"commend"')
    take(wrong, "json", "--yes", status=FAILURE, says="item 1, the member 'commend' is none of its class")


@at_terminal
def nothing_is_exported_in_plain_text_unasked(make):
    prepare()
    put(b"one", "s", "a", "--accessible=when-unlocked")
    for arguments in ([], ["--json"], ["--plain-text"], ["--json", "--plain-text", "x"]):
        result = vestry("export", *arguments)
        equal((result.returncode, result.stdout), (USAGE, b""))
    terminal = make("export", "--json")
    status, shown = terminal.end()
    equal(status, USAGE)
    assert b"one" not in shown, shown
    path = FOLDER / "out"
    result = expect(DONE, "export", "--json", "--plain-text", "--output", str(path))
    equal((result.stdout, path.stat().st_mode & 0o7777), (b"", 0o600))
    equal(json.loads(path.read_bytes())["items"][0]["secret"], "one")
    equal(vestry("export", "--json", "--plain-text", "--output", str(path)).returncode, DUPLICATE)
    expect(DONE, "lock")
    result = vestry("export", "--json", "--plain-text")
    equal((result.returncode, result.stdout, json.loads(result.stderr)["error"]["name"]), (LOCKED, b"", "locked"))
    result = expect(DONE, "export", "--json", "--plain-text", "--readable-only", says="without 1 item that could not")
    equal(json.loads(result.stdout)["items"], [])


@at_terminal
def an_item_that_asks_is_exported_after_its_question(make):
    prepare()
    put(b"one", "s", "a", "--require-password")
    equal(vestry("export", "--json", "--plain-text").returncode, LOCKED)
    path = FOLDER / "out"
    terminal = make("export", "--json", "--plain-text", "--output", str(path))
    terminal.wait_for(b"Login password to read all items that ask for it: ")
    terminal.type(PASSWORDS["alice"] + b"\n")
    equal(terminal.end()[0], DONE)
    text = path.read_bytes()
    expect(DONE, "delete", "s", "a")
    take(text, "json", "--yes", says="1 added")
    expect(LOCKED, "get", "s", "a")


@case
def a_backup_is_a_format_too():
    prepare()
    put(b"one", "s", "a")
    path = str(FOLDER / "backup")
    expect(DONE, "backup", "--passphrase-fd=0", path, give=b"words")
    expect(DONE, "delete", "s", "a")
    expect(DONE, "import", "--format=backup", "--passphrase-fd=0", "--yes", path, give=b"words", says="1 added")
    equal(secret_of("s", "a"), b"one")
    expect(USAGE, "import", "--format=csv", "--passphrase-fd=0", path, says="for the format backup")
    expect(USAGE, "import", "--format=frob", path, says="needs one of backup, json")
    expect(USAGE, "import", path, says="option '--format' needs one of")


@case
def the_folder_of_pass_is_decrypted_by_gpg():
    if not shutil.which("gpg"):
        raise Skip("gpg is not installed")
    prepare()
    home, store = FOLDER / "gnupg", FOLDER / "store"
    environment = {"PATH": os.environ["PATH"], "GNUPGHOME": str(home), "HOME": str(FOLDER)}

    def gpg(*arguments, give=b""):
        subprocess.run(["gpg", "--batch", "--quiet", *arguments], input=give, env=environment, check=True,
                       preexec_fn=becoming("alice"), cwd="/", stderr=subprocess.DEVNULL)

    for folder in (home, store, store / "web"):
        folder.mkdir(mode=0o700)
        os.chown(folder, 2001, 2001)
    try:
        gpg("--passphrase", "", "--quick-gen-key", "alice", "default", "default", "never")
        gpg("--encrypt", "-r", "alice", "-o", str(store / "web" / "h.gpg"), give=b"secret\nuser: alice\nnote\n")
        gpg("--encrypt", "-r", "alice", "-o", str(store / "plain.gpg"), give=b"one")
        expect(DONE, "import", "--format=pass", "--yes", str(store), environment=environment, says="2 added")
        equal((secret_of("web/h", "alice"), secret_of("plain", "")), (b"secret", b"one"))
        (store / "bad.gpg").write_bytes(b"no message")
        expect(FAILURE, "import", "--format=pass", "--yes", str(store), environment=environment,
               says="bad.gpg, gpg does not decrypt it")
        expect(DONE, "import", "--format=pass", "--yes", "--skip-malformed", str(store), environment=environment,
               says="2 unchanged")
        expect(FAILURE, "import", "--format=pass", "--yes", str(store), environment={"PATH": "/nonexistent"},
               says="it takes the program 'gpg'")
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], env=environment, preexec_fn=becoming("alice"), cwd="/", check=False)


SERVICE = "/run/vestry-test/secrets"
HERE = pathlib.Path(__file__).resolve().parent


class SecretService:
    """A stand-in for gnome-keyring on a bus of the tests' own (programs/secrets.c)."""

    def __init__(self, mode):
        if not os.path.exists(SERVICE):
            flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libsystemd"], capture_output=True, text=True,
                                   check=True).stdout.split()
            subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", SERVICE,
                            HERE / "programs" / "secrets.c", *flags], check=True)
        self.mode = mode

    def __enter__(self):
        self.bus = Bus()
        self.environment = {"DBUS_SESSION_BUS_ADDRESS": ADDRESS}
        self.process = None
        if self.mode:
            self.process = subprocess.Popen([SERVICE, self.mode], env=self.environment, stdout=subprocess.PIPE)
            equal(self.process.stdout.readline(), b"ready\n")
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
        self.bus.end()


@case
def a_secret_service_unlocks_and_gives_what_it_keeps():
    prepare()
    with SecretService("open") as service:
        expect(DONE, "import", "--format=secret-service", "--yes", environment=service.environment, says="2 added")
    equal(net_secret("share.example.org", "alice"), b"net secret")
    equal(secret_of("Tool", "bob"), b"token\n")
    item = json.loads(expect(DONE, "show", "--json", "Tool", "bob").stdout)
    equal((item["label"], item["created"], item["modified"]), ("Token of Tool", 1500000000, 1600000000))
    expect(USAGE, "import", "--format=secret-service", "--yes", "file", says="takes no FILE")


@case
def a_secret_service_that_does_not_open_gives_nothing():
    prepare()
    for mode, status, says in ((("dismiss", CANCELLED, "the question of the Secret Service was dismissed"),
                                ("never", TIMED_OUT, "the question of the Secret Service was not answered"),
                                ("locked", LOCKED, "a collection of the Secret Service is locked"),
                                (None, UNAVAILABLE, "nothing on the session bus is a Secret Service"))):
        with SecretService(mode) as service:
            result = expect(status, "import", "--format=secret-service", "--yes", "--timeout=1s",
                            environment=service.environment, says=says)
            equal(b"asks in a window of its own" in result.stderr, mode is not None, mode)
    expect(UNAVAILABLE, "import", "--format=secret-service", "--yes", says="there is no session bus to ask on")
    expect(USAGE, "import", "--format=csv", "--timeout=1s", "file", says="--timeout is for the format secret-service")
    equal(items(), [])
