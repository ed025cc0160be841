"""A home directory that a session module makes or mounts: a second line of ours stands behind it."""

from rig import OPEN, RESULT, check, equal, masked

MARKER = b"mArKeR-5d20-0000-correct-horse-41"
MASKED = masked(MARKER)
STEPS = (f"answer={MASKED}", "auth", "open")


def two_lines(world, options=""):
    return world.service(
        "auth required ask ask",
        f"auth optional vestry {options}",
        "account required ask",
        f"session optional vestry {options}",
        "session required ask",
        f"session optional vestry late {options}")


def case_the_late_line_asks_again_where_there_was_no_home(world):
    two_lines(world)
    world.mode(f"reply {RESULT['HOME_MISSING']}")
    outcome = world.host(*STEPS, f"scan={MASKED}", "close")
    equal((outcome["open"], outcome["close"]), ("0", "0"), "host")
    asked = [(request.verb, request.user, request.password) for request in world.requests()]
    equal(asked, [(OPEN, "alice", MARKER)] * 2, "requests")
    equal(outcome["scan"], "clean", "memory behind the late line")


def case_the_late_line_does_nothing_after_an_answer(world):
    two_lines(world)
    for result in ("OPENED", "ENROLLED", "WRONG_PASSWORD", "DAMAGED", "BUSY"):
        world.reset()
        world.mode(f"reply {RESULT[result]}")
        outcome = world.host(*STEPS, f"scan={MASKED}")
        equal(len(world.requests()), 1, f"requests after {result}")
        equal(outcome["scan"], "clean", f"memory after {result}")


def case_the_late_line_does_nothing_without_a_password(world):
    two_lines(world)
    world.mode(f"reply {RESULT['HOME_MISSING']}")
    world.host("open")
    equal([request.password for request in world.requests()], [b""], "requests")


def case_without_a_late_line_nothing_outlives_the_session(world):
    world.login_service()
    world.mode(f"reply {RESULT['HOME_MISSING']}")
    outcome = world.host(*STEPS, "close", f"scan={MASKED}")
    equal(outcome["scan"], "clean", "memory")
    equal(len(world.requests()), 1, "requests")


def case_another_users_late_line_gets_no_password(world):
    two_lines(world)
    world.mode(f"reply {RESULT['HOME_MISSING']}")
    outcome = world.host(f"answer={MASKED}", "auth", "user=bob", "open", f"scan={MASKED}")
    equal([(r.user, r.password) for r in world.requests()], [("bob", b"")], "requests")
    equal(outcome["scan"], "clean", "memory")


def case_both_lines_share_the_time_out(world):
    two_lines(world, "timeout=2")
    world.mode(f"slow 800 {RESULT['HOME_MISSING']}")
    world.host(*STEPS)
    first, second = [request.budget for request in world.requests()]
    check(first > second + 500, f"{first} ms, and then {second} ms")
