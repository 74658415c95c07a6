"""Scoreboard: verdicts on the numbers and claims of each paper, as a table and as Markdown."""

from __future__ import annotations

import pandas as pd

from reseat.report.claims import claim_views, verdict_counts
from reseat.report.comparison import tally
from reseat.vocabulary import CLAIM_VERDICTS, NUMBER_VERDICTS

__all__ = ["COLUMNS", "findings", "scoreboard"]

#: Columns of the scoreboard after `paper`: verdicts on numbers, then verdicts on claims.
COLUMNS = (*NUMBER_VERDICTS, *CLAIM_VERDICTS)

#: How the chains of a scale compare with those of the papers.
_LENGTHS = {
    "demo": " Its data are generated, and its chains are short.",
    "standard": " Depending on the table, its chains match those of the paper in number and "
    "length, or are fewer or shorter.",
}


def scoreboard(comparison: pd.DataFrame, claims: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts, with each published number and each claim counted once."""
    views = claim_views(claims)
    papers = dict.fromkeys([*comparison["paper"], *claims["paper"]])
    rows = [
        {
            "paper": paper,
            **tally(comparison[comparison["paper"].eq(paper)]),
            **verdict_counts(views.get(paper, [])),
        }
        for paper in papers
    ]
    table = pd.DataFrame(rows, columns=["paper", *COLUMNS])
    total = {"paper": "all", **table[list(COLUMNS)].sum().to_dict()}
    return pd.concat([table, pd.DataFrame([total])], ignore_index=True)


def findings(run) -> list[str]:
    """Return the findings as lines of Markdown: what was run, and the scoreboard."""
    facts, table = run.manifest, run.scoreboard
    chains = sum(entry["chains"] for entry in facts["chains"])
    made, known = facts["artefacts"]["made"], facts["artefacts"]["known"]
    lines = [
        f"The published run is of the **{facts['scale']} scale**: {chains:,} chains, {made} of "
        f"{known} tables and figures.{_LENGTHS.get(facts['scale'], '')}",
        "",
        f"| paper | numbers: {' | '.join(NUMBER_VERDICTS)} "
        f"| claims: {' | '.join(CLAIM_VERDICTS)} |",
        "|---|" + "--:|" * len(COLUMNS),
    ]
    for row in table.to_dict("records"):
        cells = " | ".join(f"{row[name]:,}" for name in COLUMNS)
        lines.append(f"| {row['paper']} | {cells} |")
    return lines
