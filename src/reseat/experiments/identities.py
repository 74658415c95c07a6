"""Identities of the data sets behind a result, from the cards stored beside them."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from reseat.datasets import Card, DatasetIdentity

__all__ = ["n_documents", "read_identities", "titles_of"]


def read_identities(paths: Iterable[str | PathLike]) -> list[DatasetIdentity]:
    """Read the identity (name, title, status and so on) of each processed data set."""
    return [Card.load(path).identity for path in paths]


def titles_of(identities: Iterable[DatasetIdentity]) -> dict[str, str]:
    """Return the title of each data set."""
    return {identity.name: identity.title for identity in identities}


def n_documents(paths: Iterable[str | PathLike]) -> dict[str, int]:
    """Return the number of documents of each processed data set."""
    cards = map(Card.load, paths)
    return {card.identity.name: card.sizes["documents"] for card in cards}
