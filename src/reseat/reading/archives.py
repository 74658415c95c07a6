"""Reading of the files of a tar archive in one pass, or of the folder that it unpacks to."""

import logging
import os
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from reseat.errors import DataError
from reseat.files import packed
from reseat.files.packed import UNREADABLE, decompressed

logger = logging.getLogger(__name__)
MAX_MEMBERS = 200_000  # files in an archive; each takes about a kilobyte of memory
#: Names of what programs and systems leave beside texts.
OF_PROGRAMS = re.compile(
    r"\.(?!\.$).*|__MACOSX|desktop\.ini|(?:eh)?thumbs\.db|.+~|#.*#|~\$.*", re.IGNORECASE | re.DOTALL
)
MAX_DIGITS = 1000  # of a name that is sorted as a number


def read_members(path: Path) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield the parts of the name and the bytes of every file in a tar archive or folder."""
    if path.is_dir():
        for file in files_below(path):
            yield (path.name, *file.relative_to(path).parts), bytes_of(file)
        return
    links = yield from _read_archive(path)
    if links:
        yield from _linked(path, links)


def bytes_of(file: Path) -> bytes:
    """Return the bytes of a file as they are."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise DataError(f"{file} cannot be read ({error.strerror})") from error


class _Member(tarfile.TarInfo):
    """Member of an archive whose invalid header is an error; tarfile takes it for the end."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> tarfile.TarInfo:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"a file header was expected: {error}") from error


def _read_archive(path: Path, warn: bool = True):
    """Yield the files, and return a mapping of the hard links to their targets."""
    links, seen, others, n_bytes = {}, set(), [], 0
    try:
        # Files with holes may claim far more bytes than the archive has.
        largest = max(packed.UNPACKED, path.stat().st_size)
        with (
            decompressed(path) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive,
        ):
            for number, member in enumerate(archive):
                parts = _parts(member.name)
                n_bytes += member.size
                if number == MAX_MEMBERS or n_bytes > largest:
                    what = f"{largest:,} bytes" if n_bytes > largest else f"{MAX_MEMBERS:,} files"
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
            # Read to the end, where the decompressors detect truncated or damaged data.
            while rest := archive.fileobj.read(2**20):
                if rest.strip(b"\0"):
                    raise tarfile.ReadError("there is data after its end")
    except (tarfile.TarError, *UNREADABLE) as error:
        raise DataError(f"{path} is not a complete tar archive ({error})") from error
    if others and warn:
        logger.warning(
            f"{path}: {len(others)} links or devices are ignored; the first is {others[0]!r}"
        )
    return links


def _linked(path: Path, links: dict[tuple[str, ...], tuple[str, ...]]):
    """Yield the files that hard links stand for, by reading the archive a second time."""
    lacking = dict(links)
    for parts, content in _read_archive(path, warn=False):
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


def files_below(folder: Path, hidden: bool = False, warn: bool = True) -> list[Path]:
    """Return the files in a folder and its subfolders, sorted; links out of it are not followed."""

    def refuse(error: OSError) -> None:
        raise DataError(f"{error.filename} cannot be read ({error.strerror})") from error

    found, outside, broken, root = [], [], [], folder.resolve()
    for here, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        if not hidden:
            folders[:] = [name for name in folders if not is_hidden([name])]
            names = [name for name in names if not is_hidden([name])]
        links = [path for name in folders + names if (path := Path(here, name)).is_symlink()]
        leaving = {path.name for path in links if not path.resolve().is_relative_to(root)}
        outside += [Path(here, name) for name in leaving]
        # Following a link to a folder that contains the link would never end.
        inside = Path(here).resolve()
        around = {path.name for path in links if inside.is_relative_to(path.resolve())}
        folders[:] = [name for name in folders if name not in leaving | around]
        files = [Path(here, name) for name in names if name not in leaving]
        found += [path for path in files if path.is_file()]
        broken += [path for path in files if path.is_symlink() and not path.exists()]
    for links, where in (outside, "out of the folder"), (broken, "nowhere"):
        if links and warn:
            first = min(links).relative_to(folder).as_posix()
            logger.warning(
                f"{folder}: {len(links)} links that lead {where} are ignored; the first is "
                f"{first!r}"
            )
    return sorted(found)


def is_hidden(parts: Iterable[str]) -> bool:
    """Return whether a file is hidden, a backup copy, or made by a program, like `.git`."""
    return any(OF_PROGRAMS.fullmatch(part) for part in parts)


def check_depth(parts: tuple[str, ...], form: str, path: Path) -> None:
    """Refuse a file nested more deeply than in the layout, which would be ignored."""
    if len(parts) > len(form.split("/")):
        raise DataError(
            f"{path}: {'/'.join(parts)} is nested deeper than {form}; move it up, or remove it"
        )


def natural_key(name: str) -> tuple[int, int, str]:
    """Return a sort key that puts ``"9"`` before ``"10"``, and other names after numbers."""
    is_number = name.isdecimal() and len(name) <= MAX_DIGITS
    return (0, int(name), name) if is_number else (1, 0, name)
