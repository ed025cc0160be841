"""What the helper does never changes what the host is told (R1, HOST-4), and the log says it once."""

import os

from rig import HELPER, PERM_DENIED, RESULT, RESULTS, check, equal, masked

STEPS = [f"answer={masked(b'correct horse')}", "auth", "setcred=establish", "open", "close"]
LOG_DEBUG, LOG_INFO, LOG_ERR = 7, 6, 3

# How a helper can go wrong, and the words in the log.
FAILURES = {
    "early-exit": "the helper ended without an answer",
    "exit": "the helper ended without an answer",
    "early-crash": "the helper was ended by signal 11",
    "crash 6": "the helper was ended by signal 6",
    "crash 9": "the helper was ended by signal 9",
    "size 1": "unexpected answer of the helper",
    "size 71": "unexpected answer of the helper",
    "size 73": "unexpected answer of the helper",
    "size 256": "unexpected answer of the helper",
    "version 0": "unexpected answer of the helper",
    "version 2": "unexpected answer of the helper",
    "reply 99": "unexpected answer of the helper",
    "reply -1": "unexpected answer of the helper",
    "hang": "the helper did not answer within 1 s",
    "hang-after": "opened the keychain of alice",
}

# Controls that change nothing, and what the whole stack then returns.
CONTROLS = ["optional", "required", "requisite", "[success=ok ignore=ignore default=die]"]


# What a person reads at a login whose password the keychain did not know.
TOLD = {
    "WRONG_PASSWORD": 'Vestry: the keychain of alice still opens with an older password only; '
                      '"vestry rewrap", run as alice, changes that.',
    "FOLLOWS_NEXT": 'Vestry: the keychain of alice still opens with an older password only; the next login '
                    'with this one, or "vestry rewrap", run as alice, changes that.',
    "FOLLOWED": 'Vestry: the keychain of alice follows the new password; for what was not open, run '
                '"vestry rewrap" as alice.',
}


def check_login(outcome, what):
    for step in ("auth", "setcred", "open", "close"):
        equal(outcome[step], "0", f"{step}, {what}")
    equal(outcome["questions"], "1", f"questions, {what}")
    equal(outcome.all("message"), [TOLD[what]] if what in TOLD else [], f"messages, {what}")


def case_every_result_lets_the_login_go_on(world):
    world.login_service()
    for number, name in RESULTS.items():
        world.reset()
        world.mode(f"reply {number} 1")
        check_login(world.host(*STEPS), name)
        lines = world.log()
        check(len(lines) <= 1, f"{len(lines)} log lines for {name}")
        check(all(line.level > LOG_ERR for line in lines), f"an error line for {name}")
        quiet = name in ("ALREADY_OPEN", "NO_PASSWORD", "NO_STORE", "NOT_SERVED", "ACCOUNT_WITHOUT_PASSWORD")
        equal(len(lines), 0 if quiet else 1, f"log lines for {name}")
        check("alice" in lines[0].text or "helper" in lines[0].text if lines else True, name)


def case_a_silent_login_is_told_nothing(world):
    world.login_service()
    for name in TOLD:
        world.reset()
        world.mode(f"reply {RESULT[name]} 1")
        outcome = world.host(*[step if step != "open" else "open=silent" for step in STEPS])
        equal((outcome["open"], outcome["messages"]), ("0", "0"), name)


def case_every_failure_lets_the_login_go_on(world):
    world.login_service("timeout=1")
    for mode, words in FAILURES.items():
        world.reset()
        world.mode(mode)
        outcome = world.host(*STEPS, "state")
        check_login(outcome, mode)
        check(outcome.seconds < 8, f"{outcome.seconds:.1f} s with {mode}")
        check("child none" in outcome["state"], f"a child is left with {mode}")
        lines = world.log()
        equal(len(lines), 1, f"log lines with {mode}")
        check(words in lines[0].text, f"{mode}: {lines[0].text}")
        check(lines[0].level > LOG_ERR, f"an error line with {mode}")


def case_a_missing_helper_lets_the_login_go_on(world):
    world.login_service()
    for what, change in (
            ("missing", os.remove), ("not executable", lambda path: os.chmod(path, 0o644)),
            ("empty", lambda path: os.truncate(path, 0))):
        world.reset()
        change(HELPER)
        check_login(world.host(*STEPS), what)
        lines = world.log()
        equal(len(lines), 1, f"log lines, {what}")
        check("cannot start the helper (error" in lines[0].text, lines[0].text)


def case_a_login_by_key_writes_nothing(world):
    # NPW-1, NPW-2: no token is no failure.
    world.login_service()
    for number, name in RESULTS.items():
        world.mode(f"reply {number} 2")
        equal(world.host("open", "close")["open"], "0", name)
    equal(world.log(), [], "log lines")


def case_an_ordinary_login_writes_one_line(world):
    world.login_service()
    for session, words in ((1, "alice"), (2, "does not count (pam_keyinit)"), (3, "does not count")):
        for number, verb in ((0, "opened the keychain of"), (1, "made a keychain for")):
            world.reset()
            world.mode(f"reply {number} {session}")
            world.host(*STEPS)
            lines = world.log()
            equal(len(lines), 1, "log lines")
            check(verb in lines[0].text and words in lines[0].text, lines[0].text)


def case_the_return_values_are_those_of_the_table(world):
    # Alone in a stack, PAM_IGNORE reads as "nobody answered": PAM_PERM_DENIED.
    for mode in ("reply 0", "crash 9"):
        world.mode(mode)
        world.service(*[f"{kind} required vestry" for kind in
                        ("auth", "account", "session", "password")])
        outcome = world.host("auth", "setcred=establish", "setcred=reinit", "setcred=delete",
                             "acct", "open", "close", "chauthtok")
        for step, expected in (("auth", PERM_DENIED), ("acct", PERM_DENIED),
                               ("chauthtok", PERM_DENIED), ("open", 0), ("close", 0)):
            equal(outcome[step], str(expected), f"{step} alone with {mode}")
        equal(world.host("setcred=establish")["setcred"], "0", "setcred without authenticate")


def case_no_control_changes_what_others_decide(world):
    for mode in ("reply 0", "reply 8", "hang", "early-crash"):
        world.mode(mode)
        for control in CONTROLS:
            for others, expected in ((0, 0), (7, 7)):
                world.service(
                    f"auth required ask ask result={others}",
                    f"auth {control} vestry timeout=1",
                    f"account required ask result={others}", f"account {control} vestry",
                    f"session required ask result={others}",
                    f"session {control} vestry timeout=1",
                    f"password required ask result={others}",
                    f"password {control} vestry timeout=1")
                outcome = world.host(
                    f"answer={masked(b'x')}", "auth", "acct", "open", "close", "chauthtok")
                for step in ("auth", "acct", "open", "close", "chauthtok"):
                    equal(outcome[step], str(expected), f"{step}, {control}, {mode}")


def case_sufficient_lets_nobody_in(world):
    world.service("auth sufficient vestry", "auth required ask result=7",
                  "account sufficient vestry", "account required ask result=7",
                  "password sufficient vestry", "password required ask result=7")
    outcome = world.host("auth", "acct", "chauthtok")
    for step in ("auth", "acct", "chauthtok"):
        equal(outcome[step], "7", step)


def case_the_time_out_is_kept(world):
    world.mode("hang")
    for options, low, high in (("timeout=1", 0.9, 1.9), ("timeout=3", 2.9, 3.9),
                               ("timeout=0", 0.9, 1.9)):
        world.login_service(options)
        outcome = world.host(*STEPS)
        elapsed = int(outcome.all("elapsed")[2]) / 1000
        check(low <= elapsed <= high, f"{elapsed} s with {options}")


def case_a_slow_helper_gets_its_time(world):
    world.login_service("timeout=3")
    world.mode("slow 1500 0")
    check_login(world.host(*STEPS), "slow")
    check("opened the keychain" in world.log()[0].text, "not opened")


def case_the_budget_is_a_little_less_than_the_time_out(world):
    for options, most in (("", 10_000), ("timeout=2", 2000), ("timeout=61", 60_000),
                          ("timeout=600000000", 60_000), ("timeout=1", 1000)):
        world.reset()
        world.login_service(options)
        world.host(*STEPS)
        budget = world.requests()[0].budget
        check(most * 0.7 < budget < most, f"{budget} ms with {options!r}")


def case_unknown_options_are_named_once_and_passed_over(world):
    world.login_service("frobnicate timeout=x timeout= timeout=-1 debugging use_authtok")
    check_login(world.host(*STEPS), "unknown options")
    lines = [line.text for line in world.log() if "unknown option" in line.text]
    equal(len(lines), 2, "lines: one for the auth line, one for the session line")
    check("5 unknown option(s)" in lines[0], lines[0])
