"""`reseat cluster`: files it reads, folders it makes, and the errors for what it cannot read."""

import errno
import json
import os
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import strikes
from calls import cluster, written
from sklearn.metrics import adjusted_rand_score

import reseat.command.cluster as of_command
import reseat.command.inputs.supervised as of_items
import reseat.estimators.points as of_points
from reseat.chains import MixtureModel
from reseat.command.cluster import default_length
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.main import COMMANDS, main
from reseat.command.portraits import medoids, modal_values, typical_columns, typical_means
from reseat.command.results import advice, membership, results_of

pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def counts(rng):
    words = rng.dirichlet(np.full(12, 0.1), 2)
    return np.array([rng.multinomial(20, words[k]) for k in np.repeat([0, 1], 8)])


def refused(capsys, model, path, *options):
    """Return the sentence with which the command refuses the input before any work."""
    assert cluster(model, path, *options) == 2
    said = capsys.readouterr().err
    assert said.startswith("reseat cluster: ") and said.count("\n") == 1, said
    assert not os.path.exists("out") or not {"chains", "settings.json"} & set(os.listdir("out"))
    return said


def test_the_model_of_known_entities_is_chosen_and_said(rng):
    entity = np.repeat(np.arange(14), 4)
    points = 5 * rng.normal(size=(14, 3))[entity] + rng.normal(size=(56, 3))
    table = pd.DataFrame(points, columns=["x", "y", "z"])
    table.assign(who=[f"e{k}" if k < 11 else "" for k in entity]).to_csv("items.csv", index=False)
    assert cluster("supervised", "items.csv", "--entity-column", "who") == 0
    compared = pd.read_csv("out/models.csv")
    assert set(compared["model"]) == {"scdp1", "two_covariances"}
    page = Path("out/index.html").read_text(encoding="utf-8")
    assert f"The model is {compared['model'][0]}: the pairwise F" in page and "models.csv" in page


def test_documents_from_a_sparse_corpus(counts, capsys, and_png):
    sp.save_npz("corpus.npz", sp.csr_array(counts))
    written("words.txt", "\n".join(f"word{n}" for n in range(12)))
    assert cluster("documents", "corpus.npz", "--vocabulary", "words.txt") == 0
    out = capsys.readouterr().out
    assert "Number of clusters: 2.0" in out and "word" in out
    labels = pd.read_csv("out/labels.csv")
    assert labels["cluster"].nunique() == 2
    together = sp.load_npz("out/coclustering.npz").toarray()
    same = labels["cluster"].to_numpy()[:, None] == labels["cluster"].to_numpy()
    np.fill_diagonal(same, False)
    expected = (together * same).sum(axis=1) / same.sum(axis=1)
    np.testing.assert_allclose(labels["probability"], expected, atol=1e-4)
    summary = pd.read_csv("out/summary.csv").set_index("quantity")
    assert summary.loc["clusters", "low"] <= 2 <= summary.loc["clusters", "high"]
    assert all(os.path.getsize(f"out/picture.{kind}") > 1000 for kind in ("png", "svg"))


def test_result_pages_are_whole_in_a_browser(browser, counts, rng, here, only_svg):
    np.save("counts.npy", counts)
    assert cluster("documents", "counts.npy", out="documents") == 0
    people = rng.integers(0, 3, (20, 4)).repeat(2, axis=0)
    table = pd.DataFrame(people, columns=["a long name of a field", "b", "c", "d"]).astype(str)
    table.to_csv("people.csv", index=False)
    assert cluster("records", "people.csv", out="records") == 0
    pages = sorted(here.glob("*/*.html"))
    assert {path.parent.name for path in pages} == {"documents", "records"}
    found = {path: browser.faults(path) for path in [*pages, *here.glob("*/*.svg")]}
    assert {path: faults for path, faults in found.items() if faults} == {}


def test_chains_of_few_records_become_longer_if_they_do_not_agree(here, rng, monkeypatch, capsys):
    short = ((1000, (2, 6, 1)),)
    monkeypatch.setattr(of_command, "SIMILAR_LENGTHS", short)
    names = [f"{a}{b}" for a in ("ann", "bob", "eve") for b in "abcdefghijklmnopqrst"]
    table = pd.DataFrame({"name": rng.choice(names, 40), "born": rng.integers(1900, 1960, 40)})
    table.to_csv("people.csv", index=False)
    command = ["cluster", "records", "people.csv", "-o", "out", "--chains", "2"]
    assert main(command) == 0
    said = capsys.readouterr().err
    assert said.count("do not agree yet, and are continued") == 1
    assert said.count("'born'") <= 1  # what a fit says is said once
    assert json.loads(Path("out/settings.json").read_bytes())["n_samples"] == 24
    before = Path("out/labels.csv").read_bytes()
    assert main(command) == 0 and "continued" not in capsys.readouterr().err
    assert Path("out/labels.csv").read_bytes() == before


def test_the_truth_of_some_records_changes_no_cluster(here, rng):
    person = np.append(np.arange(12), np.arange(12))
    table = pd.DataFrame(rng.integers(0, 4, (12, 3)).astype(str)[person], columns=["a", "b", "c"])
    table.to_csv("alone.csv", index=False)
    known = rng.random(24) < 0.6
    table.assign(who=np.where(known, person.astype(str), "")).to_csv("beside.csv", index=False)
    assert cluster("records", "alone.csv", out="alone") == 0
    assert cluster("records", "beside.csv", "--entity-column", "who", out="beside") == 0
    labels, beside = (pd.read_csv(f"{name}/labels.csv")["cluster"] for name in ("alone", "beside"))
    assert labels.tolist() == beside.tolist()
    summary = pd.read_csv("beside/summary.csv", index_col="quantity")["mean"]
    expected = adjusted_rand_score(person[known], labels[known])
    assert summary["adjusted Rand index"] == pytest.approx(expected)


def test_points_from_a_table(rng, capsys):
    truth = np.repeat([0, 1], [9, 7])
    points = rng.normal(size=(16, 2)) * [9, 0.3] + 9 * truth[:, None]
    frame = pd.DataFrame(points, columns=["x", "y"])
    frame.assign(name="a", who=truth, place=frame.index).to_csv("points.csv", index=False)
    options = ("--id-column", "place", "--entity-column", "who")
    assert cluster("points", "points.csv", *options) == 0
    assert pd.read_csv("out/clusters.csv")["size"].tolist() == [9, 7]
    summary = pd.read_csv("out/summary.csv", index_col="quantity")["mean"]
    assert -1 <= summary["agreement of chains"] <= 1 == summary["adjusted Rand index"]
    printed = capsys.readouterr()
    assert "agreement of the chains" in printed.out
    assert "columns of texts are left out: name" in printed.err


def test_labels_show_the_components_of_clusters(rng):
    angle = rng.uniform(0, np.pi, 200)
    points = np.c_[np.cos(angle), np.sin(angle)] + rng.normal(0, 0.05, (200, 2))
    pd.DataFrame(np.r_[points, -points - [9, 0]]).to_csv("arcs.csv", index=False)
    assert cluster("points", "arcs.csv", "--merge", "0.2") == 0
    labels = pd.read_csv("out/labels.csv")
    assert labels.groupby("component")["cluster"].nunique().max() == 1
    assert labels["component"].nunique() > labels["cluster"].nunique()


@pytest.mark.parametrize("inference", ["variational", "gibbs"])
def test_relations_from_pairs(here, rng, inference, capsys, only_svg):
    rate = np.kron([[3, 0.05], [0.05, 3]], np.ones((6, 5)))
    table = rng.poisson(rate)
    rows, columns = table.nonzero()
    lines = [f"r{i},c{j},{table[i, j]}" for i, j in zip(rows, columns, strict=True)]
    written("pairs.csv", "\n".join(["row,column,count", *lines]) + "\n")
    how = ("--inference", inference, "--burn-in", "8", "--samples", "12")
    assert cluster("relational", "pairs.csv", *how) == 0
    assert ("ascents: 10/10 restarts" in capsys.readouterr().err) == (inference == "variational")
    assert pd.read_csv("out/clusters.csv")["size"].tolist() == [6, 6]
    assert pd.read_csv("out/column_clusters.csv")["size"].tolist() == [5, 5]
    assert sp.load_npz("out/column_coclustering.npz").shape == (10, 10)
    assert os.path.exists("out/chains/chain-0.nc") == (inference == "gibbs")
    settings = json.loads(Path("out/settings.json").read_text(encoding="utf-8"))
    assert ("n_restarts" in settings) == (inference == "variational")
    text = Path("out/index.html").read_text(encoding="utf-8")
    assert ("single mode of the posterior" in text) == (inference == "variational")
    assert ("R-hat compares the chains" in text) == (inference == "gibbs")
    assert "Clusters of columns" in text and "column_picture.svg" in text


def test_successes_in_trials(here, rng, capsys, only_svg):
    (here / "slip.csv").write_text("r0,c0,3,2\nr0,c1,1,2\nr1,c0,1,1\n")
    assert "slip.csv, line 1: 3 of 2 trials" in refused(capsys, "relational", "slip.csv")
    rate = np.kron([[0.9, 0.2], [0.2, 0.9]], np.ones((6, 5)))
    trials = rng.integers(0, 9, rate.shape)
    found = rng.binomial(trials, rate)
    tried = zip(*trials.nonzero(), strict=True)
    lines = [f"r{i},c{j},{found[i, j]},{trials[i, j]}" for i, j in tried]
    (here / "clicks.csv").write_text("\n".join(["row,column,clicks,shown", *lines]) + "\n")
    assert cluster("relational", "clicks.csv") == 0
    assert "'shown' is read as the number of trials" in capsys.readouterr().err
    assert pd.read_csv("out/clusters.csv")["size"].tolist() == [6, 6]


def test_things_of_one_kind(here, rng, capsys, only_svg):
    rate = np.kron([[2, 0.05], [0.05, 2]], np.ones((6, 6)))
    pairs = [f"p{i},p{j}" for i, j in zip(*rng.poisson(rate).nonzero(), strict=True)]
    (here / "links.csv").write_text("\n".join(["from,to", *pairs]) + "\n")
    assert cluster("relational", "links.csv") == 0
    assert "12 names are in both columns" in capsys.readouterr().err
    assert cluster("relational", "links.csv", "--one-kind", out="one") == 0
    said = capsys.readouterr()
    assert "12 things" in said.err and "are in both columns" not in said.err
    assert pd.read_csv("one/clusters.csv")["size"].tolist() == [6, 6]
    assert not (here / "one/column_labels.csv").exists()


def test_a_slip_in_a_column_of_numbers_is_refused_and_no_column_of_texts_is(rng, capsys):
    entity = np.repeat(np.arange(9), 4)
    table = pd.DataFrame({"x": (entity + 0.01 * rng.random(36)).round(3).astype(str)})
    table["town"] = np.where(entity % 2, "12", "12a")  # not one slip among numbers
    table["who"] = [f"e{number}" if number < 6 else "" for number in entity]
    table.loc[3, "x"] = "1,5 m"
    table.to_csv("items.csv", index=False)
    said = refused(capsys, "supervised", "items.csv", "--entity-column", "who")
    assert "most cells of the column 'x' are numbers, but not '1,5 m' (4); fix them" in said
    table.loc[3, "x"] = "NULL"
    table.to_csv("items.csv", index=False)
    assert cluster("supervised", "items.csv", "--entity-column", "who") == 0
    assert "'town'" not in capsys.readouterr().err


def test_a_run_that_was_stopped_goes_on_to_the_same_end(
    counts, here, only_svg, monkeypatch, capsys
):
    sp.save_npz("corpus.npz", sp.csr_array(counts))
    options = "--chains 2 --burn-in 200 --samples 400 --thin 20 --seed 3 --threads 2"
    command = f"cluster --model documents corpus.npz {options} -o".split()
    with monkeypatch.context() as patch:
        patch.setattr(MixtureModel, "sweep", MixtureModel.sweep)
        patch.setattr(signal, "signal", signal.signal)
        strikes.ask_to_end(100)
        assert main([*command, "stopped"]) == 130
    assert "re-run the command to resume" in capsys.readouterr().err
    # At least one of the two chains of 600 sweeps was under way.
    assert list(here.glob("stopped/chains/.chain-*/checkpoint.npz"))
    assert not (here / "stopped" / "labels.csv").exists()
    assert main([*command, "stopped"]) == main([*command, "whole"]) == 0
    assert not list(here.glob("stopped/chains/.*"))
    for name in ("labels.csv", "clusters.csv", "picture.svg"):
        assert (here / "stopped" / name).read_bytes() == (here / "whole" / name).read_bytes()


def test_folders_that_cannot_be_written_to(counts, capsys, monkeypatch, only_svg):
    sp.save_npz("corpus.npz", sp.csr_array(counts))
    written("file", "mine")
    assert cluster("documents", "corpus.npz", out="file/out") == 2
    said = capsys.readouterr().err
    assert "file/out cannot be written to" in said and "-o" in said and said.count("\n") == 1

    full = Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    with monkeypatch.context() as patched:
        patched.setattr("reseat.command.writing.save_figure", full)
        assert cluster("documents", "corpus.npz", "--quiet") == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "out cannot be written to" in said
    assert "free some space" in said
    assert cluster("documents", "corpus.npz") == 0


def test_new_items_that_share_known_entities_are_measured_with_these():
    """Items 2 to 6 are new; item 6 is alone in the labels and with entity a in most draws."""
    draws = np.array([[*map(int, draw)] for draw in "0100220 0102220 0100223 0110220".split()])
    estimator = SimpleNamespace(
        labels_=np.array([0, 1, 0, 2, 2, 2, 3]), classes_=np.array(["a", "b"]), draws_=draws[None],
        traces_={"n_test_clusters": np.array([[2, 2, 3, 3]])}, n_clusters_interval_=(2, 3),
        rhat_={},
    )  # fmt: skip
    y = np.array(["a", "b", *[None] * 5], dtype=object)
    material = LoadedInput("", {"y": y}, [*"ABCDEFG"], lambda labels: [""] * (labels.max() + 1))
    (found,) = results_of(estimator, material, "supervised")
    assert found.items == [*"CDEFG"]
    assert found.names == ["new 1", "a", "new 2"] and found.sizes.tolist() == [3, 1, 1]
    np.testing.assert_allclose(found.probability, [3 / 4, 1 / 4, 5 / 8, 5 / 8, 1 / 4])
    said = " ".join(advice(found, estimator))
    assert "are with a known entity in most draws: 2 (D, G);" in said


def test_membership_of_lone_items_and_of_others():
    draws = np.array([[0, 0, 1, 2], [0, 0, 0, 1]])
    found = membership(np.array([0, 0, 0, 1]), draws)
    np.testing.assert_allclose(found, [0.75, 0.75, 0.5, 1.0])
    np.testing.assert_allclose(membership(np.array([0, 0, 1, 2]), draws), [1, 1, 0.5, 1])


def test_portraits():
    counts = sp.csr_array([[5, 0, 1], [4, 1, 1], [0, 6, 1]])
    labels = np.array([0, 0, 1])
    assert typical_columns(counts, ["a", "b", "c"], labels) == ["a", "b"]
    cells = np.array([["x", None], ["y", "u"], ["x", "u"]], dtype=object)
    assert modal_values(cells, ["p", "q"], np.array([0, 0, 0])) == ["p x (67%), q u"]
    distances = np.abs(np.subtract.outer([0, 1, 5], [0, 1, 5]))
    assert medoids(distances, ["a", "b", "c"], np.array([0, 0, 0])) == ["b"]
    points = np.array([[0.0, 5.0, 1.0], [0.0, 7.0, 1.0], [4.0, 6.0, 1.0]])
    means = typical_means(points, ["a", "b", "c"], labels)
    assert means[1].startswith("a 4 (+1.4 sd), b 6 (+0.0 sd)")


def test_lengths_shrink_with_size():
    assert default_length("distances", 100) > default_length("distances", 5000)
    assert default_length("distances", 100, "wishart") > default_length("distances", 100)
    assert default_length("records", 100) > default_length("documents", 100)


@pytest.fixture
def inputs(rng):
    points = rng.normal(size=(14, 3)) + 6 * rng.integers(0, 2, (14, 1))
    pd.DataFrame(np.abs(points[:, None] - points).sum(axis=2)).to_csv("far.csv", index=False)
    names = rng.choice(["anna", "berta", "berthe", "clara"], 14)
    known = [*"aabbccdd", *[""] * 6]
    pd.DataFrame({"name": names, "size": points[:, 0], "who": known}).to_csv("who.csv", index=False)
    return {"distances": ["far.csv"], "supervised": ["who.csv", "--entity-column", "who"]}


def cluster_again(model, inputs, *options, samples=6):
    how = ("--burn-in", "4", "--seed", "3", "--samples", str(samples))
    return cluster(model, *inputs[model], *how, *options)


def rounded_elsewhere(monkeypatch):
    """Let linear algebra end with other last bits, as it does on another processor."""
    embed, embedded = of_items.embed_mentions, []
    place = of_points.principal_coordinates

    def embed_elsewhere(mentions):
        embedded.append(embed(mentions))
        return replace(embedded[-1], coordinates=np.nextafter(embedded[-1].coordinates, np.inf))

    def place_elsewhere(squares):
        embedded.append(place(squares))
        return np.nextafter(embedded[-1], np.inf)

    monkeypatch.setattr(of_items, "embed_mentions", embed_elsewhere)
    monkeypatch.setattr(of_points, "principal_coordinates", place_elsewhere)
    return embedded


@pytest.mark.parametrize("model", ["distances", "supervised"])
def test_a_result_of_another_processor_is_extended(model, inputs, here, monkeypatch, capsys):
    assert cluster_again(model, inputs) == 0
    made = rounded_elsewhere(monkeypatch)
    for samples in (6, 12):
        assert cluster_again(model, inputs, samples=samples) == 0, capsys.readouterr().err
    assert len(made) == 2
    path = here / inputs[model][0]
    table = pd.read_csv(path, keep_default_na=False)
    other = table * 2 if model == "distances" else table.assign(size=2 * table["size"])
    other.to_csv(path, index=False)
    assert cluster_again(model, inputs, samples=24) == 2
    assert "out contains a result of other data" in " ".join(capsys.readouterr().err.split())


def test_damaged_records_of_a_result_are_refused(inputs, here, capsys):
    assert cluster_again("distances", inputs) == 0
    for name, remedy in (("settings.json", "choose another folder."), (".written.json", "rename")):
        path = here / "out" / name
        whole = path.read_bytes()
        for content in (b"[" * 200_000, b"[]", b'{"labels.csv": 1}', b"\xff\xfe\x00", "a pipe"):
            path.unlink()
            if content == "a pipe":
                os.mkfifo(path)
            else:
                path.write_bytes(content)
            capsys.readouterr()
            assert cluster_again("distances", inputs) == 2
            said = " ".join(capsys.readouterr().err.split())
            assert remedy in said and "Traceback" not in said
        path.unlink()
        path.write_bytes(whole)


def test_a_result_of_an_earlier_version_is_called_so(inputs, here, capsys):
    assert cluster_again("distances", inputs) == 0
    path = here / "out" / "settings.json"
    settings = json.loads(path.read_text())
    del settings["format"]
    path.write_text(json.dumps(settings))
    capsys.readouterr()
    assert cluster_again("distances", inputs) == 2
    assert "out contains a result of an earlier version; choose" in capsys.readouterr().err
    assert cluster_again("distances", inputs, "--overwrite") == 0


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """Return the path of a file with the output of `reseat completion bash`."""
    path = tmp_path_factory.mktemp("completion") / "reseat.bash"
    with pytest.MonkeyPatch.context() as patch, open(path, "w", encoding="utf-8") as file:
        patch.setattr("sys.stdout", file)
        assert main(["completion", "bash"]) == 0
    return path


def offered(script, *typed):
    """Return the words that are offered for the last word typed after ``reseat``."""
    words = ("reseat", *typed)
    ask = f'source "$1"; shift; COMP_WORDS=("$@") COMP_CWORD={len(typed)}; _shtab_reseat'
    done = subprocess.run(
        ["bash", "-c", ask + '; printf "%s\\n" "${COMPREPLY[@]}"', "bash", script, *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not done.stderr
    return done.stdout.split()


@needs_bash
def test_bash_offers_subcommands_models_options_and_values(script):
    assert offered(script, "") == list(COMMANDS)
    assert offered(script, "cl") == ["cluster"]
    assert offered(script, "cluster", "re") == ["records", "relational"]
    assert offered(script, "cluster", "records", "--like") == ["--likelihood"]
    assert offered(script, "cluster", "records", "a", "--prior", "nb") == ["nbd", "nbnb"]
    assert offered(script, "cluster", "documents", "--stop-list", "") == ["sklearn", "none"]
    assert offered(script, "completion", "") == ["bash", "fish", "zsh"]


@pytest.mark.parametrize("shell", ["fish", "zsh"])
def test_other_shells_have_a_script_of_their_own(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "stop-list" in script and "dirichlet_process" in script
