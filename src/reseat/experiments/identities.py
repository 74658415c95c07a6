"""What the data sets behind a result are, from the cards beside them."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from reseat.datasets import Card, DatasetIdentity

__all__ = ["n_documents", "read_identities", "titles_of"]


def read_identities(paths: Iterable[str | PathLike]) -> list[DatasetIdentity]:
    """Name, title and status of some processed data sets."""
    return [Card.load(path).identity for path in paths]


def titles_of(identities: Iterable[DatasetIdentity]) -> dict[str, str]:
    """Data set to title."""
    return {identity.name: identity.title for identity in identities}


def n_documents(paths: Iterable[str | PathLike]) -> dict[str, int]:
    """Processed data set to its number of documents."""
    cards = map(Card.load, paths)
    return {card.identity.name: card.sizes["documents"] for card in cards}
