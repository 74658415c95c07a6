"""Data sets: their registry, their files, and the processed data that are made from them.

``Registry`` reads ``config/datasets.yaml``; ``locate`` finds the files of a data set in the raw
folder, a copy of the user's own, the mirrors or at a pinned URL, and verifies those of the
registry by their hashes; ``build`` turns them into a data set of the class that belongs to its
kind, which carries its own identity: ``Corpus``, ``Records``, ``Sequences``, ``Dissimilarities``,
``Relations``, ``Mentions``, or a recipe (``RecordRecipe``, ``PointRecipe``) from which ``Records``
and ``Points`` are drawn.  ``align_sequences`` compares sequences, ``cut_relations`` makes
relations smaller, and ``embed_mentions`` turns mentions into ``EmbeddedMentions``.
"""

import lazy_loader

# Imported on first use, because a chain needs a corpus but not the parsers of forty formats.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "alignment": ["AlignmentStopped", "align_sequences", "transform_scores"],
        "build": ["build", "read_raw"],
        "stored": ["Card", "Stored", "store", "store_draws"],
        "registry": ["configured", "DataSettings", "Dataset", "Registry"],
        "corpus": ["Corpus"],
        "dissimilarities": ["Dissimilarities"],
        "embed_mentions": ["EMBEDDINGS", "embed_mentions"],
        "embedded_mentions": ["EmbeddedMentions"],
        "encoding": ["encode_records", "read_records"],
        "features": ["FeatureOptions", "count_features"],
        "identity": ["DatasetIdentity"],
        "mentions": ["Mentions"],
        "missing": [
            "Availability",
            "check_available",
            "format_missing",
            "missing_report",
            "remember_unreachable",
            "without_unreachable",
        ],
        "user_files": ["check_paths", "own_content", "own_data"],
        "points": ["PointRecipe", "Points", "draw_points"],
        "recipes": ["RecordRecipe", "draw_records"],
        "records": ["Records"],
        "relations": ["cut_relations", "Relations"],
        "sequences": ["Sequences"],
        "sources": ["Located", "MissingFile", "locate"],
    },
)
