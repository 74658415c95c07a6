"""Data that several pages of the report share, calculated once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from reseat.errors import DataError
from reseat.report.comparison import COLUMNS, claim_views, compare, tally, verdict_counts
from reseat.report.lookup import Numbers


class ReportData:
    """The tables of a run, their cells from `compare` and the claims, which several pages show."""

    def __init__(self, inputs):
        self.inputs = inputs
        self.titles = {card["name"]: card["title"] for card in inputs.datasets}
        self.tables, self.cells = {}, {}
        for name in inputs.made:
            path = Path(inputs.tables) / f"{name}.csv"
            table = pd.read_csv(path, dtype={"system": str}, low_memory=False)
            self.tables[name] = table
            self.cells[name] = compare(inputs.catalogue.artefacts[name], table)
        self.claims = claim_views(inputs.claims)

    @property
    def generated(self):
        """Whether the run says nothing about the papers, because its data sets are generated."""
        return self.inputs.scale == "demo"

    @cached_property
    def comparison(self):
        """Every number that has a published counterpart, with the columns of ``comparison.csv``."""
        frames = [cells for cells in self.cells.values() if len(cells)]
        table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
        return table.reindex(columns=list(COLUMNS))

    @cached_property
    def chains(self):
        """The diagnostics with one row for the chains of a model on a draw of a data set."""
        return self.inputs.diagnostics.drop_duplicates(["family", "dataset", "draw", "model"])

    def restarts(self, family):
        """Return how the restarts of a family ended."""
        restarts = self.inputs.restarts
        return restarts[restarts["family"] == family].to_dict("records")

    @cached_property
    def numbers(self):
        """The numbers of the run by reference."""
        return Numbers(cache(self._text), self.inputs.run)

    def _text(self, name):
        whole = {"comparison": self.comparison, "claims": self.inputs.claims}
        if name in whole:
            return whole[name].astype(object).where(whole[name].notna(), "").astype(str)
        if name not in self.tables:
            raise DataError(f"{self.inputs.run} has no table {name!r}.")
        path = Path(self.inputs.tables) / f"{name}.csv"
        return pd.read_csv(path, dtype=str, keep_default_na=False)

    def score(self, paper):
        """Count the verdicts on a paper's numbers and claims, and the artefacts that were made."""
        own = paper.artefacts
        mine = self.comparison["paper"] == paper.short
        return {
            "cells": tally(self.comparison[mine]),
            "claims": verdict_counts(self.claims.get(paper.short, [])),
            "made": sum(artefact.name in self.tables for artefact in own),
            "artefacts": len(own),
        }

    def total(self):
        """Return the sums of the scores of all papers."""
        return {
            "cells": tally(self.comparison),
            "claims": verdict_counts(chain.from_iterable(self.claims.values())),
            "made": len(self.tables),
        }

    def data_of(self, names):
        """Return the data sets behind some artefacts, with title and status, in order of use."""
        found = {}
        for name in names:
            table = self.tables.get(name, pd.DataFrame())
            if {"dataset", "status"} <= set(table.columns):
                pairs = table[["dataset", "status"]].drop_duplicates()
                found.update(pairs.itertuples(index=False, name=None))
        known = {card["name"] for card in self.inputs.datasets}
        return [
            {"name": n, "title": self.titles.get(n, n), "status": s, "known": n in known}
            for n, s in found.items()
        ]


def _empty(columns: str):
    return field(default_factory=lambda: pd.DataFrame(columns=columns.split()))


@dataclass(frozen=True)
class ReportInputs:
    """Everything from which the report is made."""

    run: str
    scale: str
    #: Papers and artefacts, such as a `reseat.papers.catalogue.Catalogue`.
    catalogue: Any
    #: Folders with the files of each artefact, beside the pages.
    tables: Path
    figures: Path
    claims: pd.DataFrame
    #: Names of the artefacts that the run makes; the folders may contain files of others.
    made: Sequence[str] = ()
    #: Files of published numbers with times of the authors, by name.
    times: Mapping[str, Path] = field(default_factory=dict)
    #: Identities (`DatasetIdentity.to_dict`), each with `family`, `sizes` and perhaps `role`.
    datasets: list = field(default_factory=list)
    #: `dataset`, `model`, `n_chains`, `n_sweeps`, `burn_in`.
    runs: list = field(default_factory=list)
    benchmarks: pd.DataFrame = _empty("job seconds cpu_seconds memory_mb")
    diagnostics: pd.DataFrame = _empty(
        "family dataset draw model quantity n_chains n_sweeps burn_in mean sd mcse ess rhat moved "
        "seconds"
    )
    restarts: pd.DataFrame = _empty(
        "family dataset model setting n_restarts converged iterations best mean sd at_best seconds"
    )
    #: ``family/dataset/model/quantity`` to its trace. Shape (n_chains, n_points).
    traces: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)
    #: Other settings, such as the seed, which are shown unchanged.
    settings: dict = field(default_factory=dict)
    #: Commit of the workflow that makes the report, and of all jobs that led to each artefact.
    commit: str = ""
    commits: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Rules whose results other code or packages made, with the sources or versions.
    other_code: dict = field(default_factory=dict)
    other_packages: dict = field(default_factory=dict)
