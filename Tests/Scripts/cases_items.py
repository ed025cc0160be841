"""Attributes, filters, several items at once, certificates and keys, and generated passwords."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import time

from cases_terminal import at_terminal
from harness import case, equal
from world import (
    CANCELLED, DONE, DUPLICATE, FAILURE, LOCKED, NOT_FOUND, USAGE, contents, expect, login, logout, put, secret_of,
    vestry)

CERTIFICATES = pathlib.Path(__file__).resolve().parent.parent / "CertificatesTests" / "Certificates"


def shown(*arguments):
    return json.loads(expect(DONE, "show", "--json", *arguments).stdout)


def listed(*arguments):
    return json.loads(expect(DONE, "list", "--json", *arguments).stdout)["items"]


def names(*arguments):
    return [(item["service"], item["account"]) for item in listed(*arguments)]


@case
def every_attribute_is_stored_and_shown():
    login()
    given = {
        "label": "L", "comment": "two\nlines", "description": "token", "type": "abcd", "creator": "7",
        "invisible": "yes", "negative": "no", "generic": "g\t", "accessible": "when-unlocked-this-device-only",
        "expires": "2090-01-31T18:00:00Z",
    }
    put(b"secret", "s", "a", *[f"--{name}={value}" for name, value in given.items()])
    item = shown("s", "a")
    expected = {
        "class": "generic-password", "service": "s", "account": "a", "label": "L", "comment": "two\nlines",
        "description": "token", "type": 0x61626364, "creator": 7, "invisible": True, "negative": False,
        "generic": "6709", "accessible": "when-unlocked-this-device-only", "expires": 3_789_568_800,
        "group": "default", "synchronizable": False, "accessControl": [],
    }
    equal({name: item[name] for name in expected}, expected)
    text = expect(DONE, "show", "s", "a").stdout.decode()
    for line in ("class: generic-password", "comment: two\\nlines", "invisible: yes",
                 "expires: 2090-01-31T18:00:00Z", f"reference: {item['reference']}"):
        assert f"\n{line}\n" in f"\n{text}", text
    assert "secret" not in text and "secret" not in json.dumps(item)


@case
def attributes_stay_unless_they_are_given():
    login()
    put(b"1", "s", "a", "--comment", "C", "--label", "L", "--accessible", "when-unlocked")
    put(b"2", "s", "a", "--label", "M")
    item = shown("s", "a")
    equal((item["comment"], item["label"], item["accessible"]), ("C", "M", "when-unlocked"))
    expect(DONE, "set", "--keep-secret", "--comment", "D", "s", "a")
    equal((shown("s", "a")["comment"], secret_of("s", "a")), ("D", b"2"))
    expect(NOT_FOUND, "set", "--keep-secret", "--comment", "D", "s", "b")


@case
def the_same_names_with_another_label_are_one_item():
    login()
    put(b"1", "s", "a", "--label", "one", "--comment", "x")
    put(b"2", "s", "a", "--label", "two", "--comment", "y")
    equal([item["label"] for item in listed()], ["two"])
    equal(secret_of("s", "a"), b"2")


@case
def add_only_and_update_only_are_strict():
    login()
    expect(NOT_FOUND, "set", "--update-only", "s", "a", give=b"x", says="-25300")
    put(b"1", "s", "a", "--add-only")
    expect(DUPLICATE, "set", "--add-only", "s", "a", give=b"2", says="-25299")
    equal(secret_of("s", "a"), b"1")
    put(b"3", "s", "a", "--update-only", "--label", "L")
    equal((secret_of("s", "a"), shown("s", "a")["label"]), (b"3", "L"))


@case
def an_expired_item_is_not_found():
    login()
    put(b"1", "s", "a", "--expires", "+1s")
    put(b"2", "s", "b", "--expires", "+1d")
    time.sleep(2.1)
    expect(NOT_FOUND, "get", "s", "a")
    equal(names(), [("s", "b")])
    put(b"3", "s", "a", "--add-only")
    expect(USAGE, "set", "--expires", "tomorrow", "s", "a", give=b"", says="needs 'never', a time in UTC")


@case
def internet_passwords_are_told_apart_by_all_of_their_names():
    login()
    variants = [[], ["--protocol", "https"], ["--protocol", "ssh"], ["--port", "8080"], ["--path", "/p"],
                ["--security-domain", "d"], ["--authentication-type", "html-form"]]
    for number, options in enumerate(variants):
        expect(DONE, "set", "--server", "h", *options, "a", give=str(number).encode())
    equal(len(listed("--server", "h")), len(variants))
    for number, options in list(enumerate(variants))[1:]:
        equal(expect(DONE, "get", "--server", "h", *options, "a").stdout, str(number).encode())
    result = expect(USAGE, "get", "--server", "h", "a", says="7 items match")
    assert b"h\ta" in result.stderr, result.stderr
    equal(expect(DONE, "get", "--first", "--server", "h", "a").stdout, b"0")
    item = shown("--server", "h", "--protocol", "https")
    equal((item["protocol"], item["port"], item["path"]), ("https", 0, ""))
    equal(expect(DONE, "list", "--class", "internet-password", "--limit", "1").stdout, b"h\ta\n")
    # No generic password is among them.
    expect(NOT_FOUND, "get", "h", "a")
    expect(DONE, "delete", "--server", "h", "--port", "8080")
    equal(len(listed("--server", "h")), len(variants) - 1)


@case
def a_lookup_that_matches_several_names_them_and_opens_none():
    login()
    put(b"first", "s", "b")
    put(b"second", "s", "a")
    for verb in ("get", "show"):
        result = expect(USAGE, verb, "--service", "s", says="2 items match")
        assert b"s\tb" in result.stderr and b"s\ta" in result.stderr, result.stderr
        assert b"first" not in result.stdout + result.stderr
    equal(expect(DONE, "get", "--service", "s", "--first").stdout, b"first")
    expect(USAGE, "delete", "--service", "s", says="2 items match")
    expect(USAGE, "rename", "--to-account", "c", "--service", "s", says="2 items match")
    equal(len(names()), 2)


@case
def a_reference_names_an_item_of_any_class():
    login()
    put(b"1", "s", "a")
    expect(DONE, "set", "--server", "h", "b", give=b"2")
    for item in listed("--class", "any"):
        equal(shown("--reference", item["reference"]), item)
    reference = listed("--class", "internet-password")[0]["reference"]
    equal(expect(DONE, "get", "--reference", reference).stdout, b"2")
    expect(DONE, "delete", "--reference", reference)
    expect(NOT_FOUND, "get", "--reference", reference)
    equal(expect(DONE, "list", "--class", "any").stdout, b"generic-password\ts\ta\n")


@case
def filters_find_parts_of_texts_and_regard_case_unless_told():
    login()
    for account, label in [("1", "Work mail"), ("2", "work token"), ("3", "Home")]:
        put(b"", "s", account, "--label", label, "--comment", label)
    equal(names("--label-contains", "ork"), [("s", "1"), ("s", "2")])
    equal(names("--label-starts-with", "work"), [("s", "2")])
    equal(names("--label-starts-with", "work", "--ignore-case"), [("s", "1"), ("s", "2")])
    equal(names("--label-ends-with", "token"), [("s", "2")])
    equal(names("--comment", "Home"), [("s", "3")])
    equal(names("--comment", "home"), [])
    equal(names("--comment", "home", "--ignore-case"), [("s", "3")])
    equal(names("--account", "2", "s"), [("s", "2")])
    equal(len(names("--limit", "2")), 2)
    for host in ("example.org", "mail.example.org", "notexample.org"):
        expect(DONE, "set", "--server", host, "a", give=b"")
    equal([item["server"] for item in listed("--domain", "example.org")], ["example.org", "mail.example.org"])


@case
def a_short_list_is_said_to_be_short_or_refused():
    session, _ = login()
    put(b"", "s", "open")
    put(b"", "s", "shut", "--accessible", "when-unlocked")
    logout(session)
    result = expect(DONE, "list")
    equal(result.stdout, b"s\topen\n")
    assert b"1 more locked" in result.stderr, result.stderr
    equal(expect(DONE, "list", "--only-readable").stderr, b"")
    equal(expect(LOCKED, "list", "--complete", says="1 item is locked").stdout, b"")
    expect(LOCKED, "show", "s", "shut")
    expect(LOCKED, "get", "--service", "s", "--account", "shut")
    expect(LOCKED, "rename", "--to-account", "x", "s", "shut")
    expect(DONE, "delete", "--account", "shut")
    expect(DONE, "list", "--complete")


@case
def renaming_keeps_the_secret_and_overwrites_nothing():
    login()
    put(b"1", "s", "a", "--comment", "C", "--label", "L")
    put(b"2", "t", "b")
    before = contents()
    expect(DUPLICATE, "rename", "--to-service", "t", "--to-account", "b", "s", "a", says="-25299")
    assert contents() == before
    expect(DONE, "rename", "--to-service", "t", "--to-account", "c", "--to-label", "M", "s", "a")
    expect(NOT_FOUND, "get", "s", "a")
    item = shown("t", "c")
    equal((secret_of("t", "c"), item["label"], item["comment"]), (b"1", "M", "C"))
    equal(secret_of("t", "b"), b"2")
    expect(NOT_FOUND, "rename", "--to-account", "x", "s", "a")
    expect(DONE, "set", "--server", "h", "a", give=b"3")
    expect(DONE, "rename", "--to-server", "i", "--server", "h")
    equal(expect(DONE, "get", "--server", "i", "a").stdout, b"3")


@case
def groups_and_synchronizable_items_are_apart():
    login()
    put(b"1", "s", "a")
    put(b"2", "s", "a", "--group", "work")
    put(b"3", "s", "a", "--synchronizable", "yes")
    equal(secret_of("s", "a"), b"1")
    equal(expect(DONE, "get", "--group", "work", "s", "a").stdout, b"2")
    equal(expect(DONE, "get", "--synchronizable", "yes", "s", "a").stdout, b"3")
    equal(len(listed("--synchronizable", "any")), 2)
    expect(DUPLICATE, "rename", "--to-group", "work", "s", "a")
    expect(DONE, "delete", "--group", "work", "s", "a")
    expect(DONE, "rename", "--to-group", "work", "s", "a")
    equal(expect(DONE, "get", "--group", "work", "s", "a").stdout, b"1")
    expect(USAGE, "set", "--synchronizable", "yes", "--accessible", "when-unlocked-this-device-only", "s", "b",
           give=b"", says="cannot be synchronizable")


@case
def every_group_of_the_program_is_looked_into():
    login()
    folder = pathlib.Path("/home/alice/.config/vestry")
    folder.mkdir(parents=True)
    (folder / "access-groups").write_text("* = default work\n")
    try:
        put(b"1", "s", "a")
        put(b"2", "s", "b", "--group", "work")
        equal(secret_of("s", "b"), b"2")
        put(b"3", "s", "b")
        equal(json.loads(expect(DONE, "get", "--json", "s", "b").stdout)["group"], "work")
        equal(len(json.loads(expect(DONE, "history", "--json", "s", "b").stdout)["entries"]), 1)
        expect(DONE, "delete", "s", "b")
        expect(NOT_FOUND, "get", "s", "b")
        put(b"4", "s", "a", "--group", "work")
        expect(USAGE, "get", "s", "a", says="2 items match")
        expect(USAGE, "delete", "s", "a", says="2 items match")
        equal(expect(DONE, "get", "--group", "default", "s", "a").stdout, b"1")
    finally:
        shutil.rmtree(folder.parent)


@case
def deleting_all_wants_a_yes():
    login()
    for account in ("a", "b", "c"):
        put(b"", "s" if account != "c" else "t", account)
    before = contents()
    expect(FAILURE, "delete", "--all", "s", says="no terminal to ask on")
    expect(FAILURE, "delete", "--all", says="no terminal to ask on")
    assert contents() == before
    expect(DONE, "delete", "--all", "--yes", "s")
    equal(names(), [("t", "c")])
    expect(NOT_FOUND, "delete", "--all", "--yes", "s")
    expect(DONE, "delete", "--all", "--yes")
    equal(names(), [])


@at_terminal
def deleting_all_asks_the_person_with_the_number(make):
    login()
    put(b"", "s", "a")
    put(b"", "s", "b", "--accessible", "when-unlocked")
    for answer, status, count in ((b"y\n", CANCELLED, 2), (b"\n", CANCELLED, 2), (b"yes\n", DONE, 0)):
        terminal = make("delete", "--all", "s")
        terminal.wait_for(b"Delete 2 items? Type yes: ")
        assert terminal.echoes
        terminal.type(answer)
        equal(terminal.end()[0], status)
        assert terminal.is_restored
        equal(len(names()), count)


def openssl(*arguments, give=None):
    return subprocess.run(["openssl", *arguments], input=give, check=True, capture_output=True).stdout


@case
def certificates_come_from_DER_and_PEM():
    login()
    der = (CERTIFICATES / "ec.cer").read_bytes()
    pem = openssl("x509", "-inform", "DER", give=der)
    path = "/run/vestry-test/certificate"
    for contents_of_file in (der, pem):
        pathlib.Path(path).write_bytes(contents_of_file)
        result = json.loads(expect(DONE, "set", "--json", "--certificate", path).stdout)
        item = shown("--reference", result["reference"])
        equal((result["result"], item["class"], item["label"]), ("added", "certificate", "mail.example.org"))
        equal(item["subject"], "emailAddress=post@example.org,CN=mail.example.org,O=Bücher & Söhne,C=DE")
        equal(item["serialNumber"], "008877665544332211")
        equal(expect(DONE, "get", "--class", "certificate", "--serial-number", "008877665544332211").stdout, der)
        expect(DUPLICATE, "set", "--certificate", path)
        equal(len(listed("--subject-contains", "CN=mail")), 1)
        expect(DONE, "delete", "--class", "certificate", "--label", "mail.example.org")
    expect(DONE, "set", "--certificate", "-", "--label", "mine", give=pem)
    equal(expect(DONE, "list", "--class", "certificate").stdout.split(b"\t")[0], b"mine")
    expect(USAGE, "set", "--certificate", "-", give=pem + pem, says="more than one certificate")
    expect(USAGE, "set", "--certificate", "-", give=b"", says="no certificate in it")
    expect(USAGE, "set", "--certificate", "-", give=b"0nonsense", says="not a certificate or key")
    expect(FAILURE, "set", "--certificate", "/nonexistent", says="No such file")


@case
def keys_come_from_DER_and_PEM():
    login()
    for name, form, key_class in (("rsa.pkcs8", "PRIVATE KEY", "private"), ("ec.sec1", "EC PRIVATE KEY", "private"),
                                  ("ec.spki", "PUBLIC KEY", "public")):
        der = (CERTIFICATES / name).read_bytes()
        encoded = openssl("base64", give=der)
        pem = f"-----BEGIN {form}-----\n".encode() + encoded + f"-----END {form}-----\n".encode()
        for given in (der, pem):
            expect(DONE, "set", "--key", "-", "--application-tag", "org.example", "--label", name, give=given)
            item = shown("--class", "key", "--label", name)
            equal((item["keyClass"], item["applicationTag"]), (key_class, b"org.example".hex()))
            equal(expect(DONE, "get", "--application-tag", "org.example").stdout, der)
            equal(len(listed("--key-class", key_class)), 1)
            expect(DONE, "delete", "--class", "key", "--label", name)
    key = openssl("pkey", "-inform", "DER", "-aes256", "-passout", "pass:x", give=(CERTIFICATES / "rsa.pkcs8").read_bytes())
    expect(USAGE, "set", "--key", "-", give=key, says="a password of its own")
    equal(listed("--class", "key"), [])


@case
def generated_passwords_are_printed_or_stored_and_not_both():
    login()
    first, second = expect(DONE, "generate").stdout, expect(DONE, "generate").stdout
    assert first != second and len(first) == 24 and first.isalnum(), first
    equal(len(expect(DONE, "generate", "--length", "100").stdout), 100)
    assert expect(DONE, "generate", "--characters", "digits", "--length", "9").stdout.isdigit()
    equal(expect(DONE, "generate", "s", "a").stdout, b"")
    stored = secret_of("s", "a")
    assert len(stored) == 24 and stored.isalnum(), stored
    shown_password = expect(DONE, "generate", "--show", "--length", "30", "--service", "s", "--account", "a").stdout
    equal((secret_of("s", "a"), len(shown_password)), (shown_password, 30))
    expect(DUPLICATE, "generate", "--add-only", "s", "a")
    equal(secret_of("s", "a"), shown_password)
    result = json.loads(expect(DONE, "generate", "--json", "s", "a").stdout)
    equal((result["password"], result["result"]), (None, "updated"))
    result = json.loads(expect(DONE, "generate", "--json", "--characters", "symbols", "--length", "500").stdout)
    equal(len(result["password"]), 500)
    equal(expect(DONE, "generate", "--server", "h", "a").stdout, b"")
    equal(len(expect(DONE, "get", "--server", "h", "a").stdout), 24)


@case
def an_item_that_asks_for_the_user_can_be_listed_and_not_read_without_one():
    login()
    put(b"secret", "s", "a", "--access-control", "user-presence", "--accessible", "when-unlocked")
    item = shown("s", "a")
    equal((item["accessControl"], item["accessible"]), (["user-presence"], "when-unlocked"))
    put(b"plain", "s", "b", "--accessible", "when-unlocked")
    expect(DONE, "set", "--keep-secret", "--require-password", "s", "b")
    item = shown("s", "b")
    equal((item["accessControl"], item["accessible"]), (["user-presence"], "when-unlocked"))
    expect(USAGE, "set", "--access-control", "retina", "s", "a", give=b"", says="'--access-control' needs none")
    result = vestry("get", "s", "a")
    assert result.returncode == LOCKED and b"secret" not in result.stdout + result.stderr, result


@case
def reading_a_file_as_somebody_else_is_refused():
    login()
    path = "/run/vestry-test/private"
    pathlib.Path(path).write_bytes((CERTIFICATES / "ec.cer").read_bytes())
    os.chmod(path, 0o600)
    expect(FAILURE, "set", "--certificate", path, says="Permission denied")


@case
def whatever_is_stored_is_read_by_the_next_program():
    """FMT-2: secrets of any bytes, texts of any letters, by one seed."""
    login()
    seed = random.getrandbits(32)
    generator = random.Random(seed)

    def text():
        letters = "a\n\t\\\"'=:;,/\u00e9\u20ac\U0001f511\u202e\x7f\x01 "
        return "".join(generator.choice(letters) for _ in range(generator.randrange(1, 40)))

    for number in range(12):
        secret = generator.randbytes(generator.choice((0, 1, 31, 4096, 70_000)))
        given = {name: text() for name in ("label", "comment", "description")}
        service, account = text(), text()
        put(secret, service, account, *[f"--{name}={value}" for name, value in given.items()])
        equal(secret_of(service, account), secret, f"seed {seed}, {number}")
        item = shown("--", service, account)
        equal({name: item[name] for name in given}, given, f"seed {seed}, {number}")
    expect(DONE, "check")
