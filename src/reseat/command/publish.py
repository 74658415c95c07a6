"""`reseat publish`: keep a finished run in the repository."""

from __future__ import annotations

import argparse

from reseat.command.project import add_directory

HELP = "Copy what the repository keeps of a finished run to reports/published."

EPILOG = """example:
  reseat publish standard

Tables, figures, claims, comparison, diagnostics, configuration, the pages of the report, and a
manifest with the hashes of the chains; at most 12 MB.  The documentation, README.md and
`reseat verify` read from that folder.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand."""
    parser.add_argument("of_run", metavar="RUN", help="name of the run, such as standard")
    parser.add_argument(
        "--smaller",
        action="store_true",
        help="replace a published run even if it is of a larger scale than RUN, or made more",
    )
    add_directory(parser, "results/ and reports/")


def run(arguments: argparse.Namespace) -> int:
    """Publish the run."""
    from reseat.kept_run import publish
    from reseat.provenance.records import named_run

    folder = publish(arguments.directory, arguments.of_run, smaller=arguments.smaller)
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    name = named_run(arguments.of_run)
    print(f"{folder} now contains the run {name}: {len(files)} files, {size:.1f} MB.")
    return 0
