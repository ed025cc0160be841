"""Which token reaches the helper, byte for byte, and which never does."""

from rig import OPEN, UNLOCK, check, equal, masked

ODD_TOKENS = {
    "spaces": b" x ", "dash": b"-x", "colon": b"a:b", "backslash": rb"a\b", "percent": b"%s%n",
    "one byte": b"x", "Latin-1": b"p\xe4ss\xdfwort", "UTF-8": "pässwörd 漢 🔑".encode(),
    "every byte": bytes(range(1, 256)), "newline": b"a\n",
    "511 bytes": b"a" * 510 + b"b", "512 bytes": b"a" * 511 + b"b",
    "513 bytes": b"a" * 511 + b"bc", "600 bytes": bytes(97 + i % 26 for i in range(600)),
}


def only(requests):
    equal(len(requests), 1, "requests")
    return requests[0]


def case_every_byte_arrives(world):
    for name, token in ODD_TOKENS.items():
        world.reset()
        world.login_service()
        outcome = world.host(f"answer={masked(token)}", "auth", "setcred=establish", "open")
        equal(outcome["open"], "0", name)
        request = only(world.requests())
        equal(request.verb, OPEN, "verb")
        equal(request.password, token[:512], name)
        equal(request.new_password, b"", "new password")
        equal(request.user, "alice", "user")


def case_no_token_and_an_empty_one_are_no_token(world):
    # EMP-1, HOST-3.
    for options in ("", "token="):
        world.reset()
        world.login_service(token=options)
        outcome = world.host("auth", "setcred=establish", "open", "close")
        equal([outcome[step] for step in ("auth", "open", "close")], ["0"] * 3, "status")
        equal(only(world.requests()).password, b"", "password")


def case_an_aborted_prompt_is_no_token(world):
    world.login_service()
    for answer in ("null", "error"):
        world.reset()
        outcome = world.host(f"answer={answer}", "auth", "open")
        equal(outcome["auth"], "7", "auth")
        equal(only(world.requests()).password, b"", "password")


def case_a_wrong_try_before_the_right_one_is_forgotten(world):
    # PSO-3: with `required` the module sees the wrong one as well.
    right = masked(b"correct horse")
    world.login_service(token=f"ask is={right}")
    outcome = world.host(
        f"answer={masked(b'wrong and much longer than the other')}", f"answer={right}",
        "auth", "auth", "setcred=establish", "open")
    equal(outcome.all("auth"), ["7", "0"], "auth")
    equal(only(world.requests()).password, b"correct horse", "password")


def case_a_try_without_token_forgets_the_one_before(world):
    world.login_service(token="ask")
    world.host(f"answer={masked(b'first')}", "answer=error", "auth", "auth", "open")
    equal(only(world.requests()).password, b"", "password")


def case_the_token_of_another_user_is_not_used(world):
    world.login_service()
    for other in ("bob", "alic", "alicea", "Alice", "ALICE"):
        world.reset()
        outcome = world.host(f"answer={masked(b'secret')}", "auth", f"user={other}",
                             "open", "user=alice", "open")
        equal(outcome["open"], "0", "open")
        requests = world.requests()
        equal([request.user for request in requests], [other, "alice"], "users")
        equal([request.password for request in requests], [b"", b""], "passwords")


def case_a_module_that_maps_the_name_is_followed(world):
    # USR-1: the name is read after the module that asks.
    world.login_service(token="ask user=alice")
    world.host(f"answer={masked(b'secret')}", "auth", "open", user="ALICE")
    request = only(world.requests())
    equal((request.user, request.password), ("alice", b"secret"), "request")


def case_the_token_is_used_once(world):
    world.login_service()
    world.host(f"answer={masked(b'secret')}", "auth", "open", "open", "setcred=refresh")
    equal([request.password for request in world.requests()], [b"secret", b""], "passwords")


def case_only_a_token_set_before_our_line_is_seen(world):
    # PSO-2: first, in the middle, last; we never ask, so in the first place there is nothing yet.
    ours, asks = "auth optional vestry", "auth required ask ask"
    more = "auth required ask"
    for order, expected in (((ours, asks, more), b""), ((asks, ours, more), b"secret"),
                            ((asks, more, ours), b"secret")):
        world.reset()
        world.service(*order, "session required ask", "session optional vestry")
        outcome = world.host(f"answer={masked(b'secret')}", "auth", "setcred=establish", "open")
        equal((outcome["auth"], outcome["open"], outcome["questions"]), ("0", "0", "1"), "host")
        equal(only(world.requests()).password, expected, f"password with {order[0]}")


def case_it_opens_after_pam_unix(world):
    for order in (0, 1):
        world.reset()
        lines = ["session required pam_unix.so", "session optional vestry"]
        world.service(
            "auth [success=1 default=ignore] pam_unix.so nullok", "auth requisite pam_deny.so",
            "auth required pam_permit.so", "auth optional vestry",
            "account required pam_unix.so", *(lines if order else lines[::-1]))
        outcome = world.host(
            f"answer={masked(b'correct horse')}", "auth", "acct", "setcred=establish", "open",
            "close")
        for step in ("auth", "acct", "setcred", "open", "close"):
            equal(outcome[step], "0", step)
        equal(only(world.requests()).password, b"correct horse", "password")


def case_a_skipped_auth_line_leaves_nothing(world):
    # PSO-1.
    world.service("auth sufficient ask ask", "auth optional vestry",
                  "session required ask", "session optional vestry")
    outcome = world.host(f"answer={masked(b'secret')}", "auth", "open")
    equal((outcome["auth"], outcome["open"]), ("0", "0"), "host")
    equal(only(world.requests()).password, b"", "password")


def case_tokens_of_others_stay_as_found(world):
    # PSO-4: a module behind ours finds what was set before ours.
    token, old = masked(b"secret"), b"the old one"
    world.service("auth required ask ask", "auth optional vestry", f"auth required ask is={token}",
                  f"password required ask ask old={old.hex()}", "password optional vestry",
                  f"password required ask is={token}")
    outcome = world.host(*[f"answer={token}"] * 3, "auth", "chauthtok")
    equal((outcome["auth"], outcome["chauthtok"], outcome["questions"]), ("0", "0", "3"), "host")


def case_names_are_names(world):
    # USR-2, USR-3, and what somebody may type as a name.
    for user in ("2002", "0x7d1", r"CORP\alice", "alice@corp.example", "a+b", "-x", "ä",
                 "%n%n%s", "a\nb", "x" * 255):
        world.reset()
        world.login_service()
        world.mode("reply 7")
        outcome = world.host(f"answer={masked(b'secret')}", "auth", "open", user=user)
        equal(outcome["open"], "0", "open")
        equal(only(world.requests()).user, user, "user")
        line = world.log()[0].text
        check("\n" not in line and len(line) < 300, f"log line {line!r}")


def case_a_name_beyond_the_protocol_is_passed_over(world):
    world.login_service()
    outcome = world.host(f"answer={masked(b'secret')}", "auth", "open", user="x" * 256)
    equal((outcome["auth"], outcome["open"]), ("0", "0"), "host")
    equal(world.requests(), [], "requests")


def case_root_costs_nothing(world):
    world.login_service()
    outcome = world.host(f"answer={masked(b'secret')}", "auth", "setcred=establish", "open",
                         "close", user="root")
    equal((outcome["auth"], outcome["open"]), ("0", "0"), "host")
    equal(world.requests(), [], "requests")


def case_refreshed_credentials_unlock(world):
    for how in ("reinit", "refresh"):
        world.reset()
        world.login_service()
        outcome = world.host(f"answer={masked(b'secret')}", "auth", f"setcred={how}",
                             f"setcred={how}")
        equal(outcome.all("setcred"), ["0", "0"], "setcred")
        request = only(world.requests())
        equal((request.verb, request.user, request.password), (UNLOCK, "alice", b"secret"), how)


def case_established_credentials_are_not_yet_a_session(world):
    world.login_service()
    outcome = world.host(f"answer={masked(b'secret')}", "auth", "setcred=establish",
                         "setcred=delete")
    equal(outcome.all("setcred"), ["0", "0"], "setcred")
    equal(world.requests(), [], "requests")
    world.host("setcred=refresh")
    equal(world.requests(), [], "requests without a token")
