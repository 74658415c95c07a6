"""Folders of a repository's commit, extracted from the archives of hosts and packed again.

A host may pack the same commit into different bytes tomorrow.  The file that is verified is
therefore a tar of the folder's files alone, sorted by name and without times and owners, so that
its hash depends only on the names and contents of the files.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from reseat.datasets.entries import Archive, FileForm
from reseat.datasets.fetch import Patience, Refusal, partial_file, put, save
from reseat.datasets.hashes import keep_aside
from reseat.io import sha256_of
from reseat.packed import UNREADABLE

__all__ = ["folder_of", "from_archive", "plain_tar"]


def from_archive(
    url: str,
    archive: Archive,
    path: Path,
    form: FileForm,
    root: Path | None = None,
    patience: Patience | None = None,
) -> str | None:
    """Make a file from an archive at `url`; it is created only if its hash is right.

    Return None on success, or one sentence that says what went wrong.
    """
    try:
        with partial_file(path) as packed, partial_file(path) as made:
            save(url, packed, archive.at_most, patience or Patience())
            limit = archive.at_most * 20 if archive.derive else form.bytes
            files = folder_of(packed, archive.folder, archive.into, limit)
            made.write_bytes(plain_tar(files))
            if archive.derive:
                derived = _derived(made, archive, root)
                made.write_bytes(derived)
            sha256 = sha256_of(made)
            if sha256 == form.sha256:
                put(made, path)
                return None
            aside = keep_aside(made, sha256, path)
            return (
                f"{url} contains files that differ from those in the registry ({len(files):,}, "
                f"sha256 {sha256[:8]}...); they were kept as {aside.name}"
            )
    except Refusal as reason:
        return f"{url} could not be downloaded ({reason})"
    except OSError as error:
        return f"{url} cannot be saved: {path.parent} cannot be written ({error.strerror})"


def folder_of(packed: Path, folder: str, into: str, limit: int) -> dict[str, bytes]:
    """Return the contents of the files below a folder of a tar, by their names below another.

    ``*`` in its name matches any one folder, such as that named after the commit. Contents of more
    than `limit` bytes are refused.
    """
    wanted, found, size = PurePosixPath(folder).parts, {}, 0
    try:
        with tarfile.open(packed, mode="r:*") as archive:
            for member in archive:
                parts = PurePosixPath(member.name).parts
                below = parts[len(wanted) :]
                pairs = zip(wanted, parts, strict=False)
                if not (member.isfile() and below and all(w in ("*", p) for w, p in pairs)):
                    continue
                size += member.size
                if size > limit:
                    raise Refusal(f"its folder {folder} contains more than {limit:,} bytes")
                found["/".join((into, *below))] = archive.extractfile(member).read()
    except MemoryError as error:  # a header may announce any size
        raise Refusal("it is too large to be unpacked") from error
    except (tarfile.TarError, *UNREADABLE) as error:
        # For a file that is no archive, further lines list the error of each compression method.
        said = str(error).partition("\n")[0].rstrip(":- ")
        raise Refusal(f"it is not a complete archive: {said}") from error
    if not found:
        raise Refusal(f"it has no files below {folder}")
    return found


def plain_tar(files: Mapping[str, bytes]) -> bytes:
    """Return a tar that depends only on the names and contents of its files.

    Names are limited to what the USTAR format, which all programs read, has room for.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            try:
                archive.addfile(member, io.BytesIO(files[name]))
            except ValueError as error:
                raise Refusal(f"the file {name} cannot be packed: {error}") from error
    return packed.getvalue()


def _derived(origin: Path, archive: Archive, root: Path | None) -> bytes:
    """Return the table that ``data/derive.py`` makes from the files of a repository."""
    if root is None:
        raise Refusal("it needs data/derive.py, but the project folder is not known here")
    table, repository = archive.derive, archive.repository
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, root / "data" / "derive.py", "--archive", f"{repository}={origin}",
             "--only", table, "--unpacked", "--output", folder],
            capture_output=True, text=True,
        )  # fmt: skip
        made = Path(folder, table)
        if not made.is_file():
            said = (done.stdout + done.stderr).strip().splitlines() or ["nothing"]
            raise Refusal(f"data/derive.py made no {table}: {said[-1]}")
        return made.read_bytes()
