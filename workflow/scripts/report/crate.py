"""The configuration of the run, and all runs as an RO-Crate."""

import json
import os
from pathlib import Path

import yaml

from reseat.configuration import read_yaml
from reseat.files.atomic import write_text
from reseat.papers.catalogue import CATALOGUE
from reseat.provenance.crate import CrateInputs, build_crate
from reseat.provenance.jobs import job
from reseat.provenance.records import History, home_of, plain
from reseat.report import environment

with job(snakemake.log[0]):
    given, home = snakemake.input, home_of(snakemake)
    settings = yaml.safe_dump(
        plain(snakemake.params.configuration), sort_keys=False, allow_unicode=True
    )
    write_text(snakemake.output.configuration, settings)
    crate = build_crate(
        CrateInputs(
            history=History(home),
            catalogue=CATALOGUE,
            citation=read_yaml(given.citation),
            workflow=os.path.relpath(snakemake.params.snakefile, home),
            environment=environment(),
        )
    )
    write_text(
        Path(home, "ro-crate-metadata.json"), json.dumps(crate, indent=1, ensure_ascii=False) + "\n"
    )
