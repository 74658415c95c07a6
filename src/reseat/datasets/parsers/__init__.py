"""Parsers: raw files in; documents, counts, records, sequences, relations and others out.

A parser is a function ``parse_NAME(paths, **options)``; `paths` maps the roles of the
registry entry to files, the options are those of the entry.  To add one, write
it in a file of its own and list that file in `PARSERS`, or above it if it is not one of
documents.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from reseat.configuration import nearest
from reseat.errors import ConfigError

__all__ = [
    "COUNT_PARSERS",
    "DISSIMILARITY_PARSERS",
    "MENTION_PARSERS",
    "NOT_DOCUMENTS",
    "PARSERS",
    "POINT_PARSERS",
    "RECIPE_PARSERS",
    "RECORD_PARSERS",
    "RELATION_PARSERS",
    "SEQUENCE_PARSERS",
    "Parsers",
    "check_options",
    "parser_module",
]


class Parsers(Mapping[str, Callable]):
    """Parsers by their names, each imported when it is asked for.

    A data set thus depends on the code of its own parser, not on that of all others.

    Parameters
    ----------
    modules : mapping of str to str
        Name of a parser to the module of this package that holds the function ``parse_NAME``.
    """

    def __init__(self, modules: Mapping[str, str]):
        self.modules = dict(modules)

    def __getitem__(self, name: str) -> Callable:
        return getattr(import_module(f"{__name__}.{self.modules[name]}"), f"parse_{name}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)

    def __contains__(self, name: object) -> bool:
        return name in self.modules

    def __or__(self, other: Parsers) -> Parsers:
        return Parsers(self.modules | other.modules)


def _one_each(*names: str, **modules: str) -> Parsers:
    """Parsers in modules of their own names, and in the modules that are named."""
    return Parsers({name: name for name in names} | modules)


# They give `RawRecords` ...
RECORD_PARSERS = _one_each("febrl", "generated_records", "record_arff", "record_table")
# ... a `RawRecipe` ...
RECIPE_PARSERS = _one_each("record_recipe", generated_recipe="generated_records")
# ... `RawSequences` ...
SEQUENCE_PARSERS = _one_each("generated_families", "sequence_fasta", "sequence_tables")
# ... `RawDissimilarities` ...
DISSIMILARITY_PARSERS = _one_each("dissimilarity_matrix")
# ... `RawRelations` ...
RELATION_PARSERS = _one_each(
    "count_tables", "generated_blocks", "generated_relations", "matlab_relation"
)
# ... `RawMentions` ...
MENTION_PARSERS = _one_each(
    *("citation_table", "digit_images", "generated_mentions", "labelled_items"),
    *("name_references", "proper_names"),
    author_lines="name_references",
    bundled_digits="digit_images",
    item_pairs="labelled_items",
)
# ... settings from which points are drawn ...
POINT_PARSERS = _one_each("generated_points")
NOT_DOCUMENTS = (
    RECORD_PARSERS
    | RECIPE_PARSERS
    | SEQUENCE_PARSERS
    | DISSIMILARITY_PARSERS
    | RELATION_PARSERS
    | MENTION_PARSERS
    | POINT_PARSERS
)
# ... and the rest `RawDocuments` or `RawCounts`.
PARSERS = (
    _one_each("generated", "mail_folders", "mulan", "newsgroups", "reuters", "topic_mail")
    | NOT_DOCUMENTS
)
# Those that give counts, to which no stop list can be applied.
COUNT_PARSERS = frozenset({"mulan"})


def parser_module(name: str | None) -> list[str]:
    """Names of the modules that reading a data set reaches by the name of its parser.

    Parameters
    ----------
    name : str or None
        None for what has no parser, such as stop lists.
    """
    return [f"{__name__}.{PARSERS.modules[name]}"] if name else []


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
        If the parser, or one of its options, is unknown or lacking.
    """
    if parser not in PARSERS:
        raise ConfigError(
            f"{where}, key 'parser': there is no parser {parser!r}"
            f"{nearest(parser, PARSERS) or '; the parsers are ' + ', '.join(PARSERS)}"
        )
    parameters = dict(list(inspect.signature(PARSERS[parser]).parameters.items())[1:])
    for key in options:
        if key not in parameters:
            raise ConfigError(
                f"{where}, key 'options.{key}': the parser {parser!r} has no such option"
                f"{nearest(key, parameters) or '; it has ' + (', '.join(parameters) or 'none')}"
            )
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            raise ConfigError(f"{where}: the parser {parser!r} needs the key 'options.{key}'")
