"""Parsers: raw files in; documents, counts, records, sequences, relations and others out.

A parser is a function ``parse(paths, **options)``; `paths` maps the roles of the
registry entry to files, the options are those of the entry.  To add one, write
it in a file of its own and list it in `PARSERS`, or above it if it is not one of
documents.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from reseat.configuration import nearest
from reseat.datasets.parsers.citation_table import parse_citation_table
from reseat.datasets.parsers.count_tables import parse_count_tables
from reseat.datasets.parsers.digit_images import parse_bundled_digits, parse_digit_images
from reseat.datasets.parsers.dissimilarity_matrix import parse_dissimilarity_matrix
from reseat.datasets.parsers.febrl import parse_febrl
from reseat.datasets.parsers.generated import parse_generated
from reseat.datasets.parsers.generated_blocks import parse_generated_blocks
from reseat.datasets.parsers.generated_families import parse_generated_families
from reseat.datasets.parsers.generated_mentions import parse_generated_mentions
from reseat.datasets.parsers.generated_points import parse_generated_points
from reseat.datasets.parsers.generated_records import (
    parse_generated_recipe,
    parse_generated_records,
)
from reseat.datasets.parsers.generated_relations import parse_generated_relations
from reseat.datasets.parsers.labelled_items import parse_item_pairs, parse_labelled_items
from reseat.datasets.parsers.mail_folders import parse_mail_folders
from reseat.datasets.parsers.matlab_relation import parse_matlab_relation
from reseat.datasets.parsers.mulan import parse_mulan
from reseat.datasets.parsers.name_references import parse_author_lines, parse_name_references
from reseat.datasets.parsers.newsgroups import parse_newsgroups
from reseat.datasets.parsers.proper_names import parse_proper_names
from reseat.datasets.parsers.record_arff import parse_record_arff
from reseat.datasets.parsers.record_recipe import parse_record_recipe
from reseat.datasets.parsers.record_table import parse_record_table
from reseat.datasets.parsers.reuters import parse_reuters
from reseat.datasets.parsers.sequence_fasta import parse_sequence_fasta
from reseat.datasets.parsers.sequence_tables import parse_sequence_tables
from reseat.datasets.parsers.topic_mail import parse_topic_mail
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
    "check_options",
]

# They give `RawRecords` ...
RECORD_PARSERS: dict[str, Callable] = {
    "febrl": parse_febrl,
    "generated_records": parse_generated_records,
    "record_arff": parse_record_arff,
    "record_table": parse_record_table,
}
# ... a `RawRecipe` ...
RECIPE_PARSERS: dict[str, Callable] = {
    "generated_recipe": parse_generated_recipe,
    "record_recipe": parse_record_recipe,
}
# ... `RawSequences` ...
SEQUENCE_PARSERS: dict[str, Callable] = {
    "generated_families": parse_generated_families,
    "sequence_fasta": parse_sequence_fasta,
    "sequence_tables": parse_sequence_tables,
}
# ... `RawDissimilarities` ...
DISSIMILARITY_PARSERS: dict[str, Callable] = {"dissimilarity_matrix": parse_dissimilarity_matrix}
# ... `RawRelations` ...
RELATION_PARSERS: dict[str, Callable] = {
    "count_tables": parse_count_tables,
    "generated_blocks": parse_generated_blocks,
    "generated_relations": parse_generated_relations,
    "matlab_relation": parse_matlab_relation,
}
# ... `RawMentions` ...
MENTION_PARSERS: dict[str, Callable] = {
    "author_lines": parse_author_lines,
    "bundled_digits": parse_bundled_digits,
    "citation_table": parse_citation_table,
    "digit_images": parse_digit_images,
    "generated_mentions": parse_generated_mentions,
    "item_pairs": parse_item_pairs,
    "labelled_items": parse_labelled_items,
    "name_references": parse_name_references,
    "proper_names": parse_proper_names,
}
# ... settings from which points are drawn ...
POINT_PARSERS: dict[str, Callable] = {"generated_points": parse_generated_points}
NOT_DOCUMENTS: dict[str, Callable] = {
    **RECORD_PARSERS,
    **RECIPE_PARSERS,
    **SEQUENCE_PARSERS,
    **DISSIMILARITY_PARSERS,
    **RELATION_PARSERS,
    **MENTION_PARSERS,
    **POINT_PARSERS,
}
# ... and the rest `RawDocuments` or `RawCounts`.
PARSERS: dict[str, Callable] = {
    "generated": parse_generated,
    "mail_folders": parse_mail_folders,
    "mulan": parse_mulan,
    "newsgroups": parse_newsgroups,
    "reuters": parse_reuters,
    "topic_mail": parse_topic_mail,
    **NOT_DOCUMENTS,
}
# Those that give counts, to which no stop list can be applied.
COUNT_PARSERS = frozenset({"mulan"})


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
