"""Parsers: raw files in; documents, records, sequences, relations and others out.

A parser is a function ``parse_NAME(paths, **options)``; `paths` maps the roles of the
registry entry to files, the options are those of the entry.  To add one, write
it in a file of its own and name that file in `PARSERS` under its kind.  A function
``check_NAME(options)`` beside it, if there is one, raises a `ConfigError` for values that the
parser could not use, before any job starts.
"""

from __future__ import annotations

import codecs
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from reseat.configuration import did_you_mean
from reseat.errors import ConfigError

__all__ = [
    "KINDS",
    "PARSERS",
    "WITHOUT_FILES",
    "Kind",
    "Parsers",
    "check_options",
    "parser_modules",
]


@dataclass(frozen=True)
class Kind:
    """What the parsers of one kind give, and what is made of it.

    Attributes
    ----------
    result : str
        Module and class of the processed data set, below `reseat.datasets`.
    what : str
        The kind in words.
    family : str
        The one family whose experiments take it.
    finish : str
        Module and function, below `reseat.datasets`, that make `result` of what is not one yet.
    seeded : bool
        Whether a parser with a seed takes that of the run, unless the entry has its own.
    """

    result: str
    what: str
    family: str
    finish: str = ""
    seeded: bool = False

    def finisher(self) -> Callable:
        """Import the function that makes the processed data set."""
        module, function = self.finish.split(".")
        return getattr(import_module(f"reseat.datasets.{module}"), function)


KINDS = {
    "counts": Kind("corpus.Corpus", "a set of documents", "documents"),
    "documents": Kind(
        "corpus.Corpus", "a set of documents", "documents", "counting.count_documents"
    ),
    "records": Kind("records.Records", "a set of records", "records", "encoding.encode_records"),
    "recipe": Kind("recipes.RecordRecipe", "a recipe of records", "records"),
    "points": Kind("points.PointRecipe", "a set of points", "distances"),
    "sequences": Kind("sequences.Sequences", "a set of sequences", "distances"),
    "dissimilarities": Kind(
        "dissimilarities.Dissimilarities", "a set of dissimilarities", "distances"
    ),
    "relations": Kind("relations.Relations", "a set of relations", "relational"),
    "mentions": Kind(
        *("mentions.Mentions", "a set of mentions", "supervised", "numbering.number_mentions"),
        seeded=True,
    ),
}

#: How the names of parsers begin that make their data or have them from a package.
WITHOUT_FILES = ("generated", "bundled")


class Parsers(Mapping[str, Callable]):
    """Parsers by their names, each imported when it is asked for.

    A data set thus depends on the code of its own parser, not on that of all others.

    Parameters
    ----------
    table : mapping of str to str
        For each kind the parsers, set apart by blanks; a parser ``NAME`` is the function
        ``parse_NAME`` in the module of this package of the same name, or ``NAME@MODULE``.
    """

    def __init__(self, table: Mapping[str, str]):
        self.modules: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        for kind, names in table.items():
            for given in names.split():
                name, _, module = given.partition("@")
                self.modules[name], self._kinds[name] = module or name, kind

    def kind_of(self, name: str | None) -> str | None:
        """Key in `KINDS` of what a parser gives; None for None."""
        return None if name is None else self._kinds[name]

    def __getitem__(self, name: str) -> Callable:
        return getattr(self._module(name), f"parse_{name}")

    def check_of(self, name: str) -> Callable | None:
        """What checks the values of the options of a parser; None if it has no such function."""
        return getattr(self._module(name), f"check_{name}", None)

    def _module(self, name: str) -> ModuleType:
        return import_module(f"{__name__}.{self.modules[name]}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)

    def __contains__(self, name: object) -> bool:
        return name in self.modules


PARSERS = Parsers(
    {
        "counts": "mulan",
        "documents": "generated mail_folders newsgroups reuters topic_mail",
        "records": "febrl generated_customers generated_records record_arff record_table",
        "recipe": "record_recipe generated_recipe@generated_records",
        "points": "generated_points",
        "sequences": "generated_families sequence_fasta sequence_tables",
        "dissimilarities": "dissimilarity_matrix",
        "relations": "count_tables generated_blocks generated_relations matlab_relation",
        "mentions": (
            "citation_table digit_images bundled_digits@digit_images generated_mentions "
            "labelled_items item_pairs@labelled_items name_references "
            "author_lines@name_references proper_names"
        ),
    }
)


def parser_modules(name: str | None) -> list[str]:
    """Names of the modules that reading a data set reaches by the name of its parser.

    Parameters
    ----------
    name : str or None
        None for what has no parser, such as stop lists.
    """
    if name is None:
        return []
    finish = KINDS[PARSERS.kind_of(name)].finish
    last = [f"reseat.datasets.{finish.split('.')[0]}"] if finish else []
    return [f"{__name__}.{PARSERS.modules[name]}", *last]


def check_options(parser: str, options: Mapping[str, Any], where: str) -> None:
    """Check that a parser exists and takes the options given.

    Parameters
    ----------
    parser : str
    options : mapping
    where : str
        Start of the sentence, naming file and entry.

    Raises
    ------
    ConfigError
        If the parser, or one of its options, is unknown or lacking, or if the parser's own check
        finds fault.
    """
    if parser not in PARSERS:
        raise ConfigError(
            f"{where}, key 'parser': unknown parser {parser!r}"
            f"{did_you_mean(parser, PARSERS) or '; the parsers are ' + ', '.join(PARSERS)}"
        )
    parameters = dict(list(inspect.signature(PARSERS[parser]).parameters.items())[1:])
    for key in options:
        if key not in parameters:
            raise ConfigError(
                f"{where}, key 'options.{key}': the parser {parser!r} has no such option"
                + (did_you_mean(key, parameters) or f"; it has {', '.join(parameters) or 'none'}")
            )
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            raise ConfigError(f"{where}: the parser {parser!r} needs the key 'options.{key}'")
    try:
        codecs.lookup(str(options.get("encoding", "utf-8")))
    except LookupError:
        raise ConfigError(
            f"{where}, key 'options.encoding': unknown encoding {options['encoding']!r}; choose "
            "one that Python knows, such as latin-1"
        ) from None
    check = PARSERS.check_of(parser)
    if check is not None:
        try:
            check(options)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from error
