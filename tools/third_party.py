"""Update the table of data sets in THIRD_PARTY.md from the registry; --check only compares."""

import argparse
import re
import sys
from pathlib import Path

from reseat.datasets import Registry
from reseat.files.atomic import write_text

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "THIRD_PARTY.md"
HEAD = "| data set | source | licence |\n|---|---|---|\n"


def listed(registry):
    """Return the table of the data sets that are not generated, in the order of the registry."""
    rows = (
        f"| {entry.title} | {_one_line(entry.citation)} | {_one_line(entry.licence)} |\n"
        for entry in registry.values()
        if not (entry.parser or "").startswith("generated")
    )
    return HEAD + "".join(rows)


def with_table(page, table):
    """Return the page with its table replaced by another."""
    found = re.search(rf"^{re.escape(HEAD)}(?:\|.*\n)*", page, re.M)
    if found is None:
        raise ValueError(f"{PAGE.name} contains no table that begins with {HEAD.splitlines()[0]!r}")
    return page[: found.start()] + table + page[found.end() :]


def _one_line(text):
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if the page is out of date"
    )
    arguments = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    table = listed(Registry.load(ROOT / "config" / "datasets.yaml", check_parsers=False))
    if arguments.check and with_table(page, table) != page:
        sys.exit(f"{PAGE.name} does not match the registry; run python tools/third_party.py")
    if not arguments.check:
        write_text(PAGE, with_table(page, table))
