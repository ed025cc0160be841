"""From sshd's keyboard-interactive child to the process that opens the session, and nowhere else.

The host forks as sshd does, ends its child without pam_end, and takes the PAM environment back when
everything in the child succeeded. cases_sshd does the same with sshd itself.
"""

import re
import subprocess
import threading

from rig import OPEN, RESULT, REWRAP, check, equal, handover_keys, keyctl, masked

RIGHT, WRONG = b"correct horse", b"wrong staple"
ANSWER = f"answer={masked(RIGHT)}"
# What sshd sets before it forks the child, and before it opens the session.
TRYING = "env=SSH_AUTH_INFO_0="
BY_KEYBOARD = "env=SSH_AUTH_INFO_0=keyboard-interactive/pam\n"
BY_PASSWORD = "env=SSH_AUTH_INFO_0=password\n"
BY_KEY = "env=SSH_AUTH_INFO_0=publickey ssh-ed25519 AAAA\n"
CHILD = ("child{", "auth", "acct", "}")


def strict_service(world, options=""):
    """A stack in which the module also sees passwords that are wrong."""
    world.login_service(options, token=f"ask is={masked(RIGHT)}")


def passwords(world):
    return [request.password for request in world.requests()]


def case_the_token_reaches_the_session(world):
    # SSHD-1.
    world.login_service()
    outcome = world.host(
        TRYING, ANSWER, *CHILD, BY_KEYBOARD, "setcred=establish", "open",
        "showenv=VESTRY_HANDOVER", "open")
    equal((outcome["auth"], outcome["open"]), ("0", "0"), "host")
    equal(passwords(world), [RIGHT, b""], "passwords: used once")
    equal(world.requests()[0].user, "alice", "user")
    equal(outcome["env"], "", "the claim is out of the environment")
    equal(handover_keys(), [], "keys left")


def case_the_key_is_roots_alone_and_short_lived(world):
    strict_service(world)
    world.host(TRYING, f"answer={masked(WRONG)}", *CHILD)
    keys = handover_keys()
    equal(len(keys), 1, "keys of an attempt that failed")
    serial, described = keys[0]
    check("003b0000" in described, f"permissions: {described}")
    line = next(line for line in open("/proc/keys") if line.startswith(f"{int(serial):08x}"))
    check(re.fullmatch(r"1m|5\ds", line.split()[3]), f"lifetime: {line}")
    # Not even a shell that inherited root's keyrings, as after plain su.
    keyctl("link", "@u", "@s")
    try:
        for command in (("read", serial), ("search", "@s", "user", described.split(";")[-1]),
                        ("rdescribe", serial), ("setperm", serial, "0x3f3f3f3f"),
                        ("revoke", serial), ("link", serial, "@s")):
            process = subprocess.run(
                ["setpriv", "--reuid=2001", "--clear-groups", "keyctl", *command],
                capture_output=True)
            check(process.returncode != 0, f"alice may {command[0]}")
        equal(len(handover_keys()), 1, "the key is still there")
    finally:
        keyctl("unlink", "@u", "@s")
    

def case_nothing_is_left_of_a_finished_login(world):
    world.login_service()
    world.host(TRYING, ANSWER, *CHILD, BY_KEYBOARD, "open", "close")
    equal(handover_keys(), [], "keys")


def case_wrong_then_right(world):
    strict_service(world)
    outcome = world.host(TRYING, f"answer={masked(WRONG)}", ANSWER, *CHILD, "skip", *CHILD,
                         BY_KEYBOARD, "open")
    equal(outcome.all("auth"), ["7", "0"], "auth")
    equal(passwords(world), [RIGHT], "passwords")


def case_a_failed_attempt_gives_nothing_to_a_login_by_key(world):
    # A store would be made with a password that let nobody in.
    strict_service(world)
    outcome = world.host(
        TRYING, f"answer={masked(WRONG)}", *CHILD, BY_KEY, "setcred=establish", "open")
    equal(outcome["auth"], "7", "auth")
    equal(passwords(world), [b""], "passwords, keyboard-interactive")

    world.reset()
    world.host(f"answer={masked(WRONG)}", "auth", BY_KEY, "setcred=establish", "open")
    equal(passwords(world), [b""], "passwords, password method")


def case_a_right_password_before_another_method_is_not_used(world):
    # Right, but a later module refused; sshd then let the user in by key.
    world.service("auth required ask ask", "auth optional vestry", "auth required ask result=7",
                  "account required ask", "session required ask", "session optional vestry")
    world.host(TRYING, ANSWER, *CHILD, BY_KEY, "open")
    equal(passwords(world), [b""], "passwords")


def case_a_refused_account_gives_nothing(world):
    world.service("auth required ask ask", "auth optional vestry", "account required ask result=7",
                  "session required ask", "session optional vestry")
    world.host(TRYING, ANSWER, *CHILD, BY_KEY, "open")
    equal(passwords(world), [b""], "passwords")


def case_several_methods_use_the_token_that_succeeded(world):
    both = "env=SSH_AUTH_INFO_0=password\nkeyboard-interactive/pam\n"
    strict_service(world)
    wrong = f"answer={masked(WRONG)}"
    # A wrong password in this process, then the right one in the child.
    world.host(TRYING, wrong, ANSWER, "auth", *CHILD, BY_KEYBOARD, "open")
    equal(passwords(world), [RIGHT], "the child's")
    world.reset()
    # A wrong one in the child, then the right one here.
    world.host(TRYING, wrong, ANSWER, *CHILD, "skip", "auth", BY_PASSWORD, "open")
    equal(passwords(world), [RIGHT], "this process's")
    world.reset()
    # Right in the child, wrong here, and a key at last.
    world.host(TRYING, ANSWER, wrong, *CHILD, "skip", "auth",
               "env=SSH_AUTH_INFO_0=keyboard-interactive/pam\npublickey ssh-rsa AAAA\n", "open")
    equal(passwords(world), [b""], "neither")
    world.reset()
    world.host(TRYING, ANSWER, *CHILD, "env=SSH_AUTH_INFO_0=keyboard-interactive/pam\n",
               "auth", both, "open")
    equal(passwords(world), [RIGHT], "right in both")


def case_a_password_login_makes_no_key(world):
    # One process: the parent's number would be that of the listener, which all logins share.
    world.login_service()
    world.mode("slow 300 0")
    seen = []
    done = threading.Event()

    def watch():
        while not done.is_set():
            seen.extend(handover_keys())

    watcher = threading.Thread(target=watch)
    watcher.start()
    world.host(ANSWER, "auth", "wait=200", BY_PASSWORD, "open")
    done.set()
    watcher.join()
    equal(seen, [], "keys seen")
    equal(passwords(world), [RIGHT], "passwords")


def case_a_password_after_a_child_takes_its_own_key_back(world):
    world.login_service()
    for ending in (["open"], ["end=7"], ["user=bob", "open"], ["setcred=refresh"]):
        world.host(TRYING, ANSWER, "auth", BY_PASSWORD, *ending)
        equal(handover_keys(), [], f"keys after {ending}")
    equal(passwords(world), [RIGHT, b"", RIGHT], "passwords")


def case_two_logins_at_once_keep_their_tokens(world):
    world.login_service()
    people = {name: f"password of {name}".encode() for name in ("alice", "bob", "carol")}
    threads = []
    for name, password in people.items():
        for steps in ((TRYING, *CHILD, "wait=300", BY_KEYBOARD, "open"),
                      ("auth", "wait=300", BY_PASSWORD, "open")):
            answer = f"answer={masked(password)}"
            threads.append(threading.Thread(
                target=world.host, args=(answer, *steps), kwargs={"user": name}))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = sorted((request.user, request.password) for request in world.requests())
    equal(found, sorted(list(people.items()) * 2), "users and passwords")
    equal(handover_keys(), [], "keys left")


def case_another_user_does_not_get_it(world):
    world.login_service()
    world.host(TRYING, ANSWER, *CHILD, "user=bob", BY_KEYBOARD, "open", "user=alice", "open")
    equal(passwords(world), [b"", b""], "passwords: not bob's, and void for alice then")
    equal(handover_keys(), [], "keys left")


def case_a_made_up_claim_is_nothing(world):
    # ~/.pam_environment can put anything there.
    world.login_service()
    for claim in ("", "0" * 31, "0" * 32, "0" * 33, "f" * 32, "A" * 32, "../" * 11, "x" * 5000):
        world.reset()
        put("a" * 32, b"x" * 784)
        outcome = world.host(f"env=VESTRY_HANDOVER={claim}", BY_KEYBOARD, "open",
                             "showenv=VESTRY_HANDOVER")
        equal((outcome["open"], outcome["env"]), ("0", ""), f"host with {claim[:40]!r}")
        equal(passwords(world), [b""], "passwords")
        equal(len(handover_keys()), 1, "the other key is untouched")


def case_a_key_with_odd_contents_is_nothing(world):
    claim = "0123456789abcdef" * 2
    world.login_service()
    whole = bytearray(784)
    whole[0:4] = (1).to_bytes(4, "little")
    whole[12:14] = (5).to_bytes(2, "little")
    whole[16:21] = b"alice"
    whole[272:277] = b"token"
    good = bytes(whole)

    def changed(offset, data):
        return good[:offset] + data + good[offset + len(data):]

    for name, payload in {
            "short": good[:-1], "long": good + b"x", "tiny": b"x", "version": changed(0, b"\2"),
            "count": changed(12, b"\1\2"), "no token": changed(12, b"\0"),
            "new count": changed(14, b"\1"), "endless name": changed(16, b"a" * 256)}.items():
        world.reset()
        put(claim, payload)
        world.host(f"env=VESTRY_HANDOVER={claim}", BY_KEYBOARD, "open")
        equal(passwords(world), [b""], f"passwords with {name}")
        equal(handover_keys(), [], f"keys with {name}")
    world.reset()
    put(claim, good)
    world.host(f"env=VESTRY_HANDOVER={claim}", BY_KEYBOARD, "open")
    equal(passwords(world), [b"token"], "the instrument: a well-formed one is taken")


def put(claim, payload):
    serial = subprocess.run(
        ["keyctl", "padd", "user", f"vestry:handover:{claim}", "@s"], input=payload, check=True,
        capture_output=True).stdout.decode().strip()
    keyctl("setperm", serial, "0x3f3b0000")
    keyctl("link", serial, "@u")
    keyctl("unlink", serial, "@s")


def case_an_expired_password_is_handed_over_as_changed(world):
    world.service(
        "auth required ask ask", "auth optional vestry", "account required ask",
        f"password required ask ask old={RIGHT.hex()}", "password optional vestry",
        "session required ask", "session optional vestry")
    world.mode(f"reply {RESULT['NO_STORE']}")
    new = f"answer={masked(b'a new one')}"
    world.host(TRYING, ANSWER, new, new, "child{", "auth", "acct", "chauthtok", "}", BY_KEYBOARD,
               "open")
    equal([(r.verb, r.password) for r in world.requests()],
          [(REWRAP, RIGHT), (OPEN, b"a new one")], "requests")
    equal(handover_keys(), [], "keys left")


def case_without_key_calls_the_login_goes_on(world):
    world.login_service()
    outcome = world.host("forbid=keys", TRYING, ANSWER, *CHILD, BY_KEYBOARD, "open")
    equal((outcome["auth"], outcome["open"]), ("0", "0"), "host")
    equal(passwords(world), [b""], "passwords")
    check("cannot leave the password for the session of alice" in world.log()[0].text, "log line")


def case_setuid_hosts_and_users_leave_none(world):
    # The user keyring would be the real user's.
    world.login_service()
    for identity in ("ruid=2001", "uid=2001"):
        outcome = world.host(TRYING, identity, ANSWER, "auth", "showenv=VESTRY_HANDOVER")
        equal((outcome["auth"], outcome["env"]), ("0", ""), identity)
    equal(handover_keys(), [], "keys")


def case_no_other_host_leaves_one(world):
    world.login_service()
    outcome = world.host(ANSWER, "auth", "showenv=VESTRY_HANDOVER")
    equal((outcome["env"], handover_keys()), ("", []), "claim and keys")


def case_nothing_is_left_in_memory(world):
    world.login_service()
    marker = masked(b"mArKeR-7b1f-0000-correct-horse-9d")
    outcome = world.host(TRYING, f"answer={marker}", *CHILD, BY_KEYBOARD, "open", f"scan={marker}")
    equal(outcome["scan"], "clean", "memory")


def case_a_skipped_auth_line_is_told(world):
    # PSO-1: something let the user in, and our line has not seen it.
    world.login_service()
    for how in (BY_PASSWORD, BY_KEYBOARD):
        world.reset()
        world.host(how, "open")
        lines = [line.text for line in world.log()]
        check(len(lines) == 1 and "alice got in by a password or a code that was not seen here" in lines[0], lines)
    world.reset()
    world.host(BY_KEY, "open")
    equal(world.log(), [], "log lines of a login by key")
    world.host(ANSWER, "auth", BY_PASSWORD, "open", "setcred=reinit", "close")
    equal(len(world.log()), 1, "log lines of an ordinary login")
