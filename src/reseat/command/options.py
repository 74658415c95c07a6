"""The options of `reseat cluster`, read from ``cluster.yaml``, and their defaults."""

import argparse
import os
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reseat.checks import MAX_CHAINS, check_whole
from reseat.configuration import did_you_mean, read_yaml
from reseat.errors import ConfigError, in_python
from reseat.files.texts import composed
from reseat.priors import all_priors

_DECLARED = read_yaml(Path(__file__).with_name("cluster.yaml"))
MODELS: dict[str, dict[str, Any]] = _DECLARED["models"]


class ResultFile(NamedTuple):
    """A file or folder of a result."""

    name: str
    holds: str
    when: str = ""  # when it is written, if not always
    #: Whether there is another one for the columns, with the prefix ``column_``.
    columns: bool = False


RESULT_FILES = [ResultFile(name, **about) for name, about in _DECLARED["files"].items()]
LAST = "index.html"  # file that is written last, when all others are there
_FILES = "\n".join(
    textwrap.fill(
        f"{file.holds} ({file.when})" if file.when else file.holds,
        width=100,
        initial_indent=f"  {file.name:<18}",
        subsequent_indent=20 * " ",
    )
    for file in RESULT_FILES
)
EPILOG = f"""\
`reseat cluster MODEL --help` lists the options of a model. INPUT may be - for the standard input.
Tables must be UTF-8 text with cells separated by commas, semicolons or tabs, plain or compressed
(gz, bz2, xz, zip), JSON lines (jsonl, ndjson), or xlsx or parquet files if pandas can read them
here.

Re-run an interrupted command to resume it; re-run a finished one with a larger --samples to extend
it. Files written to OUT, for relational also column_labels.csv and so on:
{_FILES}

examples:
  reseat cluster documents notes.txt -o notes
  reseat cluster records customers.csv --id-column number -o customers
  zcat customers.csv.gz | reseat cluster records - -o customers
"""


def _folder(text: str) -> Path:
    # An empty text is to be refused later, but Path("") would be the current folder.
    return Path(text if text.strip() else " ")


def _names(text: str) -> list[str]:
    return [composed(name.strip()) for name in text.split(",") if name.strip()]


class _Once(argparse.Action):
    """Storage of a list that may be given only once; argparse would take the last one."""

    def __call__(self, parser, namespace, values, option_string=None):
        if getattr(namespace, self.dest) is not None:
            raise argparse.ArgumentError(
                self, "it is given twice; give it once, with all names, separated by commas"
            )
        setattr(namespace, self.dest, values)


#: How argparse reads each type of option.  An option that is not given is None, also a flag.
TYPES = {
    "text": {},
    "path": {"type": Path},
    "folder": {"type": _folder},
    "names": {"type": _names, "action": _Once},
    "int": {"type": int, "metavar": "N"},
    "float": {"type": float, "metavar": "X"},
    "flag": {"action": "store_true", "default": None},
}


class Option:
    """An option, as declared in ``cluster.yaml``."""

    def __init__(self, name: str, declared: Mapping[str, Any]):
        how = dict(declared)
        self.flag = f"--{name}"
        self.attribute = name.replace("-", "_")  # its name among the parsed arguments
        #: The parameter that it sets, if there is one of this name.
        self.parameter: str = how.pop("sets", self.attribute)
        self.default = how.pop("default", None)
        help = how.pop("help")
        named = how.pop("for", MODELS)
        self.help = help if isinstance(help, dict) else dict.fromkeys(named, help)
        if "others" in self.help:
            self.help = dict.fromkeys(MODELS, self.help.pop("others")) | self.help
        self._values = how.pop("values", ())
        self._flags = [how.pop("short"), self.flag] if "short" in how else [self.flag]
        self._how = TYPES[how.pop("type", "text")] | how

    def add_to(self, group, model: str, words: Mapping[str, str]) -> None:
        """Add the option to the parser of a model, without help if it is for other models."""
        shown = self.help[model].format_map(words) if model in self.help else argparse.SUPPRESS
        option = group.add_argument(*self._flags, help=shown, **self._how)
        # For shell completion only, unlike `choices`: other values get their own error message.
        option.values = words["priors"].split(", ") if self._values == "priors" else self._values


def _words_on_priors(model: str) -> dict[str, str]:
    """Return what the help on options says of the priors, and where a default is from."""
    usable = [p for p in all_priors().values() if p.groups or model != "supervised"]
    having = {
        parameter: _and([prior.name for prior in usable if parameter in prior.parameters])
        for parameter in ("concentration", "discount")
    }
    return {
        "priors": ", ".join(prior.name for prior in usable),
        "finite": _and([prior.name for prior in usable if prior.finite]),
        "by size": "default depends on the size of the data",
        **having,
    }


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


#: All options, by the titles under which the help lists them.
TITLED = {
    title: [Option(name, declared) for name, declared in options.items()]
    for title, options in _DECLARED["options"].items()
}
OPTIONS = [option for options in TITLED.values() for option in options]
#: Options by the parameters that they set.
BY_PARAMETER = {option.parameter: option.flag for option in OPTIONS}
#: Options that may be given together with --into.
WITH_INTO = {"into", "output", "overwrite", "quiet", "format", "id_column", "threads"}
#: Options that name columns with a meaning of their own.
NAMED_COLUMNS = ("text_column", "id_column", "entity_column", "group_column", "source_column")


def in_options(parameter: str, value: str = "") -> str:
    """Return a parameter, or the setting of it, as written on the command line."""
    option = BY_PARAMETER.get(parameter)
    if option is None:
        return in_python(parameter, value)
    return option if value in ("", "True") else option + " " + value.strip("'")


#: Names of the likelihoods of distances, the first by default.
OF_DISTANCES = STUDENT, WISHART = "student", "wishart"
#: How many times as long the chains of the fewest records become if they do not agree by then.
LONGER = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Add a subcommand for each model, which accepts those of others, too, to refuse them later."""
    models = parser.add_subparsers(dest="model", metavar="MODEL", required=True)
    for model, about in MODELS.items():
        examples = [f"  reseat cluster {model} {example}" for example in about["examples"]]
        words = _words_on_priors(model)
        part = models.add_parser(
            model,
            help=about["when"],
            description=about["when"][0].upper() + about["when"][1:],
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog="\n".join([about["reads"], "examples:", *examples]),
        )
        part.add_argument(
            "input", metavar="INPUT", type=Path, help="a file, or - for the standard input"
        )
        for title, options in TITLED.items():
            # The first are listed with --help.
            whole = title == "options"
            group = part if whole else part.add_argument_group(title.format(model=model))
            for option in options:
                option.add_to(group, model, words)


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
    values = vars(arguments)
    given = [option for option in OPTIONS if values[option.attribute] is not None]
    arguments.given = {option.attribute for option in given}
    for option in OPTIONS:
        if option.attribute not in arguments.given:
            values[option.attribute] = option.default
        elif arguments.model not in option.help:
            models = " or ".join(option.help)
            raise ConfigError(f"{option.flag} applies only to {models}; remove it.")
    if arguments.threads is None:
        arguments.threads = os.cpu_count() or 1
    check_whole("n_jobs", arguments.threads, 1, MAX_CHAINS)
    check_whole("top_words", arguments.top_words, 0, hint=", and 0 keeps all words")
    if arguments.only_chain is not None:
        _check_only_chain(arguments)
    if arguments.columns == []:
        raise ConfigError("--columns is empty; name at least one column, or remove it.")
    if arguments.model == "distances":
        _check_distances(arguments)
    if arguments.at_most_one is not None:
        if arguments.source_column is None:
            raise ConfigError("--at-most-one needs --source-column; add it, or leave it out.")
        if arguments.at_most_one == ["each"]:
            arguments.at_most_one = "each"
    if arguments.into is not None:
        idle = [option.flag for option in given if option.attribute not in WITH_INTO]
        if idle:
            raise ConfigError(
                f"{idle[0]} has no effect with --into, which keeps to the earlier result; remove "
                "it."
            )
    taken = {}
    for name in NAMED_COLUMNS:
        if values[name] is None:
            continue
        column, option = composed(values[name].strip()), f"--{name.replace('_', '-')}"
        values[name] = column
        if column in (arguments.columns or ()):
            raise ConfigError(
                f"--columns names {column!r}, which is already the {option}; remove it from "
                "--columns."
            )
        if column in taken:
            raise ConfigError(
                f"{taken[column]} and {option} both name {column!r}; remove one of them."
            )
        taken[column] = option
    for name in arguments.columns or ():
        if arguments.columns.count(name) > 1:
            raise ConfigError(f"--columns names {name!r} twice; remove one of them.")


def _check_only_chain(arguments: argparse.Namespace) -> None:
    check_whole("n_chains", arguments.chains, 1, MAX_CHAINS)
    hint = ", because chains are numbered from 0 and --chains says how many there are"
    check_whole("only_chain", arguments.only_chain, 0, arguments.chains - 1, hint=hint)
    if arguments.overwrite:
        raise ConfigError(
            "--only-chain cannot be used with --overwrite, which replaces the chains of all; name "
            "another folder."
        )
    if arguments.model == "relational" and arguments.inference != "gibbs":
        raise ConfigError("--only-chain needs --inference gibbs; add it, or leave one out.")


def _check_distances(arguments: argparse.Namespace) -> None:
    """Check the likelihood of distances, and the options that only one of them has."""
    chosen = arguments.likelihood = arguments.likelihood or STUDENT
    if chosen not in OF_DISTANCES:
        hint = did_you_mean(chosen, OF_DISTANCES) or f"; use {STUDENT} or {WISHART}."
        raise ConfigError(f"--likelihood is {chosen!r}{hint}")
    for option, needed in (("dim", WISHART), ("merge", STUDENT)):
        if option in arguments.given and chosen != needed:
            raise ConfigError(f"--{option} needs --likelihood {needed}; add it, or leave one out.")
