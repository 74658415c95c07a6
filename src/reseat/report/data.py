"""Data that several pages of the report share, calculated once."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pandas as pd

from reseat.report.claims import claim_views, verdict_counts
from reseat.report.comparison import COLUMNS, compare, tally


class ReportData:
    """The inputs of the report, and results from them that several pages show.

    `tables` has the CSV of each artefact that was made, `cells` the result of `compare` for each of
    these, and `claims` those of each paper (short name), from `claim_views`.
    """

    def __init__(self, inputs):
        self.inputs = inputs
        self.titles = {card["name"]: card["title"] for card in inputs.datasets}
        self.tables = {
            name: pd.read_csv(
                Path(inputs.tables) / f"{name}.csv", dtype={"system": str}, low_memory=False
            )
            for name in inputs.made
        }
        self.cells = {
            name: compare(inputs.catalogue.artefacts[name], table)
            for name, table in self.tables.items()
        }
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

    def artefacts_on(self, claim, paper):
        """Return the artefacts of a paper that bear on a claim and were made."""
        own = paper.artefacts
        return [a for a in own if claim["key"] in a.claims and a.name in self.tables]
