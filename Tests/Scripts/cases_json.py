"""The documented JSON, member for member."""

import base64
import json
import pathlib
import re

from cases_items import CERTIFICATES
from harness import case, equal
from world import DONE, DUPLICATE, LOCKED, NOT_FOUND, USAGE, expect, login, put, vestry

ARTICLE = (pathlib.Path(__file__).resolve().parent.parent.parent / "Sources" / "Vestry" / "Vestry.docc"
           / "CommandOutput.md")


def documented(heading):
    """The members and their types in the table under a heading."""
    section = re.search(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", ARTICLE.read_text(), re.M | re.S)
    assert section, heading
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section.group(1), re.M)
    assert rows, heading
    return dict(rows)


def section_of(heading):
    return re.search(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", ARTICLE.read_text(), re.M | re.S).group(1)


def fits(value, kind):
    kinds = {
        "text": str, "hex": str, "number": int, "seconds": int, "boolean": bool, "list": list, "object": dict,
    }
    allowed = [word.strip() for word in kind.split(" or ")]
    if value is None:
        return "null" in allowed
    return any(type(value) is kinds[word] for word in allowed if word != "null")


def check(value, *headings, partly=False):
    members = {}
    for heading in headings:
        members |= documented(heading)
    unknown = set(value) - set(members)
    equal(unknown, set(), f"undocumented in {headings}")
    if not partly:
        equal(set(members) - set(value), set(), f"missing from {headings}")
    for name, content in value.items():
        assert fits(content, members[name]), f"{name}: {content!r} is no {members[name]}"


def out(*arguments, **options):
    result = expect(DONE, *arguments, **options)
    assert result.stdout.endswith(b"\n") and result.stdout.count(b"\n") == 1, result.stdout
    return json.loads(result.stdout)


def fill():
    login()
    put(b"", "s", "a", "--comment=C", "--description=D", "--type=abcd", "--creator=abcd", "--invisible=yes",
        "--negative=yes", "--generic=g", "--label=L", "--expires=+1d", "--access-control=user-presence")
    expect(DONE, "set", "--server=h", "--comment=C", "a", give=b"")
    expect(DONE, "set", "--certificate", "-", give=(CERTIFICATES / "ec.cer").read_bytes())
    expect(DONE, "set", "--key", "-", "--application-tag=t", give=(CERTIFICATES / "ec.sec1").read_bytes())


@case
def items_have_the_documented_members():
    fill()
    listing = out("list", "--json", "--class", "any")
    check(listing, "list")
    equal([item["class"] for item in listing["items"]],
          ["generic-password", "internet-password", "certificate", "key"])
    for item in listing["items"]:
        title = item["class"].replace("-", " ").capitalize() + "s"
        always = set(documented("Items")) | set(documented(title))
        equal(always - set(item), set(), title)
        check(item, "Items", "Other attributes", title, partly=True)
        equal(out("show", "--json", "--reference", item["reference"]), item)
    # Each one that has an option is there somewhere.
    seen = {name for item in listing["items"] for name in item}
    for name in ("comment", "description", "type", "creator", "invisible", "negative", "generic"):
        assert name in seen, name


@case
def results_have_the_documented_members():
    login()
    check(out("set", "--json", "s", "a", give=b""), "set")
    equal(out("set", "--json", "s", "a", give=b"")["result"], "updated")
    check(out("generate", "--json"), "generate")
    check(out("generate", "--json", "s", "b"), "generate")
    equal(out("rename", "--json", "--to-account", "c", "s", "b"), {"renamed": 1})
    check({"renamed": 1}, "rename")
    equal(out("delete", "--json", "--all", "--yes", "s"), {"deleted": 2})
    check({"deleted": 2}, "delete")
    status = out("status", "--json")
    check(status, "status")
    equal(len(status["sessions"]), 1)
    check(status["sessions"][0], "Sessions")
    found = out("check", "--json")
    check(found, "check")
    for counts in (found["past"], found["snapshots"]):
        check(counts, "The past and the snapshots")
    check(out("repair", "--yes", "--json"), "repair")


@case
def a_secret_is_a_member_where_it_is_asked_for():
    fill()
    put(b"\xff\0", "s", "b")
    put("\u20ac\"\n".encode(), "s", "c")
    for name, secret in (("b", {"secretBase64": "/wA="}), ("c", {"secret": "\u20ac\"\n"})):
        got = out("get", "--json", "s", name)
        equal(got, out("show", "--json", "s", name) | secret)
        check({name: got[name] for name in secret}, "Secrets", partly=True)
    certificate = out("list", "--json", "--class", "certificate")["items"][0]
    got = out("get", "--json", "--reference", certificate["reference"])
    equal(base64.b64decode(got["secretBase64"]), (CERTIFICATES / "ec.cer").read_bytes())
    equal(out("get", "--json", "--server", "h"), out("show", "--json", "--server", "h") | {"secret": ""})


@case
def the_doctors_findings_have_the_documented_members():
    login()
    report = json.loads(vestry("doctor", "--json").stdout)
    check(report, "doctor")
    assert report["checks"] and report["services"], report
    codes = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", section_of("The codes")))
    for entry in report["checks"]:
        check(entry, "Checks")
        assert entry["code"] in codes, entry["code"]
    for entry in report["services"]:
        check(entry, "PAM services")


@case
def every_code_of_the_doctor_is_documented():
    sources = ARTICLE.parent.parent.parent
    text = "".join(path.read_text() for folder in ("PAMStacks", "VestryCLI/Doctor")
                   for path in (sources / folder).iterdir())
    words = set(re.findall(r'"([a-z]+(?:-[a-z]+)*)"', text))
    used = {word for word in words if re.match(
        "(pam|helper|runtime|unlock|device|account|kernel|keyring|keyrings|keys|store|folder|home|items|password|no"
        "|cron|clock|written)-", word)} - {"password-auth", "password-auth-ac"}
    codes = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", section_of("The codes")))
    equal(used - codes, set(), "undocumented")
    equal(codes - words, set(), "documented and never used")


@case
def failures_have_the_documented_members():
    login()
    put(b"", "s", "a")
    put(b"", "s", "z")
    expected = [
        (NOT_FOUND, -25300, "itemNotFound", ["get", "--json", "s", "b"]),
        (DUPLICATE, -25299, "duplicateItem", ["set", "--json", "--add-only", "s", "a"]),
        (USAGE, None, "usage", ["get", "--json", "s"]),
        (USAGE, None, "usage", ["list", "--json", "--frob"]),
        (USAGE, None, "ambiguous", ["show", "--json", "--service", "s"]),
        (USAGE, None, "ambiguous", ["delete", "--json", "--service", "s"]),
        (USAGE, -50, "parameter", ["set", "--json", "--synchronizable=yes",
                                   "--accessible=when-unlocked-this-device-only", "s", "c"]),
        (1, None, "failure", ["delete", "--json", "--all"]),
        (LOCKED, -25308, "locked", ["get", "--json", "s", "a"]),
        (LOCKED, -25308, "locked", ["list", "--json"]),
    ]
    for status, code, name, arguments in expected:
        if status == LOCKED:
            expect(DONE, "lock", "--json", "--all")
        result = vestry(*arguments)
        equal((result.returncode, result.stdout), (status, b""), arguments)
        failure = json.loads(result.stderr)
        check(failure, "Failures")
        check(failure["error"], "The error")
        equal((failure["error"]["code"], failure["error"]["name"], failure["error"]["status"]), (code, name, status))
    # A name is no option.
    assert vestry("get", "--", "--json", "a").stderr.startswith(b"vestry: ")
