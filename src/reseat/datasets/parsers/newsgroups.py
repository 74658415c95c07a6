"""20 Newsgroups, the original collection of 19,997 articles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reseat.datasets.parsers.archives import natural_key, read_members
from reseat.datasets.raw import RawDocuments, index_labels
from reseat.errors import DataError

__all__ = ["parse_newsgroups"]


def parse_newsgroups(paths: Mapping[str, Path]) -> RawDocuments:
    """Read ``<top>/<group>/<number>`` articles from a tar archive.

    Articles are read as Latin-1 (73 of them are not UTF-8) and ordered by
    group, then number, whatever the order in the archive.

    Parameters
    ----------
    paths : mapping
        ``archive`` is the tar file.

    Raises
    ------
    DataError
        If the archive is damaged or holds no such articles.
    """
    articles = []
    for parts, content in read_members(paths["archive"]):
        if len(parts) == 3:
            articles.append((parts[1], parts[2], content.decode("latin-1")))
    if not articles:
        raise DataError(f"{paths['archive']} holds no files of the form <top>/<group>/<number>")
    articles.sort(key=lambda article: (article[0], natural_key(article[1])))
    labels, names = index_labels([group for group, _, _ in articles])
    return RawDocuments(
        texts=[text for _, _, text in articles],
        labels=labels,
        label_names=names,
        document_ids=[f"{group}/{number}" for group, number, _ in articles],
        has_headers=True,
    )
