"""What the data sets behind a result are."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from reseat.datasets import Corpus, DatasetIdentity

__all__ = ["n_documents", "read_identities", "titles_of"]


def read_identities(paths: Iterable[str | PathLike]) -> list[DatasetIdentity]:
    """Name, title and status of some processed data sets."""
    return [Corpus.load(path).identity for path in paths]


def titles_of(corpora: Iterable[DatasetIdentity]) -> dict[str, str]:
    """Data set to title."""
    return {corpus.name: corpus.title for corpus in corpora}


def n_documents(paths: Iterable[str | PathLike]) -> dict[str, int]:
    """Processed data set to its number of documents."""
    corpora = map(Corpus.load, paths)
    return {corpus.identity.name: corpus.n_documents for corpus in corpora}
