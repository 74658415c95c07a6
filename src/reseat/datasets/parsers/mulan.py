"""Sparse ARFF files of Mulan: binary words and binary tags of web pages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from reseat.datasets.corpus import Corpus
from reseat.datasets.identity import UNNAMED
from reseat.datasets.parsers.options import file_of
from reseat.datasets.raw import index_labels
from reseat.errors import DataError
from reseat.reading.tables import read_sparse_arff

RULE = (
    "none: the publishers give the presence of words of their own choice, no texts and no "
    "frequencies, so neither a stop list nor a selection applies"
)


def parse_mulan(
    paths: Mapping[str, Path], tags: str | Sequence[str], prefix: str = "TAG_"
) -> Corpus:
    """Read the pages that have exactly one of the requested tags, which is the class.

    `paths`: ``arff`` is the file, plain or compressed.
    `tags`: the classes, without the prefix; in a string they are separated by blanks.
    `prefix`: prefix of the names of attributes that are tags; all others are words.
    """
    path = file_of(paths, "arff")
    tags = tags.split() if isinstance(tags, str) else tags
    attributes, rows = read_sparse_arff(path)
    words = [index for index, name in enumerate(attributes) if not name.startswith(prefix)]
    where = {name: index for index, name in enumerate(attributes)}
    unknown = [tag for tag in tags if prefix + tag not in where]
    if unknown:
        raise DataError(f"{path} has no tag {unknown[0]!r} (options.tags)")
    topic = {where[prefix + tag]: tag for tag in tags}
    pages = []
    for number, row in enumerate(rows):
        found = [topic[index] for index in row if index in topic]
        if len(found) == 1:
            pages.append((number, found[0], row))
    if not pages:
        raise DataError(f"{path} has no page with exactly one of the {len(tags)} tags")
    labels, names = index_labels([tag for _, tag, _ in pages])
    indices = np.array([index for _, _, row in pages for index in row], dtype=np.int32)
    ends = np.cumsum([0, *(len(row) for _, _, row in pages)])
    shape = (len(pages), len(attributes))
    return Corpus(
        counts=sp.csr_array((np.ones_like(indices), indices, ends), shape=shape)[:, words],
        vocabulary=[attributes[index] for index in words],
        labels=labels,
        label_names=names,
        document_ids=[str(number + 1) for number, _, _ in pages],
        identity=replace(UNNAMED, preprocessing={"rule": RULE}),
    )
