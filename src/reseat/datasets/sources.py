"""Search for raw files in a copy of the user's own, the raw folder, the mirrors and pinned URLs.

A file is accepted if its SHA-256 is right.  Only a copy that the user points to may be packed in
another form, if the SHA-256 of its texts is right; nothing else takes the place of a copy that is
refused.  A damaged file in another folder is reported and left there, and the next source is tried;
a download that takes its place in the raw folder sets it aside.
"""

import logging
import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from reseat.datasets.download import download, is_web_page
from reseat.datasets.identity import DatasetIdentity
from reseat.datasets.registry import DataFile, Dataset, DataSettings, FileForm, Registry
from reseat.datasets.user_files import HashRecord
from reseat.errors import DataError
from reseat.vocabulary import OWN

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class MissingFile:
    """A file that is not available.

    Attributes
    ----------
    dataset : str
    file : str
        Path below a mirror folder, or a description of what the user has to supply.
    reason : str
        Why each source failed.
    where : str
        Where the file can be obtained.
    standins : tuple of str
        Data sets that may replace `dataset`.
    urls : tuple of str
        Addresses that it can be downloaded from, if any.

    Examples
    --------
    >>> from reseat.datasets import MissingFile
    >>> missing = MissingFile("pets", "pets/pets.csv", "no such file", "the town register")
    >>> missing.urls
    ()
    """

    dataset: str
    file: str
    reason: str
    where: str
    standins: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Located:
    """The verified files of a data set.

    Attributes
    ----------
    dataset : Dataset
    paths : dict of str to Path
        The file of each role; ``{"user": path}`` for data that the user supplies.
    identity : DatasetIdentity
        With the hashes of the files that were found; `build` hashes what the user supplies.
    notes : tuple of str
        Sources that were refused or unreadable during the search, one sentence each.

    Examples
    --------
    >>> from pathlib import Path
    >>> from reseat.datasets import Dataset, DatasetIdentity, Located
    >>> entry = Dataset("pets", "Pets", "Names of pets.", "records", "CC0-1.0", "", "faithful")
    >>> known = DatasetIdentity("pets", "Pets", "faithful")
    >>> Located(entry, {"table": Path("data/pets.csv")}, known).paths["table"].name
    'pets.csv'
    """

    dataset: Dataset
    paths: dict[str, Path]
    identity: DatasetIdentity
    notes: tuple[str, ...] = ()


@dataclass
class _Search:
    """The settings of one search, and the notes that it has made so far."""

    settings: DataSettings
    record: HashRecord
    notes: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            logger.warning(sentence)
            self.notes.append(sentence)


def locate(
    registry: Registry, name: str, settings: DataSettings, roles: Collection[str] | None = None
) -> Located:
    """Find the files of a data set, downloading those that have a URL and are not here.

    Parameters
    ----------
    registry : Registry
    name : str
    settings : DataSettings
    roles : collection of str, optional
        The files wanted; by default all.
    """
    found = find(registry, name, settings, settings.download, roles=roles)
    if isinstance(found, Located):
        return found
    rows = "; ".join(f"{row.file}: {row.reason}; available from {row.where}" for row in found)
    raise DataError(f"data set {name!r} is not available: {rows}")


def find(
    registry: Registry,
    name: str,
    settings: DataSettings,
    fetch: bool,
    record: HashRecord | None = None,
    roles: Collection[str] | None = None,
) -> Located | list[MissingFile]:
    """Find the files of a data set, or return those that are missing.

    Without `fetch`, a file that has a URL but is in no folder counts as missing. Searches that
    share a `record` read its file only once. `roles` are the files wanted, by default all.
    """
    entry = registry[name]
    search = _Search(settings, record or HashRecord(settings.raw))
    if not entry.obtainable:
        reason = "it was never published"
        return [MissingFile(name, "the whole data set", reason, entry.origin, entry.standins)]
    if entry.user_path:
        return _find_user(registry, entry, settings)
    own = _own_copies(entry, search)
    paths, hashes, missing = {}, {}, []
    for role, file in entry.files.items():
        if roles is not None and role not in roles:
            continue
        form, path = own.get(role) or _find_file(file, search, fetch)
        if path is None:
            missing.append(_missing(entry, file, search, elsewhere=role not in own))
        else:
            paths[role] = path
            if form is not None:
                hashes[form.path] = form.sha256
    if missing:
        return missing
    identity = replace(registry.identity(name), sha256=hashes)
    return Located(entry, paths, identity, tuple(search.notes))


_Found = tuple[FileForm | None, Path | None]


def _own_copies(entry: Dataset, search: _Search) -> dict[str, _Found]:
    """Return what the user's path yields for each file that must not be looked for elsewhere.

    The form is None if the copy is packed in another form, as are both if it is refused.
    """
    own = search.settings.paths.get(entry.name)
    if own is None:
        return {}
    # The copy may then be packed in another form; its texts are checked later.
    by_texts = bool(entry.texts_sha256) and len(entry.files) == 1
    found: dict[str, _Found] = {}
    for role, file in entry.files.items():
        # The path may be the file itself, its folder, or a folder laid out like a mirror.
        ends = [(form, end) for form in file.forms for end in ("", Path(form.path).name, form.path)]
        places = [(form, own / end) for form, end in ends]
        right = (place for place in places if _accept(place[1], place[0], search, by_texts))
        if (first := next(right, None)) is not None:
            found[role] = first
        elif by_texts and own.exists():
            found[role] = None, own
        elif any(path.is_file() for _, path in places if path != own):
            found[role] = None, None
    if any(path for _, path in found.values()):
        return found
    if not own.exists():
        search.note(f"data.paths.{entry.name} is {own}, which does not exist")
    elif not search.notes:
        names = " or ".join(Path(file.path).name for file in entry.files.values())
        search.note(f"data.paths.{entry.name} is {own}, which does not contain {names}")
    return dict.fromkeys(entry.files, (None, None))


def _find_file(file: DataFile, search: _Search, fetch: bool) -> _Found:
    """Return form and path of a file from the folders or else the network, or None for both."""
    for form in file.forms:
        for path in _places(form, search):
            if _accept(path, form, search):
                return form, path
    if fetch:
        for form in file.forms:
            for url, archive in form.addresses:
                settings = search.settings
                path = settings.raw / form.path
                problem = download(url, path, form, archive, settings.root, settings.progress)
                if problem is None:
                    return form, path
                search.note(problem)
    return None, None


def _places(form: FileForm, search: _Search) -> Iterator[Path]:
    """Yield each path where a file may be, apart from those of the user."""
    yield search.settings.raw / form.path
    for mirror in search.settings.mirrors:
        try:
            mode = mirror.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue  # the default mirror need not exist
        except OSError as error:
            search.note(f"the mirror {mirror} cannot be read ({error.strerror}); skipped")
            continue
        if not stat.S_ISDIR(mode):
            search.note(f"the mirror {mirror} is not a folder; skipped")
        elif not os.access(mirror, os.R_OK | os.X_OK):
            search.note(f"the mirror {mirror} cannot be read (no permission); skipped")
        else:
            yield mirror / form.path


def _accept(path: Path, form: FileForm, search: _Search, quiet: bool = False) -> bool:
    """Return whether a file is the right one; note what else it is unless `quiet` is true."""
    try:
        if not path.is_file():
            return False
        (sha256,) = search.record.hashes_of([path])
    except OSError as error:
        search.note(f"{path} cannot be read ({error.strerror}), so it is not used")
        return False
    if sha256 == form.sha256:
        return True
    size = path.stat().st_size
    if is_web_page(path):
        what = "is a web page, not the expected file,"
    elif size < form.bytes:
        what = f"is truncated ({size:,} of {form.bytes:,} bytes)"
    else:
        what = f"is not the expected file (its sha256 begins {sha256[:8]})"
    if not quiet:
        search.note(f"{path} {what} and is refused")
    return False


def _missing(entry: Dataset, file: DataFile, search: _Search, elsewhere: bool) -> MissingFile:
    """Describe a file that was not found; unless `elsewhere` is true, it is not downloaded."""
    urls = [url for form in file.forms for url, _archive in form.addresses if elsewhere]
    names = [*(form.path for form in file.forms), *urls]
    if entry.name in search.settings.paths:
        names.append(str(search.settings.paths[entry.name]))
    named = [note for note in search.notes if any(name in note for name in names)]
    mirrors = [note for note in search.notes if note.startswith("the mirror ")]
    reason = "; ".join(mirrors + named) or "not found in the raw folder or any mirror"
    where = _where(entry, file, search.settings)
    return MissingFile(entry.name, file.path, reason, where, entry.standins, tuple(urls))


def _where(entry: Dataset, file: DataFile, settings: DataSettings) -> str:
    """Return where a file can be obtained by hand, and what has to be done with the download."""
    addresses = [(form, *address) for form in file.forms for address in form.addresses]
    if not addresses:
        return file.origin
    form, url, archive = addresses[0]
    if archive is None:
        return url if form.path == file.path else f"{url} (it is {form.path})"
    if not archive.derive:
        return f"{url} (data.paths.{entry.name} may name it as it is)"
    return (
        f"clone https://github.com/{archive.repository} as a folder CLONES/{archive.repository}, "
        f"and run python data/derive.py --clones CLONES --only {archive.derive} --unpacked "
        f"--output {settings.raw}"
    )


def _find_user(registry: Registry, entry: Dataset, settings: DataSettings):
    path, key = settings.paths.get(entry.name), f"data.paths.{entry.name}"
    if path is None:
        reason = f"{'' if entry.status == OWN else 'licensed; '}{key} is not set"
    elif not path.exists():
        reason = f"{key} is {path}, which does not exist"
    elif not os.access(path, os.R_OK):
        reason = f"{key} is {path}, which cannot be read (no permission)"
    else:
        return Located(entry, {"user": path}, registry.identity(entry.name))
    where = entry.origin or "your own files"
    return [MissingFile(entry.name, entry.user_path, reason, where, entry.standins)]
