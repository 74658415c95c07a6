"""The report: a static site about everything that was made."""

import os
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.datasets import Card
from reseat.papers.catalogue import CATALOGUE
from reseat.provenance.changes import other_code, other_packages
from reseat.provenance.code import commit_of
from reseat.provenance.jobs import job
from reseat.provenance.records import History, home_of
from reseat.report import ReportInputs, environment, read_benchmarks, write_all_runs, write_site

#: Rules that follow this one, or are this one.
FINAL = ("page", "crate")


def own_pages(reports, family, name):
    """Return the pages about the clusters in a data set of the user's own, by model."""
    found = sorted(reports.glob(f"own/{family}/{name}/*/index.html"))
    return {path.parent.name: path.relative_to(reports).as_posix() for path in found}


with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    reports = Path(snakemake.output.comparison).parent
    home = home_of(snakemake)
    history = History(home, reports.name)
    behind = history.steps(os.path.relpath(path, home) for path in map(str, given))
    with np.load(given.chain_traces) as stored:
        traces = {name: stored[name] for name in stored.files}
    write_site(
        ReportInputs(
            run=reports.name,
            scale=params.scale,
            catalogue=CATALOGUE,
            made=params.artefacts,
            tables=reports / "tables",
            figures=reports / "figures",
            claims=pd.read_csv(given.claims),
            times={Path(path).name: Path(path) for path in given.times},
            datasets=[
                card.identity.to_dict()
                | {"family": family, "sizes": card.sizes, "role": role}
                | {"labels": own_pages(reports, family, card.identity.name)}
                for family, role, path in params.datasets
                for card in [Card.load(Path(home, path))]
            ],
            runs=params.runs,
            benchmarks=read_benchmarks((step.record["log"] for step in behind), home),
            diagnostics=pd.read_csv(given.diagnostics, dtype={"draw": str}),
            restarts=pd.read_csv(given.restarts),
            traces=traces,
            environment=environment(),
            settings=params.settings,
            commit=commit_of(Path(snakemake.scriptdir) / "page.py"),
            commits={
                name: history.commits(f"{reports}/tables/{name}.csv") for name in params.artefacts
            },
            # The parameter says what was so when the run was planned; some of it may be new by now.
            other_code=other_code(reports.name, FINAL, home) if params.other_code else {},
            other_packages=other_packages(reports.name, FINAL, home),
        ),
        reports,
    )
    write_all_runs(reports.parent)
