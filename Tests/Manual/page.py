"""What a manual page says about options and words: its synopsis, its lists, and what an entry refers to."""

import dataclasses
import re
import subprocess


@dataclasses.dataclass
class Entry:
    """What a page says about one verb."""

    options: set = dataclasses.field(default_factory=set)
    words: set = dataclasses.field(default_factory=set)
    # The lists of options that it takes besides: page or None for this one, and title of a section.
    lists: set = dataclasses.field(default_factory=set)
    text: str = ""


def rendered(page):
    """The page as somebody reads it, on lines that are never broken."""
    command = ["mandoc", "-T", "utf8", "-O", "width=1000", str(page)]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.sub(r".\x08", "", text).replace("‐", "-").replace("−", "-")


def usages(text):
    """The lines of a synopsis or of `--help`, in one form: `vestry get [option...] service account`."""
    lines = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if line.strip()]
    return [re.sub(r" ?\| ?", "|", line.replace(" ...", "...")).lower() for line in lines]


class Page:
    """A page in mdoc."""

    def __init__(self, path, verbs=()):
        self.path = path
        self.name = path.name
        self.source = path.read_text().replace("\\\n", " ")
        synopsis = re.search(r"\nSYNOPSIS\n(.*?)\n(?=[A-Z])", rendered(path), re.S)
        self.synopsis = usages(synopsis[1]) if synopsis else []
        self.verbs = [verb for verb in verbs if any(line.split()[:2] == ["vestry", verb] for line in self.synopsis)]
        # Options, words and text of the lists of each section.
        self.sections = {}
        self.entries = {verb: Entry() for verb in self.verbs}
        self._read(verbs)
        self.commands = {word for word in re.findall(r"[a-z][a-z0-9+-]*", " ".join(
            line for line in self.source.splitlines() if re.search(r"(^\.| )Cm ", line)))}

    def _read(self, verbs):
        title, depth, verb = "", 0, None
        # The overview has entries of all verbs; a page of one verb has no entry, but all the text.
        only = self.verbs[0] if len(self.verbs) == 1 and self.name != "vestry.1" else None
        verbs = verbs if self.name == "vestry.1" else self.verbs
        for line in self.source.splitlines():
            if line.startswith((".Sh ", ".Ss ")):
                title, verb = line[4:].strip('"').replace('" "', " "), None
                self.sections.setdefault(title, Entry())
                continue
            depth += line.startswith(".Bl ") - line.startswith(".El")
            if depth == 0:
                verb = None
            if title in ("", "SYNOPSIS", "NAME"):
                continue
            if depth == 1 and line.startswith(".It Cm ") and line[7:] in verbs:
                verb = line[7:]
                self.entries.setdefault(verb, Entry())
            owner = verb or (only if title == "DESCRIPTION" else None)
            entry = self.entries[owner] if owner else self.sections[title]
            if line.startswith(".It ") and not (depth == 1 and verb):
                for kind, value in tags(line[4:]):
                    (entry.options if kind == "option" else entry.words).add(value)
            entry.text += line + "\n"
            if entry is not self.sections[title]:
                self.sections[title].text += line + "\n"
        for entry in self.entries.values():
            for titles, page in re.findall(
                    r"\boptions of\n((?:\.Sx [^\n]+\n(?:and\n)?)+)(?:in\n\.Xr (\S+) 1)?", entry.text):
                entry.lists |= {(page or None, name) for name in re.findall(r"\.Sx ([\w ]*\w)", titles)}


def tags(text):
    """The options, as (name, value), and words of the head of an entry in a list."""
    kind = None
    for part in text.split(" , "):
        tokens = part.split()
        if tokens[0] in ("Fl", "Cm", "Pa", "Sy", "Ar", "Ev"):
            kind = tokens.pop(0)
        words = [token for token in tokens if token not in ("Ar", "Cm", "Ns", "No", "Fl")]
        if kind == "Fl":
            yield "option", (f"-{words[0]}", "".join(words[1:]).lower())
        else:
            yield "word", " ".join(words)
