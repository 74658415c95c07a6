"""Tables of what held-out training entities choose: two covariances, and the scale of SCDP."""

from dataclasses import fields
from itertools import product

import numpy as np
import pandas as pd

from reseat.models.choice import SAMPLED, Choice
from reseat.papers.supervised.results import (
    LABELS,
    RULES,
    STARTS,
    by_dataset,
    rhat_of,
    starts_disagree,
)
from reseat.papers.tables import COLUMNS, mean_and_error, rows_of, tidy, tidy_row
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


def full_table(artefact, chains, trials, baselines):
    """Return the scores of the test items by seed and start, next to those of other systems."""
    rows = []
    for identity, part in by_dataset(chains, artefact):
        others = rows_of(baselines[baselines["chosen"]], dataset=identity["dataset"])
        for system, metric in product(BESIDE, SCORES):
            found = mean_and_error(rows_of(others, system=system, metric=metric)["value"])
            if found[2]:
                rows.append(tidy_row(identity, system, "", metric, found))
        chosen = rows_of(trials, dataset=identity["dataset"], chosen=True)
        sampled = part[part["start"].isin(FROM) & part["quantity"].isin(AVERAGED)]
        note = NOT_CONVERGED if starts_disagree(part) else ""
        for quantity, own in sampled.groupby("quantity", sort=False):
            found = mean_and_error(own.groupby("seed")["value"].mean())
            rows.append(tidy_row(identity, SYSTEM, "mean", quantity, found) | {NOTE: note})
        for choice in chosen.itertuples():
            own = rows_of(part, seed=choice.seed)
            told = {"setting": _words(choice)}
            name = f"{SYSTEM}, seed {choice.seed}"
            for metric, found in (
                ("held-out F", (choice.score, choice.error, choice.n_folds)),
                ("R-hat", (rhat_of(own), np.nan, len(FROM))),
            ):
                rows.append(tidy_row(identity, name, "mean", metric, found) | told)
            told |= {NOTE: NOT_CONVERGED if starts_disagree(own) else ""}
            for start in FROM:
                words = f"{name}, {STARTS[start]}"
                for metric, found in _found(own, start).items():
                    rows.append(tidy_row(identity, words, "mean", metric, found) | told)
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "setting", NOTE])
    return frame.fillna({"setting": "", NOTE: ""})


def _found(own, start):
    """Return what the chain from a start found, and its log joint less that of the truth."""
    found = {
        row.quantity: (row.value, row.mcse, 1) for row in rows_of(own, start=start).itertuples()
    }
    truth = rows_of(own, start=TRUTH, quantity="log joint").iloc[0]
    here = found["log joint"]
    error = float(np.hypot(here[1], truth["mcse"]))
    found["log joint over the truth"] = (here[0] - truth["value"], error, 1)
    return found


def _words(choice) -> str:
    """Return a choice, an object with the attributes of `Choice`, in words."""
    words = (
        f"{choice.coordinates}, nugget {choice.nugget:{DIGITS}}, power {choice.power:{DIGITS}}, "
        f"{choice.directions} directions"
    )
    if choice.log_concentration == SAMPLED:
        return words
    return f"{words}, log concentration {choice.log_concentration}"


def held_out_table(artefact, trials):
    """Return F of held-out entities for each choice that was tried, and how many seeds chose it."""
    rows, names = [], [field.name for field in fields(Choice)]
    for identity, part in by_dataset(trials, artefact):
        for values, own in part.groupby(names):
            choice = Choice(*values)
            found = mean_and_error(own["score"])
            row = tidy_row(identity, f"{SYSTEM}, {_words(choice)}", "mean", "held-out F", found)
            rows.append(row | vars(choice) | {"seeds": int(own["chosen"].sum())})
    return pd.DataFrame(rows, columns=[*COLUMNS, *names, "seeds"])


@tidy("sigma", NOTE)
def chosen_table(artefact, chosen, published):
    """Return the scores by coordinates, system and scale, and F of held-out entities by scale."""
    for identity, part in by_dataset(chosen, artefact):
        keys = ["coordinates", "system", "setting"]
        for (coordinates, system, setting), own in part.groupby(keys, sort=False):
            words = (LABELS.get(system, system), coordinates, setting)
            picked = own.drop_duplicates("seed")["sigma"].value_counts().sort_index()
            more = {
                "sigma": ", ".join(f"{sigma:{DIGITS}} ({n})" for sigma, n in picked.items()),
                NOTE: NOT_CONVERGED if own["rhat"].max() > AGREED else "",
            }
            for metric, values in own.groupby("metric", sort=False):
                found = mean_and_error(values.groupby("seed")["value"].mean())
                printed = published.beside(identity["role"], system, metric)
                name = ", ".join(filter(None, words))
                yield tidy_row(identity, name, "mean", metric, found, printed) | more
