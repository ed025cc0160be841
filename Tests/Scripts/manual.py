"""The examples of the manual pages, and how a case runs those of one page.

What a page shows behind a command is what the command prints, times and numbers of its own apart; where it
shows nothing, the command prints nothing on standard error, and exits with 0 in any case.
"""

import os
import pathlib
import re
import shutil
import subprocess

from harness import equal
from world import PROGRAM, Terminal, becoming

PAGES = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging" / "manual"
FOLDER = pathlib.Path("/run/vestry-test/examples")
# Stands where a command is left to other tests: the reason.
ELSEWHERE = {
    "systemctl --user start vestry-lock-watcher.service": "needs a user's service manager: Tests/Machine/watcher",
    "systemctl --user status vestry-lock-watcher.service": "needs a user's service manager: Tests/Machine/watcher",
    "systemctl --user mask --now vestry-lock-watcher.service": "needs a user's service manager",
    "systemctl --global disable vestry-lock-watcher.service": "needs a user's service manager",
    "systemctl start vestry-unlock.socket": "needs systemd: Tests/Machine/install",
    "/usr/libexec/vestry-session-helper device-key seal": "needs systemd-creds: Tests/Machine/devicekeys",
}
# What differs from run to run, and from this world to another.
MASKS = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"), (r"\b\d{8}T\d{6}Z", "NAME"),
    (r"(?:[0-9A-Z]{4}-){13}[0-9A-Z*~$=]", "CODE"), (r"\b[0-9a-f]{32}\b|^[0-9a-f]{8}(?=\t)", "ID"),
    (r"^session (?:\S+ )?(?:by \S+ )?since", "session since"), (r" +$", ""))


class Example:
    """A command that stands behind `$ `, or for root behind `# `, and what the page shows behind it."""

    def __init__(self, user, command):
        self.user, self.command, self.shown = user, command, []


def text(page):
    """The part of a page with its examples, as somebody reads it."""
    source = (PAGES / page).read_text().split(".Sh EXAMPLES")[1].split("\n.Sh ")[0]
    source = re.sub(r"((?:^\.Dl .*\n?)+)", r".Bd\n\1\n.Ed\n", source, flags=re.M)
    source = re.sub(r"^\.Dl ", "", source, flags=re.M).replace("\n\n", "\n")
    return source.replace("\\e", "\\").replace("\\(aq", "'")


def examples(page):
    """The sentences of a page before its examples, each with these."""
    found = {}
    source = text(page).replace(".Pp\n", "\n")
    for intro, block in re.findall(r"\n((?:[^\n]*\n){1,4}?)\.Bd[^\n]*\n(.*?)\.Ed", source, re.S):
        sentence = " ".join(re.sub(r"^\.Xr (\S+) (\d)", r"\1(\2)", line) for line in intro.strip().splitlines())
        those = found.setdefault(sentence, [])
        for line in re.sub(r"\\\n", "", block).splitlines():
            if line.startswith(("$ ", "# ")):
                those.append(Example("root" if line[0] == "#" else "alice", line[2:]))
            elif those:
                those[-1].shown.append(line)
    return found


def masked(lines):
    for pattern, name in MASKS:
        lines = [re.sub(pattern, name, line) for line in lines]
    return lines


def make_folder(**files):
    """An empty home for alice, with these files and programs that stand in for those of the examples."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    programs = {"backup": 'cat "$2" >taken\n', "mirror": "echo mirrored >taken\n"}
    for name, content in {**files, **{f"bin/{name}": f"#!/bin/sh\n{body}" for name, body in programs.items()}}.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o755 if name.startswith("bin/") else 0o644)
    for path in (FOLDER, *FOLDER.rglob("*")):
        os.chown(path, 2001, 2001)


def environment():
    path = f"{os.path.dirname(PROGRAM)}:{FOLDER}/bin:/usr/bin:/bin"
    return {"PATH": path, "TOKEN": "token of a day", "HOME": str(FOLDER)}


def run(command, user="alice"):
    """Runs a line of a shell as the user's cron would, without a terminal."""
    return subprocess.run(
        ["sh", "-ec", command], preexec_fn=becoming(user), cwd=FOLDER, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(), text=True)


def at_terminal(command, answers):
    """Runs it with a person, who is asked this and answers that; returns its status and what was shown."""
    terminal = Terminal("-ec", f"cd {FOLDER}; {command}", program="/bin/sh", environment=environment())
    try:
        for prompt, answer in answers:
            terminal.wait_for(prompt)
            terminal.type((answer() if callable(answer) else answer) + b"\n")
        status, shown = terminal.end()
        return status, shown.decode().replace("\r\n", "\n")
    finally:
        terminal.close()


def crontab(lines):
    """What cron would do with these lines, at once: each is a time and a command."""
    for line in lines:
        time = re.fullmatch(r"(?:@reboot|(?:(?:\*|\d+) ){4}(?:\*|\d)) (\S.*)", line)
        equal(bool(time), True, f"a line for crontab(5): {line}")
        result = run(time[1])
        equal((result.returncode, result.stdout), (0, ""), line)


def try_page(page, before=(), typed=(), statuses=(), outputs=None):
    """Runs all examples of a page in their order.

    `before` has what is done before those behind a sentence, `typed` what a person answers to a command, and
    `statuses` the exit status of those that do not end with 0, one for each time. Returns what each command printed.
    """
    before, typed = dict(before), dict(typed)
    statuses = {command: list(each) for command, each in dict(statuses).items()}
    outputs, used = {} if outputs is None else outputs, set()
    for sentence, those in examples(page).items():
        if sentence in before:
            used.add(sentence)
            before[sentence]()
        for example in those:
            command = example.command
            if command in ELSEWHERE:
                continue
            if command == "crontab -l":
                crontab(example.shown)
                outputs[command] = "\n".join(example.shown)
                continue
            if command in typed:
                status, output = at_terminal(command, typed[command])
            else:
                result = run(command, example.user)
                status, output = result.returncode, result.stdout
            used.add(command)
            equal(status, statuses[command].pop(0) if statuses.get(command) else 0, f"{page}: {command}: {output}")
            if example.shown:
                equal(masked(output.splitlines()), masked(example.shown), f"{page}: {command}")
            else:
                equal(re.search("^vestry: ", output, re.M), None, f"{page}: {command}: {output}")
            outputs[command] = output
    equal({*before, *typed, *statuses} - used, set(), f"{page}: what no example needs")
    return outputs
