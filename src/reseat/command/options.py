"""The options of `reseat cluster`, and what they are when they are left out."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from reseat.configuration import nearest
from reseat.errors import ConfigError
from reseat.priors import all_priors

__all__ = ["EPILOG", "HELP", "check_options", "configure", "default_length", "given_by_user"]

HELP = "cluster your own data: a folder of tables, draws and a picture"
EPILOG = """\
INPUT, by model:
  documents   a folder of texts; a text file, one document a line; a matrix of counts, sparse
              (.npz, .mtx) or dense (.npy), or as UCI (docword.*.txt) or LDA-C write them
  records     a csv file with column names; empty cells and NA are missing values; names and
              codes may be misspelt
  distances   a square matrix (.csv, .npy, .npz), taken as squared distances unless --square
  relational  pairs, one a line: row,column or row,column,count; or a matrix of counts
  supervised  a csv file with column names; --entity-column is empty for the items to cluster
Tables are UTF-8, with commas, semicolons or tabs between the cells.

The same command goes on with what an interrupted one has left in OUT. In OUT:
  labels.csv  clusters.csv  summary.csv  coclustering.npz  chains/  picture.png
  of records also duplicates.csv, pairs to look at, and golden.csv, one record for each cluster
"""
MODELS = ("documents", "records", "distances", "relational", "supervised")

#: Options that belong to some models only.
ONLY_FOR = {
    "beta": ("documents", "relational"),
    "vocabulary": ("documents",),
    "stop_list": ("documents",),
    "top_words": ("documents",),
    "likelihood": ("records",),
    "id_column": ("records", "supervised"),
    "columns": ("records", "supervised"),
    "entity_column": ("records", "supervised"),
    "group_column": ("supervised",),
    "share": ("supervised",),
    "square": ("distances",),
    "dim": ("distances",),
    "header": ("relational",),
    "inference": ("relational",),
    "binary": ("relational",),
}
DEFAULTS = {"stop_list": "sklearn", "top_words": 10, "header": "auto"}

#: Burn-in, sweeps after it and thinning, up to so many items.
LENGTHS = ((1000, (500, 1000, 5)), (10_000, (300, 600, 3)), (float("inf"), (100, 200, 2)))
#: A sweep of the chaperones is short and moves few records …
RECORD_FACTOR = 3
#: … unless they meet by similar values, which makes it longer and moves most that can be moved.
SIMILAR_LENGTHS = ((10_000, (150, 300, 3)), (float("inf"), (60, 90, 1)))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("input", metavar="INPUT", type=Path)
    add("-o", "--output", metavar="OUT", type=Path, required=True, help="folder of the results")
    # Names are checked by ourselves, which can say what is near.
    add("--model", required=True, help=f"one of {', '.join(MODELS)}")
    add("--overwrite", action="store_true", help="replace an earlier result in OUT")
    add("--quiet", action="store_true", help="print nothing but errors")

    prior = parser.add_argument_group("prior").add_argument
    prior("--prior", help=f"one of {', '.join(all_priors())}; default dirichlet_process, "
          "for records nbnb")  # fmt: skip
    prior("--concentration", type=float, metavar="X", help="sampled by default")
    prior("--discount", type=float, metavar="X", help="of pitman_yor; sampled by default")
    prior("--max-clusters", type=int, metavar="K", help="of finite_dirichlet")

    chain = parser.add_argument_group("chains").add_argument
    chain("--chains", type=int, default=4, metavar="N", help="default %(default)s")
    chain("--burn-in", type=int, metavar="N", help="sweeps thrown away; default by size")
    chain("--samples", type=int, metavar="N", help="sweeps after these; default by size")
    chain("--thin", type=int, metavar="N", help="every N-th sweep is a draw; default by size")
    chain("--seed", type=int, default=0, metavar="N",
          help="of the random numbers; default %(default)s")  # fmt: skip
    chain("--threads", type=int, default=os.cpu_count() or 1, metavar="N",
          help="chains side by side; default all processors")  # fmt: skip

    table = parser.add_argument_group("tables (records, supervised)").add_argument
    table("--id-column", metavar="NAME", help="names of the items")
    table("--columns", metavar="A,B,…", type=_names, help="those to use; default all others")
    table("--entity-column", metavar="NAME",
          help="known entities (supervised), or the truth to compare with (records)")  # fmt: skip
    table("--group-column", metavar="NAME", help="no cluster has items of two groups")
    table("--share", action="store_true", help="items may join the known entities")

    table("--likelihood", metavar="NAME",
          help="records: categorical (values agree or not) or similar (misspelt values are close "
          "to right ones); default by the values")  # fmt: skip

    text = parser.add_argument_group("documents").add_argument
    text("--vocabulary", metavar="FILE", type=Path, help="words of the columns, one a line")
    text("--stop-list", choices=("sklearn", "none"), help="words left out of texts")
    text("--top-words", type=int, metavar="N",
         help="words kept of each text by tf-idf, united; 0 for all (default 10)")  # fmt: skip
    text("--beta", type=float, metavar="X",
         help="of the prior of words (default 1), or of links (relational; 0.1)")  # fmt: skip

    other = parser.add_argument_group("distances and relational").add_argument
    other("--square", action="store_true", help="the matrix holds distances: square them")
    other("--dim", type=float, metavar="X",
          help="degrees of freedom of the distances; default by the eigenvalues")  # fmt: skip
    other("--inference", help="variational (default) or gibbs")
    other("--binary", action="store_true", help="take every count above 0 as 1")
    other("--header", choices=("auto", "yes", "no"), help="whether pairs have column names")


def check_options(arguments: argparse.Namespace) -> None:
    """Raise a ConfigError for options that do not go together, and fill in defaults."""
    if arguments.model not in MODELS:
        hint = nearest(arguments.model, MODELS) or f"; the models are {', '.join(MODELS)}"
        raise ConfigError(f"there is no model {arguments.model!r}{hint}")
    for name, models in ONLY_FOR.items():
        if not given_by_user(getattr(arguments, name)):
            setattr(arguments, name, DEFAULTS.get(name, getattr(arguments, name)))
        elif arguments.model not in models:
            option = "--" + name.replace("_", "-")
            raise ConfigError(f"{option} is for --model {' or '.join(models)} only; leave it out.")
    if arguments.threads < 1:
        raise ConfigError(f"--threads is {arguments.threads}; give at least 1.")
    if arguments.top_words < 0:
        raise ConfigError(f"--top-words is {arguments.top_words}; give 0, for all, or more.")


def default_length(model: str, n_items: int, likelihood: str | None = None) -> tuple[int, int, int]:
    """Burn-in, sweeps after it and thinning for so many items."""
    similar = likelihood == "similar"
    lengths = SIMILAR_LENGTHS if similar else LENGTHS
    length = next(length for most, length in lengths if n_items <= most)
    factor = RECORD_FACTOR if model == "records" and not similar else 1
    return tuple(factor * number for number in length)


def given_by_user(value) -> bool:
    """Whether an option was given; 0, which is equal to False, is a value."""
    return value is not None and value is not False


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
