"""Hundreds of generated inputs: each is refused in a sentence or accepted; none ends otherwise.

The generator has a fixed seed.  Half of its data are good, so that the code behind the checks is
reached, and one or two other things may then be broken.
"""

from __future__ import annotations

import signal
import traceback
import warnings
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from malformed import FAULTS

import reseat.command.writing as writing
from reseat import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    StudentMixture,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.command.main import main, make_parser
from reseat.errors import ReseatError

pytestmark = pytest.mark.usefixtures("only_svg")

#: Number of cases of each kind, and seconds after which a case is taken to hang.
N_COMMANDS, N_FITS = 200, 200
PATIENCE = 60

ODD = (
    "", " ", "x", "1", "-1", "nan", "1e400", "1e-400", None, True, False, 0, -1, 1, 2, 3, 2.5, -0.5,
    10**9, 10**14, -(10**14), 1e308, 1e-308, float("nan"), float("inf"), [], [1], {}, {"a": 1}, (),
    b"x", "größe", "\x00", "x" * 300,
)  # fmt: skip


class Hung(BaseException):
    """A case that hangs; not an `Exception`, so that the code under test does not catch it."""


@contextmanager
def patience(what):
    """Fail if the work within the context takes longer than `PATIENCE` seconds."""

    def late(*_):
        raise Hung(f"no end after {PATIENCE} s: {what}")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# ---- the command -----------------------------------------------------------------------------

TEXTS = {
    "texts.txt": "bread flour oven\nflour bread\nengine oil wheel\nwheel oil\n",
    "records.csv": "key,first,town\n1,ann,rome\n2,ann,rome\n3,bob,oslo\n4,eve,bonn\n",
    "matrix.csv": ",a,b,c,d\na,0,1,4,9\nb,1,0,1,4\nc,4,1,0,1\nd,9,4,1,0\n",
    "pairs.csv": "row,column,count\na,x,2\na,y,1\nb,x,3\nb,z,1\nc,y,2\n",
    "items.csv": "key,x,who\n1,0.1,e\n2,0.2,e\n3,1.1,f\n4,1.2,f\n5,2.1,\n6,2.2,\n",
    "lda.txt": "2 0:1 1:2\n1 2:1\n2 0:3 2:1\n",
    "texts.jsonl": '{"text": "bread flour"}\n{"text": "flour oil"}\n{"text": "oil"}\n',
}
FILE_OF = {
    "documents": ("texts.txt", "lda.txt", "texts.jsonl"),
    "records": ("records.csv",),
    "distances": ("matrix.csv",),
    "relational": ("pairs.csv",),
    "supervised": ("items.csv",),
}
OPTIONS = (
    *("--prior", "--concentration", "--discount", "--max-clusters", "--chains", "--burn-in"),
    *("--samples", "--thin", "--seed", "--threads", "--id-column", "--columns", "--entity-column"),
    *("--group-column", "--vocabulary", "--stop-list", "--top-words", "--beta", "--dim"),
    *("--inference", "--header", "--text-column"),
)
FLAGS = ("--share", "--square", "--binary", "--quiet", "--overwrite")
VALUES = (
    *("", " ", "x", "0", "-1", "1", "2", "2.5", "nan", "inf", "1e400", "1e-320", "1e308"),
    *("100000000000000", "key", "who", "first", "key,who", "x,x", ",", "nbnb", "finite_dirichlet"),
    *("pitman_yor", "gibbs", "none", "yes", "no", "auto", "texts.txt", "nowhere", "größe"),
    "x" * 300,
)


def command(rng, number):
    model = str(rng.choice([*FILE_OF, "distance"], p=[*[0.19] * 5, 0.05]))
    name = str(rng.choice(FILE_OF.get(model, ("texts.txt",))))
    path = Path(f"{number}-{name}")
    if rng.random() < 0.35:
        kind = str(rng.choice([".npy", ".npz", ".mtx", ".csv", ".gz", ".txt", ".parquet"]))
        path = path.with_suffix(kind) if rng.random() < 0.3 else path
        path.write_bytes(FAULTS[rng.integers(len(FAULTS))](TEXTS[name].encode(), rng))
    elif rng.random() < 0.1:
        path = path.with_suffix(".npy")
        values = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]], dtype=rng.choice(list("fdiO?SUF")))
        np.save(path, values[: rng.integers(4)] if rng.random() < 0.3 else values)
    else:
        path.write_text(TEXTS[name], encoding="utf-8")
    given = ["cluster", str(path), "--model", model, "-o", f"out-{number}"]
    given += ["--chains", "1", "--burn-in", "0", "--samples", "2", "--threads", "1"]
    if model == "supervised":
        given += ["--entity-column", "who"]
    if name == "texts.jsonl" and rng.random() < 0.8:
        given += ["--text-column", "text"]
    for _ in range(int(rng.integers(3))):
        given += [str(rng.choice(OPTIONS)), str(rng.choice(VALUES))]
    if rng.random() < 0.2:
        given.append(str(rng.choice(FLAGS)))
    if rng.random() < 0.05:
        given[given.index("-o") + 1] = str(rng.choice(["", " ", str(path), "x" * 300, "/proc/x"]))
    return given


def test_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(writing, "save_figure", lambda *_: None)  # which takes most of the time
    monkeypatch.setattr(writing, "draw_posterior", lambda *_: None)
    # The parser is the same for all commands, and takes longer to build than a command to refuse.
    monkeypatch.setattr("reseat.command.main.make_parser", cache(make_parser))
    rng = np.random.default_rng(781)
    ends = []
    for number in range(N_COMMANDS):
        given = command(rng, number)
        with patience(given):
            try:
                end = main(given)
            except SystemExit as left:  # argparse
                end = left.code
            except Exception as error:
                raise AssertionError(f"{given} ends in {error!r}") from error
        said = capsys.readouterr().err
        assert end in (0, 2), given
        assert end == 0 or "error: " in said or "reseat cluster: " in said, given
        assert "Traceback" not in said, given
        ends.append(end)
    # Some commands are refused and some are accepted.
    assert 0.15 < np.mean(np.array(ends) == 0) < 0.85


# ---- the estimators --------------------------------------------------------------------------

KINDS = (MultinomialMixture, Microclustering, StudentMixture, WishartDirichlet, RelationalModel)
KINDS += (SupervisedClustering,)
SHORT = {"n_chains": 1, "n_burn_in": 0, "n_samples": 2, "thin": 1, "random_state": 0}


def table(kind, rng):
    """Return good data, or data with something wrong in them."""
    counts = rng.integers(0, 5, (8, 4))
    counts[:, 0] += 1
    good = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0))) ** 2
    good = good if kind is WishartDirichlet else counts
    wrong = [
        *(good.astype(kind) for kind in (str, object, bool, complex)),
        *(good * factor for factor in (-1, 1e300, 1e-320)),
        *(good + np.nan, good * np.inf, good[:1], good[:, :1], good[:0], good[0], good[None]),
        *(good * 0, good + 0.5, good.tolist()[:-1] + [[1]], ["a text", "another", "a third"]),
        *("text", None, 3, {"a": [1]}, sp.csr_array(good), sp.coo_array(good - 1)),
        *(np.ma.masked_equal(good, good[0, 0]), good.astype("datetime64[s]")),
        *(good.astype(np.int64) * 2**60, [[{}, []], [(), None]], np.array([[None] * 3] * 3)),
    ]
    return wrong[rng.integers(len(wrong))] if rng.random() < 0.5 else good


def expected(error):
    """Return whether an error is one of ours, or comes from scikit-learn's checks."""
    if isinstance(error, ReseatError):
        return True
    frames = traceback.extract_tb(error.__traceback__)
    checked = any(Path(f.filename).match("sklearn/utils/*.py") for f in frames)
    return checked and isinstance(error, ValueError | TypeError)


@pytest.mark.filterwarnings("ignore")
def test_fits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(279)
    taken = 0
    for number in range(N_FITS):
        kind = KINDS[rng.integers(len(KINDS))]
        names = [name for name in kind().get_params() if name != "n_restarts"]
        few = {"n_restarts": 1} if kind is RelationalModel else {}
        settings = SHORT | few
        for _ in range(int(rng.integers(3))):
            settings[names[rng.integers(len(names))]] = ODD[rng.integers(len(ODD))]
        for name in ("n_samples", "n_burn_in"):
            if settings[name] == 10**9:
                settings[name] = 10**10  # 10**9 sweeps would be accepted, and never end
        X, fit = table(kind, rng), {}
        if kind is SupervisedClustering and hasattr(X, "shape") and X.ndim > 1:
            y = np.array([0, 0, 1, 1, 2, 2, -1, -1])[: X.shape[0]]
            n = len(y)
            choices = (y, y.astype(str), y[:-1], [None] * n, np.ones(n), y * np.nan, {}, 3)
            fit["y"] = choices[rng.integers(len(choices))] if rng.random() < 0.5 else y
        what = f"{number}: {kind.__name__}(**{settings}).fit({X!r}, **{fit})"
        with patience(what), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                kind(**settings).fit(X, **fit)
            except Exception as error:
                assert expected(error), f"{what} ends in {error!r}"
            else:
                taken += 1
    assert 0.1 < taken / N_FITS < 0.7
    assert {path.name for path in tmp_path.iterdir()} <= {"x", "1", "-1", "nan", "größe", "1e400",
                                                          "1e-400", "x" * 200}  # fmt: skip
