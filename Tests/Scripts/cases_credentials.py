"""git-credential-vestry and docker-credential-vestry, as git and docker run them."""

import base64
import contextlib
import http.server
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import threading
import time

from harness import Skip, case, equal
from world import (DONE, FAILURE, LOCKED, PASSWORDS, PROGRAM, USAGE, becoming, contents, expect, login,
                   reboot, vestry)

FOLDER = pathlib.Path(PROGRAM).parent
GIT, DOCKER = FOLDER / "git-credential-vestry", FOLDER / "docker-credential-vestry"
NOT_FOUND_TEXT = b"credentials not found in native keychain\n"
HUB = "https://index.docker.io/v1/"


def link():
    for name in (GIT, DOCKER):
        if not name.is_symlink():
            name.symlink_to("vestry")


def git(operation, *lines, status=DONE, end="\n", says=b""):
    """What the helper prints for a message of these lines."""
    link()
    give = "".join(f"{line}\n" for line in lines) + end
    result = vestry(operation, program=GIT, give=give.encode("utf-8", "surrogateescape"))
    equal((result.returncode, says in result.stderr), (status, True), result.stderr)
    assert status == DONE or result.stdout == b"", result.stdout
    assert status != DONE or result.stderr == b"", result.stderr
    return result.stdout.decode()


def answer(username, password, *more):
    return "".join(f"{line}\n" for line in (f"username={username}", f"password={password}", *more))


def store(host, username, password, *more, protocol="https"):
    equal(git("store", f"protocol={protocol}", f"host={host}", f"username={username}",
              f"password={password}", *more), "")


def get(host, *more, protocol="https", **options):
    return git("get", f"protocol={protocol}", f"host={host}", *more, **options)


def docker(action, give="", status=DONE):
    link()
    result = vestry(*([action] if isinstance(action, str) else action), program=DOCKER, give=give.encode())
    equal((result.returncode, result.stderr), (status, b""), result.stdout)
    return result.stdout


def docker_store(address, username, secret):
    given = json.dumps({"ServerURL": address, "Username": username, "Secret": secret})
    equal(docker("store", given), b"")


@case
def git_gets_what_it_has_stored_and_nothing_for_a_miss():
    login()
    equal(get("git.example.org"), "")
    store("git.example.org", "alice", "pass word=1")
    equal(get("git.example.org"), answer("alice", "pass word=1"))
    equal(get("GIT.Example.org", "username=alice", "capability[]=authtype", "capability[]=state",
              "wwwauth[]=Basic realm=x", "state[]=other.a", "unknown=x"), answer("alice", "pass word=1"))
    equal(get("git.example.org", "username=bob"), "")
    equal(get("git.example.org", protocol="http"), "")
    equal(get("example.org"), "")
    # The end of the input ends a message, too, and an empty line does without it.
    equal(git("get", "protocol=https", "host=git.example.org", end=""), answer("alice", "pass word=1"))
    # It is an item as any other.
    equal(expect(DONE, "get", "--server", "git.example.org", "alice").stdout, b"pass word=1")
    equal(vestry("security", "find-internet-password", "-s", "git.example.org", "-r", "htps", "-w").stdout,
          b"pass word=1\n")
    shown = json.loads(expect(DONE, "show", "--json", "--server", "git.example.org").stdout)
    equal((shown["label"], shown["accessible"]), ("Git: https://git.example.org", "after-first-unlock"))


@case
def an_empty_line_is_enough_for_git():
    login()
    store("git.example.org", "alice", "1")
    process = subprocess.Popen([GIT, "get"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               preexec_fn=becoming("alice"))
    process.stdin.write(b"protocol=https\nhost=git.example.org\n\n")
    process.stdin.flush()
    # Its end is not waited for.
    equal(process.wait(20), 0)
    equal(process.stdout.read(), answer("alice", "1").encode())
    process.stdin.close()


@case
def a_port_of_gits_belongs_to_the_host():
    login()
    store("example.com:3000", "alice", "3000")
    equal(get("example.com"), "")
    equal(get("example.com:300"), "")
    equal(get("example.com:03000"), "")
    store("example.com", "alice", "none")
    store("[::1]:8080", "alice", "six")
    equal(get("example.com:3000"), answer("alice", "3000"))
    equal(get("example.com"), answer("alice", "none"))
    equal(get("[::1]:8080"), answer("alice", "six"))
    equal(get("[::1]"), "")
    git("erase", "protocol=https", "host=example.com")
    equal((get("example.com"), get("example.com:3000")), ("", answer("alice", "3000")))


@case
def of_several_accounts_git_gets_the_last_stored():
    login()
    store("example.com", "foo", "1")
    equal(get("example.com"), answer("foo", "1"))
    store("example.com", "bar", "2")
    equal(get("example.com"), answer("bar", "2"))
    equal(get("example.com", "username=foo"), answer("foo", "1"))
    # Also one that is stored once more as it is.
    store("example.com", "foo", "1")
    equal(get("example.com"), answer("foo", "1"))
    before = contents()
    store("example.com", "foo", "1")
    equal(contents(), before)


@case
def a_path_is_a_condition_where_git_says_one():
    login()
    store("example.com", "alice", "a", "path=a.git")
    store("example.com", "alice", "b", "path=b.git")
    equal(get("example.com", "path=a.git"), answer("alice", "a"))
    equal(get("example.com", "path=c.git"), "")
    equal(get("example.com"), answer("alice", "b"))
    # What git has got so and stores again is no further item.
    store("example.com", "alice", "b")
    equal(vestry("list", "--class", "internet-password").stdout.count(b"\n"), 2)
    equal(get("example.com", "path=a.git"), answer("alice", "a"))
    git("store", "protocol=cert", "host=", "path=/home/alice/key.pem", "username=", "password=pin")
    equal(git("get", "protocol=cert", "host=", "path=/home/alice/key.pem"), answer("", "pin"))
    git("erase", "protocol=https", "host=example.com", "path=a.git")
    equal((get("example.com", "path=a.git"), get("example.com", "path=b.git")), ("", answer("alice", "b")))


@case
def what_git_must_not_say_gets_no_answer():
    login()
    store("git.example.org", "alice", "1")
    store("other.example.org", "bob", "2")
    text = b"what git says is not understood"
    for lines in (("host=git.example.org",), ("protocol=https",), ("protocol=https", "host="),
                  ("protocol=", "host=git.example.org"), ("protocol=https", "host=git.example.org\r"),
                  ("protocol=https", "host=evil%0ahost=git.example.org"),
                  ("protocol=https", "host=git.example.org\0"), ("protocol=https", "git.example.org"),
                  ("url=https://evil%0ahost=git.example.org/",), ("url=git.example.org",),
                  ("protocol=https", "host=\udcff"), ("protocol=https", "host=a", "path=" + "x" * 70000),
                  ("protocol=https", "host=git.example.org", "username=a\x1b")):
        for operation in ("get", "store", "erase"):
            more = ("password=3",) if operation == "store" else ()
            git(operation, *lines, *more, status=USAGE, says=text)
    equal(git("get", status=USAGE, says=b"no protocol"), "")
    git("erase", status=USAGE, says=b"no protocol")
    git("store", "protocol=https", "host=git.example.org", "username=alice", "password=1",
        "password_expiry_utc=soon", status=USAGE, says=b"password_expiry_utc")
    equal((get("git.example.org"), get("other.example.org")), (answer("alice", "1"), answer("bob", "2")))
    # In a password, all but LF is its own.
    store("cr.example.org", "carol", "a\rb\tc")
    equal(get("cr.example.org").encode(), answer("carol", "a\rb\tc").encode())


@case
def operations_and_keys_of_a_newer_git_are_passed_over():
    login()
    for operation in ("capability", "approve", "whatever"):
        equal(git(operation, "protocol=https", "host=git.example.org"), "")
    store("git.example.org", "alice", "1", "ephemeral=1")
    equal(get("git.example.org"), "")
    git("store", "protocol=https", "host=git.example.org", "authtype=Bearer", "credential=token")
    git("store", "protocol=https", "host=git.example.org", "username=alice")
    equal(get("git.example.org"), "")
    link()
    for arguments in ((), ("get", "store")):
        result = vestry(*arguments, program=GIT)
        equal((result.returncode, result.stdout, b"usage: " in result.stderr), (USAGE, b"", True))
    for option in ("--help", "--version"):
        result = vestry(option, program=GIT)
        equal((result.returncode, GIT.name.encode() in result.stdout), (DONE, True))


@case
def git_erases_only_what_matches():
    login()
    store("example.com", "foo", "1")
    store("example.com", "bar", "2")
    store("other.com", "foo", "1")
    git("erase", "protocol=https", "host=example.com", "username=foo")
    equal((get("example.com", "username=foo"), get("example.com")), ("", answer("bar", "2")))
    # An old password that was refused does not erase a newer one.
    store("example.com", "bar", "3")
    git("erase", "protocol=https", "host=example.com", "username=bar", "password=2")
    equal(get("example.com"), answer("bar", "3"))
    git("erase", "protocol=https", "host=example.com", "username=bar", "password=3")
    equal(get("example.com"), "")
    git("erase", "protocol=https", "host=example.com")
    store("example.com", "foo", "4")
    store("example.com", "bar", "5")
    git("erase", "protocol=https", "host=example.com")
    equal((get("example.com"), get("other.com")), ("", answer("foo", "1")))


@case
def a_url_of_gits_is_taken_apart():
    login()
    git("store", "url=https://al%40ice:s%2Fcret@git.example.org:8443/a%20b.git/")
    equal(get("git.example.org:8443", "path=a b.git"), answer("al@ice", "s/cret"))
    equal(git("get", "url=https://git.example.org:8443"), answer("al@ice", "s/cret"))
    equal(git("get", "url=https://bob@git.example.org:8443"), "")


@case
def passwords_of_gits_end_with_their_time():
    login()
    now = int(time.time())
    store("example.com", "foo", "1", f"password_expiry_utc={now - 10}")
    equal(get("example.com"), "")
    store("example.com", "foo", "1", f"password_expiry_utc={now + 3600}")
    equal(get("example.com"), answer("foo", "1", f"password_expiry_utc={now + 3600}"))
    equal(expect(DONE, "get", "--server", "example.com", "foo").stdout, b"1")
    store("example.com", "foo", "2")
    equal(get("example.com"), answer("foo", "2"))
    store("example.com", "foo", "2", f"password_expiry_utc={now + 2}")
    # A refresh token outlives the password, which git before 2.41 would use all the same.
    store("token.com", "foo", "3", f"password_expiry_utc={now + 2}", "oauth_refresh_token=refresh")
    equal(get("token.com"),
          answer("foo", "3", f"password_expiry_utc={now + 2}", "oauth_refresh_token=refresh"))
    time.sleep(max(0, now + 2.1 - time.time()))
    equal(get("example.com"), "")
    equal(get("token.com"),
          f"username=foo\npassword_expiry_utc={now + 2}\noauth_refresh_token=refresh\n")
    git("erase", "protocol=https", "host=token.com", "password=3")
    equal(get("token.com"), "")


@case
def a_locked_keychain_leaves_git_to_its_own_prompt():
    link()
    result = vestry("get", program=GIT, give=b"protocol=https\nhost=example.com\n\n", user="bob")
    equal((result.returncode, result.stdout), (3, b""))
    login()
    store("example.com", "foo", "1")
    expect(DONE, "set", "--server", "asks.com", "--protocol", "https", "--require-password", "foo", give=b"1")
    get("asks.com", status=LOCKED, says=b"locked")
    store("asks.com", "foo", "2")
    get("asks.com", status=LOCKED, says=b"locked")
    reboot()
    says = b"git-credential-vestry: the keychain is locked"
    get("example.com", status=LOCKED, says=says)
    get("missing.com", status=LOCKED, says=says)
    git("store", "protocol=https", "host=example.com", "username=foo", "password=2", status=LOCKED, says=says)
    git("erase", "protocol=https", "host=example.com", "password=1", status=LOCKED, says=says)
    login()
    equal(get("example.com"), answer("foo", "1"))


class Server(http.server.BaseHTTPRequestHandler):
    """Serves files to whoever knows the password of the moment."""

    password = b"alice:first"

    def do_GET(self):
        given = "Basic " + base64.b64encode(Server.password).decode()
        if self.headers.get("Authorization") != given:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="test"')
            self.end_headers()
            return
        file = pathlib.Path(self.server.folder, self.path.split("?")[0].lstrip("/"))
        self.send_response(200 if file.is_file() else 404)
        self.end_headers()
        if file.is_file():
            self.wfile.write(file.read_bytes())

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def server(folder):
    found = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    found.folder = folder
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{found.server_port}"
    finally:
        found.shutdown()
        found.server_close()


def real_git(*arguments, give=None, askpass="/bin/false"):
    home = pwd.getpwnam("alice").pw_dir
    environment = {"PATH": f"{FOLDER}:/usr/bin:/bin", "HOME": home, "GIT_TERMINAL_PROMPT": "0",
                   "GIT_ASKPASS": str(askpass), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", "-c", "credential.helper=vestry", *arguments], input=give, capture_output=True,
        env=environment, cwd=home, preexec_fn=becoming("alice"), start_new_session=True, timeout=60)


@case
def git_itself_uses_the_keychain():
    if not shutil.which("git"):
        raise Skip("git is not installed")
    link()
    login()
    folder = pathlib.Path("/run/vestry-test/served")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "init", "-q", "--bare", folder / "r.git"], check=True)
    subprocess.run(["git", "-C", folder / "r.git", "update-server-info"], check=True)
    askpass = folder / "askpass"
    askpass.write_text('#!/bin/sh\ncase $1 in Username*) echo alice ;; *) echo second ;; esac\n')
    askpass.chmod(0o755)
    Server.password = b"alice:first"
    with server(folder) as address:
        host = address.removeprefix("http://")
        equal(real_git("ls-remote", f"{address}/r.git").returncode, 128)
        given = f"url={address}\nusername=alice\npassword=first\n\n".encode()
        equal(real_git("credential", "approve", give=given).returncode, 0)
        equal(get(host, protocol="http"), answer("alice", "first"))
        result = real_git("ls-remote", f"{address}/r.git")
        equal((result.returncode, result.stderr), (0, b""))
        # The server takes another password now: git erases the old one, asks, and stores the new one.
        Server.password = b"alice:second"
        equal(real_git("ls-remote", f"{address}/r.git").returncode, 128)
        equal(get(host, protocol="http"), "")
        equal(real_git("ls-remote", f"{address}/r.git", askpass=askpass).returncode, 0)
        result = real_git("ls-remote", f"{address}/r.git")
        equal((result.returncode, result.stderr), (0, b""))
        equal(real_git("credential", "fill", give=f"url={address}/r.git\n\n".encode()).stdout.decode(),
              f"protocol=http\nhost={host}\nusername=alice\npassword=second\n")
        reboot()
        result = real_git("ls-remote", f"{address}/r.git")
        equal((result.returncode, b"the keychain is locked" in result.stderr), (128, True))
        result = real_git("ls-remote", f"{address}/r.git", askpass=askpass)
        equal((result.returncode, b"vestry unlock" in result.stderr), (0, True))


@case
def docker_gets_the_exact_address_back():
    login()
    equal(docker("list", "unused"), b"{}\n")
    addresses = [HUB, "reg.example:5000", "https://reg.example/path", "https://reg.example",
                 "https://reg.example/", "https://REG.example", "\u00e4 b\"\\"]
    for number, address in enumerate(addresses):
        docker_store(address, f"user {number}", f"secret\n\"{number}\u20ac")
    for number, address in enumerate(addresses):
        found = docker("get", f" {address}\n")
        equal(found[-1:], b"\n")
        equal(json.loads(found), {"ServerURL": address, "Username": f"user {number}",
                                  "Secret": f"secret\n\"{number}\u20ac"})
    equal(json.loads(docker("list", "unused")), {a: f"user {n}" for n, a in enumerate(addresses)})
    for other in ("reg.example", "http://reg.example", "https://index.docker.io/v1", "reg.example:500"):
        equal(docker("get", other, status=FAILURE), NOT_FOUND_TEXT)
    shown = json.loads(expect(DONE, "show", "--json", "--server", "index.docker.io").stdout)
    equal([shown[name] for name in ("label", "server", "path", "protocol", "account", "securityDomain")],
          ["Docker Credentials", "index.docker.io", "/v1/", "https", "user 0", HUB])
    equal(vestry("security", "find-internet-password", "-s", "index.docker.io", "-w").stdout[:6], b"736563")
    # One user for each registry.
    docker_store(HUB, "<token>", "token")
    equal(json.loads(docker("get", HUB)), {"ServerURL": HUB, "Username": "<token>", "Secret": "token"})
    equal(len(json.loads(docker("list"))), len(addresses))
    equal(docker("erase", HUB), b"")
    equal(docker("get", HUB, status=FAILURE), NOT_FOUND_TEXT)
    # Others' internet passwords are none of docker's.
    expect(DONE, "set", "--server", "index.docker.io", "--protocol", "https", "me", give=b"1")
    equal(docker("get", HUB, status=FAILURE), NOT_FOUND_TEXT)


@case
def dockers_own_words_are_used():
    login()
    equal(docker("get", HUB, status=FAILURE), NOT_FOUND_TEXT)
    for _ in range(2):
        equal(docker("erase", HUB), b"")
    for action in ("get", "erase"):
        equal(docker(action, " \n", status=FAILURE), b"no credentials server URL\n")
    for given, text in (({}, b"no credentials server URL\n"),
                        ({"ServerURL": "", "Username": "a", "Secret": "b"}, b"no credentials server URL\n"),
                        ({"ServerURL": HUB, "Secret": "b"}, b"no credentials username\n")):
        equal(docker("store", json.dumps(given), status=FAILURE), text)
    for wrong in ("", "x", "[]", "{\"ServerURL\":", json.dumps({"ServerURL": HUB, "Username": "a"})):
        assert docker("store", wrong, status=FAILURE).endswith(b"\n")
    equal(docker("list"), b"{}\n")
    for word in ("version", "--version", "-v"):
        equal(docker(word).split(), [b"docker-credential-vestry", b"(vestry)",
                                     vestry("--version").stdout.split()[1]])
    usage = b"Usage: docker-credential-vestry <store|get|erase|list|version>\n"
    for word in ("--help", "-h"):
        equal(docker(word), usage)
    equal(docker([], status=FAILURE), usage)
    equal(docker(["get", "x"], status=FAILURE), usage)
    equal(docker("fill", status=FAILURE), b"docker-credential-vestry: unknown action: fill\n")


@case
def docker_is_told_why_a_locked_keychain_does_not_answer():
    login()
    docker_store(HUB, "alice", "1")
    reboot()
    for action, give in (("get", HUB), ("list", ""),
                         ("store", json.dumps({"ServerURL": HUB, "Username": "a", "Secret": "b"}))):
        found = docker(action, give, status=FAILURE)
        equal((b"locked" in found, b"vestry unlock" in found, found.count(b"\n")), (True, True, 1))
    equal(docker("get", HUB, status=FAILURE) == NOT_FOUND_TEXT, False)
    equal(vestry("unlock", "--password-fd", "0", give=PASSWORDS["alice"]).returncode, DONE)
    equal(json.loads(docker("get", HUB))["Secret"], "1")


@case
def dockers_passwords_of_before_are_found():
    login()
    link()
    config = pathlib.Path("/home/alice/config.json")
    auth = base64.b64encode(b"alice:p1").decode()
    config.write_text(json.dumps({"auths": {HUB: {"auth": auth}, "ghcr.io": {"auth": auth}}}))
    os.chown(config, 2001, 2001)
    expect(DONE, "import", "--format", "docker", "--yes", str(config))
    config.unlink()
    for address in (HUB, "ghcr.io"):
        equal(json.loads(docker("get", address)),
              {"ServerURL": address, "Username": "alice", "Secret": "p1"})
    # They are not git's.
    equal(get("ghcr.io"), "")
    git("erase", "protocol=https", "host=ghcr.io")
    equal(json.loads(docker("get", "ghcr.io"))["Secret"], "p1")
