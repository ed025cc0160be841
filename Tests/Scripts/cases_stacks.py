"""`vestry doctor` and PAM: the module, and the stacks of all services."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess

from examination import FILES, examine, found, module, whole, wrong
from harness import Skip, case, equal
from world import DENIED, DONE, FAILURE, UNAVAILABLE, contents, login, put, vestry

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
KINDS = ("auth", "account", "password", "session", "session-noninteractive")


@case
def a_whole_machine_has_no_finding():
    whole()
    login()
    put(b"x", "s", "a")
    before = contents()
    status, report = examine()
    equal((status, wrong(report)), (DONE, []))
    equal((report["result"], report["status"], report["user"]), ("note", 0, "alice"))
    services = {entry.pop("name"): tuple(entry.values()) for entry in report["services"]}
    for name, expected in {
        # Asks for a password, opens the keychain, counts as a session, follows a change.
        "login": (True, True, True, True), "sshd": (True, True, True, True), "su": (True, True, False, None),
        "su-l": (True, True, True, None), "sudo": (True, False, False, None), "cron": (True, False, False, None),
        "passwd": (False, False, False, True),
    }.items():
        equal(services[name], expected, name)
    for name in ("common-auth", "common-session"):
        assert name not in services, services
    equal(contents(), before)


@case
def each_line_says_how_it_is_and_what_puts_it_right():
    whole(passwd="password required pam_unix.so\n")
    login()
    result = vestry("doctor")
    equal((result.returncode, result.stderr), (FAILURE, b""))
    lines = result.stdout.decode().splitlines()
    equal(lines[0], "pam")
    problem = next(index for index, line in enumerate(lines) if line.startswith("  problem  "))
    assert lines[problem].startswith("  problem  pam-password-line-missing: passwd: "), lines[problem]
    equal(lines[problem + 1], "           fix: put 'password optional pam_vestry.so' directly below /etc/pam.d/passwd:1;"
          " 'vestry rewrap' heals what was changed already")
    assert lines[-1].startswith("problems: 1, warnings: 0, notes: "), lines[-1]
    for line in lines[:-1]:
        assert line in ("pam", "service", "kernel", "store", "keys", "cron", "clock") or line[:11] in (
            "  ok       ", "  note     ", "  warning  ", "  problem  ", "           "), line


def changed(name, old, new):
    text = (FILES / name).read_text()
    assert old in text, old
    return text.replace(old, new)


@case
def each_wrong_stack_is_named_with_its_services():
    vestry_auth = "auth	optional	pam_vestry.so\n"
    session = "session	optional	pam_vestry.so\n"
    systemd = "session	optional	pam_systemd.so\n"
    people = "login, sshd, su, su-l"
    faillock = (FILES / "common-auth").read_text().replace(
        "auth	requisite", "auth [default=die] pam_faillock.so authfail\nauth sufficient pam_faillock.so authsucc\n"
        "auth	requisite")
    table = [
        ("pam-auth-line-missing", people, FAILURE, {"common_auth": changed("common-auth", vestry_auth, "")}),
        ("pam-auth-line-skipped", people, FAILURE, {"common_auth": faillock}),
        ("pam-auth-line-too-early", people, FAILURE,
         {"common_auth": vestry_auth + changed("common-auth", vestry_auth, "")}),
        ("pam-session-line-missing", people, FAILURE, {"common_session": changed("common-session", session, "")}),
        ("pam-session-line-after-systemd", people, DONE,
         {"common_session": changed("common-session", session, "").replace(systemd, systemd + session)}),
        ("pam-session-line-in-job", "cron", DONE,
         {"common_session_noninteractive": (FILES / "common-session-noninteractive").read_text() + session}),
        ("pam-control-refuses", people + ", sudo", FAILURE,
         {"common_auth": changed("common-auth", vestry_auth, "auth [default=die] pam_vestry.so\n")}),
        ("pam-password-line-missing", "login, passwd, sshd", FAILURE,
         {"common_password": changed("common-password", "password	optional	pam_vestry.so\n", "")}),
        ("pam-include-missing", "sshd", FAILURE, {"sshd": "@include common-gone\n"}),
    ]
    for code, services, expected, changes in table:
        whole(**changes)
        status, report = examine()
        check = found(code, report)
        # Services of this machine's own packages may have the same fault.
        assert set(services.split(", ")) <= set(check["subject"].split(", ")), (code, check["subject"])
        equal(status, expected, code)
        assert check["fix"], code


def pam_auth_update(*arguments):
    """Debian's, which asks nobody, and whose answers of before are not this machine's."""
    environment = {
        **os.environ, "DEBIAN_FRONTEND": "noninteractive", "DEBCONF_DB_REPLACE": "File{/run/vestry-test/debconf}",
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    return subprocess.run(["pam-auth-update", *arguments], check=True, env=environment, capture_output=True, text=True)


@contextlib.contextmanager
def debian_profiles():
    """The common files as pam-auth-update has written them, with our profiles there and not enabled."""
    if not shutil.which("pam-auth-update", path="/usr/sbin"):
        raise Skip("there is no pam-auth-update")
    whole()
    folder = pathlib.Path("/run/vestry-test/pam-configs")
    shutil.copytree("/usr/share/pam-configs", folder, dirs_exist_ok=True)
    for profile in (TREE / "packaging/debian/pam-configs").iterdir():
        shutil.copy(profile, folder)
    for kind in KINDS:
        shutil.copy(f"/usr/share/pam/common-{kind}", f"/etc/pam.d/common-{kind}")
    subprocess.run(["mount", "--bind", folder, "/usr/share/pam-configs"], check=True)
    try:
        pam_auth_update("--force")
        pam_auth_update("--disable", "vestry", "vestry-late")
        yield
    finally:
        subprocess.run(["umount", "/usr/share/pam-configs"], check=True)


@case
def the_fix_for_missing_lines_does_what_pam_auth_update_does():
    login()
    put(b"x", "s", "a")
    with debian_profiles():
        file = pathlib.Path("/etc/pam.d/common-auth")
        before = {path: path.read_text() for path in map(file.with_name, (f"common-{kind}" for kind in KINDS))}
        plain = before[file]
        unix = re.search("^auth.*pam_unix.so.*\n", plain, re.M).group()
        for name, text, is_followed in [
            ("as written", plain, True), ("an option", plain.replace(unix, unix.rstrip() + " debug\n"), True),
            ("a line behind", plain + "auth optional pam_echo.so\n", True),
            ("a line in the block", plain.replace(unix, "auth optional pam_faildelay.so delay=1\n" + unix), False),
            ("a comment in the block", plain.replace(unix, "# ours\n" + unix), False),
        ]:
            for path, content in {**before, file: text}.items():
                path.write_text(content)
            status, report = examine("--service", "sshd")
            equal(status, FAILURE, name)
            missing = found("pam-profile-missing", report)["fix"]
            if is_followed:
                equal(missing, "sudo pam-auth-update --enable vestry vestry-late", name)
                pam_auth_update(*missing.split()[2:])
                equal(wrong(examine("--service", "sshd")[1]), [], name)
                pam_auth_update("--disable", "vestry", "vestry-late")
                continue
            said = pam_auth_update("--enable", "vestry", "vestry-late").stderr
            assert "Local modifications to /etc/pam.d/common-*, not updating." in said, (name, said)
            equal(file.read_text(), text, name)
            assert missing.startswith("put in the lines that are named below by hand, "), missing
            for code in ("pam-auth-line-missing", "pam-session-line-missing", "pam-password-line-missing"):
                by_hand(found(code, report)["fix"])
            equal(wrong(examine("--service", "sshd")[1]), [], name)


def by_hand(fix):
    """Puts in the line that the fix names, where it says."""
    line, path, number = re.search("by hand, .*: put '(.*)' directly below (/etc/pam.d/common-[a-z]*):([0-9]+)", fix).groups()
    lines = pathlib.Path(path).read_text().splitlines(keepends=True)
    lines.insert(int(number), line + "\n")
    pathlib.Path(path).write_text("".join(lines))


@case
def a_service_of_systemd_wants_a_forced_keyring():
    forced = """session	[success=1 default=ignore]	pam_succeed_if.so quiet service = su
session	optional	pam_keyinit.so force revoke
"""
    whole(lightdm="@include common-auth\n@include common-session\n",
          common_session=changed("common-session", forced, ""))
    os.makedirs("/run/systemd/system")
    try:
        status, report = examine("--service", "lightdm", "--service", "sshd")
        equal((status, wrong(report)), (DONE, ["pam-keyinit-not-forced"]))
        equal([(entry["name"], entry["counts"]) for entry in report["services"]],
              [("lightdm", False), ("sshd", True)])
        equal({check["group"] for check in report["checks"]}, {"pam"})
    finally:
        shutil.rmtree("/run/systemd")


@case
def without_the_module_nothing_opens():
    whole()
    _, place = module()
    place.unlink()
    status, report = examine()
    equal((status, wrong(report)), (UNAVAILABLE, ["pam-module-missing"]))
    equal([entry["name"] for entry in report["services"] if entry["unlocks"] or entry["counts"]], [])
    place.write_bytes(b"no library")
    equal(examine()[0], UNAVAILABLE)
    found("pam-module-broken", examine()[1])
    whole()
    os.chmod(place, 0o666)
    status, report = examine()
    equal((status, wrong(report)), (DENIED, ["pam-module-unsafe"]))
    whole(common_auth="auth required pam_unix.so\n", common_session="session required pam_unix.so\n",
          common_password="password required pam_unix.so\n")
    status, report = examine()
    equal((status, wrong(report)), (FAILURE, ["pam-profile-missing"]))
