"""The examples of the manual, run as they stand there."""

import os
import pathlib
import re
import shutil
import subprocess

from cases_credentials import link
from cases_items import CERTIFICATES
from harness import Skip, case, equal
from world import DONE, PROGRAM, becoming, expect, login, secret_of

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging" / "manual" / "vestry.1"
FOLDER = pathlib.Path("/run/vestry-test/examples")
# What needs cron, another login password, or an installed package.
ELSEWHERE = ("crontab", "vestry status", "vestry rewrap", "vestry recover", "vestry protectors", "vestry get --wait", "vestry doctor")


def examples(page=PAGE):
    text = page.read_text().split(".Sh EXAMPLES")[1].split(".Sh SEE ALSO")[0]
    lines = [line for block in re.findall(r"^\.Bd.*?\n(.*?)^\.Ed", text, re.M | re.S) for line in block.splitlines()]
    return [line[2:] for line in lines if line.startswith("$ ")]


def run(command):
    return subprocess.run(
        ["sh", "-ec", command], preexec_fn=becoming("alice"), cwd=FOLDER, capture_output=True,
        env={"PATH": f"{os.path.dirname(PROGRAM)}:/usr/bin:/bin", "TOKEN": "token of a day", "HOME": str(FOLDER)})


def make_folder():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    os.chown(FOLDER, 2001, 2001)


@case
def the_examples_of_the_manual_work():
    login()
    make_folder()
    (FOLDER / "pin").write_bytes(b"1234")
    (FOLDER / "server.pem").write_bytes((CERTIFICATES / "ec.cer").read_bytes())
    (FOLDER / "server.key").write_bytes((CERTIFICATES / "ec.pkcs8").read_bytes())
    outputs = {}
    for command in examples():
        if not command.startswith(ELSEWHERE):
            result = run(command)
            equal(result.returncode, 0, command)
            # Says what the backup holds.
            assert command.startswith("vestry restore") or result.stderr == b"", result.stderr
            outputs[command] = result.stdout
    assert len(outputs) >= 7, outputs
    equal(secret_of("bank.example.org", "alice"), b"1234")
    equal(outputs["vestry security find-generic-password -s api.example.org -a deploy -w"], b"token of a day\n")
    equal(outputs["vestry list --domain example.org"], b"www.example.org\talice\n")
    equal(expect(DONE, "list", "--class", "any", "--label", "web").stdout.count(b"\tweb\t"), 2)


@case
def the_examples_of_importing_work():
    login()
    make_folder()
    (FOLDER / "logins.csv").write_text("name,url,username,password\nSite,https://www.example.org,alice,pin\n")
    (FOLDER / ".git-credentials").write_text("https://alice:token@git.example.org\n")
    commands = examples(PAGE.with_name("vestry-import.1"))
    equal(len(commands), 3)
    for command in commands:
        result = run(command)
        equal((result.returncode, result.stderr), (0, b"vestry: 1 added\n"), command)
    equal(expect(DONE, "get", "--server", "git.example.org", "alice").stdout, b"token")
    equal(expect(DONE, "get", "--server", "www.example.org", "alice").stdout, b"pin")


@case
def the_examples_of_the_credential_helpers_work():
    if not shutil.which("git"):
        raise Skip("git is not installed")
    login()
    make_folder()
    link()
    for name, content in ((".docker/config.json", '{"auths": {"ghcr.io": {"auth": "YWxpY2U6cDpx"}}}'),
                          (".git-credentials", "https://alice:pin@www.example.org\n"), ("token", "12")):
        file = FOLDER / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)
        for path in (file, file.parent):
            os.chown(path, 2001, 2001)
    for page in ("git-credential-vestry.1", "docker-credential-vestry.1"):
        commands = examples(PAGE.with_name(page))
        assert len(commands) >= 3, page
        for command in commands:
            result = run(command)
            equal(result.returncode, 0, command)
            if command.endswith("git credential fill"):
                equal(result.stdout, b"protocol=https\nhost=git.example.org\nusername=alice\npassword=12\n")
    equal(result.stdout, b'{"ghcr.io":"alice"}\n')
    equal((FOLDER / ".git-credentials").exists(), False)
