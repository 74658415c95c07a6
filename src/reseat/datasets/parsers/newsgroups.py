"""20 Newsgroups, the original collection of 19,997 articles."""

from collections.abc import Mapping
from pathlib import Path

from reseat.datasets.parsers.options import file_of
from reseat.datasets.raw import RawDocuments, filed_messages
from reseat.errors import DataError
from reseat.files.texts import decoded
from reseat.reading.archives import check_depth, read_members

FORM = "<top>/<group>/<number>"
#: Name of the folder of the collection, unchanged since it was published.
TOP = "20_newsgroups"


def parse_newsgroups(paths: Mapping[str, Path], encoding: str = "latin-1") -> RawDocuments:
    """Read ``<top>/<group>/<number>`` articles from a tar archive.

    Articles are sorted by group and then by number, whatever their order in the archive.  If the
    archive has more than the articles, as that of a data repository does, those in its folder
    ``20_newsgroups`` are read.

    `paths`: ``archive``, or ``user`` for the user's own data, is a tar file or a folder.
    `encoding`: encoding of the articles; 73 of the original ones are not UTF-8.
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
