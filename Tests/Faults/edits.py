"""Random edits of a keychain's files: never a trap, never a hang, never a wrong answer.

    VESTRY_EDITS=COUNT VESTRY_SEED=NUMBER   so many edits of each file (500), by this seed (a new one);
                                            for a night: VESTRY_EDITS=10000 Tests/Faults/run edits
    VESTRY_EDITS_STORE=FOLDER               on the store that a failure has left
"""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile

from harness import Skip, case, equal
from helper_client import OPEN, REWRAP, UNLOCK, ask
from world import KEYBAG, STORE, becoming, contents, login, put, secret_of

COUNT = int(os.environ.get("VESTRY_EDITS", "500"))
STORE_TO_USE = os.environ.get("VESTRY_EDITS_STORE")
SEED = int(os.environ.get("VESTRY_SEED", random.getrandbits(32)))


def begin():
    """A store with items of many sizes, or the one that is to be used again."""
    if STORE_TO_USE:
        STORE.mkdir(parents=True, mode=0o700)
        for entry in pathlib.Path(STORE_TO_USE).iterdir():
            shutil.copy(entry, STORE)
            os.chmod(STORE / entry.name, 0o600)
        for path in (STORE, STORE.parent, STORE.parent.parent, *STORE.iterdir()):
            os.chown(path, 2001, 2001)
        login()
        return
    login()
    for number in range(12):
        account = "x" * (1 << number)
        put(account.encode(), "edits", account)


def edit(file, count):
    """Runs the program over so many edits of one file."""
    program = pathlib.Path(os.environ["VESTRY_BIN"], "Edits")
    if not program.exists():
        raise Skip("Edits is not built")
    copy = shutil.copy(program, "/run/vestry-test/Edits")
    os.chmod(copy, 0o755)
    begin()
    before = contents()
    print(f"         seed {SEED}", flush=True)
    result = subprocess.run(
        [copy, file, str(count), str(SEED)], preexec_fn=becoming("alice"), cwd="/", env={}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60 + count)
    lines = result.stdout.splitlines()
    errors = [line for line in lines if line.startswith("error ")]
    last = next((line for line in reversed(lines) if line.startswith("at ")), "before the first")
    if errors or result.returncode != 0:
        # Keys and nonces are random, so the edits alone would not bring it back.
        kept = tempfile.mkdtemp(prefix="vestry-edits-")
        for name, data in before.items():
            pathlib.Path(kept, name).write_bytes(data)
        raise AssertionError(f"{errors} {last}: {result.returncode} {result.stderr}; again by "
                             f"VESTRY_SEED={SEED} VESTRY_EDITS_STORE={kept}")
    noticed = int(lines[-1].removeprefix("noticed "))
    assert noticed > count / 2, f"{noticed} of {count} edits were noticed"
    equal(contents(), before)
    secret_of("edits", "x")


@case
def random_edits_of_the_items_are_noticed_or_harmless():
    edit("items.sqlite", COUNT)


@case
def random_edits_of_the_keybag_are_noticed_or_harmless():
    edit("keybag", COUNT)


@case
def random_edits_of_the_keybag_stop_no_login():
    login()
    before = KEYBAG.read_bytes()
    generator = random.Random(SEED)
    print(f"         seed {SEED}", flush=True)
    for number in range(COUNT // 10):
        data = bytearray(before)
        for _ in range(generator.randint(1, 4)):
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        if generator.random() < 0.3:
            del data[generator.randrange(len(data)):]
        if data == before:
            continue
        KEYBAG.write_bytes(data)
        for verb in (OPEN, UNLOCK, REWRAP):
            result = ask(verb, "alice", b"correct horse", b"new").result
            assert result in ("damaged", "newer-format"), f"seed {SEED}, {number}: {result}"
        equal(KEYBAG.read_bytes(), bytes(data))
    KEYBAG.write_bytes(before)
    equal(ask(OPEN, "alice", b"correct horse").result, "already-open")
