"""The examples of the manual pages, run as they stand there."""

import os
import pathlib
import re
import shutil

import examination
from cases_credentials import link
from cases_items import CERTIFICATES
from harness import Skip, case, equal
from helper_client import HELPER, set_password
from manual import ELSEWHERE, FOLDER, PAGES, examples, make_folder, run, text, try_page
from world import (
    DONE, LOCKED, PASSWORDS, TIMED_OUT, USAGE, expect, login, nothing_follows, put, reboot, secret_of, vestry)

PASSWORD = PASSWORDS["alice"]
NEW = b"set by root"
ASKED = (b"Login password of alice: ", PASSWORD)
SET = [(b"Login password of alice: ", NEW), (b"The same again: ", NEW)]


@case
def every_page_has_examples_and_none_is_left_out_unsaid():
    """Those of libvestry(3) are compiled in cases_library.py; vestry-keybag(5) and vestry-store(5) have none to run."""
    pages = [page for page in PAGES.iterdir() if page.suffix != ".3"]
    commands = {page.name: {each.command for those in examples(page.name).values() for each in those} for page in pages}
    tried = set(re.findall(r'"([a-z._-]+\.[158])"', pathlib.Path(__file__).read_text()))
    left = {name for name, each in commands.items() if each <= set(ELSEWHERE)}
    equal(set(commands) - tried, left - tried, "pages with examples that nothing runs")
    equal(left, {"vestry-lock-watcher.8", "vestry.conf.5", "pam_vestry.8"}, "pages without a command that is run")
    equal(set(ELSEWHERE) - set().union(*commands.values()), set(), "what is left to other tests")


@case
def the_examples_of_the_overview_work():
    login()
    make_folder(pin="1234")
    outputs = try_page("vestry.1")
    equal((FOLDER / "taken").read_text(), "token of a day")
    equal(secret_of("bank.example.org", "alice"), b"1234")
    assert len(outputs) == 5, outputs


@case
def the_examples_of_items_work():
    login()
    make_folder(**{
        "token": "t", "server.pem": (CERTIFICATES / "ec.cer").read_bytes(),
        "server.key": (CERTIFICATES / "ec.pkcs8").read_bytes()})
    put(b"d", "db.example.org", "app")
    outputs = try_page("vestry-items.1", statuses={"vestry get --label work": [2]})
    made = outputs["vestry generate --length 16 --without-lookalikes"].strip()
    equal(bool(re.fullmatch("[A-HJ-NP-Za-kmnp-z2-9]{16}", made)), True, made)
    equal(outputs["vestry get --wait=1h db.example.org app"], "d")
    equal(secret_of("api.example.org", "robot"), b"t")


@case
def the_examples_of_the_past_work():
    login()
    make_folder()
    put(b"right", "api.example.org", "deploy")
    put(b"1234", "bank.example.org", "alice")
    try_page("vestry-history.1")
    equal(secret_of("api.example.org", "deploy"), b"right")
    equal(secret_of("bank.example.org", "alice"), b"1234")
    equal(vestry("snapshots").stdout, b"")
    # The lines for the file are lines that it takes, and another one is not.
    kept = re.search(r"\.Bd[^\n]*\n(old-values.*?)\.Ed", (PAGES / "vestry-history.1").read_text(), re.S)[1]
    file = pathlib.Path("/home/alice/.config/vestry/history")
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        for lines, status in ((kept, DONE), (kept + "old = 5\n", USAGE)):
            file.write_text(lines)
            equal(vestry("set", "s", "a", give=lines.encode()).returncode, status, lines)
    finally:
        shutil.rmtree(file.parent.parent)


@case
def the_examples_of_unlocking_work():
    make_folder()
    login()

    def root_sets_another_password():
        reboot()
        set_password("alice", NEW)
        with nothing_follows():
            login(password=NEW)

    def a_login_by_a_key():
        reboot()
        login(password=b"")

    try_page(
        "vestry-unlock.1",
        before={
            "After root has set a new password:": root_sets_another_password,
            "After a login with a public key:": a_login_by_a_key,
        },
        typed={
            "vestry rewrap": [(b"opens the keychain of alice: ", PASSWORD), *SET], "vestry unlock": SET[:1],
        },
        statuses={"vestry status": [LOCKED, LOCKED], "vestry wait --timeout 0 --for when-unlocked": [TIMED_OUT]})
    equal((FOLDER / "taken").read_text(), "mirrored\n")
    expect(LOCKED, "status")


@case
def the_examples_of_protectors_work():
    make_folder()
    (FOLDER / "stick").mkdir()
    os.chown(FOLDER / "stick", 2001, 2001)
    login()
    put(b"x", "s", "a")
    outputs = {}

    def the_password_is_forgotten():
        reboot()
        set_password("alice", NEW)
        with nothing_follows():
            login(password=NEW)
        expect(LOCKED, "get", "s", "a")

    def code():
        return re.search(r"(?:[0-9A-Z]{4}-){13}\S", outputs[ADD]).group().encode()

    ADD = "vestry protectors add recovery-code --label paper"
    try_page(
        "vestry-protectors.1", outputs=outputs,
        before={"The password was forgotten, and root has set a new one:": the_password_is_forgotten},
        typed={
            ADD: [ASKED], "vestry recover": [(b"ecovery code", code), *SET],
            "vestry protectors add key-file stick/key --make --label stick": SET[:1],
            'vestry protectors remove "$(vestry protectors list | grep stick | cut -f 1)"': SET[:1],
            "vestry rotate": SET[:1],
        })
    equal(secret_of("s", "a"), b"x")
    equal(vestry("protectors", "list").stdout.count(b"\n"), 2)


@case
def the_examples_of_backups_work():
    login()
    make_folder()
    put(b"one", "api.example.org", "deploy")
    words = b"a passphrase of its own"
    try_page("vestry-backup.1", before={
        "A backup of each night by cron(8) , with a passphrase that the keychain has:":
            lambda: put(words, "backup", "key")})
    shown = expect(DONE, "restore", "--passphrase-fd", "0", "--dry-run", str(FOLDER / "nightly"), give=words).stdout
    equal(shown, b"unchanged\tgeneric-password\tapi.example.org\tdeploy\nunchanged\tgeneric-password\tbackup\tkey\n")


@case
def the_examples_of_the_doctor_work():
    examination.whole()
    login()
    make_folder()
    put(b"x", "s", "a")
    outputs = try_page("vestry-doctor.1")
    assert "problems: 0" in outputs["vestry doctor"], outputs


@case
def the_examples_of_the_command_of_macos_work():
    login()
    make_folder()
    put(b"token of a day", "api.example.org", "deploy")
    try_page("vestry-security.1")


@case
def the_examples_of_the_session_helper_work():
    login()
    make_folder()
    put(b"x", "s", "a", "--accessible", "after-first-unlock-this-device-only")
    before = pathlib.Path("/var/lib/vestry/device.key").read_bytes()
    try:
        outputs = try_page("vestry-session-helper.8")
        equal(len(outputs), 2)
        assert "alice" in outputs[f"{HELPER} device-key status"], outputs
        reboot()
        login()
        equal(secret_of("s", "a"), b"x")
    finally:
        # The other cases have the key that the testbed made.
        pathlib.Path("/var/lib/vestry/device.key").write_bytes(before)


@case
def the_examples_of_the_configuration_are_taken():
    file = pathlib.Path("/etc/vestry.conf")
    blocks = re.findall(r"\.Bd[^\n]*\n(.*?)\.Ed", text("vestry.conf.5"), re.S)
    equal(len(blocks), 2)
    try:
        for lines, reply in ((lines, reply) for block in blocks for lines, reply in (
                (block, "counts"), (block + "what = that\n", "not-served"))):
            file.write_text(lines)
            assert reply in str(login()[1]), lines
            reboot()
    finally:
        file.unlink()


@case
def the_example_stack_of_the_module_opens_the_keychain():
    stack = re.search(r"\.Bd[^\n]*\n(.*?)\.Ed", text("pam_vestry.8"), re.S)[1]
    base = (examination.FILES / "common-session").read_text().split("session\toptional\tpam_keyinit.so")[0]
    examination.whole(common_session=base + stack)
    login()
    status, report = examination.examine()
    equal((status, examination.wrong(report)), (DONE, []))
    # With the control that the page calls wrong, it is not so.
    examination.whole(common_session=base + stack.replace("optional pam_vestry", "sufficient pam_vestry"))
    equal(examination.wrong(examination.examine()[1]) != [], True, "sufficient")


@case
def the_examples_of_importing_work():
    login()
    make_folder(**{
        "logins.csv": "name,url,username,password\nSite,https://www.example.org,alice,pin\n",
        ".git-credentials": "https://alice:token@git.example.org\n"})
    outputs = try_page("vestry-import.1")
    equal(len(outputs), 3)
    equal(expect(DONE, "get", "--server", "git.example.org", "alice").stdout, b"token")
    equal(expect(DONE, "get", "--server", "www.example.org", "alice").stdout, b"pin")


@case
def the_examples_of_the_credential_helpers_work():
    if not shutil.which("git"):
        raise Skip("git is not installed")
    login()
    link()
    make_folder(**{
        ".docker/config.json": '{"auths": {"ghcr.io": {"auth": "YWxpY2U6cDpx"}}}',
        ".git-credentials": "https://alice:pin@www.example.org\n", "token": "12"})
    try_page("git-credential-vestry.1")
    try_page("docker-credential-vestry.1")
    equal((FOLDER / ".git-credentials").exists(), False)
