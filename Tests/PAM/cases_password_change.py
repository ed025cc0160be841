"""pam_sm_chauthtok: old to new, in the update phase only."""

from rig import OPEN, RESULT, RESULTS, REWRAP, check, equal, masked

OLD, NEW = b"battery staple", b"correct horse"
ASKED = f"ask old={OLD.hex()}"


def case_old_and_new_are_sent(world):
    world.login_service(token=ASKED)
    world.mode(f"reply {RESULT['REWRAPPED']}")
    outcome = world.host(f"answer={masked(NEW)}", f"answer={masked(NEW)}", "chauthtok")
    equal((outcome["chauthtok"], outcome["messages"]), ("0", "0"), "host")
    equal([(r.verb, r.user, r.password, r.new_password) for r in world.requests()],
          [(REWRAP, "alice", OLD, NEW)], "requests")
    check("opens with the new password now" in world.log()[0].text, "log line")


def case_nothing_happens_before_the_update_phase(world):
    # PWD-5: a module that refuses in the preliminary phase.
    world.service(f"password required ask early={NEW.hex()}", "password optional vestry",
                  "password required ask result=20")
    equal(world.host("chauthtok")["chauthtok"], "20", "chauthtok")
    equal(world.requests(), [], "requests")


def case_without_the_old_one_the_user_is_told_once(world):
    # PWD-2.
    world.login_service(token="ask")
    world.mode(f"reply {RESULT['NO_PASSWORD']}")
    outcome = world.host(f"answer={masked(NEW)}", f"answer={masked(NEW)}", "chauthtok")
    equal(outcome["chauthtok"], "0", "chauthtok")
    equal(outcome.all("message"), [
        'Vestry: the keychain of alice still opens with the old password only; '
        '"vestry rewrap", run as alice, changes that.'], "messages")
    equal([(r.password, r.new_password) for r in world.requests()], [(b"", NEW)], "requests")


def case_a_silent_host_is_told_nothing(world):
    world.login_service(token="ask")
    world.mode(f"reply {RESULT['NO_PASSWORD']}")
    outcome = world.host(f"answer={masked(NEW)}", f"answer={masked(NEW)}", "chauthtok=silent")
    equal(outcome["messages"], "0", "messages")


def case_an_empty_old_one_is_none(world):
    world.login_service(token="ask old=")
    world.mode(f"reply {RESULT['NO_PASSWORD']}")
    outcome = world.host(f"answer={masked(NEW)}", f"answer={masked(NEW)}", "chauthtok")
    equal(outcome["messages"], "1", "messages")
    equal(world.requests()[0].password, b"", "old password")


def case_no_other_answer_tells_the_user_anything(world):
    for token in (ASKED, "ask"):
        for number, name in RESULTS.items():
            if token == "ask" and name == "NO_PASSWORD":
                continue
            world.reset()
            world.login_service(token=token)
            world.mode(f"reply {number}")
            outcome = world.host(f"answer={masked(NEW)}", f"answer={masked(NEW)}", "chauthtok")
            equal((outcome["chauthtok"], outcome["messages"]), ("0", "0"), name)
            if name in ("NO_STORE", "NOT_SERVED"):
                equal(world.log(), [], f"log lines for {name}")


def case_no_new_password_is_nothing_to_do(world):
    for token in ("", "token=", f"old={OLD.hex()}"):
        world.login_service(token=token)
        equal(world.host("chauthtok")["chauthtok"], "0", "chauthtok")
    equal(world.requests(), [], "requests")


def case_only_root_changes_it(world):
    world.login_service(token=ASKED)
    outcome = world.host("uid=2001", f"answer={masked(NEW)}", f"answer={masked(NEW)}", "chauthtok")
    equal((outcome["chauthtok"], world.requests(), world.log()), ("0", [], []), "as alice")


def case_long_passwords_are_cut_alike(world):
    world.login_service(token=f"ask old={(b'o' * 400).hex()}")
    long = bytes(97 + i % 26 for i in range(600))
    world.host(f"answer={masked(long)}", f"answer={masked(long)}", "chauthtok")
    equal(world.requests()[0].new_password, long[:512], "new password")


def case_a_failing_helper_changes_nothing(world):
    world.login_service("timeout=1", token=ASKED)
    for mode in ("exit", "hang", "crash 9", "size 3"):
        world.reset()
        world.mode(mode)
        outcome = world.host(f"answer={masked(NEW)}", f"answer={masked(NEW)}", "chauthtok")
        equal((outcome["chauthtok"], outcome["messages"]), ("0", "0"), mode)
        equal(len(world.log()), 1, f"log lines with {mode}")


def case_an_expired_password_opens_the_session_with_the_new_one(world):
    # A store must not be made with the password that the login has just replaced.
    world.service(
        "auth required ask ask", "auth optional vestry",
        f"password required ask ask old={OLD.hex()}", "password optional vestry",
        "session required ask", "session optional vestry")
    outcome = world.host(
        *[f"answer={masked(p)}" for p in (OLD, NEW, NEW)], "auth", "chauthtok",
        "setcred=establish", "open")
    equal((outcome["chauthtok"], outcome["open"]), ("0", "0"), "host")
    equal([(r.verb, r.password, r.new_password) for r in world.requests()],
          [(REWRAP, OLD, NEW), (OPEN, NEW, b"")], "requests")
