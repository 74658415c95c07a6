"""Notes on means over chains that have settled in different modes."""

from __future__ import annotations

from reseat.summaries import AGREED, describe
from reseat.vocabulary import IN_MODES

__all__ = ["note_on_modes", "notes_on_modes", "rhat_of_modes", "traces_by_model"]


def notes_on_modes(scores, traces):
    """Return notes on means over chains that are in different modes.

    They are for each (data set, model) whose log joint has a large R-hat.
    """
    found = traces_by_model(scores, traces)
    notes = {key: note_on_modes(chains) for key, chains in found.items()}
    return {key: note for key, note in notes.items() if note}


def note_on_modes(chains):
    """Return a note on the mean over the chains of one model.

    It is empty unless their log joint has a large R-hat.
    """
    rhat = rhat_of_modes(chains)
    if not rhat > AGREED:
        return ""
    return f"{IN_MODES}: R-hat of the log joint {rhat:.1f}"


def rhat_of_modes(chains):
    """Return the R-hat of the log joint of some chains after their burn-in.

    The result is NaN for a single chain.
    """
    return float(describe(chains.log_joint[:, chains.burn_in :])["rhat"])


def traces_by_model(scores, traces):
    """Return the traces by (data set, model); EM, which is scored by the argmax, has none."""
    ran = scores.loc[scores["summary"] != "argmax", ["dataset", "model"]]
    keys = ran.drop_duplicates().itertuples(index=False)
    return dict(zip(map(tuple, keys), traces, strict=True))
