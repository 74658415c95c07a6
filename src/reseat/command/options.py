"""The options of `reseat cluster` and their defaults."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from reseat.configuration import did_you_mean
from reseat.errors import ConfigError
from reseat.files.texts import composed
from reseat.priors import all_priors
from reseat.priors.named import NamedPrior

__all__ = [
    "EPILOG",
    "HELP",
    "MODELS",
    "check_options",
    "configure",
    "default_length",
    "given_by_user",
    "with_model_first",
]

HELP = "Cluster your own data: writes a folder of tables, draws, pictures and a web page."
EPILOG = """\
`reseat cluster MODEL --help` lists the options of a model. INPUT may be - for the standard input.
Tables must be UTF-8 text with cells separated by commas, semicolons or tabs, plain or compressed
(gz, bz2, xz, zip), JSON lines (jsonl, ndjson), or xlsx or parquet files if pandas can read them
here.

Re-run an interrupted command to resume it; re-run a finished one with a larger --samples to extend
it. Files written to OUT:
  index.html  labels.csv  clusters.csv  summary.csv  coclustering.npz  chains/  picture.png
  for records also duplicates.csv and review.html (pairs to review), golden.csv (one record
  per cluster) and aliases.csv (values that stand for each other, if there are any); for
  relational also column_labels.csv and so on, and chains/ only with --inference gibbs; for
  supervised also models.csv, if models were compared; pairs.csv beside many clusters; and
  settings.json

examples:
  reseat cluster documents notes.txt -o notes
  reseat cluster records customers.csv --id-column number -o customers
  zcat customers.csv.gz | reseat cluster records - -o customers
"""

#: Models, each with the question that it answers, the input that it reads, and examples.
MODELS = {
    "documents": (
        "texts or word counts: which documents use the same words?",
        """\
INPUT: a folder of texts; a text file with one document per line; a table (csv, tsv, jsonl, xlsx,
parquet; the last two if openpyxl or pyarrow is installed) with --text-column; or a matrix of
counts, sparse (.npz, .mtx), dense (.npy) or in the UCI (docword.*.txt) or LDA-C format.
""",
        ("notes.txt -o notes", "mails.csv --text-column body --id-column number -o mails"),
    ),
    "records": (
        "rows of a table: which refer to the same person or thing?",
        """\
INPUT: a table with column names. Empty cells and NA are missing values; names and codes may be
misspelt.
""",
        (
            "customers.csv --id-column number -o customers",
            "customers.csv --columns first,last,born -o customers",
            "both.csv --source-column register -o linked",
        ),
    ),
    "distances": (
        "a square matrix: which objects are close to each other?",
        """\
INPUT: a square matrix or its condensed form (.csv, .tsv, .txt, .npy, .npz), treated as
squared distances unless --square is given.
""",
        ("matrix.npy -o proteins", "from_pdist.npy --square -o points"),
    ),
    "relational": (
        "pairs or a matrix of counts: cluster the rows and the columns",
        """\
INPUT: pairs, one per line (row,column or row,column,count), or a matrix of counts, sparse (.npz,
.mtx) or dense (.npy); a csv file is always read as pairs.
""",
        ("purchases.csv -o purchases", "purchases.csv --inference gibbs -o sampled"),
    ),
    "supervised": (
        "items, some of which have known clusters: cluster the others in the same way",
        """\
INPUT: a table with column names; the --entity-column is empty for the items to cluster.
""",
        ("people.csv --entity-column entity -o people",),
    ),
}

#: Options that apply only to some models, with these models.
ONLY_FOR = {
    "beta": ("documents", "relational"),
    "text_column": ("documents",),
    "vocabulary": ("documents",),
    "stop_list": ("documents",),
    "token_pattern": ("documents",),
    "top_words": ("documents",),
    "likelihood": ("records",),
    "max_distortion": ("records",),
    "per_field": ("records",),
    "id_column": ("documents", "records", "supervised"),
    "columns": ("records", "supervised"),
    "entity_column": ("records", "supervised"),
    "group_column": ("supervised",),
    "source_column": ("records",),
    "share": ("supervised",),
    "square": ("distances",),
    "dim": ("distances",),
    "landmarks": ("distances",),
    "max_clusters": ("documents", "records", "distances", "relational"),
    "header": ("relational",),
    "inference": ("relational",),
    "max_row_clusters": ("relational",),
    "max_column_clusters": ("relational",),
    "restarts": ("relational",),
    "binary": ("relational",),
}
DEFAULTS = {"stop_list": "sklearn", "top_words": 10, "header": "auto"}
CHAINS = 4

#: Default burn-in, sweeps after it and thinning, each with the largest number of items that it is
#: used for.
LENGTHS = (
    (1000, (500, 1000, 5)),
    (10_000, (300, 600, 3)),
    (100_000, (100, 200, 2)),
    (float("inf"), (25, 50, 5)),
)
#: Factor on `LENGTHS` for records: a sweep of the chaperones is short and moves few records.
RECORD_FACTOR = 3
#: The same as `LENGTHS` for records of similar values.  There, chaperones are chosen by similar
#: values and from a list of likely pairs; a sweep takes longer and moves most of the records that
#: can be moved.  Up to ten thousand records, chains from distant starts meet within these burn-ins;
#: for more records, they are kept short to save time and may not suffice, which R-hat then shows.
SIMILAR_LENGTHS = (
    (10_000, (15, 60, 1)),
    (100_000, (5, 25, 1)),
    (float("inf"), (5, 10, 1)),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add a subcommand for each model.

    Each accepts the options of all models, so that an option of another model is refused with a
    clear sentence (`check_options`); its help shows only those that apply.
    """
    models = parser.add_subparsers(dest="model", metavar="MODEL", required=True)
    priors = list(all_priors().values())
    for model, (when, reads, examples) in MODELS.items():
        lines = "".join(f"\n  reseat cluster {model} {example}" for example in examples)
        part = models.add_parser(
            model,
            help=when,
            description=when[0].upper() + when[1:],
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=f"{reads}\nexamples:{lines}",
        )
        _add_files(_adder(part, model))
        _add_prior(_adder(part, model, "prior"), model, priors)
        _add_chains(_adder(part, model, "chains"))
        _add_columns(_adder(part, model, "columns of a table"), model)
        _add_own(_adder(part, model, f"options for {model}"), model)


#: Like `argparse.ArgumentParser.add_argument`; ``values`` are words for shell completion.
_Add = Callable[..., None]


class _Once(argparse.Action):
    """Storage of a list that may be given only once; argparse would take the last one."""

    def __call__(self, parser, namespace, values, option_string=None):
        given = vars(namespace).setdefault("_given", set())
        if self.dest in given:
            raise argparse.ArgumentError(
                self, "it is given twice; give it once, with all names, separated by commas"
            )
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def _adder(parser: argparse.ArgumentParser, model: str, title: str = "") -> _Add:
    """Return a function that adds options to a titled group; help shows only the model's own."""
    group = parser.add_argument_group(title) if title else parser

    def add(*names, help, values=(), **how):
        applies = names[-1].lstrip("-").replace("-", "_")
        shown = model in ONLY_FOR.get(applies, MODELS)
        if how.get("type") is _names:
            how["action"] = _Once
        option = group.add_argument(*names, help=help if shown else argparse.SUPPRESS, **how)
        # For shell completion only, unlike `choices`: other values get their own error message.
        option.values = values

    return add


def _add_files(add: _Add) -> None:
    add("input", metavar="INPUT", type=Path, help="a file, or - for the standard input")
    add("-o", "--output", metavar="OUT", type=_folder, required=True, help="folder for the results")
    add("--overwrite", action="store_true", help="replace an earlier result in OUT")
    add("--quiet", action="store_true", help="print only errors")
    add("--format", metavar="END",
        help="format of the standard input, as a file ending such as csv")  # fmt: skip


def _add_prior(add: _Add, model: str, priors: list[NamedPrior]) -> None:
    usable = [prior for prior in priors if prior.groups or model != "supervised"]
    fitting = [prior.name for prior in usable]
    needed = "; any other needs --inference gibbs" if model == "relational" else ""
    add("--prior", values=fitting, help=f"one of {', '.join(fitting)}; default "
        f"{'nbnb' if model == 'records' else 'dirichlet_process'}{needed}")  # fmt: skip
    otherwise = {
        "relational": ", but 1 for finite_dirichlet and for variational inference",
        "supervised": "; if it is given, models are not compared",
    }
    named = {key: _and([prior.name for prior in usable if key in prior.parameters])
             for key in ("concentration", "discount")}  # fmt: skip
    finite = _and([prior.name for prior in priors if prior.finite])
    of = "" if model == "supervised" else f"for {named['concentration']}; "
    add("--concentration", type=float, metavar="X", help=f"{of}sampled by default"
        f"{otherwise.get(model, ', but 1 for finite_dirichlet')}")  # fmt: skip
    add("--discount", type=float, metavar="X", help=f"for {named['discount']}; sampled by default")
    add(
        "--max-clusters",
        type=int,
        metavar="K",
        help=f"largest number of clusters, for {finite}",
    )


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _add_chains(add: _Add) -> None:
    add(
        "--chains",
        type=int,
        default=CHAINS,
        metavar="N",
        help="number of chains; default %(default)s",
    )
    add(
        "--burn-in",
        type=int,
        metavar="N",
        help="sweeps to discard; default depends on the size of the data",
    )
    add(
        "--samples",
        type=int,
        metavar="N",
        help="sweeps after the burn-in; default depends on the size of the data",
    )
    add(
        "--thin",
        type=int,
        metavar="N",
        help="keep every N-th sweep as a draw; default depends on the size of the data",
    )
    add("--seed", type=int, default=0, metavar="N",
        help="seed of the random numbers; default %(default)s")  # fmt: skip
    add("--threads", type=int, default=os.cpu_count() or 1, metavar="N",
        help="chains to run in parallel; default: all processors")  # fmt: skip


def _add_columns(add: _Add, model: str) -> None:
    add("--text-column", metavar="NAME", help="column of the texts")
    add("--id-column", metavar="NAME", help="column of the names of the items")
    add("--columns", metavar="A,B,…", type=_names, help="columns to use; default: all others")
    truth = (
        "known entities; empty for the items to cluster (required)"
        if model == "supervised"
        else "true entities, to compare the result with; empty where they are unknown"
    )
    add("--entity-column", metavar="NAME", help=truth)
    add(
        "--group-column",
        metavar="NAME",
        help="column of groups; no cluster contains items of two groups",
    )
    add(
        "--source-column",
        metavar="NAME",
        help="column of the files or registers that records are from; each has its own mistakes",
    )
    add(
        "--header",
        choices=("auto", "yes", "no"),
        help="whether the first line of pairs has column names",
    )


def _add_own(add: _Add, model: str) -> None:
    add(
        "--vocabulary",
        metavar="FILE",
        type=Path,
        help="words of the columns of a count matrix, one per line",
    )
    add("--stop-list", metavar="LIST", values=("sklearn", "none"),
        help="words to ignore in texts: sklearn (default), none, or a file of words")  # fmt: skip
    add("--token-pattern", metavar="REGEX",
        help="what counts as a word; default: two or more letters of any alphabet")  # fmt: skip
    add("--top-words", type=int, metavar="N",
        help="keep the union of the N best words of each text by tf-idf; 0 keeps all words "
        "(default 10)")  # fmt: skip
    strength = "on links (default 0.1)" if model == "relational" else "on words (default 1)"
    add("--beta", type=float, metavar="X", help=f"parameter of the prior {strength}")
    add("--square", action="store_true", help="the matrix contains plain distances; square them")
    add("--dim", type=float, metavar="X",
        help="degrees of freedom of the distances; default: from the eigenvalues")  # fmt: skip
    add("--landmarks", type=int, metavar="N",
        help="use only the distances to N randomly drawn objects, for large matrices")  # fmt: skip
    add("--inference", values=("variational", "gibbs"), help="variational (default) or gibbs")
    for side, most in (("row", 80), ("column", 120)):
        add(f"--max-{side}-clusters", type=int, metavar="K",
            help=f"most {side} clusters of variational inference (default {most})")  # fmt: skip
    add("--restarts", type=int, metavar="N",
        help="runs of variational inference, of which the best is kept (default 10)")  # fmt: skip
    add("--binary", action="store_true", help="treat every count above 0 as 1")
    add("--likelihood", metavar="NAME", values=("categorical", "similar"),
        help="categorical (values agree or not) or similar (misspelt values are close to correct "
        "ones); default depends on the values")  # fmt: skip
    add("--max-distortion", metavar="X", type=float,
        help="for categorical: bound of how much the records of an entity differ "
        "(default 0.1)")  # fmt: skip
    add("--per-field", action="store_true",
        help="for categorical: every field has its own distortion")  # fmt: skip
    add(
        "--share",
        action="store_true",
        help="let items join the known entities as well; cannot be combined with --group-column; "
        "models are then not compared",
    )


def with_model_first(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the model first, also if it was given as ``--model NAME``."""
    found = list(arguments)
    for place, argument in enumerate(found):
        name, sign, value = argument.partition("=")
        if name == "--model" and (sign or place + 1 < len(found)):
            model = value if sign else found[place + 1]
            del found[place : place + (1 if sign else 2)]
            if model not in MODELS:
                hint = did_you_mean(model, MODELS) or f"; the models are {', '.join(MODELS)}."
                raise ConfigError(f"unknown model {model!r}{hint}")
            others = [word for word in found[:2] if not word.startswith("-")]
            if len(others) == 2 and others[0] in MODELS and others[0] != model:
                raise ConfigError(f"two models are given, {others[0]} and {model}; remove one.")
            return found if found[:1] == [model] else [model, *found]
    if found and found[0] not in (*MODELS, "-h", "--help"):
        hint = did_you_mean(found[0], MODELS) or f"; name one of {', '.join(MODELS)} first."
        raise ConfigError(f"unknown model {found[0]!r}{hint}")
    return found


def check_options(arguments: argparse.Namespace) -> None:
    """Raise a ConfigError for options that do not go together, and fill in defaults."""
    arguments.given = {name for name in vars(arguments) if given_by_user(getattr(arguments, name))}
    for name, models in ONLY_FOR.items():
        if not given_by_user(getattr(arguments, name)):
            setattr(arguments, name, DEFAULTS.get(name, getattr(arguments, name)))
        elif arguments.model not in models:
            option = "--" + name.replace("_", "-")
            raise ConfigError(f"{option} applies only to {' or '.join(models)}; remove it.")
    if arguments.threads < 1:
        raise ConfigError(f"--threads is {arguments.threads}; it must be at least 1.")
    if arguments.columns == []:
        raise ConfigError("--columns is empty; name at least one column, or remove it.")
    for name in ("text_column", "id_column", "entity_column", "group_column", "source_column"):
        if getattr(arguments, name) is not None:
            setattr(arguments, name, composed(getattr(arguments, name).strip()))
    for name, columns in (("id", arguments.id_column), ("entity", arguments.entity_column),
                          ("group", arguments.group_column),
                          ("source", arguments.source_column)):  # fmt: skip
        if columns is not None and columns in (arguments.columns or ()):
            raise ConfigError(
                f"--columns names {columns!r}, which is already the --{name}-column; remove it "
                "from --columns."
            )
    _check_apart(arguments)
    for name in arguments.columns or ():
        if arguments.columns.count(name) > 1:
            raise ConfigError(f"--columns names {name!r} twice; remove one of them.")
    if arguments.top_words < 0:
        raise ConfigError(
            f"--top-words is {arguments.top_words}; it must be at least 0, and 0 keeps all words."
        )


def _check_apart(arguments: argparse.Namespace) -> None:
    """Raise a ConfigError if two options name the same column."""
    options = {}
    for name in ("id_column", "entity_column", "group_column", "source_column"):
        column, option = getattr(arguments, name), f"--{name.replace('_', '-')}"
        if column is not None and options.setdefault(column, option) != option:
            raise ConfigError(
                f"{options[column]} and {option} both name {column!r}; remove one of them."
            )


def default_length(model: str, n_items: int, likelihood: str | None = None) -> tuple[int, int, int]:
    """Return the default burn-in, sweeps after it and thinning for a number of items."""
    similar = likelihood == "similar"
    lengths = SIMILAR_LENGTHS if similar else LENGTHS
    length = next(length for most, length in lengths if n_items <= most)
    factor = RECORD_FACTOR if model == "records" and not similar else 1
    return tuple(factor * number for number in length)


def given_by_user(value) -> bool:
    """Return whether an option was given; 0 counts as given, although it equals False."""
    return value is not None and value is not False


def _folder(text: str) -> Path:
    # An empty text becomes a blank, to be refused later: Path("") is the current folder, which is a
    # valid choice.
    return Path(text if text.strip() else " ")


def _names(text: str) -> list[str]:
    return [composed(name.strip()) for name in text.split(",") if name.strip()]
