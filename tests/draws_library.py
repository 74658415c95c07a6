"""Every prior with every likelihood and every move, and whatever else in the library draws."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from draws import chain, entry

from reseat import likelihoods, priors
from reseat.baselines import fit_em
from reseat.chains import CoupledModel, DecidedModel, GroupedModel, MixtureModel, anneal, chain_seed
from reseat.datasets.uniforms import Uniforms
from reseat.dissimilarities import squared_distances
from reseat.estimators import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    StudentMixture,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.models.choosing import hold_out
from reseat.models.references import SUPERVISED_MODELS, build_supervised
from reseat.models.two_covariances import build_two_covariances, learn_covariances
from reseat.moves import (
    UNLABELLED,
    CanopySweep,
    Chaperones,
    ClampedSweep,
    Pairs,
    PairsOfUnits,
    RestrictedSweep,
    SimilarPairs,
    SplitMerge,
    gibbs_sweep,
)
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior, slice_sample
from reseat.summaries import LOSSES, minimise_expected_loss
from reseat.variational import AspectModel, Relation, fit_relational
from reseat.variational.problem import INITIALISATIONS

N, N_BLOCKS = 24, 3
GAMMA = GammaHyperprior(1.0, 0.5)
BETA = BetaHyperprior.from_moments(0.05, 0.04, 0.3)
TRUTH = np.arange(N) % N_BLOCKS
GROUPS = np.arange(N) % 2
#: Class of each item; of the first 12 items, those of the first two blocks keep theirs.
CLASSES = np.where((TRUTH < 2) & (np.arange(N) < 12), TRUTH, UNLABELLED)
NEIGHBOURS = np.abs(np.subtract.outer(np.arange(N), np.arange(N))) % 7 < 3

PRIORS = {
    "finite": lambda: priors.FiniteDirichlet(6, 0.6),
    "finite, all ones": lambda: priors.FiniteDirichlet(6, 1.0),
    "finite, sampled": lambda: priors.FiniteDirichlet(N_BLOCKS + 2, 0.5, GAMMA),
    "dp": lambda: priors.DirichletProcess(1.3),
    "dp, sampled": lambda: priors.DirichletProcess(1.0, GAMMA),
    "pitman-yor": lambda: priors.PitmanYor(0.4, 0.45),
    "pitman-yor, sampled": lambda: priors.PitmanYor(1.0, 0.25, GAMMA, sample_discount=True),
    "nbnb": priors.NBNB,
    "nbnb, printed": lambda: priors.NBNB(reading="printed"),
    "nbnb, fixed": lambda: priors.NBNB(1.3, 0.8, 0.7, 0.4, r_hyperprior=None, p_hyperprior=None),
    "nbd": priors.NBD,
    "nbd, sampled": priors.SampledNBD,
    "esc-nb": priors.ESCNB,
    "esc-d": priors.ESCD,
}
#: Priors whose weights for one group do not depend on the blocks of the other groups.
SHARED = ("finite", "dp", "dp, sampled", "pitman-yor, sampled")

#: Items of missing cells, and how the coordinates change with these.
GAPS = [2, 2, 9], np.eye(4)[[0, 3, 1]]


def stream(*names) -> np.random.Generator:
    """Return the generator of an entry, so that no entry depends on another."""
    return np.random.Generator(np.random.PCG64(chain_seed(2008, "digests", *names)))


@cache
def codes() -> np.ndarray:
    """Return records whose five fields copy the level of the block, with errors and gaps."""
    draw = Uniforms(stream("data", "codes"))
    levels = np.array([4, 6, 3, 8, 5])
    true = (np.arange(N_BLOCKS)[:, None] * 2 + np.arange(5)) % levels
    noise = np.stack([draw.below(bound, N) for bound in levels], axis=1)
    found = np.where(draw.chance(0.3, (N, 5)), noise, true[TRUTH])
    return np.where(draw.chance(0.05, (N, 5)), -1, found)


@cache
def counts() -> np.ndarray:
    """Return counts of ten words, most of which belong to the block."""
    draw = Uniforms(stream("data", "counts"))
    own = (np.arange(10) % N_BLOCKS) == TRUTH[:, None]
    return (draw.below(4, (N, 10)) * np.where(own, 1, draw.below(2, (N, 10)))).astype(np.int32)


@cache
def points() -> np.ndarray:
    """Return points around three centres, in clusters that nearly overlap."""
    draw = Uniforms(stream("data", "points"))
    return draw.normal((N, 4)) + 1.5 * draw.normal((N_BLOCKS, 4))[TRUTH]


@cache
def links() -> np.ndarray:
    """Return counts of links between two types of entities in three by three blocks."""
    draw = Uniforms(stream("data", "links"))
    often = np.equal.outer(TRUTH, TRUTH[:18])
    found = draw.below(4, (N, 18)) * draw.chance(np.where(often, 0.7, 0.15), (N, 18))
    found[:18][np.eye(18, dtype=bool)] += 1
    return found


def references() -> likelihoods.GaussianReferences:
    """Return the points with two coordinates per feature."""
    return likelihoods.GaussianReferences(points(), [0, 0, 1, 1])


def distances(**options) -> likelihoods.WishartDistances:
    return likelihoods.WishartDistances(squared_distances(points()), 4, **options)


def similarities() -> likelihoods.WishartSimilarities:
    """Return the inner products of the points, with theta sampled."""
    products = points() @ points().T / 4
    return likelihoods.WishartSimilarities(
        products, 4, hyperprior=BetaHyperprior(), dtype=np.float64
    )


def similar(*options) -> likelihoods.SimilarRecords:
    """Return the records, with similar neighbouring levels in all fields but the first."""
    near = [
        None,
        *((np.arange(n - 1), np.arange(1, n), 2 + np.arange(n - 1)) for n in (6, 3, 8, 5)),
    ]
    return likelihoods.SimilarRecords(likelihoods.SimilarityIndex(codes(), near), 0.05, *options)


LIKELIHOODS = {
    "documents": lambda: likelihoods.DirichletMultinomial(counts(), 0.7),
    "documents, beta sampled": lambda: likelihoods.DirichletMultinomial(
        counts(), [0.05, 0.3, 0.7, 2.0]
    ),
    "records": lambda: likelihoods.CategoricalRecords(codes(), 0.3),
    "records, delta sampled": lambda: likelihoods.CategoricalRecords(codes(), 0.1, False, GAMMA),
    "records, delta of each field": lambda: likelihoods.CategoricalRecords(
        codes(), 0.1, True, GAMMA
    ),
    "hit-miss": lambda: likelihoods.HitMissRecords(codes(), 0.05),
    "hit-miss, sampled": lambda: likelihoods.HitMissRecords(codes(), 0.05, BETA),
    "similar": similar,
    "similar, sampled": lambda: similar(BETA, GROUPS, 1.0, GAMMA),
    "distances": lambda: distances(hyperprior=BetaHyperprior()),
    "distances, printed": lambda: distances(exponent="printed", dtype=np.float64, theta=1.5),
    "distances, not cached": lambda: distances(hyperprior=BetaHyperprior(), cached=False),
    "similarities": similarities,
    "means": lambda: likelihoods.ReferenceMeans(references(), 0.8),
    "student": lambda: likelihoods.StudentBlocks(points()),
    "joint, with gaps": lambda: likelihoods.JointBlocks(
        likelihoods.StudentBlocks(points(), missing=GAPS),
        likelihoods.CategoricalRecords(codes(), 0.1, True, GAMMA),
    ),
}

MOVES = {
    "gibbs": lambda: gibbs_sweep,
    "clamped": lambda: ClampedSweep(CLASSES),
    "chaperones": lambda: Chaperones(Pairs(N)),
    "chaperones, similar": lambda: Chaperones(
        SimilarPairs(codes(), stream("data", "pairs"), n_subsets=7, most_alike=8), n_scans=2
    ),
    "chaperones, keys": lambda: Chaperones(
        SimilarPairs(codes(), stream("data", "keys"), 7, 8, groups=[0, 0, 1, 1, 2])
    ),
    "restricted": lambda: RestrictedSweep(items=np.arange(N)[::-1]),
    "canopies": lambda: CanopySweep(NEIGHBOURS, full_every=3),
    "split-merge": lambda: SplitMerge(n_proposals=5, n_scans=2),
}


def entries() -> Iterator[tuple[str, dict]]:
    """Yield the name and the entry of everything that is drawn."""
    parts = [grouped, decided, relational, supervised, two_covariances, annealed, sizes, fits]
    parts += [summaries, estimators]
    for found in (mixtures(), *(part() for part in parts)):
        yield from ((f"library/{name}", entry) for name, entry in found)


def mixtures(given=PRIORS) -> Iterator[tuple[str, dict]]:
    """Yield every combination of prior, likelihood and move."""
    for prior, likelihood, move in product(given, LIKELIHOODS, MOVES):
        name = f"{prior} / {likelihood} / {move}"
        model = MixtureModel(given[prior](), LIKELIHOODS[likelihood](), [MOVES[move]()])
        model.start(ClampedSweep(CLASSES).start() if move == "clamped" else np.arange(N) % 5)
        yield name, chain(model, stream(name))


def grouped() -> Iterator[tuple[str, dict]]:
    """Yield models of groups that share a prior."""
    moves = {
        "restricted": RestrictedSweep(GROUPS),
        "canopies": CanopySweep(NEIGHBOURS, GROUPS, full_every=3),
        "split-merge": SplitMerge(groups=GROUPS, n_proposals=5, n_scans=2),
    }
    for prior, likelihood, move in product(SHARED, ("documents", "records", "means"), moves):
        name = f"groups / {prior} / {likelihood} / {move}"
        model = GroupedModel(PRIORS[prior](), LIKELIHOODS[likelihood](), [moves[move]], GROUPS)
        model.start(GROUPS)
        yield name, chain(model, stream(name))


def decided() -> Iterator[tuple[str, dict]]:
    """Yield models in which some items are together, and others apart."""
    units = np.append(np.arange(N - 3), [0, 1, 1])
    moves = {
        "gibbs": gibbs_sweep,
        "chaperones": Chaperones(PairsOfUnits(Pairs(N), units)),
        "split-merge": SplitMerge(n_proposals=5, n_scans=2),
    }
    for likelihood, move in product(("documents", "records", "distances"), moves):
        name = f"decided / {likelihood} / {move}"
        made = PRIORS["dp, sampled"](), LIKELIHOODS[likelihood](), [moves[move]]
        model = DecidedModel(*made, units=units, apart=[[0, 1], [2, 3]])
        model.start(np.arange(N) % 5)
        yield name, chain(model, stream(name))


def relational() -> Iterator[tuple[str, dict]]:
    """Yield partitions of two types, for counts and for links, with some cells held out."""
    counted = likelihoods.LinkTable(links(), [[0, 3], [5, 5], [7, 1]], ("row", "column"))
    moves = {
        "gibbs": lambda n: gibbs_sweep,
        "chaperones": lambda n: Chaperones(Pairs(n)),
        "split-merge": lambda n: SplitMerge(n_proposals=5, n_scans=2),
    }
    for table, prior, move in product((counted, counted.binary()), PRIORS, moves):
        name = f"{'counts' if table is counted else 'links'} / {prior} / {move}"
        yield name, coupled(name, table, PRIORS[prior], likelihoods.RelationalLinks, moves[move])
    given = {
        "trials": (likelihoods.LinkTable(links(), trials=links() + 1), likelihoods.RelationalLinks),
        "rates": (likelihoods.LinkTable(links()), likelihoods.RelationalRates),
    }
    for kind, move in product(given, moves):
        name, (table, likelihood) = f"{kind} / {move}", given[kind]
        yield name, coupled(name, table, priors.DirichletProcess, likelihood, moves[move])


def coupled(name, table, prior, likelihood, move) -> dict:
    """Return the entry of partitions of both types of a table."""
    parts = {
        kind: MixtureModel(prior(), likelihood(table, place, 0.3), [move(table.shape[place])])
        for place, kind in enumerate(table.types)
    }
    model, rng = CoupledModel(parts), stream(name)
    model.start_at_random({"row": 3, "column": 4}, rng)
    return chain(model, rng)


def supervised() -> Iterator[tuple[str, dict]]:
    """Yield models of publications and types: every model, form and move."""
    moves = {
        "restricted": None,
        "canopies": lambda groups, items: [
            CanopySweep(NEIGHBOURS[: groups.size, : groups.size], groups, items, 3)
        ],
        "split-merge": lambda groups, items: [
            SplitMerge(items, groups, 5, 2),
            RestrictedSweep(groups, items),
        ],
    }
    variants = [{}, {"types": "collapsed"}, {"share": True}, {"start": "singletons"}]
    variants += [{"form": "explicit"}, {"aux": "prior"}, {"pairs": "mean"}, {"law": "within"}]
    for model, options, move in product(SUPERVISED_MODELS, variants, moves):
        if _allowed(model, options, move):
            told = ", ".join(str(value) for value in options.values())
            name = " / ".join(filter(None, (model, told, move)))
            rng = stream(name)
            given = {"test": np.arange(N) >= 10, "known": TRUTH, "groups": GROUPS} | options
            given |= {"moves": moves[move], "n_candidates": 3}
            built = build_supervised(references(), model, rng, **given)
            yield name, chain(built, rng)


def _allowed(model: str, options: dict, move: str) -> bool:
    """Return whether a model accepts the options and the move and is changed by them."""
    explicit = model not in ("scdp1", "scdp2", "cdp") or options.get("form") == "explicit"
    if move == "split-merge" and explicit:
        return False
    if "law" in options:
        return model == "scdp2"
    if "form" in options:
        return model in ("scdp1", "scdp2")
    if options.get("types") == "collapsed":
        return model not in ("cdp", "scdp3_covariance")
    if "aux" in options or "pairs" in options:
        return model.startswith("scdp3") and move == "restricted"
    return model != "cdp" or "share" not in options


def two_covariances() -> Iterator[tuple[str, dict]]:
    """Yield clusters given two learned covariances, and choices made by held-out entities."""
    test, name = np.arange(N) >= 12, "two covariances"
    learned = learn_covariances(points()[~test], TRUTH[~test], points()[test])
    for power, n_proposals in product((1.0, 0.2), (0, 5)):
        named = f"{name} / power {power} / {n_proposals} proposals"
        rng = stream(named)
        given = {"test": test, "known": TRUTH, "groups": GROUPS}
        given |= {"power": power, "n_proposals": n_proposals}
        built = build_two_covariances(learned.with_nugget(0.02), points(), rng, **given)
        yield named, chain(built, rng)
    given = {"points": points()}, np.arange(N) // 3, np.zeros(N, dtype=int)
    choices = {"nuggets": [0.0, 0.1], "powers": [1.0, 0.2], "directions": [1, 5]}
    length = {"n_folds": 2, "burn_in": 2, "n_samples": 3}
    trials = hold_out(*given, stream(name, "held out"), **choices, **length)
    found = {"directions": np.array([trial.choice.directions for trial in trials])}
    yield f"{name} / held out", entry(found, {"score": [trial.score for trial in trials]})


def annealed() -> Iterator[tuple[str, dict]]:
    """Yield chains that are annealed towards a maximum."""
    for likelihood, temper in product(("documents", "distances"), ("posterior", "likelihood")):
        for move in ("gibbs", "clamped"):
            name = f"anneal / {likelihood} / {temper} / {move}"
            rng, sweep = stream(name), MOVES[move]()
            model = MixtureModel(priors.DirichletProcess(1.0), LIKELIHOODS[likelihood](), [sweep])
            model.start(ClampedSweep(CLASSES).start())
            labels = anneal(model, rng, n_steps=10, temper=temper, move=sweep)
            yield name, entry({"labels": labels}, {"log_joint": [model.log_joint()]})


def sizes() -> Iterator[tuple[str, dict]]:
    """Yield block sizes drawn from priors, by a chain and independently, and hyperparameters."""
    for prior in PRIORS:
        rng, law = stream("sizes", prior), PRIORS[prior]()
        drawn = priors.sample_sizes(law, 30, 20, rng, burn_in=5, thin=1)
        if hasattr(law, "sample_sizes"):
            drawn += [PRIORS[prior]().sample_sizes(30, rng) for _ in range(5)]
        found = {"sizes": np.concatenate(drawn), "n_blocks": np.array([len(d) for d in drawn])}
        yield f"sizes / {prior}", entry(found, {"next": [rng.random()]})
    rng, concentrations, slices = stream("hyperparameters"), [1.0], [0.5]
    for _ in range(20):
        concentrations.append(
            priors.sample_concentration(concentrations[-1], [24, 9], [5, 2], GAMMA, rng)
        )
        slices.append(slice_sample(lambda x: -x * x, slices[-1], rng))
    traces = {"concentration": concentrations[1:], "slice": slices[1:], "next": [rng.random()]}
    yield "hyperparameters", entry({}, traces)


def fits() -> Iterator[tuple[str, dict]]:
    """Yield fits that start at a random draw."""
    for smoothing, start in product(("laplace", "mle"), ("dirichlet", "uniform", "labels")):
        name = f"em / {smoothing} / {start}"
        settings = {"smoothing": smoothing, "start": start, "max_iterations": 20}
        found = fit_em(counts(), 4, rng=stream(name), **settings)
        yield name, entry({"labels": found.labels}, {"objective": found.objective})
    cells = np.argwhere(links())
    one = Relation(("row", "column"), cells, links()[tuple(cells.T)])
    within = Relation(("row", "row"), np.argwhere(NEIGHBOURS), np.ones(NEIGHBOURS.sum(), dtype=int))
    for name, given in {"firm": one, "irm": one.binary(), "two relations": [one, within]}.items():
        for initialisation in INITIALISATIONS:
            settings = {"initialisation": initialisation, "n_restarts": 3, "max_iter": 15}
            settings |= {"rng": stream(name, initialisation)}
            sizes, most = {"row": N, "column": 18}, {"row": 5, "column": 6}
            found = fit_relational(given, sizes, most, **settings)
            traces = {"elbo_trace": found.elbo_trace, "elbo": found.restarts["elbo"]}
            yield f"{name} / {initialisation}", entry(found.labels, traces)
    model = AspectModel(4, n_starts=3, max_iter=15, random_state=stream("aspect")).fit(links())
    found = {"trace": model.log_likelihood_trace_, "starts": model.starts_["log_likelihood"]}
    yield "aspect", entry({"labels": model.pair_labels()}, found)


def summaries() -> Iterator[tuple[str, dict]]:
    """Yield searches for the partition of least expected loss."""
    draws = Uniforms(stream("data", "draws"))
    noisy = np.where(draws.chance(0.3, (12, N)), draws.below(5, (12, N)), TRUTH)
    for loss in LOSSES:
        found = minimise_expected_loss(noisy, loss, n_runs=3, rng=stream("loss", loss))
        yield f"least {loss}", entry({"labels": found.labels}, {"loss": [found.expected_loss]})


def estimators() -> Iterator[tuple[str, dict]]:
    """Yield estimators that are fitted with a `random_state`."""
    known = np.where(np.arange(N) < 12, TRUTH, -1)
    short = {"n_chains": 2, "n_burn_in": 4, "n_samples": 16, "thin": 1, "random_state": 7}
    sampled = {
        "documents": (MultinomialMixture(**short), counts()),
        "records": (Microclustering(**short), np.where(codes() < 0, np.nan, codes())),
        "distances": (WishartDirichlet(**short), squared_distances(points())),
        "points": (WishartDirichlet(metric="euclidean", **short), points()),
        "mixture of points": (StudentMixture(**short), points()),
        "mixture of distances": (
            StudentMixture(metric="precomputed", **short),
            squared_distances(points()),
        ),
        "relations": (RelationalModel(inference="gibbs", **short), links()),
        "supervised": (SupervisedClustering(**short), points(), known),
        "supervised, scdp3": (
            SupervisedClustering(model="scdp3_covariance", **short),
            points(),
            known,
        ),
    }
    for name, (estimator, *given) in sampled.items():
        found = estimator.fit(*given)
        traces = {key: np.ravel(trace) for key, trace in found.traces_.items()}
        yield f"estimator / {name}", entry({"labels": found.labels_, "draws": found.draws_}, traces)
    found = RelationalModel(n_restarts=2, **short).fit(links())
    labels = {"rows": found.draws_, "columns": found.column_draws_}
    yield "estimator / relations, variational", entry(labels, {"elbo": [found.elbo_]})
