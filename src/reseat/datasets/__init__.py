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
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
