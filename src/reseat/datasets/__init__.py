"""Data sets: what they are, where they are found, and the counts made from them.

``Registry`` reads ``config/datasets.yaml``; ``locate`` finds the files of
a data set in the raw folder, the mirrors or at a pinned URL and accepts them by
hash only; ``build`` makes of them a data set of the class of its kind, which carries its own
identity: ``Corpus``, ``Records``, ``Sequences``, ``Dissimilarities``, ``Relations``, ``Mentions``,
or a recipe (``RecordRecipe``, ``PointRecipe``) from which ``Records`` and ``Points`` are drawn.
``align_sequences`` compares sequences, ``cut_relations`` makes relations smaller, and
``embed_mentions`` makes ``EmbeddedMentions`` of mentions.
"""

import lazy_loader

# Imported when they are asked for: a chain needs a corpus, not the parsers of forty formats.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "alignment": ["AlignmentStopped", "align_sequences", "transform_scores"],
        "build": ["build", "read_raw"],
        "card": ["Card"],
        "configured": ["configured"],
        "corpus": ["Corpus"],
        "dissimilarities": ["Dissimilarities"],
        "embed_mentions": ["EMBEDDINGS", "embed_mentions"],
        "embedded_mentions": ["EmbeddedMentions"],
        "encoding": ["encode_records", "read_records"],
        "entries": ["Dataset"],
        "features": ["FeatureOptions", "count_features"],
        "frequency_filter": ["cut_relations"],
        "identity": ["DatasetIdentity"],
        "mentions": ["Mentions"],
        "missing": ["Availability", "check_available", "format_missing", "missing_report"],
        "own": ["check_paths", "own_content", "own_data"],
        "points": ["PointRecipe", "Points", "draw_points"],
        "recipes": ["RecordRecipe", "draw_records"],
        "reach": ["without_unreachable"],
        "records": ["Records"],
        "registry": ["Registry"],
        "relations": ["Relations"],
        "sequences": ["Sequences"],
        "settings": ["DataSettings"],
        "sources": ["Located", "MissingFile", "locate"],
        "stored": ["Stored", "store", "store_draws"],
    },
)
