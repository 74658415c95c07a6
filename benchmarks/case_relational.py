"""Iterations of FIRM and IRM: fused sums, and the same updates as scipy.sparse products."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from child import run_child
from corpora import ROOT
from timing import Row, compare, measure, ratio

from reseat.variational import Relation, fit_relational
from reseat.variational.ascent import Ascent, Links, Sticks
from reseat.variational.problem import Problem, start

__all__ = ["run"]

PAIRS = "adj-noun/ja-aozora/adj_noun.tsv.xz"
KINDS = ("row", "column")
#: Options of the searches for the best fit, by the name of a restart in the table.
SEARCHES = {
    "one restart": {},
    "one restart from K-means, with merges": {"initialisation": "k_means", "merge": True},
}

CHILD = """
import numpy as np
import scipy.sparse as sp
from reseat.variational import FIRM

imports = peak()
FIRM(int(sys.argv[2]), int(sys.argv[3]), n_restarts=1, max_iter=3, random_state=0).fit(
    sp.load_npz(sys.argv[1])
)
print(imports, peak())
"""


def run(mirror: Path, quick: bool) -> list[Row]:
    """Measure whole iterations (memberships, sticks, links, ELBO), whole restarts, and memory."""
    counts, truncation, about = _table(mirror, quick)
    rate = _rate()
    rows = []
    for name, binary in (("FIRM", False), ("IRM", True)):
        rows += _iterations(name, counts, binary, truncation, rate, about)
    rows.append(_memory(counts, truncation))
    return rows


class SparseProducts:
    """The same ascent as usually written with scipy: four sparse products per iteration."""

    def __init__(self, counts: sp.csr_array, memberships, truncation, beta: float):
        positive = counts.copy()
        positive.data[:] = 1.0
        # The transposes are faster in row-compressed form, so they are converted once.
        self.tables = [(counts, positive), (counts.T.tocsr(), positive.T.tocsr())]
        self.q = [memberships[kind].copy() for kind in KINDS]
        self.sticks = [Sticks(truncation[kind], 1.0) for kind in KINDS]
        self.links = Links(beta)
        for side in (0, 1):
            self.sticks[side].update(self.q[side].sum(axis=0), True)
        self._count(0, *(table @ self.q[1] for table in self.tables[0]))
        self.entropies = [0.0, 0.0]

    def _count(self, side: int, weighted: np.ndarray, plain: np.ndarray) -> None:
        linked, seen = self.q[side].T @ weighted, self.q[side].T @ plain
        if side:
            linked, seen = linked.T, seen.T
        every = np.outer(self.q[0].sum(axis=0), self.q[1].sum(axis=0))
        self.observed = linked, every - seen
        self.links.update(*self.observed)

    def iterate(self) -> float:
        """Update both sides once, and return the ELBO."""
        for side in (0, 1):
            weighted, plain = (table @ self.q[1 - side] for table in self.tables[side])
            link, none = self.links.log_link, self.links.log_none
            if side:
                link, none = link.T, none.T
            scores = weighted @ link.T - plain @ none.T
            scores += none @ self.q[1 - side].sum(axis=0) + self.sticks[side].log_weights
            scores -= scores.max(axis=1, keepdims=True)
            q = np.exp(scores)
            total = q.sum(axis=1, keepdims=True)
            q /= total
            self.q[side] = q
            self.entropies[side] = float(np.log(total).sum() - (q * scores).sum())
            self.sticks[side].update(q.sum(axis=0), True)
            self._count(side, weighted, plain)
        value = self.links.bound(*self.observed) + sum(self.entropies)
        return value + sum(
            sticks.bound(q.sum(axis=0)) for sticks, q in zip(self.sticks, self.q, strict=True)
        )


def _iterations(name, counts, binary, truncation, rate, about) -> list[Row]:
    relation = Relation.from_matrix(counts)
    if binary:
        relation, counts = relation.binary(), (counts > 0).astype(float)
    n_entities = dict(zip(KINDS, counts.shape, strict=True))
    problem = Problem.of(relation, n_entities, truncation)
    memberships = start("hard", problem, np.random.default_rng(0))
    ascent = Ascent(problem, {kind: q.copy() for kind, q in memberships.items()})
    peer = SparseProducts(counts, memberships, truncation, problem.beta)
    found = [], []

    def iterate() -> None:
        ascent.sweep()
        found[0].append(ascent.elbo())

    ours, theirs = compare(iterate, lambda: found[1].append(peer.iterate()), 15, warmup=2)
    apart = np.abs(np.array(found[1]) / found[0] - 1).max()
    T = [truncation[kind] for kind in KINDS]
    n_halves = 1 if binary else 2
    n_excess = int((counts.data > 1).sum())
    dense = 2 * n_halves * sum(counts.shape) * T[0] * T[1]
    sparse = (counts.nnz + n_excess) * sum(T)
    blocks = _dense_seconds(n_halves, counts.shape, T)
    note = (
        f"{about}; ELBOs differ by {apart:.0e} at most; {(dense + sparse) / 1e6:.0f} million "
        f"multiply-adds an iteration (some are left out, where memberships are 0), "
        f"{(dense + sparse) / ours.median / rate:.0%} of the rate of "
        f"one large product ({rate / 1e9:.1f}e9 a second); its dense products alone, "
        f"{dense / 1e6:.0f} million, {dense / blocks / rate:.0%}"
    )
    restarts = []
    for said, search in SEARCHES.items():
        posterior = fit_relational(relation, n_entities, truncation, n_restarts=1, rng=0, **search)
        ended = posterior.restarts.iloc[0]
        clusters = " x ".join(str(n) for n in posterior.n_clusters.values())
        whole = (
            f"ELBO {posterior.elbo:,.0f}, {ended['n_iter']} iterations, converged: "
            f"{ended['converged']}, {clusters} clusters"
        )
        restarts.append(Row(f"{name}, {said}", f"{ended['seconds']:.3g} s", note=whole))
    return [
        Row(
            f"{name} iteration, T = {T[0]} x {T[1]}", str(ours), "scipy.sparse + numpy",
            str(theirs), ratio(ours, theirs), note,
        ),
        *restarts,
    ]  # fmt: skip


def _rate() -> float:
    """Return the multiply-adds per second of one large product of doubles."""
    square = np.random.default_rng(0).random((1_200, 1_200))
    return square.shape[0] ** 3 / measure(lambda: square @ square, 5).median


def _dense_seconds(n_halves: int, shape, T) -> float:
    """Return the seconds of the dense products of an iteration, in blocks of the ascent's size."""
    rng, seconds = np.random.default_rng(0), 0.0
    for n, own, other in ((shape[0], T[0], T[1]), (shape[1], T[1], T[0])):
        width = n_halves * other
        sums, q = rng.random((256, width)), rng.random((256, own))
        weights = rng.random((width, own))
        both = measure(lambda a=sums, b=weights, c=q: (a @ b, c.T @ a), 9)
        seconds += both.median * n / 256
    return seconds


def _memory(counts: sp.csr_array, truncation) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "counts.npz")
        sp.save_npz(path, counts)
        imports, peak = run_child(CHILD, path, *(truncation[kind] for kind in KINDS))
    return Row("memory of one FIRM restart", f"{peak:.0f} MB", note=f"imports: {imports:.0f} MB")


def _table(mirror: Path, quick: bool):
    """Return real counts in the paper's shape if they are available, otherwise generated ones."""
    here = [folder / PAIRS for folder in (mirror, ROOT / "data") if (folder / PAIRS).is_file()]
    if here and not quick:
        path = here[0]
        table = pd.read_csv(path, sep="\t", keep_default_na=False)
        table = table.groupby(["adjective", "noun"], as_index=False)["count"].sum()
        codes = []
        for column, n in (("adjective", 1_291), ("noun", 3_705)):
            total = table.groupby(column)["count"].sum().reset_index()
            total = total.sort_values(["count", column], ascending=[False, True])
            codes.append(pd.Index(total[column][:n]).get_indexer(table[column]))
        kept = (codes[0] >= 0) & (codes[1] >= 0)
        data = table["count"].to_numpy(dtype=float)[kept]
        counts = sp.csr_array((data, (codes[0][kept], codes[1][kept])), shape=(1_291, 3_705))
        about = "Japanese adjective-noun counts"
    else:
        shape, n_tokens = ((300, 800), 20_000) if quick else ((1_291, 3_705), 700_000)
        rng = np.random.default_rng(0)
        tokens = [
            rng.choice(n, n_tokens, p=rng.dirichlet(np.full(n, 0.3))) for n in shape
        ]  # fmt: skip
        counts = sp.coo_array((np.ones(n_tokens), tuple(tokens)), shape=shape).tocsr()
        about = "generated counts"
    truncation = dict(zip(KINDS, (20, 30) if quick else (80, 120), strict=True))
    return (
        counts,
        truncation,
        f"{about}, {counts.shape[0]:,} x {counts.shape[1]:,}, {counts.nnz:,} pairs",
    )
