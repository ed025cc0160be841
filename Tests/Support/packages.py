"""Packages of Debian for the tests that run by name only, because they are large."""

import os
import pathlib
import subprocess
import sys
import tempfile


def _mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def install_in_memory(name, packages):
    """Gets the packages into memory over this machine's folders, unless VESTRY_NO_PACKAGES=1.

    Begins the program again in a mount namespace of its own, with which they are gone. What was downloaded
    stays in ${XDG_CACHE_HOME:-~/.cache}/vestry/NAME for the next run.
    """
    if os.environ.get("VESTRY_NO_PACKAGES") == "1":
        return
    if os.environ.get("VESTRY_PACKAGES_STAGE") != "inside":
        os.environ["VESTRY_PACKAGES_STAGE"] = "inside"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", *sys.argv])
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"), "vestry", name)
    (cache / "partial").mkdir(parents=True, exist_ok=True)
    scratch = tempfile.mkdtemp()
    _mount("-t", "tmpfs", "-o", "mode=755", f"vestry-{name}", scratch)
    for folder in ("usr", "etc", "var"):
        upper, work = f"{scratch}/upper-{folder}", f"{scratch}/work-{folder}"
        os.mkdir(upper)
        os.mkdir(work)
        _mount("-t", "overlay", "overlay", f"/{folder}", "-o", f"lowerdir=/{folder},upperdir={upper},workdir={work}")
    # No service starts for a test.
    with open("/usr/sbin/policy-rc.d", "w") as file:
        os.fchmod(file.fileno(), 0o755)
        file.write("#!/bin/sh\nexit 101\n")
    options = ["-qq", "-y", "--no-install-recommends", "-o", f"Dir::Cache::archives={cache}/",
               "-o", "APT::Keep-Downloaded-Packages=true", "-o", "APT::Sandbox::User=root"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    log = subprocess.PIPE
    subprocess.run(["apt-get", "update", *options], env=environment, stdout=log, stderr=log, check=False)
    result = subprocess.run(
        ["apt-get", "install", *options, *packages], env=environment, stdout=log, stderr=subprocess.STDOUT, text=True,
        check=False)
    if result.returncode != 0:
        sys.exit(f"the packages could not be installed:\n{result.stdout[-3000:]}")
