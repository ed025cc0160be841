"""What `--help` of a program says: how it is used, its options with their values, and its words."""

import dataclasses
import re
import subprocess

from page import usages


@dataclasses.dataclass
class Help:
    usages: list
    # The words behind the verb in these: of `protectors` "add key-file", for example.
    subcommands: set
    # Pairs of name and value, which is empty for a flag.
    options: set
    # What else stands in front of an explanation.
    words: set
    # The words that an option's value can be, where each has a line.
    values: set
    # The names in JSON.
    members: set


def output(*command):
    pipe = subprocess.PIPE
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT, text=True).stdout


def read(text):
    """Reads what `--help` printed."""
    head, _, body = text.partition("\n\n")
    assert head.lower().startswith("usage: "), text
    rows = re.findall(r"^  (\S.*?)(?:  +\S.*)?$", body, re.M)
    options = set()
    for row in (row for row in rows if row.startswith("-")):
        for option in row.split(", "):
            name, _, value = option.partition(" ")
            options.add((name, value.lower()))
    subcommands = set()
    for line in head[len("usage: "):].splitlines():
        words = re.match(r"(?:[a-z]+-?)+ [a-z-]+ \[?([a-z][a-z-]*(?: [a-z][a-z-]*)*)", line.strip())
        subcommands |= {words[1]} if words else set()
    return Help(
        usages(head[len("usage: "):]), subcommands, options, {row for row in rows if not row.startswith("-")},
        set(re.findall(r"^(?: {6,}|  --\S+ [A-Z]+ +)([a-z][a-z-]+)(?: \(default\))?  +\S", body, re.M)),
        set(re.findall(r'"(\w+)":', body)))


def summaries(text):
    """The verbs of `vestry --help` in their order, with what it says about each."""
    verbs = text.split("\n\n")[2]
    return dict(re.findall(r"^  ([a-z]+) +(\S.*)$", verbs, re.M))

