"""`reseat explain`: where a table, a figure or a verdict comes from."""

from __future__ import annotations

import argparse
import json

from reseat.command.project import add_directory, add_run

HELP = "Show where a table, a figure or the verdict on a claim comes from."

EPILOG = """examples:
  reseat explain tiwd_fig2
  reseat explain tiwd_fig2 --run standard-seed7
  reseat explain reports/standard/figures/tiwd_fig2.png
  reseat explain TIWD-3a
  reseat explain results/standard/distances/globins/scores.csv --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand."""
    parser.add_argument(
        "target", metavar="WHAT", help="a file of a run, the name of an artefact, or a claim"
    )
    parser.add_argument("--json", action="store_true", help="print all details as JSON")
    add_directory(parser, "results/ and reports/")
    add_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation."""
    from reseat.papers.catalogue import CATALOGUE
    from reseat.provenance.explain import explain, find_target, render
    from reseat.provenance.records import History

    history = History(arguments.directory, arguments.of_run)
    artefacts = CATALOGUE.artefacts
    target = find_target(history, arguments.target, artefacts, CATALOGUE.claims())
    facts = explain(history, target)
    if arguments.json:
        print(json.dumps(facts, indent=1, ensure_ascii=False))
    else:
        print(render(facts, artefacts.get(target.artefact)), end="")
    return 0
