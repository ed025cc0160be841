"""What is stored comes back, byte for byte, under exactly the name that it was given."""

import json
import os

from harness import case, equal
from world import DONE, FAILURE, NOT_FOUND, STORE, USAGE, contents, expect, login, logout, put, secret_of

PEM = b"-----BEGIN KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END KEY-----\n"


@case
def secrets_come_back_byte_for_byte():
    login()
    secrets = [
        b"a", b"a\n", b"a\n\n", b"a  ", b"a\r\n", b"\0", b"\0\xff\xfe", PEM, b"[section]\nkey=value\n",
        json.dumps({"k": ["v", None]}, indent=2).encode(), "ä漢🗝".encode(), bytes(range(256)),
    ]
    for number, secret in enumerate(secrets):
        put(secret, "service", str(number))
    for number, secret in enumerate(secrets):
        equal(secret_of("service", str(number)), secret)


@case
def an_empty_secret_is_not_a_missing_item():
    login()
    put(b"", "s", "a")
    equal(secret_of("s", "a"), b"")
    expect(NOT_FOUND, "get", "s", "b")


@case
def sizes_up_to_the_limit_and_not_beyond():
    login()
    limit = 8 * 1024 * 1024
    for size in (1, 4095, 4096, 4097, 32_767, 32_768, 65_536, 1_048_576, limit):
        secret = os.urandom(size)
        put(secret, "s", "a")
        assert secret_of("s", "a") == secret, size
    before = contents()
    expect(FAILURE, "set", "s", "a", give=bytes(limit + 1), says="too large")
    expect(FAILURE, "set", "s", "b", give=bytes(3 * limit), says="too large")
    assert contents() == before
    expect(NOT_FOUND, "get", "s", "b")


@case
def a_short_secret_replaces_a_long_one_wholly():
    login()
    put(os.urandom(65_536), "s", "a")
    put(b"0123456789", "s", "a")
    equal(secret_of("s", "a"), b"0123456789")


@case
def an_empty_account_and_the_word_None_are_two_accounts():
    login()
    put(b"empty", "s", "")
    put(b"word", "s", "None")
    equal((secret_of("s", ""), secret_of("s", "None")), (b"empty", b"word"))
    expect(DONE, "delete", "s", "")
    expect(NOT_FOUND, "get", "s", "")
    equal(secret_of("s", "None"), b"word")


@case
def service_and_account_together_are_the_identity():
    login()
    names = [("s1", "a"), ("s2", "a"), ("s1", "b")]
    for first in range(3):
        for name in names:
            put("/".join(name).encode(), *name)
        put(b"new", *names[first])
        equal(secret_of(*names[first]), b"new")
        expect(DONE, "delete", *names[first])
        for name in names[:first] + names[first + 1:]:
            equal(secret_of(*name), "/".join(name).encode())


@case
def changing_the_class_leaves_one_item_under_the_new_key():
    session, _ = login()
    put(b"old", "s", "a", "--accessible", "when-unlocked")
    put(b"new", "s", "a", "--accessible", "after-first-unlock")
    logout(session)
    equal(secret_of("s", "a"), b"new")
    equal(len(json.loads(expect(DONE, "list", "--json").stdout)["items"]), 1)


@case
def setting_again_keeps_class_and_label():
    login()
    put(b"1", "s", "a", "--accessible", "when-unlocked", "--label", "L")
    put(b"2", "s", "a")
    item = json.loads(expect(DONE, "list", "--json").stdout)["items"][0]
    equal((item["accessible"], item["label"]), ("when-unlocked", "L"))


@case
def names_are_opaque():
    login()
    names = ["../../x", "/etc/passwd", "a/../b", "x" * 5000, "-n", "--", "a\nb\tc", "é", "e\u0301", "A", "a", " a"]
    for name in names:
        put(name.encode(), name, name)
    for name in names:
        equal(secret_of(name, name), name.encode())
    items = json.loads(expect(DONE, "list", "--json").stdout)["items"]
    equal([item["service"] for item in items], sorted(names, key=str.encode))
    equal(sorted(contents()), ["items.sqlite", "keybag", "keybag.previous"])
    assert not os.path.exists("/home/alice/.local/share/x")


@case
def names_have_a_limit_of_64_KiB():
    login()
    # Arguments have one of 128 KiB (MAX_ARG_STRLEN).
    put(b"x", "s" * 65_536, "a")
    equal(secret_of("s" * 65_536, "a"), b"x")
    expect(USAGE, "set", "s" * 65_537, "a", give=b"x", says="more than 65536 bytes")


@case
def a_list_is_sorted_and_cannot_command_the_terminal():
    login()
    for service, account in [("b", "1"), ("a", "2"), ("a", "1"), ("\x1b[2J", "x\ty\\")]:
        put(b"", service, account)
    equal(expect(DONE, "list").stdout.decode(), "\\u{1B}[2J\tx\\ty\\\\\na\t1\na\t2\nb\t1\n")
    equal(expect(DONE, "list", "a").stdout, b"a\t1\na\t2\n")
    equal(expect(DONE, "list", "absent").stdout, b"")


@case
def json_has_the_documented_members():
    login()
    put(b"", "s\"\\\x01\n🗝", "", "--label", "")
    put(b"", "t", "u")
    result = json.loads(expect(DONE, "list", "--json").stdout)
    equal((result["locked"], result["damaged"]), (0, 0))
    first, second = result["items"]
    equal(first["service"], "s\"\\\x01\n🗝")
    equal((first["label"], second["label"]), ("", None))
    for name in ("accessible", "account", "created", "label", "modified", "service"):
        assert name in first, name
    assert first["created"] <= first["modified"]


@case
def the_store_shows_no_attribute_and_no_secret():
    login()
    put(b"MARKER-SECRET", "MARKER-SERVICE", "MARKER-ACCOUNT", "--label", "MARKER-LABEL")
    assert not any(b"MARKER" in data for data in contents().values())
    put(b"other", "MARKER-SERVICE", "MARKER-ACCOUNT")
    expect(DONE, "delete", "MARKER-SERVICE", "MARKER-ACCOUNT")
    assert not any(b"MARKER" in data for data in contents().values())
    for entry in STORE.iterdir():
        equal(entry.stat().st_mode & 0o777, 0o700 if entry.is_dir() else 0o600, entry.name)


@case
def other_users_read_nothing():
    login()
    put(b"secret", "s", "a")
    session, _ = login("bob")
    expect(NOT_FOUND, "get", "s", "a", user="bob")
    # Nor with alice's environment.
    expect(NOT_FOUND, "get", "s", "a", user="bob", environment={"HOME": "/home/alice", "USER": "alice"})
    equal(expect(DONE, "list", user="bob").stdout, b"")


@case
def root_with_somebodys_HOME_uses_its_own_keychain_and_makes_no_file():
    login()
    put(b"secret", "s", "a")
    before = contents()
    environment = {"HOME": "/home/alice", "XDG_DATA_HOME": "/home/alice/.local/share", "USER": "alice"}
    expect(NOT_FOUND, "get", "s", "a", user="root", environment=environment)
    expect(NOT_FOUND, "set", "s", "a", user="root", environment=environment, give=b"x")
    expect(NOT_FOUND, "status", user="root", environment=environment)
    assert contents() == before
    for folder, _, files in os.walk("/home/alice"):
        for name in [folder, *[os.path.join(folder, file) for file in files]]:
            equal(os.stat(name).st_uid, 2001, name)


@case
def the_home_directory_comes_from_the_account_record():
    login()
    put(b"secret", "s", "a", environment={"HOME": "/home/bob", "XDG_DATA_HOME": "/tmp"})
    equal(secret_of("s", "a", environment={"HOME": "/nonexistent"}), b"secret")
    assert not os.path.exists("/home/bob/.local")
