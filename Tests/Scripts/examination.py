"""What the cases of `vestry doctor` need: a machine that is whole, and what the doctor finds on it."""

import glob
import json
import os
import pathlib
import shutil
import subprocess

from harness import Skip
from world import becoming, vestry

FILES = pathlib.Path(__file__).resolve().parent / "pam.d"
PAM = pathlib.Path("/etc/pam.d")


def module():
    """The place of the PAM module, in a copy of libpam's folder that leaves no trace."""
    built = pathlib.Path(os.environ["VESTRY_BIN"], "libpam_vestry.so")
    folder = next(iter(glob.glob("/usr/lib/*-linux-*/security")), None)
    if not built.exists() or folder is None:
        raise Skip("the PAM module was not built, or libpam is not here")
    if not os.path.ismount(folder):
        scratch = "/run/vestry-test/security"
        os.makedirs(f"{scratch}/upper")
        os.makedirs(f"{scratch}/work")
        subprocess.run(
            ["mount", "-t", "overlay", "overlay", folder, "-o",
             f"userxattr,lowerdir={folder},upperdir={scratch}/upper,workdir={scratch}/work"], check=True)
    return built, pathlib.Path(folder, "pam_vestry.so")


def whole(**changes):
    """A machine on which everything is as the package leaves it, but for the changed service files."""
    built, place = module()
    shutil.copy(built, place)
    os.chown(place, 0, 0)
    os.chmod(place, 0o644)
    shutil.rmtree(PAM)
    shutil.copytree(FILES, PAM)
    for name, text in changes.items():
        (PAM / name.replace("_", "-")).write_text(text)


def examine(*arguments, **options):
    """The exit status and the findings of `doctor --json`."""
    result = vestry("doctor", "--json", *arguments, **options)
    return result.returncode, json.loads(result.stdout)


def found(code, report):
    checks = [check for check in report["checks"] if check["code"] == code]
    assert checks, f"no {code} in {[check['code'] for check in report['checks']]}"
    return checks[0]


def wrong(report):
    return [check["code"] for check in report["checks"] if check["result"] in ("warning", "problem")]


def fix(check):
    """Does what the fix says, as the person would who reads it."""
    command = check["fix"].replace("sudo ", "")
    subprocess.run(["sh", "-ec", command], check=True, preexec_fn=None if "sudo" in check["fix"] else becoming("alice"))
