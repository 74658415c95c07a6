"""The whole demo with two kinds of kernels: every number of one is the same in the other."""

import os
import shutil

import pandas as pd
import pytest
import table_digests
from workflow_runs import snakemake

from reseat.command.main import main

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(
        os.environ.get("RESEAT_MACHINES") != "whole", reason="`make machines` runs the demo twice"
    ),
]

#: A new processor and an old one: linear algebra, NumPy's vector units, and the C library.
SETTINGS = {
    "new": {"OPENBLAS_CORETYPE": "Haswell"},
    "old": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
    },
}


def test_the_demo_has_the_same_numbers_on_an_old_processor(tmp_path, capsys):
    for name, setting in SETTINGS.items():
        (tmp_path / name).mkdir()
        snakemake("all", "--config", "scale=demo", folder=tmp_path / name, environment=setting)
    new, old = (table_digests.digests(tmp_path / name) for name in SETTINGS)
    assert table_digests.differing(new, old) == []
    assert main(["publish", "demo", "--directory", str(tmp_path / "new")]) == 0
    published = "reports/published"
    shutil.copytree(tmp_path / "new" / published, tmp_path / "old" / published)
    verdicts = tmp_path / "verdicts.csv"
    arguments = ["--run", "demo", "--csv", str(verdicts), "--directory", str(tmp_path / "old")]
    assert main(["verify", *arguments]) == 0
    verdict = pd.read_csv(verdicts)["verdict"]
    assert len(verdict) > 10_000 and set(verdict.dropna()) == {"same"}
    capsys.readouterr()
