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

import lazy_loader

# Imported when they are asked for: a chain needs a corpus, not the parsers of forty formats.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "alignment": ["AlignmentStopped", "align_sequences", "transform_scores"],
        "build": ["build_corpus", "read_raw"],
        "build_distances": ["build_dissimilarities", "build_points", "build_sequences"],
        "build_mentions": ["build_mentions"],
        "build_records": ["build_recipe", "build_records"],
        "build_relations": ["build_relations"],
        "corpus": ["Corpus"],
        "cuts": ["cut_relation", "cut_relations"],
        "dissimilarities": ["Dissimilarities"],
        "embed_mentions": ["EMBEDDINGS", "embed_mentions"],
        "encoding": ["encode_records", "read_records"],
        "entries": ["Dataset"],
        "features": ["FeatureOptions", "count_features"],
        "identity": ["DatasetIdentity"],
        "mentions": ["Mentions"],
        "missing": ["Availability", "check_available", "format_missing", "missing_report"],
        "own": ["check_paths", "own_content", "own_data"],
        "pair_features": ["all_distances", "feature_names", "pair_distances"],
        "points": ["Points", "draw_points"],
        "recipes": ["RecordRecipe", "draw_name", "draw_records"],
        "records": ["Records"],
        "references": ["References"],
        "registry": ["Registry"],
        "relation_tables": ["RelationTable"],
        "relations": ["Relations"],
        "sequences": ["Sequences"],
        "settings": ["DataSettings"],
        "sources": ["Located", "MissingFile", "locate"],
    },
)
