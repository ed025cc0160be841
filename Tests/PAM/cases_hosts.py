"""Hosts that are odd: not root, short of everything, with children and handlers of their own."""

import os
import socket
import time

from rig import RESULT, SOCKET, UNLOCK, check, equal, masked, reply

ANSWER = f"answer={masked(b'correct horse')}"


def login(world, *before, **options):
    outcome = world.host(*before, ANSWER, "auth", "setcred=establish", "open", "close", **options)
    for step in ("auth", "setcred", "open", "close"):
        equal(outcome[step], "0", step)
    return outcome


def case_everything_is_left_as_found(world):
    # HOST-2: descriptors, threads, children, signal handlers and mask.
    for mode in ("reply 0", "exit", "crash 9", "hang", "size 3"):
        world.reset()
        world.mode(mode)
        world.login_service("timeout=1 debug")
        outcome = world.host(
            "sigchld=count", "state", ANSWER, "auth", "setcred=establish", "open", "close", "state")
        before, after = outcome.all("state")
        # syslog(3) of libpam keeps its socket: the second of two logins shows what is ours.
        outcome = world.host(
            ANSWER, ANSWER, "auth", "open", "close", "state", "auth", "open", "close", "state")
        first, second = outcome.all("state")
        equal(second, first, f"state after a login with {mode}")
        check(after.split(" threads ")[1] == before.split(" threads ")[1], f"{before} / {after}")
        check("threads 1 child none" in after, after)


def case_the_helper_gets_three_descriptors_and_nothing_else(world):
    world.login_service()
    read, write = os.pipe()
    try:
        login(world, "signals", pass_fds=(read, write), env={"LD_PRELOAD": "", "SECRET": "x", "TZ": "UTC"})
    finally:
        os.close(read)
        os.close(write)
    facts = world.requests()[0].facts
    equal(facts["argc"], "1", "arguments")
    equal(facts["argv0"], "/usr/libexec/vestry-session-helper", "name")
    equal(facts["environment"], "0", "environment variables")
    equal(facts["descriptors"], "0,1,2,", "descriptors")
    equal(facts["out"], "/dev/null", "standard output")
    equal(facts["signals"], "0", "signals ignored or blocked")
    equal(facts["leader"], "1", "a session of its own")
    equal(facts["peer"], "0", "user at the other end")


def case_a_helper_that_is_gone_before_it_is_asked(world):
    # The host's SIGPIPE is its own.
    world.login_service()
    preload = dict(os.environ, LD_PRELOAD=f"{world.programs}/slow_send.so")
    for mode, words in (("early-exit", "ended without an answer"), ("early-crash", "signal 11")):
        world.reset()
        world.mode(mode)
        login(world, env=preload)
        lines = world.log()
        check(len(lines) == 1 and words in lines[0].text, str(lines))


def case_a_host_that_ignores_its_children(world):
    for how in ("ignore", "reap", "count"):
        for mode in ("reply 0", "exit", "crash 9", "early-exit", "hang-after", "hang"):
            world.reset()
            world.mode(mode)
            world.login_service("timeout=1")
            outcome = login(world, f"sigchld={how}")
            check(outcome.seconds < 8, f"{outcome.seconds:.1f} s with {mode}, {how}")
            equal(len(world.log()), 1, f"log lines with {mode}, {how}")
    world.reset()
    outcome = world.host("sigchld=count", ANSWER, "auth", "open", "sigchld-seen")
    equal(outcome["sigchld-seen"], "1", "the host's handler still runs")


def case_closed_standard_descriptors(world):
    # HOST-5: what the host writes to them must reach nobody, not even the log, whose socket stays open.
    world.login_service("debug")
    world.mode("slow 200 0")
    # Without it libpam writes a line to the log before the host has closed anything.
    world.service("auth required ask", name="other")
    try:
        outcome = world.host("closed", "timer=1", ANSWER, "auth", "open", "strays", "close")
    finally:
        os.remove(f"{world.services}/other")
    equal(outcome["strays"], "0", "writes that reached somebody")
    request = world.requests()[0]
    equal(request.password, b"correct horse", "password")
    equal(request.facts["descriptors"], "0,1,2,", "descriptors")


def case_no_process_left(world):
    world.login_service()
    # Of the real user's: root itself has no such limit.
    login(world, "limit=nproc:0", "ruid=2001")
    equal(world.requests(), [], "requests")
    lines = world.log()
    check(len(lines) == 1 and "cannot start the helper (error 11)" in lines[0].text, str(lines))


def case_small_limits(world):
    # LEAK-2 and HOST-5.
    world.login_service()
    for limit in ("fsize:0", "memlock:0", "as:67108864", "nofile:24"):
        world.reset()
        login(world, f"limit={limit}")
        equal([request.password for request in world.requests()], [b"correct horse"], limit)


def case_no_descriptor_left(world):
    world.login_service()
    # The log's socket is open already; libpam itself fails without one more, for the audit.
    outcome = world.host(ANSWER, "auth", "limit=nofile:5", "open", "close")
    equal((outcome["open"], outcome["close"]), ("0", "0"), "host")
    equal(world.requests(), [], "requests")
    lines = world.log()
    check(len(lines) == 1 and "cannot start the helper (error 24)" in lines[0].text, str(lines))


def case_no_descriptor_to_watch_the_helper(world):
    # Two are free, for the sockets. The helper is then known by its number only.
    for mode in ("reply 0", "exit", "crash 9", "hang-after"):
        world.reset()
        world.mode(mode)
        world.login_service("timeout=1")
        outcome = world.host(ANSWER, "auth", "limit=nofile:6", "open", "close", "state")
        equal((outcome["open"], outcome["close"]), ("0", "0"), mode)
        equal([request.password for request in world.requests()], [b"correct horse"], mode)
        if mode != "hang-after":
            check("child none" in outcome["state"], f"a child is left with {mode}")
        equal(len(world.log()), 1, f"log lines with {mode}")


def case_a_host_with_a_timer(world):
    # Every wait of the module is interrupted every 20 ms.
    world.login_service("timeout=2")
    world.mode("slow 700 0")
    login(world, "timer=20")
    equal(len(world.requests()), 1, "requests")
    check("opened the keychain" in world.log()[0].text, "log line")
    world.reset()
    world.mode("hang")
    outcome = login(world, "timer=20")
    check(1.9 < outcome.seconds < 8, f"{outcome.seconds:.1f} s")


def case_forbidden_system_calls(world):
    # CTR-1, K32-1: containers forbid the key calls, old filters do not know pidfd_open.
    for calls in ("keys", "processes"):
        for mode in ("reply 0 1 5 6", "exit", "crash 9"):
            world.reset()
            world.mode(mode)
            world.login_service("timeout=2")
            outcome = login(world, f"forbid={calls}", "env=SSH_AUTH_INFO_0=password\n")
            check(outcome.seconds < 3, f"{outcome.seconds:.1f} s with {mode}")
            equal([r.password for r in world.requests()], [b"correct horse"], f"{calls}, {mode}")


def case_a_removed_working_directory(world):
    world.login_service()
    login(world, "noplace")
    equal(world.requests()[0].password, b"correct horse", "password")


def case_a_host_that_forks_after_authenticating(world):
    # HOST-2: some display managers open the session in a child.
    world.login_service()
    outcome = world.host(ANSWER, "auth", "child{", "open", "close", "}")
    equal(outcome["open"], "0", "open")
    equal(world.requests()[0].password, b"correct horse", "password")


def case_a_setuid_host_is_root(world):
    world.login_service()
    login(world, "ruid=2001")
    facts = world.requests()[0].facts
    equal((facts["uid"], facts["euid"], facts["peer"]), ("2001", "0", "0"), "identity")


def case_a_screen_locker_uses_the_socket(world):
    # HOST-1, SES-6: and the name stays out, because the socket serves the asker only.
    world.login_service()
    asked = world.serve(reply(RESULT["OPENED"]))
    outcome = world.host("uid=2001", ANSWER, "auth", "setcred=refresh")
    equal((outcome["auth"], outcome["setcred"]), ("0", "0"), "host")
    equal([(r.verb, r.user, r.password) for r in asked], [(UNLOCK, "", b"correct horse")], "asked")
    equal(world.requests(), [], "helpers started")
    check("opened the keychain of alice" in world.log()[0].text, "log line")


def case_a_screen_locker_is_left_as_found(world):
    world.login_service("timeout=1")
    for served in (reply(RESULT["OPENED"]), b"x", None):
        world.reset()
        world.serve(served)
        outcome = world.host("uid=2001", ANSWER, ANSWER, "auth", "state", "auth", "state")
        first, second = outcome.all("state")
        equal(second, first, f"state with {served!r}")


def case_a_locker_never_makes_a_session(world):
    world.login_service()
    asked = world.serve(reply(RESULT["OPENED"]))
    outcome = world.host("uid=2001", "open", "close", "setcred=refresh", "chauthtok",
                         "setcred=establish")
    equal((outcome["open"], outcome["close"]), ("0", "0"), "host")
    equal((asked, world.requests()), ([], []), "asked")


def case_another_users_token_never_goes_to_the_socket(world):
    # A web server or a locker that also takes the administrator's password.
    world.login_service()
    asked = world.serve(reply(RESULT["OPENED"]))
    for user in ("bob", "nosuchuser", "root"):
        outcome = world.host("uid=2001", ANSWER, "auth", user=user)
        equal(outcome["auth"], "0", "auth")
    equal(asked, [], "asked")


def case_empty_answers_at_the_locker(world):
    world.login_service()
    asked = world.serve(reply(RESULT["OPENED"]))
    outcome = world.host("uid=2001", *["answer=", "auth"] * 15)
    equal(set(outcome.all("auth")), {"0"}, "auth")
    equal(asked, [], "asked")


def case_a_socket_that_nobody_serves(world):
    world.login_service("timeout=1")
    outcome = world.host("uid=2001", ANSWER, "auth")
    equal(outcome["auth"], "0", "auth without a socket")
    check("cannot reach the unlock socket (error 2)" in world.log()[0].text, "log line")

    world.reset()
    world.serve(accept=False)
    outcome = world.host("uid=2001", ANSWER, "auth")
    check(outcome.seconds < 8, f"{outcome.seconds:.1f} s without an accept")

    world.reset()
    world.serve(accept=False, backlog=0)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as filler:
        filler.connect(SOCKET)
        outcome = world.host("uid=2001", ANSWER, "auth")
    equal(outcome["auth"], "0", "auth with a full backlog")
    check(outcome.seconds < 8, f"{outcome.seconds:.1f} s with a full backlog")

    world.reset()
    world.serve()
    outcome = world.host("uid=2001", ANSWER, "auth")
    check(outcome.seconds < 8, f"{outcome.seconds:.1f} s without a reply")
    check("did not answer within 1 s" in world.log()[0].text, "log line")


def case_a_socket_that_is_not_roots(world):
    world.login_service()
    child = os.fork()
    if child == 0:
        os.chmod("/run/vestry", 0o777)
        os.setresuid(2002, 2002, 2002)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        server.bind(f"{SOCKET}.new")
        os.chmod(f"{SOCKET}.new", 0o666)
        server.listen(4)
        os.rename(f"{SOCKET}.new", SOCKET)
        connection, _ = server.accept()
        os._exit(1 if connection.recv(4096) else 0)
    try:
        while not os.path.exists(SOCKET):
            time.sleep(0.01)
        outcome = world.host("uid=2001", ANSWER, "auth")
        equal(outcome["auth"], "0", "auth")
    finally:
        os.chmod("/run/vestry", 0o755)
        _, status = os.waitpid(child, 0)
    equal(os.waitstatus_to_exitcode(status), 0, "the other user's server got no packet")
    check("is not root's" in world.log()[0].text, "log line")
