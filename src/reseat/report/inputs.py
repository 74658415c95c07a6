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
    """Everything from which the report is made."""

    #: Name of the run.
    run: str
    #: ``demo``, ``standard`` or ``paper``.
    scale: str
    #: Papers and artefacts, such as a `reseat.experiments.catalogue.Catalogue`.
    catalogue: Any
    #: Folders with `NAME.csv`, and with `NAME.svg`, `NAME.png` and `NAME.pdf`, of each artefact.
    #: They are named `tables` and `figures`, and lie beside the pages.
    tables: Path
    figures: Path
    #: Table with the columns of ``claims.csv``.
    claims: pd.DataFrame
    #: Names of the artefacts that the run makes. The others are listed as not made, even if the
    #: folders contain their files.
    made: Sequence[str] = ()
    #: Files of published numbers with times of the authors, by name.
    times: Mapping[str, Path] = field(default_factory=dict)
    #: Identities (`DatasetIdentity.to_dict`), each with `family`, `sizes` (name to whole number)
    #: and, if the data serve for a paper's set, `role`.
    datasets: list = field(default_factory=list)
    #: `dataset`, `model`, `n_chains`, `n_sweeps`, `burn_in`.
    runs: list = field(default_factory=list)
    #: From `read_benchmarks`.
    benchmarks: pd.DataFrame = _empty("job", "seconds", "cpu_seconds", "memory_mb")
    #: How chains mixed (`family`, `dataset`, `draw`, `model`, `quantity`, `n_chains`, `n_sweeps`,
    #: `burn_in`, `mean`, `sd`, `mcse`, `ess`, `rhat`, `moved`, `seconds`), and how restarts ended
    #: (`family`, `dataset`, `model`, `setting`, `n_restarts`, `converged`, `iterations`, `best`,
    #: `mean`, `sd`, `at_best`, `seconds`).
    diagnostics: pd.DataFrame = _empty(
        *("family", "dataset", "draw", "model", "quantity", "n_chains", "n_sweeps", "burn_in"),
        *("mean", "sd", "mcse", "ess", "rhat", "moved", "seconds"),
    )
    restarts: pd.DataFrame = _empty(
        *("family", "dataset", "model", "setting", "n_restarts", "converged", "iterations"),
        *("best", "mean", "sd", "at_best", "seconds"),
    )
    #: ``family/dataset/model/quantity`` to its trace. Shape (n_chains, n_points).
    traces: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)
    #: Other settings, such as the seed, which are shown unchanged.
    settings: dict = field(default_factory=dict)
    #: Commit of the workflow that makes the report; empty if unknown.
    commit: str = ""
    #: Rules whose results were made by code that has changed since, with the changed sources.
    other_code: dict = field(default_factory=dict)
    #: Rules whose results were made with other versions of packages, with these versions.
    other_packages: dict = field(default_factory=dict)
