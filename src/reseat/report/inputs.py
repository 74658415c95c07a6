"""Inputs of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd


def _empty(*columns):
    return field(default_factory=lambda: pd.DataFrame(columns=list(columns)))


@dataclass(frozen=True)
class ReportInputs:
    """Everything from which the report is made.

    Attributes
    ----------
    run : str
        Name of the run.
    scale : str
        ``demo``, ``standard`` or ``paper``.
    catalogue : object
        Papers and artefacts, such as a `reseat.experiments.catalogue.Catalogue`.
    tables, figures : path-like
        Folders with `NAME.csv`, and with `NAME.svg`, `NAME.png` and `NAME.pdf`, of each artefact.
        They are named `tables` and `figures`, and lie beside the pages.
    claims : pandas.DataFrame
        Table with the columns of ``claims.csv``.
    made : sequence of str
        Names of the artefacts that the run makes. The others are listed as not made, even if the
        folders contain their files.
    times : mapping of str to path-like
        Files of published numbers with times of the authors, by name.
    datasets : list of dict
        Identities (`DatasetIdentity.to_dict`), each with `family`, `sizes` (name to whole number)
        and, if the data serve for a paper's set, `role`.
    runs : list of dict
        `dataset`, `model`, `n_chains`, `n_sweeps`, `burn_in`.
    benchmarks : pandas.DataFrame
        From `read_benchmarks`.
    diagnostics, restarts : pandas.DataFrame
        How chains mixed (`family`, `dataset`, `draw`, `model`, `quantity`, `n_chains`,
        `n_sweeps`, `burn_in`, `mean`, `sd`, `mcse`, `ess`, `rhat`, `moved`, `seconds`), and how
        restarts ended (`family`, `dataset`, `model`, `setting`, `n_restarts`, `converged`,
        `iterations`, `best`, `mean`, `sd`, `at_best`, `seconds`).
    traces : mapping of str to ndarray, shape (n_chains, n_points)
        ``family/dataset/model/quantity`` to its trace.
    environment : dict of str to str
    settings : dict
        Other settings, such as the seed, which are shown unchanged.
    commit : str
        Commit of the workflow that makes the report; empty if unknown.
    other_code : dict of str to list of str
        Rules whose results were made by code that has changed since, with the changed sources.
    other_packages : dict of str to list of str
        Rules whose results were made with other versions of packages, with these versions.
    """

    run: str
    scale: str
    catalogue: Any
    tables: Path
    figures: Path
    claims: pd.DataFrame
    made: Sequence[str] = ()
    times: Mapping[str, Path] = field(default_factory=dict)
    datasets: list = field(default_factory=list)
    runs: list = field(default_factory=list)
    benchmarks: pd.DataFrame = _empty("job", "seconds", "cpu_seconds", "memory_mb")
    diagnostics: pd.DataFrame = _empty(
        *("family", "dataset", "draw", "model", "quantity", "n_chains", "n_sweeps", "burn_in"),
        *("mean", "sd", "mcse", "ess", "rhat", "moved", "seconds"),
    )
    restarts: pd.DataFrame = _empty(
        *("family", "dataset", "model", "setting", "n_restarts", "converged", "iterations"),
        *("best", "mean", "sd", "at_best", "seconds"),
    )
    traces: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)
    settings: dict = field(default_factory=dict)
    commit: str = ""
    other_code: dict = field(default_factory=dict)
    other_packages: dict = field(default_factory=dict)
