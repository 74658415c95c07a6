"""Read the files of a tar archive in one pass, or of the folder it would unpack to."""

from __future__ import annotations

import logging
import os
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from reseat.datasets.raw import RawDocuments, index_labels
from reseat.errors import DataError
from reseat.packed import UNPACKED, UNREADABLE, decompressed

__all__ = [
    "check_depth",
    "decompressed",
    "filed_messages",
    "files_below",
    "is_hidden",
    "natural_key",
    "read_members",
]

logger = logging.getLogger(__name__)
#: Files that an archive may have; Python keeps a kilobyte for each.
MOST_MEMBERS = 200_000
#: Folder in which macOS packs what it keeps about the files of an archive.
MACOS = "__MACOSX"
#: Digits of a name that is sorted as a number.
LONGEST_NUMBER = 1000


def read_members(path: Path) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield the parts of the name and the bytes of every file that is not hidden.

    Parameters
    ----------
    path : Path
        A tar archive, compressed or not, or a folder, whose own name is then
        the first part.  A hard link is the file that it links to; symbolic links and devices
        are left out, with a warning in the log.

    Raises
    ------
    DataError
        If the archive is damaged, cut short or larger than the bounds, has two files of one
        name or a link to none, or if a file cannot be read.
    """
    if path.is_dir():
        yield from _read_folder(path)
        return
    links = yield from _read_archive(path)
    if links:
        yield from _linked(path, links)


class _Member(tarfile.TarInfo):
    """A file of an archive; where there should be one and is none, the archive has not ended."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> tarfile.TarInfo:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"a file header was expected: {error}") from error


def _read_archive(path: Path):
    """Yield the files, and return the hard links: the names of each and of what it links to."""
    links, seen, others, n_bytes = {}, set(), [], 0
    try:
        largest = max(UNPACKED, path.stat().st_size)
        with (
            decompressed(path) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive,
        ):
            for number, member in enumerate(archive):
                parts = _parts(member.name)
                n_bytes += member.size
                if number == MOST_MEMBERS or n_bytes > largest:
                    what = f"{largest:,} bytes" if n_bytes > largest else f"{MOST_MEMBERS:,} files"
                    raise DataError(
                        f"{path} contains more than {what}; if this is intended, unpack it and "
                        "specify the folder"
                    )
                if member.isdir() or not parts or is_hidden(parts):
                    continue
                if parts in seen:
                    raise DataError(
                        f"{path} contains {'/'.join(parts)} twice; pack it again with each file "
                        "only once"
                    )
                seen.add(parts)
                if member.islnk():
                    links[parts] = _parts(member.linkname)
                elif member.isfile():
                    yield parts, archive.extractfile(member).read()
                else:
                    others.append(member.name)
            # What is behind the end tells a cut or a mistake in what was packed.
            while rest := archive.fileobj.read(2**20):
                if rest.strip(b"\0"):
                    raise tarfile.ReadError("there is data after its end")
    except (tarfile.TarError, *UNREADABLE) as error:
        raise DataError(f"{path} is not a complete tar archive ({error})") from error
    if others:
        logger.warning(
            "%s: %d links or devices are ignored; the first is %r", path, len(others), others[0]
        )
    return links


def _linked(path: Path, links: dict[tuple[str, ...], tuple[str, ...]]):
    """Yield the files behind hard links, for which the archive is read once more."""
    lacking = dict(links)
    for parts, content in _read_archive(path):
        for link in [link for link, target in links.items() if target == parts]:
            yield link, content
            del lacking[link]
    if lacking:
        link, target = next(iter(lacking.items()))
        raise DataError(
            f"{path}: {'/'.join(link)} is a link to {'/'.join(target)}, which is not in the archive"
        )


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part for part in name.split("/") if part not in ("", "."))


def _read_folder(folder: Path) -> Iterator[tuple[tuple[str, ...], bytes]]:
    for file in files_below(folder):
        try:
            yield (folder.name, *file.relative_to(folder).parts), file.read_bytes()
        except OSError as error:
            raise DataError(f"{file} cannot be read ({error.strerror})") from error


def files_below(folder: Path, hidden: bool = False, warn: bool = True) -> list[Path]:
    """The files of a folder and of those below it, links to others in it included.

    Links that lead out of the folder are left out: whoever made it could otherwise have any file
    of its reader's taken for a text.

    Parameters
    ----------
    folder : Path
    hidden : bool
        Whether those count that `is_hidden` speaks of.
    warn : bool
        Whether to say in the log that links are left out.

    Returns
    -------
    list of Path
        Sorted.

    Raises
    ------
    DataError
        If a folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise DataError(f"{error.filename} cannot be read ({error.strerror})") from error

    found, outside, root = [], [], folder.resolve()
    for here, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        if not hidden:
            folders[:] = [name for name in folders if not is_hidden([name])]
            names = [name for name in names if not is_hidden([name])]
        links = [path for name in folders + names if (path := Path(here, name)).is_symlink()]
        leaving = {path.name for path in links if not path.resolve().is_relative_to(root)}
        outside += [Path(here, name) for name in leaving]
        # A link to a folder that it lies in has no end.
        folders[:] = [
            name
            for name in folders
            if name not in leaving and not _holds(Path(here, name), Path(here))
        ]
        files = [Path(here, name) for name in names if name not in leaving]
        found += [path for path in files if path.is_file()]
    if outside and warn:
        logger.warning(
            "%s: %d links that lead out of the folder are ignored; the first is %r",
            folder,
            len(outside),
            min(outside).relative_to(folder).as_posix(),
        )
    return sorted(found)


def _holds(link: Path, folder: Path) -> bool:
    return link.is_symlink() and folder.resolve().is_relative_to(link.resolve())


def is_hidden(parts: Iterable[str]) -> bool:
    """Whether a file was put there by a program, as `.git` and `__MACOSX` are, and is no text.

    Parameters
    ----------
    parts : iterable of str
        Names of the folders in which it lies, below the one that was given, and its own.
    """
    return any(part == MACOS or (part.startswith(".") and part != "..") for part in parts)


def check_depth(parts: tuple[str, ...], form: str, path: Path) -> None:
    """Check that a file does not lie in more folders than files of a form do.

    Raises
    ------
    DataError
        If it does: whatever would be made of it, it would not be told.
    """
    if len(parts) > len(form.split("/")):
        raise DataError(
            f"{path}: {'/'.join(parts)} is nested deeper than {form}; move it up, or remove it"
        )


def filed_messages(files: Iterable[tuple[str, str, str]]) -> RawDocuments:
    """Messages whose class is the folder that they lie in, by class and then by name.

    Parameters
    ----------
    files : iterable of tuple of str
        Class, name and text of each message, in any order.
    """
    files = sorted(files, key=lambda file: (file[0], natural_key(file[1])))
    labels, names = index_labels([folder for folder, _, _ in files])
    return RawDocuments(
        texts=[text for _, _, text in files],
        labels=labels,
        label_names=names,
        document_ids=[f"{folder}/{name}" for folder, name, _ in files],
        has_headers=True,
    )


def natural_key(name: str) -> tuple[int, int, str]:
    """Sort key that puts ``"9"`` before ``"10"``, and other names after numbers."""
    is_number = name.isdecimal() and len(name) <= LONGEST_NUMBER
    return (0, int(name), name) if is_number else (1, 0, name)
