"""The commands that messages, scripts and documents tell people to type: they exist, with these options."""

import pathlib
import re

from harness import case, equal
from world import vestry

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
# The commands of other programs, as they are printed, with X for what is filled in: each was typed on Debian 12 as the
# person who reads it (in a machine of Tests/Support/machine, whose root may set neither clock nor quotas). A new one
# comes here when that has been done.
TRIED = {
    "chmod X X", "chmod go-w X", "chmod u+rwx X", "dpkg-reconfigure libpam-vestry", "getent passwd", "keyctl show @u",
    "ls /etc/pam.d", "mv X X", "passwd", "runuser -u X -- vestry doctor", "sudo chmod 600 X", "sudo chmod 700 X",
    "sudo chmod 755 X", "sudo chmod X X", "sudo chown X: X", "sudo chown root:root X", "sudo date --set=TIME",
    "sudo dpkg-reconfigure libpam-vestry", "sudo journalctl -g vestry.conf",
    "sudo pam-auth-update --enable vestry vestry-late", "sudo sysctl kernel.keys.Xmaxkeys=X kernel.keys.Xmaxbytes=X",
    "sudo systemctl enable --now vestry-unlock.socket", "sudo systemctl start vestry-unlock.socket",
    "sudo timedatectl set-ntp true", "systemctl status vestry-unlock.socket", "systemd-creds has-tpm2"}
OTHERS = {command.removeprefix("sudo ").split()[0] for command in TRIED}
OURS = {"vestry", "git-credential-vestry", "docker-credential-vestry"}
HELPER = "device-key"
# What begins like a command and is none: names of keys, of services, and a line of output.
NAMES = re.compile(r"vestry (sealed )?(class|device|key|login|vouch|bridge|voucher|X\\n)|runuser runuser-l")


def literals(text):
    """The text of Swift's string literals, those that are joined by plus signs as one, with X for what is filled in."""
    text = re.sub(r"^\s*///?.*$", "", text, flags=re.M)
    text = re.sub(r'"\s*\+\s*"', "", text)
    found = [match.group(1) for match in re.finditer(r'"""\n(.*?)"""', text, re.S)]
    text = re.sub(r'"""\n.*?"""', "", text, flags=re.S)
    found += [match.group(1) for match in re.finditer(r'"((?:[^"\\\n]|\\\([^()]*(?:\([^()]*\)[^()]*)*\)|\\.)*)"', text)]
    return [re.sub(r"\\\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)", "X", literal) for literal in found]


def commands():
    """The commands in messages, with the files that print them."""
    found = {}

    def add(command, path):
        words = command.removeprefix("sudo ").split()
        is_helper = len(words) > 1 and words[0] == "X" and words[1] == HELPER
        if words and (words[0] in OURS | OTHERS or is_helper) and not NAMES.match(command):
            found.setdefault(" ".join(command.split()), set()).add(str(path.relative_to(TREE)))

    sources = [path for path in (TREE / "Sources").rglob("*.swift")]
    for path in sorted(sources):
        for literal in literals(path.read_text()):
            for command in re.findall(r"(?<![\w'])'((?:sudo )?[a-zX][a-zA-Z-]*(?: [^']*)?)'", literal):
                add(command, path)
            # A hint that is a command and nothing else.
            if re.match(r"(sudo|vestry|runuser|chmod|mv) ", literal):
                for command in re.split(r" && |, and |, or ", literal):
                    add(command, path)
    for path in sorted((TREE / "packaging/debian").glob("*.p*")):
        for command in re.findall(r"'((?:sudo )?vestry[^']*)'", path.read_text()):
            add(command, path)
    return found


def documented():
    """The commands that manual pages and articles name in the middle of a sentence."""
    found = {}
    for path in sorted((TREE / "packaging/manual").iterdir()):
        for command in re.findall(r"^\.(?:Ql|Li) ((?:sudo )?vestry(?: .*?)?)(?: [.,;:)])*$", path.read_text(), re.M):
            found.setdefault(command.replace("\\-", "-").replace("\\(aq", "'"), set()).add(path.name)
    articles = [*(TREE / "Sources").rglob("*.md"), *TREE.glob("*/README.md"), TREE / "README.md"]
    for path in sorted(articles):
        for command in re.findall(r"(?<!`)`((?:sudo )?vestry [^`\n]*)`(?!`)", path.read_text()):
            if not NAMES.match(command):
                found.setdefault(command, set()).add(path.name)
    return found


def help_of(*words):
    result = vestry(*words, "--help")
    return result.stdout.decode() if result.returncode == 0 else ""


def fault(command):
    """What is wrong with a command of ours; None when it can be typed."""
    words = command.removeprefix("sudo ").split()
    program, words = words[0], words[1:]
    if program == "X":
        usage = (TREE / "Sources/SessionHelper/DeviceKeyCommand.swift").read_text()
        line = re.search(rf"vestry-session-helper {HELPER} {words[1]}\b.*", usage)
        return None if words[1] == "X" or (line and all(word in line.group() for word in words[2:])) else "no such verb"
    if program != "vestry" or not words or words[0] in ("VERB", "X", "X--help", "--version", "help"):
        return None
    verb, words = words[0], words[1:]
    text = help_of(verb)
    if not text:
        return f"no verb {verb}"
    for word in words:
        # Arguments begin where options and words of the grammar end.
        name = word.split("=")[0].strip("[],|")
        if name == "--":
            break
        is_option = name.startswith("-") and name not in ("-h", "--help")
        if is_option and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            return f"{verb} has no {name}"
    subverbs = set(re.findall(rf"vestry {verb} ([a-z][a-z-]+)\b", text))
    if subverbs and words and re.fullmatch("[a-z][a-z-]+", words[0]) and words[0] not in subverbs:
        return f"{verb} has no {words[0]}"
    return None


@case
def the_commands_in_messages_exist_with_their_options():
    found = commands()
    others = {command for command in found if command.removeprefix("sudo ").split()[0] in OTHERS}
    equal(others - TRIED, set(), "commands that nobody has said to have tried")
    equal(TRIED - others, set(), "commands that no message names")
    equal({command: reason for command in found if command not in others and (reason := fault(command))}, {})
    equal(len(found) > 70, True, f"only {len(found)} commands found")


@case
def the_commands_in_manuals_and_articles_exist_with_their_options():
    found = documented()
    equal({command: (reason, files) for command, files in found.items() if (reason := fault(command))}, {})
    equal(len(found) > 15, True, f"only {len(found)} commands found")


@case
def units_and_packages_in_messages_are_ours():
    text = " ".join(commands())
    for unit in re.findall(r"\b[a-z@-]+\.(?:socket|service)\b", text):
        equal((TREE / "packaging/debian/systemd" / unit).exists(), True, unit)
    packages = re.findall("^Package: (.*)", (TREE / "packaging/debian/control").read_text(), re.M)
    for package in re.findall(r"dpkg-reconfigure ([a-z0-9-]+)", text):
        equal(package in packages, True, package)


@case
def what_is_counted_in_messages_has_a_singular():
    """By Int.counted(), or by naming what is counted before the number."""
    wrong = []
    for path in sorted((TREE / "Sources").rglob("*.swift")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\\\([\w.]*[cC]ount(?:\([^)]*\))?\) (?:more )?(?:items|snapshots|secrets|old secrets|findings|tags"
                         r"|fields|lines|seconds)\b", line) and not re.search(r"== 1 \?|more than \\\(maximum", line):
                wrong.append(f"{path.relative_to(TREE)}:{number}: {line.strip()}")
    equal(wrong, [])
