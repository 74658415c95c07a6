"""`reseat cluster` and what it must not do: delete, hang, contradict itself, keep quiet."""

import itertools
import json
import multiprocessing
import os
import shutil
import signal
import threading
import time
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, patch

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import strikes
from calls import cluster, written
from drawings import write_nothing
from given_files import put
from sklearn.exceptions import ConvergenceWarning

import reseat.command.results as results
import reseat.command.writing as writing
from reseat.chains.output import read_groups
from reseat.command import writing_to
from reseat.command.cluster import _show_warning
from reseat.command.console import stopping
from reseat.command.folder import NEW, Output, check_unchanged, finish_replacing
from reseat.command.main import main
from reseat.command.options import in_options
from reseat.command.results import membership
from reseat.errors import ConfigError, DataError
from reseat.files.atomic import atomic_path
from reseat.files.locking import try_lock
from reseat.summaries import minimise_expected_loss, rhat_in_words
from reseat.threads import Stopped

pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return a folder with a corpus and its result, which tests copy."""
    folder = tmp_path_factory.mktemp("finished")
    counts = np.random.default_rng(20081).integers(0, 4, (14, 6))
    sp.save_npz(folder / "corpus.npz", sp.csr_array(counts))
    with patch.object(writing, "save_figure", write_nothing):
        assert cluster("documents", folder / "corpus.npz", out=str(folder / "out")) == 0
    return folder


@pytest.fixture
def corpus(finished, here):
    return Path(shutil.copy(finished / "corpus.npz", here)).name


@pytest.fixture
def result(corpus, finished, here):
    """Return a corpus whose result is in ``out``."""
    shutil.copytree(finished / "out", here / "out")
    return corpus


def interrupted():
    return patch("reseat.command.cluster.write_files", side_effect=KeyboardInterrupt)


def test_settings_of_another_program_do_not_make_a_folder_ours(corpus, here, capsys):
    site = here / "site"
    put(site / "chains" / "A.pdb", "DNA")
    (site / "settings.json").write_text('{"python.formatting": "black"}')
    (site / "labels.csv").write_text("mine")
    for options in ((), ("--overwrite",)):
        assert cluster("documents", corpus, *options, out="site") == 2
        assert "does not contain a result of this command" in capsys.readouterr().err
    assert (site / "labels.csv").read_text() == "mine"
    ours = {"reseat": "0.1.0", "model": "documents", "data": "0", "n_samples": "600"}
    (site / "settings.json").write_text(json.dumps(ours))
    assert cluster("documents", corpus, out="site") == 2
    assert "does not contain a result of this command" in capsys.readouterr().err
    (site / "settings.json").write_text('{"reseat": ')
    assert cluster("documents", corpus, out="site") == 2
    assert "(its settings.json is damaged)" in " ".join(capsys.readouterr().err.split())


def test_files_of_the_user_among_the_chains_are_kept(result, here):
    chains = here / "out" / "chains"
    names = ("A.pdb", "chain-notes.txt", "chain-0.nc.bak", ".chain-old", "chain-backup/chain-0.nc")
    mine = [put(chains / name, "mine") for name in names]
    of_command = {path.name for path in chains.iterdir()} - {path.name for path in mine}
    with atomic_path(chains / "chain-0.nc") as unfinished:
        left = chains / unfinished.name
    left.write_text("of a killed process")
    (chains / ".chain-7").mkdir()
    assert cluster("documents", result, "--seed", "5", "--overwrite") == 0
    assert all(path.read_text() == "mine" for path in mine)
    found = {path.name for path in chains.iterdir()} - {path.name for path in mine}
    assert found == of_command


def test_files_of_the_user_in_the_state_of_a_chain_are_not_overwritten(result, here, capsys):
    (here / "out" / "chains" / "chain-0.state" / "mine.txt").write_text("mine")
    before = contents(here / "out")
    assert cluster("documents", result, "--seed", "5", "--overwrite") == 2
    assert "holds mine.txt, which no chain has written" in capsys.readouterr().err
    assert contents(here / "out") == before


def test_folders_of_the_user_with_names_of_the_command_are_left_alone(result, here, capsys):
    mine = [put(here / "mine" / name, name) for name in ("a.txt", ".overwritten/a.txt")]
    assert cluster("documents", result, out="mine") == 2
    assert [path.read_text() for path in mine] == ["a.txt", ".overwritten/a.txt"]
    kept = put(here / "out" / NEW / "mine.txt", "mine")
    before = contents(here / "out")
    assert cluster("documents", result, "--seed", "5", "--overwrite") == 2
    assert f"{NEW} is not as this command made it; rename it." in capsys.readouterr().err
    assert contents(here / "out") == before
    kept.unlink()
    assert cluster("documents", result, "--seed", "5", "--overwrite") == 0
    assert not (here / "out" / NEW).exists()


def test_a_damaged_chain_can_be_made_again(result, here, capsys):
    draws = here / "out" / "chains" / "chain-0.nc"
    before = contents(here / "out")
    draws.write_text("junk")
    (here / "out" / "labels.csv").unlink()
    assert cluster("documents", result) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "chain-0.nc cannot be read as the file of a chain (it was changed, is damaged" in said
    assert "delete the file to have this chain made again, or use --overwrite." in said
    draws.unlink()
    assert cluster("documents", result) == 0
    assert contents(here / "out").keys() == before.keys()


def test_overwriting_removes_what_the_command_has_written_and_nothing_else(result, here, capsys):
    of_command = {path.name for path in (here / "out").iterdir()}
    # Documents have no labels of columns.
    mine = ["my_clusters.csv", "old labels.csv", "xcoclustering.npz", "a_picture.png"]
    mine += ["picture.gif", "column_labels.csv"]
    for name in mine:
        (here / "out" / name).write_text("mine")
    (here / "out" / "models.csv").write_text("mine")  # there was nothing to choose
    options = ("--prior", "pitman_yor", "--overwrite")
    before = contents(here / "out")
    assert cluster("documents", result, *options) == 2
    assert "would be replaced; rename it." in " ".join(capsys.readouterr().err.split())
    assert contents(here / "out") == before
    (here / "out" / "models.csv").unlink()
    assert cluster("documents", result, *options) == 0
    assert {path.name for path in (here / "out").iterdir()} == of_command | set(mine)
    assert all((here / "out" / name).read_text() == "mine" for name in mine)


def run(corpus, *options):
    given = ["cluster", "documents", corpus, "-o", "out", "--chains", "2", "--threads", "1"]
    return main([*given, "--burn-in", "5", *options])


def test_a_short_run_can_be_extended_and_what_differs_is_called_as_the_user_calls_it(
    corpus, here, capsys
):
    assert run(corpus, "--samples", "4") == 0
    assert run(corpus, "--samples", "20") == 0  # for which thin would be 5 by default
    chain = read_groups("out/chains/chain-0.nc")[0]
    assert (np.diff(chain["partition"]["draw"]) == 4).all()
    for options, said in (
        (("--samples", "30", "--thin", "5"), "(--thin 4, now 5)"),
        (("--samples", "20", "--seed", "1"), "(--seed 0, now 1)"),
    ):
        assert run(corpus, *options) == 2
        assert said in capsys.readouterr().err


def test_chains_that_are_jobs_of_their_own_give_the_same_result(corpus, here, capsys, monkeypatch):
    assert cluster("documents", corpus, out="whole") == 0
    Path("out").mkdir()
    written("out/.settings.json.0123456789abcdef.json", "{")  # another job is writing it
    for number in ("1", "0"):
        with try_lock("out", shared=True):
            assert cluster("documents", corpus, "--only-chain", number) == 0
            assert not Path("out", "labels.csv").exists()
            if number == "1":
                assert cluster("documents", corpus, "--only-chain", "1") == 0  # started again
            capsys.readouterr()
            assert cluster("documents", corpus) == 2
            assert "another command is already running in out" in capsys.readouterr().err
    made = {path.name: path.stat().st_mtime_ns for path in Path("out", "chains").glob("*.nc")}
    assert len(made) == 2
    assert cluster("documents", corpus) == 0
    assert {p.name: p.stat().st_mtime_ns for p in Path("out", "chains").glob("*.nc")} == made
    Path("out/.settings.json.0123456789abcdef.json").unlink()
    one, other = contents(here / "whole"), contents(here / "out")
    assert one.keys() == other.keys()
    timed = {path.name for path in one if one[path] != other[path] and path.parent.name == ""}
    assert timed <= {"index.html", "summary.csv", ".written.json"}
    texts = [(here / name / "summary.csv").read_text().splitlines() for name in ("whole", "out")]
    apart = [line for line, same in zip(*texts, strict=True) if line != same]
    assert [line.split(",")[0] for line in apart] in ([], ["seconds"])
    for name in made:
        whole, out = (
            strikes.contents(here / place / "chains" / name) for place in ("whole", "out")
        )
        assert whole == out


def test_settings_are_those_of_the_results_if_more_samples_are_interrupted(corpus, here):
    assert run(corpus, "--samples", "10") == 0
    before = {name: (here / "out" / name).read_bytes() for name in ("settings.json", "labels.csv")}
    with interrupted():
        assert run(corpus, "--samples", "20") == 130
    after = {name: (here / "out" / name).read_bytes() for name in before}
    assert after == before
    assert run(corpus, "--samples", "20") == 0
    assert json.loads((here / "out" / "settings.json").read_text())["n_samples"] == 20


def test_files_of_a_shorter_run_do_not_stay(result, here, monkeypatch, capsys, only_svg):
    assert (here / "out" / "coclustering.npz").is_file()
    (here / "out" / "column_pairs.csv").write_text("of the user, as documents have no columns")
    (here / "out" / "pairs.csv").write_text("of the user, as there are few clusters")
    assert cluster("documents", result, "--samples", "12") == 2
    assert "out/pairs.csv is not as this command wrote it" in capsys.readouterr().err
    assert (here / "out" / "pairs.csv").read_text().startswith("of the user")
    (here / "out" / "pairs.csv").unlink()
    monkeypatch.setattr(results, "MAX_PAIRS", 0)
    assert cluster("documents", result, "--samples", "12") == 0
    assert "pairs of items share a cluster, too many" in " ".join(capsys.readouterr().err.split())
    page = (here / "out" / "index.html").read_text(encoding="utf-8")
    assert "too many to list" in page and "coclustering.npz" not in page
    assert not (here / "out" / "coclustering.npz").exists()
    assert (here / "out" / "column_pairs.csv").is_file()


SETTINGS = {"reseat": "1", "model": "distances", "data": ""}


def test_results_without_a_record_are_known_if_they_are_complete(here):
    """Earlier releases kept no record, but an interrupted run has written none of these files."""
    names = {"labels.csv", "index.html"}
    (here / "labels.csv").write_text("of whom?")
    with pytest.raises(ConfigError, match="would be replaced; rename it.$"):
        check_unchanged(here, names, overwrite=True)
    (here / "index.html").write_text("the last file")
    check_unchanged(here, names, overwrite=True)
    with pytest.raises(ConfigError, match="rename it, or use --overwrite"):
        check_unchanged(here, names)


def test_an_error_of_another_file_is_no_error_of_the_results(here):
    for name, said in (
        ("out/chains/x", "out cannot be written to"),
        (".", "out cannot be written to"),
        ("input.npy", "^input.npy cannot be used"),
    ):
        with pytest.raises(DataError, match=said), writing_to(Path("out")):
            raise OSError(2, "No such file or directory", name)


def deaf(ready):
    """Go on after an interruption, as threads do that are in the middle of something."""
    with stopping({2: 0.3, 15: 0.3}):
        try:
            ready.set()
            time.sleep(600)
        except KeyboardInterrupt:
            time.sleep(600)


@pytest.mark.kill
def test_a_process_that_does_not_hear_is_ended(capfd):
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    process = context.Process(target=deaf, args=[ready])
    process.start()
    assert ready.wait(120)
    os.kill(process.pid, signal.SIGINT)
    process.join(120)
    assert process.exitcode == 130
    assert "re-run the command to resume" in capfd.readouterr().err


def test_signals_are_given_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with stopping() as stop, pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)
    assert stop.is_set()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_search_can_be_stopped_and_tells_how_far_it_is(rng):
    draws = rng.integers(0, 5, (10, 40))
    steps, stop = Mock(), threading.Event()
    whole = minimise_expected_loss(draws, n_runs=2, rng=1)
    told = minimise_expected_loss(draws, n_runs=2, rng=1, stop=stop, progress=steps)
    np.testing.assert_array_equal(whole.labels, told.labels)
    assert steps.step.call_count == 4
    stop.set()
    with pytest.raises(Stopped):
        minimise_expected_loss(draws, n_runs=2, rng=1, stop=stop)


def test_labels_have_no_more_clusters_than_a_draw(here, rng, capsys):
    # Texts of six words each, from three topics; the topic of many of them is uncertain.
    topics = rng.dirichlet(np.full(30, 0.3), 3)
    counts = np.array([rng.multinomial(6, topics[k % 3]) for k in range(90)])
    sp.save_npz("corpus.npz", sp.csr_array(counts))
    assert cluster("documents", "corpus.npz", "--burn-in", "1", "--chains", "1") == 0
    said = capsys.readouterr()
    n_labels = pd.read_csv("out/labels.csv")["cluster"].nunique()
    assert f"in labels.csv {n_labels}" in said.out
    draws = read_groups("out/chains/chain-0.nc")[0]["posterior"]["n_clusters"]
    assert n_labels <= int(draws.max())
    low, high = (int(q) for q in np.quantile(draws, [0.025, 0.975]))
    assert ("outside the interval" in said.err) == (not low <= n_labels <= high)


def test_a_bound_on_very_many_clusters_holds(rng):
    base = rng.integers(0, 3000, 5000)
    draws = np.array([np.where(rng.random(5000) < 0.1, rng.integers(0, 4000, 5000), base)
                      for _ in range(4)])  # fmt: skip
    free = minimise_expected_loss(draws, n_runs=1, rng=0)
    bound = free.n_clusters - 50
    assert bound > 2000
    held = minimise_expected_loss(draws, n_runs=1, rng=0, max_clusters=bound)
    assert held.n_clusters <= bound
    assert free.expected_loss <= held.expected_loss < 1.2 * free.expected_loss


def test_membership_takes_memory_for_the_items_only(rng):
    """For 60,000 items, nearly all alone, a table of all pairs of clusters has 10^9 cells."""
    n = 60_000
    draws = np.stack([rng.permutation(n), rng.permutation(n) // 2]).astype(np.int32)
    labels = np.arange(n) // 2
    tracemalloc.start()
    found = membership(labels, draws)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    pairs = draws[:, ::2] == draws[:, 1::2]
    np.testing.assert_allclose(found[::2], pairs.mean(axis=0))


MATRIX = "a,b,c,d\n0,1,4,9\n1,0,1,4\n4,1,0,1\n9,4,1,0\n"


def test_what_the_library_says_is_said_in_options(capsys, monkeypatch):
    monkeypatch.setattr("reseat.estimators.sampling.MATRIX_COPIES", 1e12)
    assert cluster("distances", written("table.csv", MATRIX)) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "set --landmarks 1000, so that" in said and "landmarks=" not in said
    assert in_options("square", "True") == "--square"
    assert in_options("likelihood", "'categorical'") == "--likelihood categorical"
    assert in_options("n_restarts") == "--restarts" and in_options("n_jobs") == "--threads"
    assert in_options("distortion") == "distortion"  # which has no option


def test_warnings_of_libraries_are_no_notes():
    notes = []
    for category in (ConvergenceWarning, UserWarning):
        _show_warning(SimpleNamespace(warn=notes.append), category("said"), category)
    assert notes == ["said"]


def test_an_r_hat_above_the_bound_is_printed_above_it():
    assert rhat_in_words(1.05004) == "1.06" and rhat_in_words(1.2) == "1.20"
    assert rhat_in_words(np.inf) == "\N{INFINITY}"


def contents(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_is_refused_overwrites_nothing(here, capsys, only_svg):
    two = written("two.txt", "good cat cat dog\nbad cow cow pig\n")
    assert cluster("documents", two) == 0
    before = contents(here / "out")
    assert cluster("documents", two, "--overwrite", "--prior", "nbnb") == 2
    assert "needs at least 3" in " ".join(capsys.readouterr().err.split())
    assert contents(here / "out") == before
    assert not (here / "out" / NEW).exists()


def test_a_new_result_replaces_the_old_one_in_whole_after_any_interruption(here):
    """Whatever is interrupted, the next command has the one or the other, and the user's files."""
    out, replace = here / "out", os.replace
    of_chain = ("chains/chain-{}.nc", "chains/chain-{}.state/checkpoint.npz")
    old = ["index.html", "labels.csv", "pairs.csv"]
    old += [name.format(number) for number in range(3) for name in of_chain]
    new = ["index.html", "labels.csv", "aliases.csv"]
    new += [name.format(number) for number in range(2) for name in of_chain]
    mine = {"notes.txt": "mine", "chains/chain-notes.txt": "mine"}

    def write(output, text, names):
        with output.replacing() as place:
            for name in names:
                put(place / name, text)

    def begin():
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        (out / "settings.json").write_text(json.dumps(SETTINGS | {"n_chains": 3}))
        write(Output(out, SETTINGS | {"n_chains": 3}, False, afresh=True), "old", old)
        for name, text in mine.items():
            (out / name).write_text(text)

    def texts():
        return {str(path): text.decode() for path, text in contents(out).items()}

    def interrupt_after(n_moves):
        moves = itertools.repeat(replace, n_moves)
        return patch.object(os, "replace", lambda *paths: next(moves, interrupt)(*paths))

    def interrupt(*_):
        raise KeyboardInterrupt

    begin()
    before, interrupted = texts(), set()
    for n_moves in range(20):
        begin()
        try:
            with interrupt_after(n_moves):
                write(Output(out, SETTINGS | {"n_chains": 2}, True, afresh=True), "new", new)
        except KeyboardInterrupt:
            interrupted.add(n_moves)
        finish_replacing(out)
        found = texts()
        if (out / NEW).exists():  # it was not complete
            assert {k: v for k, v in found.items() if not k.startswith(NEW)} == before
            continue
        assert {name for name, text in found.items() if text == "new"} == set(new)
        assert {name: found[name] for name in mine} == mine
        assert found.keys() - {*new, *mine} == {"settings.json", ".written.json"}
        assert json.loads(found["settings.json"])["n_chains"] == 2
    assert interrupted == set(range(len(interrupted))) and 6 < len(interrupted) < 20


def test_an_interrupted_command_that_overwrites_is_resumed(result, here):
    """The advice after Ctrl-C is to run the same command again."""
    kept = here / "out" / "chains" / "chain-0.nc"
    before = kept.stat().st_mtime_ns
    (here / "out" / "index.html").unlink()  # the last file that is written
    assert cluster("documents", result, "--overwrite") == 0
    assert kept.stat().st_mtime_ns == before
    assert cluster("documents", result, "--overwrite") == 0  # finished, so it begins again
    assert kept.stat().st_mtime_ns != before


def test_an_overwritten_result_stays_until_the_new_one_is_complete(result, here, capsys):
    before = contents(here / "out")
    options = ("--seed", "5", "--overwrite")
    with interrupted():
        assert cluster("documents", result, *options) == 130
    assert "re-run the command to resume" in capsys.readouterr().err
    new = here / "out" / NEW
    after = contents(here / "out")
    assert {path: after[path] for path in before} == before
    assert all(path.parts[0] == NEW for path in after.keys() - before.keys())
    assert cluster("documents", result) == 0  # the older result, which is complete
    assert contents(here / "out").keys() == before.keys()
    with interrupted():
        assert cluster("documents", result, *options) == 130
    made = (new / "chains" / "chain-0.nc").stat().st_mtime_ns
    assert cluster("documents", result, *options) == 0
    assert (here / "out" / "chains" / "chain-0.nc").stat().st_mtime_ns == made
    assert json.loads((here / "out" / "settings.json").read_text())["seed"] == 5
    assert contents(here / "out").keys() == before.keys() and not new.exists()


def test_notes_of_readers_are_notes_on_the_file_of_the_user(here, capsys):
    towns = ["null" if n % 9 == 0 else f"t{n % 3}" for n in range(30)]
    rows = [{"key": f"r{n}", "town": town, "age": n % 7} for n, town in enumerate(towns)]
    Path("people.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert cluster("records", "people.jsonl", "--id-column", "key") == 0
    said = capsys.readouterr().err
    assert "note: people.jsonl: cells of the column 'town' containing 'null'" in said
    assert "containing &#39;null&#39;" in (here / "out" / "index.html").read_text()
