"""Data sets: their registry, their files, and the processed data that are made from them.

``Registry`` reads ``config/datasets.yaml``; ``locate`` finds and verifies the files of a data set;
``build`` turns them into an object of the class of its kind, which carries its own identity:
``Corpus``, ``Records``, ``Sequences``, ``Dissimilarities``, ``Relations``, ``Mentions``, or a
recipe from which ``Records`` or ``Points`` are drawn.  ``align_sequences``, ``cut_relations`` and
``embed_mentions`` make other data from these.
"""

import lazy_loader

# Imported on first use, because a chain needs a corpus but not the parsers of forty formats.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
