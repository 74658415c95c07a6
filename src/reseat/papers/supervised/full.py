"""Tables of what held-out training entities choose: two covariances, and the scale of SCDP."""

from dataclasses import fields
from itertools import product

import numpy as np

from reseat.models.choice import SAMPLED, Choice
from reseat.papers.supervised.results import (
    HELD_OUT,
    RULES,
    STARTS,
    by_dataset,
    label,
    rhat_of,
    starts_disagree,
)
from reseat.papers.tables import mean_and_error, rows_of, tidy, tidy_row
from reseat.summaries import AGREED
from reseat.vocabulary import NOT_CONVERGED, NOTE

SYSTEM = "Two covariances"
BESIDE = (*RULES.values(), "K-Means", "Binary")
FROM = ("singletons", "one")
#: Start of chains whose test items stay in the true clusters.
TRUTH = "held"
SCORES = ("P", "R", "F", "NES")
AVERAGED = (*SCORES, "test clusters")
#: Format of a power or a nugget in words.
DIGITS = ".3g"
SETTINGS = [field.name for field in fields(Choice)]


@tidy("setting", NOTE)
def full_table(artefact, chains, trials, baselines):
    """Return the scores of the test items by seed and start, next to those of other systems."""
    plain = {"setting": "", NOTE: ""}
    for identity, part in by_dataset(chains, artefact):
        others = rows_of(baselines[baselines["chosen"]], dataset=identity["dataset"])
        for system, metric in product(BESIDE, SCORES):
            found = mean_and_error(rows_of(others, system=system, metric=metric)["value"])
            if found[2]:
                yield tidy_row(identity, system, "", metric, found) | plain
        sampled = part[part["start"].isin(FROM) & part["quantity"].isin(AVERAGED)]
        for quantity, own in sampled.groupby("quantity", sort=False):
            found = mean_and_error(own.groupby("seed")["value"].mean())
            yield tidy_row(identity, SYSTEM, "mean", quantity, found) | plain | _note(part)
        for choice in rows_of(trials, dataset=identity["dataset"], chosen=True).itertuples():
            own, told = rows_of(part, seed=choice.seed), plain | {"setting": _words(choice)}
            name = f"{SYSTEM}, seed {choice.seed}"
            held_out = (choice.score, choice.error, choice.n_folds)
            yield tidy_row(identity, name, "mean", HELD_OUT, held_out) | told
            rhat = (rhat_of(own), np.nan, len(FROM))
            yield tidy_row(identity, name, "mean", "R-hat", rhat) | told
            for start in FROM:
                words = f"{name}, {STARTS[start]}"
                for metric, found in _found(own, start).items():
                    row = tidy_row(identity, words, "mean", metric, found)
                    yield row | told | _note(own)


def _note(chains):
    return {NOTE: NOT_CONVERGED if starts_disagree(chains) else ""}


def _found(own, start):
    """Return what the chain from a start found, and its log joint less that of the truth."""
    found = {
        row.quantity: (row.value, row.mcse, 1) for row in rows_of(own, start=start).itertuples()
    }
    truth = rows_of(own, start=TRUTH, quantity="log joint").iloc[0]
    value, mcse, _n = found["log joint"]
    error = float(np.hypot(mcse, truth["mcse"]))
    found["log joint over the truth"] = (value - truth["value"], error, 1)
    return found


def _words(choice) -> str:
    """Return a choice, an object with the attributes of `Choice`, in words."""
    words = f"{choice.coordinates}, nugget {choice.nugget:{DIGITS}}, power {choice.power:{DIGITS}}"
    words += f", {choice.directions} directions"
    held = choice.log_concentration
    return words if held == SAMPLED else f"{words}, log concentration {held}"


@tidy(*SETTINGS, "seeds")
def held_out_table(artefact, trials):
    """Return F of held-out entities for each choice that was tried, and how many seeds chose it."""
    for identity, part in by_dataset(trials, artefact):
        for values, own in part.groupby(SETTINGS):
            choice = Choice(*values)
            found = mean_and_error(own["score"])
            row = tidy_row(identity, f"{SYSTEM}, {_words(choice)}", "mean", HELD_OUT, found)
            yield row | vars(choice) | {"seeds": int(own["chosen"].sum())}


@tidy("sigma", NOTE)
def chosen_table(artefact, chosen, published):
    """Return the scores by coordinates, system and scale, and F of held-out entities by scale."""
    for identity, part in by_dataset(chosen, artefact):
        keys = ["coordinates", "system", "setting"]
        for (coordinates, system, setting), own in part.groupby(keys, sort=False):
            name = label(system, coordinates, setting)
            picked = own.drop_duplicates("seed")["sigma"].value_counts().sort_index()
            more = {
                "sigma": ", ".join(f"{sigma:{DIGITS}} ({n})" for sigma, n in picked.items()),
                NOTE: NOT_CONVERGED if own["rhat"].max() > AGREED else "",
            }
            for metric, values in own.groupby("metric", sort=False):
                found = mean_and_error(values.groupby("seed")["value"].mean())
                printed = published.beside(identity["role"], system, metric)
                yield tidy_row(identity, name, "mean", metric, found, printed) | more
