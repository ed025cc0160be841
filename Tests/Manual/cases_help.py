"""The manual and `--help` say the same: no verb, option, word or value is in one of them alone."""

import pathlib
import re
import tempfile

from harness import case, equal
from page import tags
from subject import VERBS, by_name, helps, manual, overview, pages, program, tree
from usage import output, read


def page_of(verb):
    """The one page that has the verb in its synopsis."""
    found = [page for page in by_name.values() if verb in page.verbs]
    equal(len(found), 1, f"pages with {verb}: {[page.name for page in found]}")
    return found[0]


def options_of(verb, page):
    """The options that the page gives a verb: in its own list, and in those that its text names."""
    options = set(page.entries[verb].options)
    for name, title in page.entries[verb].lists:
        options |= (by_name[f"{name}.1"] if name else page).sections[title].options
    return options


def options_in(text):
    """The options in the heads of a list."""
    for line in re.findall(r"^\.It (.*)", text, re.M):
        for kind, value in tags(line):
            if kind == "option":
                yield value


def security():
    """What each verb of `vestry security` says, by its name and in the order of their list."""
    text = output(program, "security", "--help")
    return {name: read(output(program, "security", name, "-h"))
            for name in sorted(helps["security"].words, key=lambda name: text.index(f"  {name}"))}


@case
def every_verb_is_used_as_its_help_says():
    equal(len(VERBS) > 25, True, "verbs")
    for verb, text in helps.items():
        page = page_of(verb)
        shown = [line for line in page.synopsis if line.split()[:2] == ["vestry", verb]]
        said = [line for each in security().values() for line in each.usages] if verb == "security" else text.usages
        equal(shown, said, f"{page.name}, {verb}")
        # Where no line stands for more than it says, they say everything.
        if verb != "security" and not any("[option...]" in line for line in said):
            names = set(re.findall(r"--[a-z-]+", " ".join(said)))
            equal(names, {name for name, _ in text.options}, f"options in the usage of {verb}")


@case
def every_option_of_every_verb_is_in_the_manual_and_no_other_one():
    for verb, text in helps.items():
        page = page_of(verb)
        if verb == "security":
            # Of each verb: what all take, and what those for such passwords and those that do such take.
            lists = re.split(r"^(All|Those) ", page.entries[verb].text, flags=re.M)[2::2]
            listed = {text.split(":")[0]: set(options_in(text)) for text in lists}
            for name, each in security().items():
                deed, kind, _ = name.split("-")
                taken = ("of the commands take", f"for {kind} passwords", f"that {deed}")
                equal(set().union(*(listed.get(those, set()) for those in taken)), each.options, f"{page.name}, {name}")
            continue
        equal(options_of(verb, page), text.options, f"{page.name}, {verb}")
        # And these are what the program takes; failures as JSON are for all of them.
        lines = [("complete", "--", verb, *word.split(), "--") for word in text.subcommands | {""}]
        taken = {word for line in lines for word in output(program, *line).split() if word.startswith("--")}
        always = {"--help", "--version", "--json"}
        equal(taken - always, {name for name, _ in text.options} - always, f"taken by {verb}")


@case
def every_word_of_every_verb_is_in_the_manual_and_no_other_one():
    classes = manual.sections["Classes"].words
    for verb, text in helps.items():
        page = page_of(verb)
        statuses = {word for word in text.words if word.isdigit()}
        words = (text.words - statuses) | text.subcommands
        if verb == "security":
            equal({line.split()[2] for line in page.synopsis}, words, page.name)
        elif verb == "status":
            equal(page.sections["STATES"].words, words, page.name)
        else:
            # All classes, or none.
            equal(words & classes in (classes, set()), True, f"classes of {verb}")
            equal(page.entries[verb].words, words - classes, f"{page.name}, {verb}")
        equal(text.values - page.commands, set(), f"{page.name}, values for {verb}")
        equal(statuses - page.sections["EXIT STATUS"].words, set(), f"{page.name}, exit status of {verb}")
        members = set(re.findall(r'"(\w+)":', page.entries[verb].text))
        equal(text.members - members, set(), f"{page.name}, JSON of {verb}")
    rules = set("newest stored incoming keep-both ask".split())
    equal(helps["restore"].values, rules, "rules for what comes in")
    equal(page_of("import").sections["FORMATS"].words, helps["import"].values - rules, "formats")


@case
def the_overview_says_of_every_verb_what_its_help_says():
    """The same words, in the third person, and which page has more."""
    for verb, summary in VERBS.items():
        text = manual.entries[verb].text
        if verb != "help":
            sentence = re.sub(r"^\.(It Cm \S+|Sq)( |$)", "", text, flags=re.M).strip()
            equal(plain(re.split(r"\.$", sentence, flags=re.M)[0]), plain(summary), verb)
        if verb != "help":
            name = page_of(verb).name[:-2]
            text = output(program, verb, "--help")
            equal(f"\n{name}(1) has more.\n" in text, True, f"{name}(1) in the help of {verb}")
        section = next(entry.text for entry in manual.sections.values() if f".It Cm {verb}\n" in entry.text)
        page = manual if verb == "help" else page_of(verb)
        equal(page is manual or f".Xr {page.name[:-2]} 1" in section, True, f"{page.name} beside {verb}")
    equal(set(manual.entries), set(VERBS), "verbs in vestry(1)")
    numbers = set(re.findall(r"(?:^|  ) +(\d+)  \w", overview.split("exit status:")[1], re.M))
    equal(manual.sections["EXIT STATUS"].words, numbers, "exit status")


def plain(text):
    return [word.rstrip("s") for word in re.findall(r"[a-z]+", text.lower())]


@case
def the_other_programs_are_used_as_their_help_says():
    folder = pathlib.Path(program).parent
    text = read(output(folder / "vestry-session-helper", "--help"))
    page = by_name["vestry-session-helper.8"]
    equal(page.synopsis, text.usages, page.name)
    named = {word.removeprefix("device-key ").split()[0] for word in page.sections["Device key"].words}
    equal(named, text.words, page.name)
    equal(text.subcommands, text.words, page.name)
    page = by_name["vestry-lock-watcher.8"]
    equal(page.synopsis, ["vestry-lock-watcher"], page.name)
    equal("takes no arguments" in output(folder / "vestry-lock-watcher", "--help"), True, page.name)
    with tempfile.TemporaryDirectory() as links:
        for name in ("git-credential-vestry", "docker-credential-vestry"):
            link = pathlib.Path(links) / name
            link.symlink_to(pathlib.Path(program).resolve())
            # Docker's own helpers put the words in angle brackets.
            usage = re.sub("[<>]", "", output(link, "--help").splitlines()[0].lower()).removeprefix("usage: ")
            equal(by_name[f"{name}.1"].synopsis, [usage], name)
            words = set(re.findall(r"[a-z]+", usage.removeprefix(name)))
            equal(by_name[f"{name}.1"].sections["DESCRIPTION"].words, words, name)


@case
def the_settings_and_the_module_take_what_their_pages_say():
    """They have no help, so the words stand in the sources that read them."""
    source = (tree / "Sources/VestryConfiguration/Configuration.swift").read_text()
    keys = {first or second for first, second in re.findall(r'case \("([a-z-]+)",|, \("([a-z-]+)", let', source)}
    equal(by_name["vestry.conf.5"].sections["DESCRIPTION"].words, keys, "settings")
    source = (tree / "pam/PAMModule/Options.swift").read_text()
    words = {first or second for first, second in
             re.findall(r'argument, "([a-z_]+)"|StaticString = "([a-z]+)="', source)}
    page = by_name["pam_vestry.8"]
    equal({re.match("[a-z_]+", word)[0] for word in page.sections["OPTIONS"].words}, words, "options of the module")
    equal(set(re.findall(r"\[([a-z_]+)", page.synopsis[0])), words, "synopsis of the module")


@case
def pages_refer_to_pages_and_sections_that_exist():
    names = {(page.stem, page.suffix[1:]) for page in pages}
    for page in by_name.values():
        for name, number in re.findall(r"^\.Xr (vestry\S*|\S+[-_]vestry|libvestry) (\d)", page.source, re.M):
            equal((name, number) in names, True, f"{page.name}: {name}({number})")
        references = re.findall(r"((?:^\.Sx [^\n]+\n(?:(?:and|or)\n)?)+)(?:in\n\.Xr (\S+) 1)?", page.source, re.M)
        for titles, other in references:
            sections = by_name[f"{other}.1"].sections if other else page.sections
            for title in re.findall(r"^\.Sx ([\w ]*\w)", titles, re.M):
                equal(title in sections, True, f"{page.name}: {title} in {other or 'it'}")
