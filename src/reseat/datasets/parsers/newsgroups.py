"""20 Newsgroups, the original collection of 19,997 articles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reseat.datasets.parsers.archives import check_depth, filed_messages, read_members
from reseat.datasets.parsers.roles import file_of
from reseat.datasets.raw import RawDocuments
from reseat.errors import DataError
from reseat.texts import decoded

__all__ = ["parse_newsgroups"]

FORM = "<top>/<group>/<number>"
#: How the collection has called its folder since it was published.
TOP = "20_newsgroups"


def parse_newsgroups(paths: Mapping[str, Path], encoding: str = "latin-1") -> RawDocuments:
    """Read ``<top>/<group>/<number>`` articles from a tar archive.

    Articles are ordered by group, then number, whatever the order in the archive.  If it has more
    than these, as that of a repository does, those below its folder ``20_newsgroups`` are taken.

    Parameters
    ----------
    paths : mapping
        ``archive`` is the tar file, or ``user`` one of the user's own, or a folder.
    encoding : str
        Of the articles; 73 of the original ones are not UTF-8.

    Raises
    ------
    DataError
        If the archive is damaged, holds no such articles or has files in deeper folders.
    """
    articles, path = [], file_of(paths, "archive")
    files = list(read_members(path))
    within = [
        (parts[parts.index(TOP, 1) :], content) for parts, content in files if TOP in parts[1:-2]
    ]
    for parts, content in within or files:
        check_depth(parts, FORM, path)
        if len(parts) == 3:
            text = decoded(content, f"{path}, {'/'.join(parts)},", encoding)
            articles.append((parts[1], parts[2], text))
    if not articles:
        raise DataError(f"{path} contains no files of the form {FORM}")
    return filed_messages(articles)
