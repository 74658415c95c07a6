"""Data sets: what they are, where they are found, and the counts made from them.

``Registry`` reads ``config/datasets.yaml``; ``locate`` finds the files of
a data set in the raw folder, the mirrors or at a pinned URL and accepts them by
hash only; ``build_corpus`` turns them into a ``Corpus`` of word counts that
carries its own identity, ``build_records`` into ``Records``, and ``build_recipe``
into a ``RecordRecipe``, from which ``draw_records`` draws them.
"""

from reseat.datasets.build import build_corpus, read_raw
from reseat.datasets.build_records import build_recipe, build_records
from reseat.datasets.corpus import Corpus
from reseat.datasets.encoding import encode_records, read_records
from reseat.datasets.entries import Dataset
from reseat.datasets.features import FeatureOptions, count_features
from reseat.datasets.identity import DatasetIdentity
from reseat.datasets.missing import (
    Availability,
    check_available,
    format_missing,
    missing_report,
)
from reseat.datasets.recipes import RecordRecipe, draw_name, draw_records
from reseat.datasets.records import Records
from reseat.datasets.registry import Registry
from reseat.datasets.settings import DataSettings
from reseat.datasets.sources import Located, MissingFile, locate

__all__ = [
    "Availability",
    "Corpus",
    "DataSettings",
    "Dataset",
    "DatasetIdentity",
    "FeatureOptions",
    "Located",
    "MissingFile",
    "RecordRecipe",
    "Records",
    "Registry",
    "build_corpus",
    "build_recipe",
    "build_records",
    "check_available",
    "count_features",
    "draw_name",
    "draw_records",
    "encode_records",
    "format_missing",
    "locate",
    "missing_report",
    "read_raw",
    "read_records",
]
