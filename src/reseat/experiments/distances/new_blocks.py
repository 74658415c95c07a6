"""Where unlabelled objects go when the labelled ones keep their classes (experiment 4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.distances.results import HELD
from reseat.experiments.tidy import COLUMNS, identity_of, read_frames, tidy_row

#: Columns of the result files of runs that keep labels.
HEAT_COLUMNS = (
    *("row_block", "column_block", "row_kind", "column_kind"),
    *("row_size", "column_size", "mean"),
)
BLOCK_COLUMNS = (
    *("block", "kind", "n_labelled", "n_unlabelled", "share", "probability", "groups"),
    *("shortest", "median_length", "longest"),
)
ASSIGNMENT_COLUMNS = ("item", "group", "length", "block", "kind", "probability")

#: Options of pandas, since a class or a group may be called NA; empty numbers are still missing.
NUMBERS = ("mean", "share", "probability", "shortest", "median_length", "longest", "length")
_AS_WRITTEN = {"keep_default_na": False, "na_values": dict.fromkeys(NUMBERS, ["", "nan"])}

#: Share of the unlabelled objects from which a new block counts as more than a few stray objects.
SIZEABLE = 0.01

#: Name of the model in the tables.
SYSTEM = HELD["tiwd"]


def read_blocks(paths):
    """Read several files ``blocks.csv`` as one frame; `dataset` is the name of a file's folder."""
    return _read(paths, BLOCK_COLUMNS, "blocks")


def read_heat(paths):
    """Read several files ``heat.csv`` as one frame, like `read_blocks`."""
    return _read(paths, HEAT_COLUMNS, "co-memberships")


def read_assignments(paths):
    """Read several files ``assignments.csv`` as one frame, like `read_blocks`."""
    return _read(paths, ASSIGNMENT_COLUMNS, "assignments")


def _read(paths, columns, what):
    frames = [
        read_frames([path], columns, what, **_AS_WRITTEN).assign(dataset=Path(path).parent.name)
        for path in paths
    ]
    if not frames:
        raise DataError(f"there is no file of {what}; run the models with labels first.")
    return pd.concat(frames, ignore_index=True)


def with_identity(heat, scores, artefact):
    """Return a frame from `read_heat` with the role and status of its data sets added."""
    known = {name: dataset_identity(name, scores, artefact) for name in heat["dataset"].unique()}
    return heat.assign(
        **{
            key: heat["dataset"].map({n: of[key] for n, of in known.items()})
            for key in ("role", "status")
        }
    )


def block_counts(blocks):
    """Return how many objects and blocks of each kind one data set has.

    The result has ``labelled``, ``classes`` and ``unlabelled``; ``share in classes``, the share of
    the unlabelled objects that joined a class; ``new blocks``; and ``new blocks of 1 %``, those
    with at least a share of :data:`SIZEABLE` of the unlabelled objects.
    """
    new = blocks[blocks["kind"] == "new"]
    unlabelled = float(blocks["n_unlabelled"].sum())
    share = 1 - float(new["n_unlabelled"].sum()) / unlabelled if unlabelled else np.nan
    return {
        "labelled": float(blocks["n_labelled"].sum()),
        "classes": float((blocks["kind"] == "class").sum()),
        "unlabelled": unlabelled,
        "share in classes": share,
        "new blocks": float(len(new)),
        "new blocks of 1 %": float((new["n_unlabelled"] >= SIZEABLE * unlabelled).sum()),
    }


def placed_right(assignments, blocks):
    """Return the share of the unlabelled objects of known group that went where they belong.

    An object whose group is one of the classes belongs in that class, any other in a new block. The
    result is NaN if no group is known.
    """
    known = assignments[assignments["group"].notna() & (assignments["group"] != "")]
    if len(known) == 0:
        return np.nan
    classes = set(blocks.loc[blocks["kind"] == "class", "block"])
    has_class = known["group"].isin(classes)
    right = np.where(has_class, known["block"] == known["group"], known["kind"] == "new")
    return float(np.mean(right))


def blocks_table(artefact, blocks, scores, published):
    """Return the table of Figure 5: the new blocks, and the classes that unlabelled objects joined.

    Each data set has its counts (`block_counts`) first, and then one row per block with unlabelled
    objects: new blocks come first, and larger ones before smaller ones. `share` is that of the
    unlabelled, and `probability` the mean co-membership inside.
    """
    extra = [name for name in BLOCK_COLUMNS if name != "block"]
    rows = []
    for name, part in blocks.groupby("dataset", sort=False):
        identity = dataset_identity(name, scores, artefact)
        own = scores[scores["dataset"] == name]
        found = count_rows(identity, part, published)
        part = part[(part["n_unlabelled"] > 0) | (part["kind"] == "new")]
        part = part.sort_values(["kind", "n_unlabelled"], ascending=False, kind="stable")
        for block in part.to_dict("records"):
            value = (float(block["n_unlabelled"]), np.nan, 1)
            row = tidy_row(identity, block["block"], "annealed", "unlabelled", value)
            found.append(row | {key: block[key] for key in extra})
        rows += [row | {"rhat_max": rhat_of(own)} for row in found]
    return pd.DataFrame(rows, columns=[*COLUMNS, *extra, "rhat_max"])


def count_rows(identity, blocks, published):
    """Return the counts of one data set as rows of a tidy table, next to the published ones."""
    printed = published if identity["role"] == "globins" else {}
    return [
        tidy_row(identity, SYSTEM, "annealed", name, (value, np.nan, 1), printed.get(name, np.nan))
        for name, value in block_counts(blocks).items()
    ]


def rhat_of(scores):
    """Return the largest R-hat of the number of clusters of TIWD with labels kept."""
    return scores.loc[scores["model"] == "tiwd", "rhat"].max()


def dataset_identity(name, scores, artefact):
    """Return the role and status of a data set from its scores; raise a DataError without any."""
    rows = scores[scores["dataset"] == name]
    if len(rows) == 0:
        raise DataError(f"{artefact} has no scores of the data set '{name}'; score it first.")
    return identity_of(rows, artefact)
