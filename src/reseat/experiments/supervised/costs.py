"""The time of a chain next to the authors', and what is gained by other moves and priors."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.experiments.supervised.posterior import HELD, starts_disagree
from reseat.experiments.supervised.results import (
    LABELS,
    PLAIN,
    SYSTEMS,
    TRUTH,
    by_dataset,
    in_order,
    iterations,
)
from reseat.experiments.tidy import COLUMNS, mean_and_error, rows_of, tidy_row
from reseat.vocabulary import NOT_CONVERGED, NOTE, PROJECTED

#: Iterations of a chain in the paper.
N_ITERATIONS = 10_000

#: Columns of the table of moves next to the shared ones.
MOVE_EXTRA = ("variant", "move", "prior")

#: Quantities that are measured for each move, in words.
QUANTITIES = {"log_joint": "log joint", "n_test_clusters": "test clusters", "F": "F"}


def times_table(artefact, diagnostics, published):
    """Return the seconds of a chain of 10,000 iterations, projected from those of one iteration.

    ``times as fast`` is the authors' time divided by ours, on machines twenty years apart; ``CPU
    hours of all chains`` is the time of as many chains as the paper runs. A system for which sweeps
    of single items did not run has the times of the model as reported, beside no time of the
    authors.
    """
    timed = iterations(diagnostics)
    rows = []
    for identity, part in by_dataset(timed, artefact):
        role = identity["role"]
        for system in in_order(part["system"], SYSTEMS):
            of_system = rows_of(part, system=system)
            mean, error, n = mean_and_error(of_system["value"])
            chain = (N_ITERATIONS * mean, N_ITERATIONS * error, n)
            # The authors timed sweeps of single items, so that no other sweep compares with them.
            plain = of_system["variant"].eq(PLAIN).all()
            printed = published.seconds(role, system) if plain else np.nan
            hours = published.number(role, "chains") / 3600
            found = {
                "ms an iteration": ((1000 * mean, 1000 * error, n), np.nan),
                "seconds a chain": (chain, printed),
                "times as fast": (
                    (printed / chain[0], printed / chain[0] * error / mean, n),
                    np.nan,
                ),
                "CPU hours of all chains": ((hours * chain[0], hours * chain[1], n), np.nan),
            }
            rows += [
                tidy_row(identity, LABELS.get(system, system), PROJECTED, name, values, beside)
                for name, (values, beside) in found.items()
                if not np.isnan(values[0])
            ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def moves_table(artefact, moves, diagnostics):
    """Return the effective samples per second of each model, and the gain of its variants.

    ``gain`` is the rate of a variant as a multiple of that of :data:`PLAIN`, or of the model as
    reported if that variant did not run. Values are means over chains, each measured by itself, so
    that chains that are stuck in different places look fast; therefore the levels of ``F`` and
    ``test clusters`` are given as well, and the note says if the chains disagree. Chains that began
    at the truth count only in the variant that holds it. Under another prior, the target is
    different, too.
    """
    moves = moves[(moves["start"] != TRUTH) | (moves["variant"] == HELD)]
    rows = []
    for identity, part in by_dataset(moves, artefact):
        for system in in_order(part["system"], SYSTEMS):
            of_system = rows_of(part, system=system)
            plain = PLAIN if (of_system["variant"] == PLAIN).any() else ""
            base = _speeds(rows_of(of_system, variant=plain))
            for variant, own in of_system.groupby("variant"):
                name = ", ".join(word for word in (LABELS.get(system, system), variant) if word)
                extra = {key: own[key].iloc[0] for key in MOVE_EXTRA}
                of_model = {"dataset": identity["dataset"], "system": system, "variant": variant}
                apart = starts_disagree(rows_of(diagnostics, **of_model))
                extra[NOTE] = NOT_CONVERGED if apart else ""
                beside = {} if variant == plain else base
                rows += [row | extra for row in _move_rows(identity, name, own, beside)]
    return pd.DataFrame(rows, columns=[*COLUMNS, *MOVE_EXTRA, NOTE])


def _speeds(part):
    """Return the effective samples per second of every quantity: mean, error, number of chains."""
    return {
        quantity: mean_and_error(rows_of(part, quantity=quantity)["ess_per_second"])
        for quantity in QUANTITIES
    }


def _move_rows(identity, name, own, base):
    rows = []
    for quantity, found in _speeds(own).items():
        if found[2] == 0:
            continue
        words, other = QUANTITIES[quantity], base.get(quantity, (np.nan, np.nan, 0))
        rows.append(tidy_row(identity, name, "chains", f"ESS a second, {words}", found))
        if other[2] and other[0] > 0:
            ratio = found[0] / other[0]
            error = float(np.hypot(found[1], ratio * other[1]) / other[0])
            values = (ratio, error, found[2])
            rows.append(tidy_row(identity, name, "chains", f"gain, {words}", values))
    for quantity in ("F", "n_test_clusters"):
        level = mean_and_error(rows_of(own, quantity=quantity)["mean"])
        if level[2]:
            rows.append(tidy_row(identity, name, "chains", QUANTITIES[quantity], level))
    return rows
