"""The examples of the manual, run as they stand there."""

import os
import pathlib
import re
import subprocess

from cases_items import CERTIFICATES
from harness import case, equal
from world import DONE, PROGRAM, becoming, expect, login, secret_of

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging" / "manual" / "vestry.1"
FOLDER = pathlib.Path("/run/vestry-test/examples")
# What needs cron, another login password, or an installed package.
ELSEWHERE = ("crontab", "vestry status", "vestry rewrap", "vestry recover", "vestry protectors", "vestry get --wait", "vestry doctor")


def examples():
    text = PAGE.read_text().split(".Sh EXAMPLES")[1].split(".Sh SEE ALSO")[0]
    lines = [line for block in re.findall(r"^\.Bd.*?\n(.*?)^\.Ed", text, re.M | re.S) for line in block.splitlines()]
    return [line[2:] for line in lines if line.startswith("$ ")]


def run(command):
    return subprocess.run(
        ["sh", "-ec", command], preexec_fn=becoming("alice"), cwd=FOLDER, capture_output=True,
        env={"PATH": f"{os.path.dirname(PROGRAM)}:/usr/bin:/bin", "TOKEN": "token of a day"})


@case
def the_examples_of_the_manual_work():
    login()
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "pin").write_bytes(b"1234")
    (FOLDER / "server.pem").write_bytes((CERTIFICATES / "ec.cer").read_bytes())
    (FOLDER / "server.key").write_bytes((CERTIFICATES / "ec.pkcs8").read_bytes())
    outputs = {}
    for command in examples():
        if not command.startswith(ELSEWHERE):
            result = run(command)
            equal((result.returncode, result.stderr), (0, b""), command)
            outputs[command] = result.stdout
    assert len(outputs) >= 7, outputs
    equal(secret_of("bank.example.org", "alice"), b"1234")
    equal(outputs["vestry security find-generic-password -s api.example.org -a deploy -w"], b"token of a day\n")
    equal(outputs["vestry list --domain example.org"], b"www.example.org\talice\n")
    equal(expect(DONE, "list", "--class", "any", "--label", "web").stdout.count(b"\tweb\t"), 2)
