"""The kept run as a source of numbers: its tables, what their columns mean, its scoreboard."""

import os
import re
from functools import cache, cached_property
from pathlib import Path

import pandas as pd

from reseat.errors import DataError, unforeseen
from reseat.kept_run.costs import MANIFEST, PACKED, read_manifest, restoring
from reseat.report.comparison import claim_views, reasons, tally, verdict_counts
from reseat.report.lookup import Numbers, lessons
from reseat.vocabulary import CLAIM_VERDICTS, NOTE, NUMBER_VERDICTS, OBSTACLE


class PublishedRun(Numbers):
    """The contents of ``reports/published``."""

    def __init__(self, folder: str | os.PathLike):
        super().__init__(cache(self._text), folder)
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        if not path.is_file():
            raise DataError(
                f"No run is published in {self.folder}; specify the folder of the project with "
                "--directory, or see `reseat publish --help`."
            )
        self.manifest = read_manifest(path)

    @cached_property
    def scoreboard(self) -> pd.DataFrame:
        """Table from `reseat.kept_run.scoreboard.scoreboard`."""
        return scoreboard(*(self._read(f"{name}.csv") for name in ("comparison", "claims")))

    def names(self) -> list[str]:
        """Return the names of the tables of artefacts."""
        paths = [*self.folder.glob("tables/*.csv"), *self.folder.glob(f"tables/*.csv{PACKED}")]
        return sorted(path.name.partition(".")[0] for path in paths)

    def _text(self, name):
        if name == "scoreboard":
            return self.scoreboard.astype(str)
        place = "." if name in {"claims", "comparison", "diagnostics"} else "tables"
        path = f"{place}/{name}.csv"
        if not self._place(path).is_file():
            raise DataError(f"{self.folder} has no table {name!r}.")
        return self._read(path, dtype=str, keep_default_na=False)

    def _place(self, name):
        """Return the path of a table, which is compressed if it is large."""
        packed = self.folder / f"{name}{PACKED}"
        return packed if packed.is_file() else self.folder / name

    def _read(self, name, **options):
        path = self._place(name)
        with unforeseen(f"{path} cannot be read; restore it {restoring(self.folder)}."):
            return pd.read_csv(path, **options)


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
    rows = []
    for paper in dict.fromkeys([*comparison["paper"], *claims["paper"]]):
        numbers = tally(comparison[comparison["paper"].eq(paper)])
        rows.append({"paper": paper, **numbers, **verdict_counts(views.get(paper, []))})
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
    numbers = run.table("comparison")
    found = reasons(numbers.assign(counted=numbers["counted"].eq("True")))
    said = "; ".join(f"{n:,} ({why})" for why, n in found.items())
    return [*lines, "", f"Not comparable: {said}."]


def learned(run: Numbers) -> list[str]:
    """Return what was learned as lines of Markdown, one for each lesson."""
    return [
        f"{place}. **{title}** {' '.join(sentences)}"
        for place, (title, sentences) in enumerate(lessons(run), start=1)
    ]


#: Columns of numbers that identify rows of a table.
INDICES = set(
    """
    axis beta chain cluster column_cluster delta delta_true draw few h i j n n_groups
    n_items n_labelled n_unlabelled partition rank row_cluster run sam_class sample size
    sweep directions log_concentration nugget power sigma
    """.split()
)
#: Columns of numbers that identify rows in one table, but are results in others.
INDICES_OF = {"tiwd_scaling": {"n_clusters"}}
#: Columns that are no results: they state the length of a run, repeat a published number or follow
#: from other columns.
NO_RESULT = re.compile(
    r"n_(chains|draws|parts|sweeps|fitted|observed)|burn_in|published.*|difference|z|combined|.*_?se|mcse"
)
#: Columns of text that do not identify rows: results, and what is constant within a data set.
TEXTS = {NOTE, OBSTACLE} | set(
    """
    agrees all_nearest evidence groups row_words column_words words artefact comparable
    question role setting status summary
    """.split()
)


def row_keys(table: pd.DataFrame) -> list[str]:
    """Return the columns that identify the rows of a table."""
    named = table["artefact"].iloc[:1] if "artefact" in table else ()
    indices = INDICES.union(*(INDICES_OF.get(name, ()) for name in named))
    texts = [name for name in table if (as_numbers(table[name]).isna() & table[name].ne("")).any()]
    return [name for name in table if name in indices or (name in texts and name not in TEXTS)]


def as_numbers(column: pd.Series) -> pd.Series:
    """Return a column of texts as numbers, NaN where a text is none."""
    return pd.to_numeric(column, errors="coerce")
