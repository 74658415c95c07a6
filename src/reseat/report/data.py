"""What several pages of the report show, worked out once."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pandas as pd

from reseat.report.claims import claim_views, verdict_counts
from reseat.report.comparison import COLUMNS, compare, tally


class ReportData:
    """The inputs of the report, and what several pages show of them.

    Parameters
    ----------
    inputs : ReportInputs

    Attributes
    ----------
    inputs : ReportInputs
    titles : dict of str to str
        Data set to title.
    tables : dict of str to pandas.DataFrame
        The CSV of each artefact that was made.
    cells : dict of str to pandas.DataFrame
        Of each of these, from `compare`.
    claims : dict of str to list of dict
        Paper (short name) to its claims, from `claim_views`.
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
        """Whether the run says nothing about the papers, as its data sets are made up."""
        return self.inputs.scale == "demo"

    @cached_property
    def comparison(self):
        """Every number beside a published one, columns of ``comparison.csv``."""
        frames = [cells for cells in self.cells.values() if len(cells)]
        table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
        return table.reindex(columns=list(COLUMNS))

    def score(self, paper):
        """What became of a paper's numbers and claims.

        Parameters
        ----------
        paper : Paper

        Returns
        -------
        dict
            `cells` and `claims`: verdict to number; `made` and `artefacts`: numbers of artefacts.
        """
        own = paper.artefacts
        mine = self.comparison["paper"] == paper.short
        return {
            "cells": tally(self.comparison[mine]),
            "claims": verdict_counts(self.claims.get(paper.short, [])),
            "made": sum(artefact.name in self.tables for artefact in own),
            "artefacts": len(own),
        }

    def data_of(self, names):
        """Data sets behind some artefacts, each with title and status, in order of appearance."""
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
        """Artefacts of a paper that bear on a claim, and were made."""
        own = paper.artefacts
        return [a for a in own if claim["key"] in a.claims and a.name in self.tables]
