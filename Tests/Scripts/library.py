"""libvestry and its Python module, where users and their compilers find them."""

import os
import pathlib
import re
import shutil
import subprocess

from world import PROGRAM

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
HEADERS = TREE / "Sources" / "CVestry" / "include"
HEADER = HEADERS / "vestry.h"
MANUAL = TREE / "packaging" / "manual" / "libvestry.3"
FOLDER = pathlib.Path(PROGRAM).parent / "library"
MODULES = FOLDER / "python"
LIBRARY = FOLDER / "libvestry.so.0"
ENVIRONMENT = {"LD_LIBRARY_PATH": str(FOLDER)}


def installed():
    """The library, where users find it."""
    if not LIBRARY.exists():
        FOLDER.mkdir(exist_ok=True)
        # As the package has it; valgrind does not read Swift's debugging information.
        built = pathlib.Path(os.environ["VESTRY_BIN"], "libvestry_c.so")
        subprocess.run(["strip", "--strip-unneeded", "-o", LIBRARY, built], check=True)
        LIBRARY.chmod(0o755)
        (FOLDER / "libvestry.so").symlink_to("libvestry.so.0")
    return FOLDER


def modules():
    """The Python module, where users find it."""
    if not MODULES.exists():
        shutil.copytree(TREE / "Sources" / "Python", MODULES, ignore=shutil.ignore_patterns("__pycache__"))
    return MODULES


def packaged():
    """The environment of a build that finds the library by pkg-config, as its packages have it."""
    libraries = FOLDER / "usr/lib/triplet"
    (libraries / "pkgconfig").mkdir(parents=True, exist_ok=True)
    description = (TREE / "packaging/debian/vestry.pc.in").read_text()
    for name, value in (("@multiarch@", "triplet"), ("@version@", "0.1.0"), ("prefix=/usr\n", f"prefix={FOLDER}/usr\n")):
        assert name in description, name
        description = description.replace(name, value)
    (libraries / "pkgconfig/vestry.pc").write_text(description)
    shutil.copytree(HEADERS, FOLDER / "usr/include", dirs_exist_ok=True)
    shutil.copy(installed() / LIBRARY, libraries / "libvestry.so")
    return {**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig")}


def flags(*which):
    """What pkg-config says that a compiler needs."""
    return subprocess.run(["pkg-config", *which, "vestry"], check=True, stdout=subprocess.PIPE, text=True,
                          env=packaged()).stdout.split()


def examples(beginning):
    """The examples of the manual in one language, which is told by how they begin."""
    texts = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", MANUAL.read_text(), re.M | re.S)
    return [text.replace("\\e", "\\") for text in texts if text.startswith(beginning)]
