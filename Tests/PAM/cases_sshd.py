"""Logins through a real sshd: password, keyboard-interactive and key, several tries in one login."""

import os
import shutil
import subprocess
import time

from rig import OPEN, Skip, check, equal, handover_keys

PASSWORD = "correct horse"
SSHD = os.environ.get("VESTRY_SSHD") or "/usr/sbin/sshd"
PLACE = "/run/sshd-test"


def prepare(world, strict=False, keyinit="force revoke"):
    for program in (SSHD, shutil.which("ssh"), shutil.which("sshpass"), shutil.which("ssh-keygen")):
        if not program or not os.path.exists(program):
            raise Skip("needs sshd, ssh, ssh-keygen and sshpass")
    if not os.path.isdir(PLACE):
        os.makedirs("/run/sshd", exist_ok=True)
        os.mkdir(PLACE)
        with open("/etc/passwd", "a") as file:
            if "\nsshd:" not in open("/etc/passwd").read():
                file.write("sshd:x:991:65534::/run/sshd:/usr/sbin/nologin\n")
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{PLACE}/{name}"],
                           check=True)
        folder = "/home/alice/.ssh"
        os.mkdir(folder, 0o700)
        shutil.copy(f"{PLACE}/user.pub", f"{folder}/authorized_keys")
        for path in (folder, f"{folder}/authorized_keys"):
            os.chown(path, 2001, 2001)
    auth = ["auth required pam_unix.so"] if strict else [
        "auth [success=1 default=ignore] pam_unix.so", "auth requisite pam_deny.so",
        "auth required pam_permit.so"]
    path = world.service(
        *auth, "auth optional vestry debug", "account required pam_unix.so",
        f"session optional pam_keyinit.so {keyinit}", "session optional vestry debug",
        "session required pam_unix.so", "password required pam_unix.so", name="sshd")
    shutil.copy(f"{world.services}/{path}", "/etc/pam.d/sshd")
    for serial, _ in handover_keys():
        subprocess.run(["keyctl", "unlink", serial, "@u"], capture_output=True)


def login(*options, password=PASSWORD, server=(), fails=False):
    environment = dict(os.environ)
    libraries = os.environ.get("VESTRY_SSHD_LIBRARIES")
    command = f"env LD_LIBRARY_PATH={libraries} {SSHD}" if libraries else SSHD
    settings = ["UsePAM=yes", f"HostKey={PLACE}/host", "PasswordAuthentication=yes",
                "KbdInteractiveAuthentication=yes", "PidFile=none", "StrictModes=no",
                "AuthorizedKeysFile=.ssh/authorized_keys", *server]
    proxy = f"{command} -i -f /dev/null " + " ".join(
        "-o '" + setting.replace("'", "") + "'" for setting in settings)
    process = subprocess.run(
        ["sshpass", "-p", password, "ssh", "-F", "/dev/null", "-o", f"ProxyCommand={proxy}",
         "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-i",
         f"{PLACE}/user", "-o", "IdentitiesOnly=yes", *options, "alice@test", "env; id -u"],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, env=environment)
    if not fails:
        check(process.returncode == 0 and process.stdout.strip().endswith("2001"),
              f"no login: {process.stderr[-400:]}")
    check("VESTRY" not in process.stdout, "the claim reached the user's environment")
    return process


def method(names):
    return "-o", f"PreferredAuthentications={names}"


def asked(world):
    return [(request.verb, request.user, request.password.decode()) for request in world.requests()]


def case_password(world):
    prepare(world)
    login(*method("password"))
    equal(asked(world), [(OPEN, "alice", PASSWORD)], "requests")
    equal(handover_keys(), [], "keys left")


def case_keyboard_interactive(world):
    prepare(world)
    login(*method("keyboard-interactive"))
    equal(asked(world), [(OPEN, "alice", PASSWORD)], "requests")
    equal(handover_keys(), [], "keys left")


def case_key(world):
    prepare(world)
    login(*method("publickey"))
    equal(asked(world), [(OPEN, "alice", "")], "requests")
    equal([line for line in world.log() if line.level < 7], [], "log lines")


def case_wrong_passwords_before_a_key(world):
    # With `required`, the module sees the wrong password; the key lets the user in.
    for first in ("keyboard-interactive", "password"):
        world.reset()
        prepare(world, strict=True)
        login(*method(f"{first},publickey"), "-o", "NumberOfPasswordPrompts=1",
              password="wrong staple")
        equal(asked(world), [(OPEN, "alice", "")], f"requests after {first}")


def case_two_methods_in_a_row(world):
    prepare(world)
    for names in ("keyboard-interactive,publickey", "publickey,password",
                  "publickey,keyboard-interactive"):
        world.reset()
        login(*method(names), server=(f"AuthenticationMethods={names}",))
        equal(asked(world), [(OPEN, "alice", PASSWORD)], f"requests with {names}")
        equal(handover_keys(), [], f"keys left with {names}")


def case_a_failed_login_leaves_nothing(world):
    prepare(world)
    for name in ("keyboard-interactive", "password"):
        process = login(*method(name), "-o", "NumberOfPasswordPrompts=1", password="wrong",
                        fails=True)
        check(process.returncode != 0, "logged in with a wrong password")
    equal((asked(world), handover_keys()), ([], []), "requests and keys")


def case_a_denied_user_leaves_nothing(world):
    # SSHD-2: sshd gives PAM a junk password then.
    for strict in (False, True):
        world.reset()
        prepare(world, strict)
        for name in ("keyboard-interactive", "password"):
            process = login(*method(name), "-o", "NumberOfPasswordPrompts=1", fails=True,
                            server=("DenyUsers=alice",))
            check(process.returncode != 0, "a denied user logged in")
        equal(asked(world), [], "requests")


def case_the_session_is_closed(world):
    # Without pam_keyinit's "revoke", whose line comes first and leaves nothing to unlink.
    prepare(world, keyinit="force")
    world.mode("link")
    login(*method("password"))
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and not any(
            "no longer counts" in line.text for line in world.log()):
        time.sleep(0.05)
    check(any("no longer counts" in line.text for line in world.log()), "not closed")
