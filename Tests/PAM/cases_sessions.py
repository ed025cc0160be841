"""The presence of a session: linked by the helper, unlinked by close_session."""

from rig import CLOSE, OPEN, RESULT, check, equal, keyctl, masked

ANSWER = f"answer={masked(b'correct horse')}"


def links(world):
    """Names of the keys in this process's session keyring."""
    names = []
    for serial in (keyctl("rlist", "@s") or "").split():
        described = keyctl("rdescribe", serial, check_status=False)
        names.append(described.split(";")[-1] if described else "")
    return names


def clean(world):
    for serial in (keyctl("rlist", "@s") or "").split():
        if (keyctl("rdescribe", serial, check_status=False) or "").endswith("vestry:presence"):
            keyctl("unlink", serial, "@s")


def case_close_session_unlinks_what_open_session_linked(world):
    clean(world)
    world.login_service()
    world.mode("link")
    world.host(ANSWER, "auth", "open")
    equal(links(world).count("vestry:presence"), 1, "links while the session is open")
    clean(world)
    outcome = world.host(ANSWER, "auth", "open", "close")
    equal((outcome["open"], outcome["close"]), ("0", "0"), "host")
    equal(links(world).count("vestry:presence"), 0, "links afterwards")


def case_a_login_by_key_counts_too(world):
    clean(world)
    world.login_service()
    world.mode("link")
    world.host("open")
    equal(links(world).count("vestry:presence"), 1, "links while the session is open")
    equal(world.requests()[0].password, b"", "password")
    clean(world)


def case_a_handle_that_linked_nothing_unlinks_nothing(world):
    clean(world)
    world.login_service()
    presence = keyctl("newring", "vestry:presence", "@s")
    keyring = keyctl("show", "@s").split("\n")[1].split()[0]
    for steps in (("close",), ("open", "close")):
        # Serials of 0 are the reply where nothing was linked.
        world.mode("reply 0 2 0 0")
        equal(world.host(*steps)["close"], "0", "close")
        equal(links(world).count("vestry:presence"), 1, f"links after {steps}")
    for serials in (f"{presence} 0", f"0 {keyring}", f"{presence} -3"):
        world.mode(f"reply 0 1 {serials}")
        world.host("open", "close")
        equal(links(world).count("vestry:presence"), 1, f"links after half an answer, {serials}")
    world.mode(f"reply 0 1 {presence} {keyring}")
    world.host("open", "close", "close")
    equal(links(world).count("vestry:presence"), 0, "links after a whole one")


def case_closing_twice_unlinks_once(world):
    clean(world)
    world.login_service("debug")
    world.mode("link")
    outcome = world.host(ANSWER, "auth", "open", "close", "close")
    equal(outcome.all("close"), ["0", "0"], "close")
    # What another handle has linked in between is not ours.
    presence = keyctl("newring", "vestry:presence", "@s")
    keyctl("setperm", presence, "0x3f3f0000")
    keyctl("link", presence, "@u")
    keyring = keyctl("show", "@s").split("\n")[1].split()[0]
    world.mode(f"reply 0 1 {presence} {keyring}")
    world.host("open", "close", f"run=keyctl link {presence} {keyring}", "close")
    equal(links(world).count("vestry:presence"), 1, "links of the other handle")
    clean(world)
    keyctl("unlink", presence, "@u")
    world.reset()
    world.mode("link")
    world.host(ANSWER, "auth", "open", "close", "close")
    lines = [line for line in world.log() if "no longer counts" in line.text]
    equal(len(lines), 1, "log lines")


def case_a_vanished_keyring_is_no_failure(world):
    # pam_keyinit's revoke may stand before our line; serials may name nothing any more.
    clean(world)
    world.login_service()
    gone = keyctl("newring", "gone", "@s")
    presence = keyctl("newring", "vestry:presence", "@s")
    keyctl("revoke", gone)
    for serials in (f"{presence} {gone}", f"{presence} 2147483647", f"2147483647 {gone}", "-5 -3"):
        world.mode(f"reply 0 1 {serials}")
        outcome = world.host("open", "close")
        equal((outcome["open"], outcome["close"]), ("0", "0"), serials)
    equal(world.log(), [], "log lines")
    equal(links(world).count("vestry:presence"), 1, "links")
    clean(world)


def case_the_helper_is_not_needed_to_close(world):
    clean(world)
    world.login_service()
    world.mode("link")
    world.host(ANSWER, "auth", "open", "close")
    equal(len(world.requests()), 1, "helpers started")


# PAM_PERM_DENIED.
REFUSED = "end=6"


def opened_and_ended(world, result, *steps):
    """The verbs that the helper was asked for, in a login that opens the session and then ends so."""
    clean(world)
    world.reset()
    world.login_service()
    world.mode(f"reply {RESULT[result]}")
    world.host(ANSWER, "auth", "open", *steps)
    return [request.verb for request in world.requests()]


def case_what_a_refused_session_has_opened_is_closed_again(world):
    for result in ("OPENED", "ENROLLED", "OPENED_BY_PREVIOUS"):
        equal(opened_and_ended(world, result, REFUSED), [OPEN, CLOSE], result)
        request = world.requests()[-1]
        equal((request.user, request.password), ("alice", b""), "whose")


def case_what_was_open_before_a_refused_session_stays_open(world):
    for result in ("ALREADY_OPEN", "REOPENED", "WRONG_PASSWORD", "NO_PASSWORD"):
        equal(opened_and_ended(world, result, REFUSED), [OPEN], result)


def case_a_session_that_ended_by_itself_closes_nothing(world):
    # Also where the host has a failure to tell at last.
    for steps in (("close", REFUSED), ("end=0",), ("close", "end=0")):
        equal(opened_and_ended(world, "OPENED", *steps), [OPEN], steps)


def case_a_child_that_ends_its_copy_of_the_handle_closes_nothing(world):
    equal(opened_and_ended(world, "OPENED", "child{", "end=6", "}", "close"), [OPEN], "verbs")


def case_a_refused_session_is_unlinked(world):
    clean(world)
    world.login_service()
    world.mode("link")
    world.host(ANSWER, "auth", "open", REFUSED)
    equal(links(world).count("vestry:presence"), 0, "links")


def case_a_refused_session_has_no_time_of_its_own(world):
    clean(world)
    world.login_service("timeout=2")
    world.mode(f"slow 800 {RESULT['OPENED']}")
    world.host(ANSWER, "auth", "open", REFUSED)
    first, second = [request.budget for request in world.requests()]
    check(first > second + 500, f"{first} ms, and then {second} ms")
