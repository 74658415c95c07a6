"""Mail filed in folders by its owner: the folder is the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from reseat.datasets.parsers.archives import natural_key, read_members
from reseat.datasets.raw import RawDocuments, index_labels
from reseat.errors import DataError

__all__ = ["parse_mail_folders"]


def parse_mail_folders(
    paths: Mapping[str, Path], user: str, max_classes: int | None = None
) -> RawDocuments:
    """Read ``<top>/<user>/<folder>/<number>`` messages from a tar archive.

    Parameters
    ----------
    paths : mapping
        ``archive`` is the tar file.
    user : str
        Whose mailbox.
    max_classes : int, optional
        Keep the largest folders only; of folders of one size the
        alphabetically first ones.  By default all are kept.

    Raises
    ------
    DataError
        If the archive is damaged, the user unknown, or there are fewer folders.
    """
    messages, users = [], set()
    for parts, content in read_members(paths["archive"]):
        if len(parts) != 4:
            continue
        users.add(parts[1])
        if parts[1] == user:
            messages.append((parts[2], parts[3], content.decode("latin-1")))
    if not messages:
        raise DataError(
            f"{paths['archive']} holds no mail of {user!r}; its users are "
            f"{', '.join(sorted(users)) or 'none'}"
        )
    sizes = Counter(folder for folder, _, _ in messages)
    if max_classes is not None:
        if not 1 <= max_classes <= len(sizes):
            raise DataError(
                f"options.max_classes is {max_classes}, but {user!r} has {len(sizes)} folders"
            )
        largest = sorted(sizes, key=lambda folder: (-sizes[folder], folder))[:max_classes]
        kept = set(largest)
        messages = [message for message in messages if message[0] in kept]
    messages.sort(key=lambda message: (message[0], natural_key(message[1])))
    labels, names = index_labels([folder for folder, _, _ in messages])
    return RawDocuments(
        texts=[text for _, _, text in messages],
        labels=labels,
        label_names=names,
        document_ids=[f"{folder}/{number}" for folder, number, _ in messages],
        has_headers=True,
    )
