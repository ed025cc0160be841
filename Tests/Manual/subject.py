"""What is checked: the program, and the pages as they are and as they are made."""

import pathlib
import subprocess
import sys
import tempfile

from page import Page
from usage import output, read, summaries

tree = pathlib.Path(__file__).resolve().parent.parent.parent
program = sys.argv.pop(1)
# Those of the formats are made of the articles.
made = tempfile.TemporaryDirectory()
subprocess.run([tree / "packaging" / "format-pages", made.name], check=True)
pages = sorted([*(tree / "packaging" / "manual").iterdir(), *pathlib.Path(made.name).iterdir()])

overview = output(program, "--help")
# Taken from the program: each verb, with what its list says about it.
VERBS = summaries(overview)
helps = {verb: read(output(program, verb, "--help")) for verb in VERBS if verb != "help"}
by_name = {page.name: Page(page, VERBS) for page in pages}
manual = by_name["vestry.1"]
