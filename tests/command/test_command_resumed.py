"""Results of `reseat cluster` that are found again: on other processors, damaged, or too old."""

import json
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import reseat.command.inputs.supervised as of_items
import reseat.estimators.distances as of_distances
from reseat.command.main import main

pytestmark = pytest.mark.usefixtures("no_pictures")

QUICK = ["--chains", "2", "--burn-in", "4", "--thin", "2", "--threads", "1", "--seed", "3"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def inputs(rng):
    points = rng.normal(size=(14, 3)) + 6 * rng.integers(0, 2, (14, 1))
    pd.DataFrame(np.abs(points[:, None] - points).sum(axis=2)).to_csv("far.csv", index=False)
    names = rng.choice(["anna", "berta", "berthe", "clara"], 14)
    known = [*"aabbccdd", *[""] * 6]
    pd.DataFrame({"name": names, "size": points[:, 0], "who": known}).to_csv("who.csv", index=False)
    return {"distances": ["far.csv"], "supervised": ["who.csv", "--entity-column", "who"]}


def cluster(model, inputs, *options, samples=6):
    given = [*inputs[model], "-o", "out", *QUICK, "--samples", str(samples), *options]
    return main(["cluster", model, *given])


def rounded_elsewhere(monkeypatch):
    """Let linear algebra end with other last bits, as it does on another processor."""
    embed, embedded = of_items.embed_mentions, []
    project = of_distances.to_negative_type

    def embed_elsewhere(mentions):
        embedded.append(embed(mentions))
        return replace(embedded[-1], coordinates=np.nextafter(embedded[-1].coordinates, np.inf))

    def project_elsewhere(*given):
        embedded.append(project(*given))
        return np.nextafter(embedded[-1], np.inf) * (1 - np.eye(len(embedded[-1])))

    monkeypatch.setattr(of_items, "embed_mentions", embed_elsewhere)
    monkeypatch.setattr(of_distances, "to_negative_type", project_elsewhere)
    return embedded


@pytest.mark.parametrize("model", ["distances", "supervised"])
def test_a_result_of_another_processor_is_extended(model, inputs, here, monkeypatch, capsys):
    assert cluster(model, inputs) == 0
    made = rounded_elsewhere(monkeypatch)
    for samples in (6, 12):
        assert cluster(model, inputs, samples=samples) == 0, capsys.readouterr().err
    assert len(made) == 2
    path = here / inputs[model][0]
    table = pd.read_csv(path, keep_default_na=False)
    (table * 2 if model == "distances" else table.assign(size=2 * table["size"])).to_csv(
        path, index=False
    )
    assert cluster(model, inputs, samples=12) == 2
    assert "out contains a result of other data" in " ".join(capsys.readouterr().err.split())


#: Other contents of the files by which the command knows its results; None is a pipe.
CONTENTS = {
    "brackets": b"[" * 200_000,
    "a list": b"[]",
    "a number": b'{"labels.csv": 1}',
    "bytes": b"\xff\xfe\x00",
    "a pipe": None,
}


@pytest.mark.parametrize("name", ["settings.json", ".written.json"])
@pytest.mark.parametrize("content", CONTENTS)
def test_damaged_records_of_a_result_are_refused(name, content, inputs, here, capsys):
    assert cluster("distances", inputs) == 0
    path = here / "out" / name
    path.unlink()
    if CONTENTS[content] is None:
        os.mkfifo(path)
    else:
        path.write_bytes(CONTENTS[content])
    capsys.readouterr()
    assert cluster("distances", inputs) == 2
    said = " ".join(capsys.readouterr().err.split())
    remedy = "choose another folder." if name == "settings.json" else "rename it"
    assert remedy in said and "Traceback" not in said


def test_a_result_of_an_earlier_version_is_called_so(inputs, here, capsys):
    assert cluster("distances", inputs) == 0
    path = here / "out" / "settings.json"
    settings = json.loads(path.read_text())
    del settings["format"]
    path.write_text(json.dumps(settings))
    capsys.readouterr()
    assert cluster("distances", inputs) == 2
    assert "out contains a result of an earlier version; choose" in capsys.readouterr().err
    assert cluster("distances", inputs, "--overwrite") == 0
