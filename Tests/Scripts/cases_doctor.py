"""`vestry doctor` on machines that are wrong in one way each, PAM apart."""

import ctypes
import json
import os
import pathlib
import shutil
import struct
import subprocess
import time

from examination import examine, fix, found, whole, wrong
from harness import Skip, case, equal, eventually
from helper_client import SOCKET
from keyctl import Process
from world import (
    DAMAGED, DENIED, DONE, FAILURE, ITEMS, KEYBAG, NOT_FOUND, PASSWORDS, PROGRAM, STORE, UNAVAILABLE, USAGE, becoming,
    expect, login, logout, nothing_follows, put, reboot, vestry)

KEY = pathlib.Path("/var/lib/vestry/device.key")


@case
def a_wrong_owner_or_mode_is_found_and_the_fix_heals_it():
    whole()
    login()
    put(b"x", "s", "a")
    local = STORE.parent.parent
    for path, change, codes in [
        (STORE, lambda path: os.chown(path, 0, 0), ["store-owner", "store-denied"]),
        (KEYBAG, lambda path: os.chown(path, 0, 0), ["store-owner", "store-denied"]),
        (ITEMS, lambda path: os.chown(path, 2002, 2002), ["store-owner", "store-denied"]),
        (STORE, lambda path: os.chmod(path, 0o755), ["store-mode", "store-denied"]),
        (ITEMS, lambda path: os.chmod(path, 0o640), ["store-mode", "store-denied"]),
        (local, lambda path: os.chown(path, 0, 0), ["folder-owner"]),
    ]:
        change(path)
        status, report = examine()
        equal(status, DENIED, path)
        for code in codes:
            found(code, report)
        check = found(codes[0], report)
        equal(check["subject"], str(path))
        # Root sees the same from outside.
        equal(found(codes[0], examine("--user", "alice", user="root")[1]), check)
        fix(check)
        status, report = examine()
        equal((status, wrong(report)), (DONE, []), path)
    os.chmod(local, 0)
    status, report = examine()
    equal((status, found("store-hidden", report)["result"]), (DENIED, "problem"))
    fix(found("store-hidden", report))
    equal(wrong(examine()[1]), [])
    # A group of one's own is nobody else.
    os.chmod(local, 0o770)
    equal(wrong(examine()[1]), [])
    os.chmod(local, 0o777)
    status, report = examine()
    equal((status, wrong(report)), (DONE, ["folder-mode"]))
    fix(found("folder-mode", report))
    equal(wrong(examine()[1]), [])


@case
def root_follows_no_link_of_a_user():
    whole()
    login()
    os.rename("/home/alice/.local", "/home/alice/elsewhere")
    os.symlink("elsewhere", "/home/alice/.local")
    try:
        status, report = examine("--user", "alice", user="root")
        check = found("store-behind-link", report)
        equal((status, check["subject"]), (DONE, "/home/alice/.local"))
        # The person's own keychain follows it.
        equal(wrong(examine()[1]), [])
        os.rename(KEYBAG, str(KEYBAG) + ".away")
        os.symlink("/etc/passwd", KEYBAG)
        equal(examine()[0], DENIED)
        found("store-type", examine()[1])
    finally:
        os.unlink("/home/alice/.local")
        os.rename("/home/alice/elsewhere", "/home/alice/.local")


@case
def damage_is_told_from_everything_else():
    whole()
    login()
    put(b"x", "s", "a")
    keybag = KEYBAG.read_bytes()
    KEYBAG.write_bytes(keybag[:-1] + bytes([keybag[-1] ^ 1]))
    status, report = examine()
    equal(status, DAMAGED)
    found("store-damaged", report)
    equal(found("cron-failing", report)["message"].split(":")[0], "a job fails now, with exit status 6")
    KEYBAG.write_bytes(keybag[:8] + b"\2" + keybag[9:])
    status, report = examine()
    equal(status, UNAVAILABLE)
    found("store-newer", report)


@case
def the_device_key_is_looked_at_by_root_and_never_read():
    whole()
    equal(found("device-key-hidden", examine()[1])["fix"], "sudo vestry doctor")
    equal(found("device-key", examine(user="root")[1])["result"], "ok")
    content = KEY.read_bytes()
    try:
        os.chmod(KEY, 0o644)
        status, report = examine(user="root")
        equal((status, wrong(report)), (DENIED, ["device-key-unsafe"]))
        fix(found("device-key-unsafe", report))
        equal(wrong(examine(user="root")[1]), [])
        KEY.write_bytes(content[:31])
        status, report = examine(user="root")
        equal((status, wrong(report)), (DAMAGED, ["device-key-damaged"]))
        KEY.unlink()
        status, report = examine(user="root")
        equal((status, wrong(report)), (UNAVAILABLE, ["device-key-missing"]))
        os.chmod(KEY.parent, 0o755)
        status, report = examine()
        equal((status, wrong(report)), (DENIED, ["device-key-unsafe"]))
    finally:
        os.chmod(KEY.parent, 0o700)
        KEY.write_bytes(content)
        os.chmod(KEY, 0o600)


@case
def a_sealed_device_key_and_older_ones_are_told():
    if not os.access("/usr/bin/systemd-creds", os.X_OK):
        raise Skip("systemd-creds is not installed")
    whole()
    content = KEY.read_bytes()
    host = pathlib.Path("/var/lib/systemd/credential.secret")

    def device_key(*arguments):
        subprocess.run(["/usr/libexec/vestry-session-helper", "device-key", *arguments], check=True, env={},
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    try:
        device_key("seal", "--with", "host")
        assert "sealed" in found("device-key", examine(user="root")[1])["message"]
        secret = host.read_bytes()
        host.unlink()
        for user in ("alice", "root"):
            status, report = examine(user=user)
            equal((status, wrong(report)), (UNAVAILABLE, ["device-key-shut"]))
            assert "device-key status" in found("device-key-shut", report)["fix"]
        host.write_bytes(secret)
        host.chmod(0o400)
        equal(wrong(examine(user="root")[1]), [])
        device_key("replace")
        assert "since the last replacement: " in found("older-device-keys", examine(user="root")[1])["message"]
        assert "older-device-keys" not in str(examine()[1]), "what only root sees"
        equal(wrong(examine()[1]), [])
    finally:
        device_key("forget-old", "--yes")
        KEY.write_bytes(content)


@case
def the_unlock_service_is_asked_without_a_password():
    whole()
    equal(found("unlock-service", examine()[1])["message"], "serves this account, which has no keychain yet")
    login()
    equal(found("unlock-service", examine()[1])["message"], "serves this account")
    equal(found("unlock-service", examine("--user", "alice", user="root")[1])["message"], "serves this account")
    equal(found("unlock-service", examine(user="root")[1])["message"], f"answers at {SOCKET}")
    os.rename(SOCKET, SOCKET + ".away")
    try:
        status, report = examine()
        equal((status, wrong(report)), (UNAVAILABLE, ["unlock-socket-missing"]))
        advice = found("unlock-socket-missing", report)["fix"]
        equal("'Without systemd' in vestry-session-helper(8)" in advice, True, advice)
        os.makedirs("/run/systemd/system")
        equal(found("unlock-socket-missing", examine()[1])["fix"],
              "sudo systemctl enable --now vestry-unlock.socket")
    finally:
        os.rename(SOCKET + ".away", SOCKET)
        shutil.rmtree("/run/systemd", ignore_errors=True)
    pathlib.Path("/etc/vestry.conf").write_text("minimum-uid = 50000\n")
    try:
        status, report = examine()
        equal((status, wrong(report)), (UNAVAILABLE, ["account-excluded"]))
    finally:
        os.unlink("/etc/vestry.conf")
    for folder in ("unlocked", "sessions"):
        os.chmod(f"/run/vestry/{folder}", 0o777)
        status, report = examine()
        equal((status, wrong(report)), (DENIED, ["runtime-folder-unsafe"]), folder)
        fix(found("runtime-folder-unsafe", report))
        equal(wrong(examine()[1]), [])


@case
def keys_and_sessions_are_listed():
    whole()
    # The kernel frees the keys of the case before in its own time.
    eventually(lambda: any(check["code"] == "no-keys" for check in examine()[1]["checks"]), what="no keys")
    session, _ = login()
    other, _ = login()
    report = examine()[1]
    assert found("sessions", report)["message"].startswith("login sessions that count: 2 ("), report
    keys = {check["subject"]: check["message"] for check in report["checks"] if check["code"] == "key"}
    assert "until the next reboot" in keys["vestry:afterFirstUnlock"], keys
    assert "while a session counts" in keys["vestry:whenUnlocked"], keys
    equal(len(keys), 7)
    logout(other)
    eventually(lambda: ": 1 (" in found("sessions", examine()[1])["message"], what="the end of a session")
    logout(session)
    report = examine()[1]
    found("no-session", report)
    equal(sorted(check["subject"] for check in report["checks"] if check["code"] == "key"),
          ["vestry:afterFirstUnlock", "vestry:afterFirstUnlockThisDeviceOnly", "vestry:index", "vestry:presence"])


@case
def the_quota_is_warned_of_before_it_is_used_up():
    whole()
    process = Process("alice")
    try:
        def fill(count):
            process(f"[add_key('user', 'filler' + str(n), b'x', SESSION) for n in range({count})] and None")

        fill(100)
        equal(found("keyring-quota", examine()[1])["result"], "ok")
        fill(150)
        status, report = examine()
        equal((status, wrong(report)), (DONE, ["keyring-quota-low"]))
        assert "kernel.keys.maxkeys=400" in found("keyring-quota-low", report)["fix"]
        equal(found("keyring-quota-low", examine("--user", "alice", user="root")[1])["result"], "warning")
        equal(found("keyring-quota-low", examine(user="root")[1])["subject"], "user 2001")
        # Until there is no room for one more.
        for count in range(151, 250):
            fill(count)
        status, report = examine()
        equal(status, UNAVAILABLE)
        found("keyring-quota-used-up", report)
    finally:
        process.end()
        # The kernel frees the keys a moment later, and other cases need the room.
        eventually(lambda: wrong(examine()[1]) == [], what="room for keys")


@case
def what_a_job_could_read_now_is_said_for_each_class():
    def jobs(report):
        return {subject: check["code"] for check in report["checks"] if check["group"] == "cron"
                for subject in (check["subject"] or "").split(", ")}

    whole()
    equal(jobs(examine()[1]), {"cron": "cron-service", "": "cron-no-keychain"})
    session, _ = login()
    equal(jobs(examine()[1]), {
        "cron": "cron-service", "after-first-unlock": "cron-readable",
        "after-first-unlock-this-device-only": "cron-readable", "when-unlocked": "cron-readable-now",
        "when-unlocked-this-device-only": "cron-readable-now",
        "when-passcode-set-this-device-only": "cron-readable-now"})
    expect(DONE, "lock")
    report = examine()[1]
    equal(jobs(report)["when-unlocked"], "cron-no-session")
    equal(found("cron-no-session", report)["fix"], "unlock the screen, or run 'vestry unlock'")
    logout(session)
    equal(jobs(examine()[1])["when-unlocked"], "cron-no-session")
    reboot()
    report = examine()[1]
    equal(set(jobs(report).values()), {"cron-service", "cron-locked"})
    assert "vestry unlock" in found("cron-locked", report)["fix"]
    equal(found("store-locked", report)["result"], "note")
    content = KEY.read_bytes()
    KEY.write_bytes(bytes(32))
    try:
        session, reply = login()
        assert "no-device-key" in str(reply) or "opened" in str(reply), reply
        equal(jobs(examine()[1])["after-first-unlock-this-device-only"], "cron-device-key")
    finally:
        KEY.write_bytes(content)


@case
def a_password_that_opens_nothing_is_a_problem():
    whole()
    session, _ = login()
    with nothing_follows():
        login(password=b"another one")
    status, report = examine()
    equal((status, wrong(report)), (DONE, ["password-mismatch"]))
    assert "vestry rewrap" in found("password-mismatch", report)["fix"]
    reboot()
    login(password=b"another one")
    status, report = examine()
    equal((status, wrong(report)), (FAILURE, ["password-mismatch"]))


@case
def what_was_written_in_the_future_is_told():
    whole()
    login()
    future = time.time() + 7 * 86400
    os.utime(KEYBAG, (future, future))
    status, report = examine()
    equal((status, wrong(report)), (DONE, ["written-in-future"]))
    equal(found("written-in-future", report)["subject"], str(KEYBAG))


def without_keyctl():
    """A system call filter as of a container: keyctl(2) is answered with EPERM."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
    # Load the number; keyctl is refused, all else is let through (seccomp(2)).
    filters = b"".join(struct.pack("HBBI", *line) for line in [
        (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)])
    buffer = ctypes.create_string_buffer(filters)
    become = becoming("alice")

    def prepare():
        become()
        program = struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer))
        assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0

    return prepare


@case
def blocked_keyrings_are_named():
    whole()
    login()
    result = subprocess.run(
        [PROGRAM, "doctor", "--json"], env={}, cwd="/", preexec_fn=without_keyctl(), capture_output=True)
    report = json.loads(result.stdout)
    equal(result.returncode, UNAVAILABLE)
    assert "keyctl(2) is blocked" in found("keyrings-unusable", report)["message"]
    assert "system call filter" in found("keyrings-unusable", report)["fix"]
    found("cron-failing", report)


@case
def nobody_but_root_asks_for_another():
    whole()
    expect(DENIED, "doctor", "--user", "bob", says="sudo vestry doctor --user bob")
    expect(NOT_FOUND, "doctor", "--user", "nobody-there", user="root", says="no account")
    expect(NOT_FOUND, "doctor", "--service", "nothing", says="no PAM service 'nothing'")
    expect(USAGE, "doctor", "--service", "../shadow")
    equal(examine("--user", "alice")[1]["user"], "alice")
    equal(examine(user="root")[1]["user"], None)


@case
def the_doctor_tells_no_secret():
    whole()
    login()
    put(b"a-secret-of-the-test", "s", "a", "--label", "a-label-of-the-test")
    for arguments, user in (([], "alice"), ([], "root"), (["--user", "alice"], "root"), (["--json"], "alice")):
        result = vestry("doctor", *arguments, user=user)
        for text in (b"a-secret-of-the-test", b"a-label-of-the-test", PASSWORDS["alice"]):
            assert text not in result.stdout + result.stderr, arguments
