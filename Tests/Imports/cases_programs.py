"""Files and folders that other programs have written: pass, KeePassXC, git, skopeo, browsers."""

import base64
import http.server
import threading

from harness import case, equal
from real import HOME, begin, environment, file_of, run, taken
from world import DONE, FAILURE, expect

LONG = "ä" * 4000


def secret(item):
    return item["secret"].encode() if "secret" in item else base64.b64decode(item["secretBase64"])


@case
def pass_and_gpg():
    begin("pass", "gpg")
    entries = {
        "web/example.org": b"s\xc3\xa9cret \xe2\x82\xac\nlogin: al\xc3\xadce\nurl: https://example.org/\n",
        "mail": b"one line without an end",
        "deep/er/still/\xc3\xbc".encode("latin1").decode(): b" leading and trailing \n",
        "long": LONG.encode() + b"\nuser: bob\n",
        "empty": b"\n",
    }
    try:
        run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "alice", "default", "default", "never")
        run("pass", "init", "alice")
        for name, text in entries.items():
            run("pass", "insert", "--multiline", name, give=text)
            equal(run("pass", "show", name).stdout, text, name)
        found = taken("pass", str(HOME / ".password-store"), count=5)
        equal({service: secret(item) for (service, _), item in found.items()},
              {name: text.split(b"\n")[0] for name, text in entries.items()})
        equal({account for _, account in found if account}, {"alíce", "bob"})
        # A folder that pass keeps in git, and one of its files that is no message.
        expect(DONE, "import", "--format=pass", "--yes", str(HOME / ".password-store"), environment=environment(),
               says="5 unchanged")
    finally:
        run("gpgconf", "--kill", "all", check=False)


@case
def a_key_with_a_passphrase_and_nobody_to_ask():
    """gpg asks by pinentry, and without a terminal that fails: nothing waits."""
    begin("pass", "gpg")
    try:
        run("gpg", "--batch", "--quiet", "--pinentry-mode=loopback", "--passphrase", "words", "--quick-gen-key",
            "alice", "default", "default", "never")
        run("pass", "init", "alice")
        run("pass", "insert", "--multiline", "mail", give=b"x\n")
        run("gpgconf", "--kill", "all")
        expect(FAILURE, "import", "--format=pass", "--yes", str(HOME / ".password-store"), environment=environment(),
               says="gpg does not decrypt it")
    finally:
        run("gpgconf", "--kill", "all", check=False)


def keepass():
    """A database with entries of every kind that the command line of KeePassXC makes."""
    begin("keepassxc-cli")
    run("keepassxc-cli", "db-create", "-p", "db.kdbx", give=b"words\nwords\n")
    entries = [
        ("Bank", "dáve", "https://bank.example.org/login", "pïn €, \"quoted\"\\", ""),
        ("Group/Inner", "erin", "", LONG, "a note"),
        ("No Name", "", "http://h.example.org:8080/", "x", ""),
        ("Empty", "frank", "", "", ""),
    ]
    run("keepassxc-cli", "mkdir", "db.kdbx", "Group", give=b"words\n")
    for title, user, url, password, notes in entries:
        arguments = ["keepassxc-cli", "add", "-q", "-p", "db.kdbx", title]
        for option, value in (("--username", user), ("--url", url), ("--notes", notes)):
            if value:
                arguments += [option, value]
        run(*arguments, give=b"words\n" + password.encode() + b"\n")
    return entries


def exported(form):
    text = run("keepassxc-cli", "export", "-q", "-f", form, "db.kdbx", give=b"words\n").stdout
    (HOME / form).write_bytes(text)
    return file_of(form)


def same(found, entries):
    equal(sorted(secret(item).decode() for item in found.values()), sorted(entry[3] for entry in entries))
    equal(sorted({item.get("account", "") for item in found.values()}), sorted({entry[1] for entry in entries}))


@case
def keepassxc_in_xml():
    entries = keepass()
    same(taken("keepass-xml", exported("xml"), count=4), entries)


@case
def keepassxc_in_csv():
    entries = keepass()
    same(taken("keepass-csv", exported("csv"), count=4), entries)


@case
def gits_store():
    begin("git")
    logins = [
        ("https", "git.example.org", "alice", "p@ss:w/rd %€"), ("https", "h.example.org:8443", "bób", "x y"),
        ("http", "plain.example.org", "carol", "'\"\\"),
    ]
    for protocol, host, user, password in logins:
        run("git", "credential-store", "store",
            give=f"protocol={protocol}\nhost={host}\nusername={user}\npassword={password}\n\n".encode())
    run("git", "-c", "credential.useHttpPath=true", "credential-store", "store",
        give=b"protocol=https\nhost=path.example.org\npath=a/b.git\nusername=dave\npassword=deep\n\n")
    found = taken("git", file_of(".git-credentials"), count=4)
    equal({(server, account, secret(item).decode()) for (server, account), item in found.items()},
          {(host.split(":")[0], user, password) for _, host, user, password in logins}
          | {("path.example.org", "dave", "deep")})
    equal(found["h.example.org", "bób"]["port"], 8443)


class Registry(http.server.BaseHTTPRequestHandler):
    """As much of a registry of images as a login needs."""

    def do_GET(self):
        is_known = "Authorization" in self.headers
        self.send_response(200 if is_known else 401)
        if not is_known:
            self.send_header("WWW-Authenticate", 'Basic realm="registry"')
        self.end_headers()

    def log_message(self, *_):
        pass


@case
def what_skopeo_writes_for_docker():
    begin("skopeo")
    server = http.server.HTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        host = f"127.0.0.1:{server.server_port}"
        password = "sécret:with colons "
        run("skopeo", "login", "--tls-verify=false", "--authfile", str(HOME / "config.json"), "-u", "cárol",
            "--password-stdin", host, give=password.encode())
        found = taken("docker", file_of("config.json"), count=1)
        ((_, account),) = found
        equal((account, secret(found["127.0.0.1", account]).decode()), ("cárol", password))
    finally:
        server.shutdown()
        server.server_close()


@case
def what_browsers_export():
    """Firefox's and Chromium's own columns, as their sources write them; no browser is run."""
    begin()
    (HOME / "firefox.csv").write_text(
        '"url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed",'
        '"timePasswordChanged"\r\n'
        '"https://example.org","álice","p""q,\r\nr","","https://example.org",'
        '"{0b0c9e04-0000-4000-8000-000000000001}","1600000000000","1600000000001","1600000000002"\r\n'
        '"https://realm.example.org","bob","€","Área","","{0b0c9e04-0000-4000-8000-000000000002}",'
        '"1600000000000","1600000000001","1600000000002"\r\n', newline="")
    found = taken("csv", file_of("firefox.csv"), count=2)
    equal(secret(found["example.org", "álice"]), b'p"q,\r\nr')
    equal(secret(found["realm.example.org", "bob"]).decode(), "€")
    (HOME / "chromium.csv").write_text(
        "name,url,username,password,note\n"
        "c.example.org,https://c.example.org/login,álice,\"p\"\"q,r\",\"a\nb\"\n"
        "App,android://hash@com.example.app/,bob,x,\n", newline="")
    found = taken("csv", file_of("chromium.csv"), count=2)
    equal(secret(found["c.example.org", "álice"]), b'p"q,r')
    equal(found["c.example.org", "álice"]["comment"], "a\nb")
    equal({secret(item) for (_, account), item in found.items() if account == "bob"}, {"€".encode(), b"x"})
