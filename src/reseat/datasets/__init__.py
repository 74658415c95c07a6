"""Data sets: what they are, where they are found, and the counts made from them.

``Registry`` reads ``config/datasets.yaml``; ``locate`` finds the files of
a data set in the raw folder, the mirrors or at a pinned URL and accepts them by
hash only; ``build_corpus`` turns them into a ``Corpus`` of word counts that
carries its own identity, ``build_records`` into ``Records``, and ``build_recipe``
into a ``RecordRecipe``, from which ``draw_records`` draws them.  ``build_points`` draws
``Points``, ``build_sequences`` reads ``Sequences``, which ``align_sequences`` compares,
``build_dissimilarities`` reads ``Dissimilarities``, and ``build_relations`` reads ``Relations``,
which ``cut_relation`` makes smaller.  ``build_mentions`` reads ``Mentions``, of which
``embed_mentions`` makes ``References``.
"""

from reseat.datasets.alignment import AlignmentStopped, align_sequences, transform_scores
from reseat.datasets.build import build_corpus, read_raw
from reseat.datasets.build_distances import build_dissimilarities, build_points, build_sequences
from reseat.datasets.build_mentions import build_mentions
from reseat.datasets.build_records import build_recipe, build_records
from reseat.datasets.build_relations import build_relations
from reseat.datasets.corpus import Corpus
from reseat.datasets.cuts import cut_relation, cut_relations
from reseat.datasets.dissimilarities import Dissimilarities
from reseat.datasets.embed_mentions import EMBEDDINGS, embed_mentions
from reseat.datasets.encoding import encode_records, read_records
from reseat.datasets.entries import Dataset
from reseat.datasets.features import FeatureOptions, count_features
from reseat.datasets.identity import DatasetIdentity
from reseat.datasets.mentions import Mentions
from reseat.datasets.missing import (
    Availability,
    check_available,
    format_missing,
    missing_report,
)
from reseat.datasets.pair_features import all_distances, feature_names, pair_distances
from reseat.datasets.points import Points, draw_points
from reseat.datasets.recipes import RecordRecipe, draw_name, draw_records
from reseat.datasets.records import Records
from reseat.datasets.references import References
from reseat.datasets.registry import Registry
from reseat.datasets.relation_tables import RelationTable
from reseat.datasets.relations import Relations
from reseat.datasets.sequences import Sequences
from reseat.datasets.settings import DataSettings
from reseat.datasets.sources import Located, MissingFile, locate

__all__ = [
    "EMBEDDINGS",
    "AlignmentStopped",
    "Availability",
    "Corpus",
    "DataSettings",
    "Dataset",
    "DatasetIdentity",
    "Dissimilarities",
    "FeatureOptions",
    "Located",
    "Mentions",
    "MissingFile",
    "Points",
    "RecordRecipe",
    "Records",
    "References",
    "Registry",
    "RelationTable",
    "Relations",
    "Sequences",
    "align_sequences",
    "all_distances",
    "build_corpus",
    "build_dissimilarities",
    "build_mentions",
    "build_points",
    "build_recipe",
    "build_records",
    "build_relations",
    "build_sequences",
    "check_available",
    "count_features",
    "cut_relation",
    "cut_relations",
    "draw_name",
    "draw_points",
    "draw_records",
    "embed_mentions",
    "encode_records",
    "feature_names",
    "format_missing",
    "locate",
    "missing_report",
    "pair_distances",
    "read_raw",
    "read_records",
    "transform_scores",
]
