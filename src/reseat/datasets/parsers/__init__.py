"""Parsers, which turn raw files into documents, records, sequences, relations and other data.

A parser, named in `PARSERS`, is a function ``parse_NAME(paths, **options)``: `paths` maps the roles
of the registry entry, or ``user`` for the user's own data, to files. In the same file,
``check_NAME(options)`` may refuse options before any job starts, and ``places_NAME(options)``
return the types of the places of each relation.
"""

from __future__ import annotations

import codecs
import inspect
from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from reseat.configuration import Place, did_you_mean
from reseat.errors import ConfigError


@dataclass(frozen=True)
class Kind:
    """Kind of parser: what its parsers return, and what is made of that."""

    #: Module and class of the processed data set, below `reseat.datasets`.
    result: str
    #: Description of the data set, for messages.
    what: str
    #: The only family whose experiments use such data sets.
    family: str
    #: Module and function that turn what the parser returns into `result`, if it is something else.
    finish: str = ""


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
        "mentions.Mentions", "a set of mentions", "supervised", "mentions.number_mentions"
    ),
}

#: Prefixes of the names of parsers that generate their data or take them from a package.
WITHOUT_FILES = ("generated", "bundled")


class Parsers(UserDict[str, Callable]):
    """Mapping of names to parsers, each imported when asked for, since data depend on imports.

    The table has the names of each kind, or ``NAME@MODULE`` for one in a module of another name.
    """

    def __init__(self, table: Mapping[str, str]):
        super().__init__()
        self.modules = self.data
        self._kinds: dict[str, str] = {}
        for kind, names in table.items():
            for given in names.split():
                name, _, module = given.partition("@")
                self.modules[name], self._kinds[name] = module or name, kind

    def kind_of(self, name: str | None) -> str | None:
        """Return the key in `KINDS` of what a parser returns, or None for None."""
        return None if name is None else self._kinds[name]

    def __getitem__(self, name: str) -> Callable:
        return getattr(self._module(name), f"parse_{name}")

    def places_of(self, name: str) -> Callable | None:
        """Return the function that finds the types of relations, or None if there is none."""
        return getattr(self._module(name), f"places_{name}", None)

    def _module(self, name: str) -> ModuleType:
        return import_module(f"{__name__}.{self.modules[name]}")


PARSERS = Parsers(
    {
        "counts": "mulan",
        "documents": (
            "generated mail_folders@message_folders newsgroups@message_folders reuters topic_mail"
        ),
        "records": (
            "febrl@record_table generated_customers generated_records record_arff@record_table "
            "record_table"
        ),
        "recipe": "record_recipe generated_recipe@generated_records",
        "points": "generated_points",
        "sequences": (
            "generated_families sequence_fasta@sequence_files sequence_tables@sequence_files"
        ),
        "dissimilarities": "dissimilarity_matrix",
        "relations": (
            "count_tables generated_blocks@generated_relations generated_relations matlab_relation"
        ),
        "mentions": (
            "citation_table digit_images bundled_digits@digit_images generated_mentions "
            "labelled_items item_pairs@labelled_items name_references "
            "author_lines@name_references proper_names"
        ),
    }
)


def parser_modules(name: str | None) -> list[str]:
    """Return the names of the modules that a data set depends on because of its parser."""
    if name is None:
        return []
    finish = KINDS[PARSERS.kind_of(name)].finish
    last = [f"reseat.datasets.{finish.split('.')[0]}"] if finish else []
    return [f"{__name__}.{PARSERS.modules[name]}", *last]


def check_options(parser: str, options: Mapping[str, Any], place: Place) -> None:
    """Check that a parser exists and takes the options given; `place` is that of the entry."""
    if parser not in PARSERS:
        hint = did_you_mean(parser, PARSERS) or f"; the parsers are {', '.join(PARSERS)}"
        raise ConfigError(f"unknown parser {parser!r}{hint}", source=place.at("parser"))
    parameters = dict(list(inspect.signature(PARSERS[parser]).parameters.items())[1:])
    for key in options:
        if key not in parameters:
            hint = did_you_mean(key, parameters) or f"; it has {', '.join(parameters) or 'none'}"
            said = f"the parser {parser!r} has no such option{hint}"
            raise ConfigError(said, source=place.at("options", key))
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            said = f"the parser {parser!r} needs the key 'options.{key}'"
            raise ConfigError(said, source=place)
    try:
        codecs.lookup(str(options.get("encoding", "utf-8")))
    except LookupError:
        given = options["encoding"]
        said = f"unknown encoding {given!r}; choose one that Python knows, such as latin-1"
        raise ConfigError(said, source=place.at("options", "encoding")) from None
    check = getattr(PARSERS._module(parser), f"check_{parser}", None)
    if check is not None:
        try:
            check(options)
        except ConfigError as error:
            error.source = place
            raise
