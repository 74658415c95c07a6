"""Download of a file from a pinned address, which ends in a verified file or in one sentence."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from reseat.datasets.registry import Archive, FileForm
from reseat.files.atomic import new_file_beside, sha256_of
from reseat.files.packed import UNREADABLE

if TYPE_CHECKING:
    import requests

logger = logging.getLogger(__name__)

BLOCK = 1 << 16
PAGE = (b"<!doctype html", b"<html")
TRIES = 3
WAIT = 2.0  # seconds between tries, doubled with each, unless the server says how long to wait
MAX_WAIT = 120.0  # seconds; if the server asks for a longer wait, the address is abandoned
MAX_SILENCE = 30.0  # seconds without data after which a try has failed
MAX_SECONDS = 1800.0  # for all tries together
#: Seconds within which a host must say whether it has a file, and number of hosts asked at a time.
TIMEOUT, AT_ONCE = 5.0, 16
PASSING = (408, 425, 429, 500, 502, 503, 504)  # status codes after which another try may help
#: Status codes that mean that there is no file to download.
ABSENT = dict.fromkeys((401, 403), "the host refuses the file")
ABSENT |= dict.fromkeys((404, 410), "the host no longer has the file")


class DownloadError(Exception):
    """Failure to obtain a file from an address; the message is the rest of a sentence."""


class TransientError(DownloadError):
    """Failure after part of the file has come, so that the download can be resumed."""


def download(
    url: str,
    path: Path,
    form: FileForm,
    archive: Archive | None = None,
    root: Path | None = None,
    progress: bool = False,
) -> str | None:
    """Download a file, or make it from an archive there; return what went wrong, or None."""
    if progress:
        logger.info("downloading %s (%s bytes)", url, f"{form.bytes:,}")
    try:
        with partial_file(path) as partial:
            if archive is None:
                save(url, partial, form.bytes)
            else:
                _make(url, archive, partial, form, root)
            sha256, size = sha256_of(partial), partial.stat().st_size
            if sha256 == form.sha256:
                if path.is_file() and (there := sha256_of(path)) != sha256:
                    keep_aside(path, there, path)
                os.replace(partial, path)
                return None
            what = "a truncated file" if size < form.bytes else "another file"
            what = "a web page" if is_web_page(partial) else what
            what = what if archive is None else "files that differ from those in the registry"
            aside = keep_aside(partial, sha256, path)
            return (
                f"{url} returned {what} ({size:,} of {form.bytes:,} bytes, sha256 "
                f"{sha256[:8]}...); it was kept as {aside.name}"
            )
    except DownloadError as reason:
        return f"{url} could not be downloaded ({reason})"
    except OSError as error:
        return f"{url} cannot be saved: {path.parent} cannot be written ({error.strerror})"


@contextmanager
def partial_file(path: Path) -> Iterator[Path]:
    """Yield a new file beside `path` for an incomplete download; it is removed afterwards.

    So are those that killed processes left there, which are recognised by their age.
    """
    oldest = time.time() - 2 * MAX_SECONDS
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{escape(path.name)}.*.part"):
        with suppress(OSError):  # another process may have removed it
            if left.stat().st_mtime < oldest:
                left.unlink()
    partial = new_file_beside(path, ".part")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def save(url: str, path: Path, limit: int) -> None:
    """Download at most `limit` bytes in several tries, which resume where the last one ended."""
    end = time.monotonic() + MAX_SECONDS
    with open(path, "wb") as file, _session() as session:
        for number in range(1, TRIES + 1):
            try:
                return _receive(session, url, file, limit, end)
            except TransientError as cut:
                if number == TRIES:
                    raise DownloadError(f"{cut}; tried {TRIES} times") from cut


def _session() -> requests.Session:
    """Return a session in which requests that may succeed later are repeated."""
    import requests  # slow to import, and few jobs fetch anything
    from requests.adapters import HTTPAdapter
    from urllib3.exceptions import InvalidHeader
    from urllib3.util import Retry

    class BoundedRetry(Retry):
        def get_retry_after(self, response):
            try:
                seconds = super().get_retry_after(response)
            except InvalidHeader:
                return None
            if seconds is not None and seconds > MAX_WAIT:
                raise DownloadError(
                    f"{response.status} {response.reason}; the host asks to wait for more than "
                    f"{MAX_WAIT:.0f} seconds, so try again later"
                )
            return seconds

    how = {"connect": 0, "status_forcelist": PASSING, "raise_on_status": False}
    retry = BoundedRetry(TRIES - 1, backoff_factor=WAIT, **how)
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    return session


def _receive(session: requests.Session, url: str, file: IO[bytes], limit: int, end: float) -> None:
    """Make one request for the rest of a partial file."""
    from requests import RequestException
    from urllib3.exceptions import HTTPError

    have = file.seek(0, os.SEEK_END)
    headers = {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        with session.get(url, headers=headers, timeout=MAX_SILENCE, stream=True) as answer:
            if answer.status_code == 416 and have:
                file.truncate(0)
                raise TransientError("the server cannot resume the download")
            if answer.status_code >= 400:
                tried = f"; tried {TRIES} times" if answer.status_code in PASSING else ""
                raise DownloadError(f"{answer.status_code} {answer.reason}{tried}")
            if answer.status_code != 206:
                have = file.seek(0)
                file.truncate()
            # Unlike `iter_content`, `read1` returns whatever has arrived, so that the limits are
            # checked however slowly the data arrive.
            while block := answer.raw.read1(BLOCK, decode_content=True):
                have += len(block)
                if have > limit:
                    raise DownloadError(f"it sent more than the expected {limit:,} bytes")
                if time.monotonic() > end:
                    raise DownloadError(f"it took more than {MAX_SECONDS:.0f} seconds")
                file.write(block)
        file.flush()
    except RequestException as error:
        raise DownloadError(_reason(error, MAX_SILENCE)) from error
    except HTTPError as error:  # while the body is read
        raise TransientError(f"the connection was cut after {have:,} bytes") from error
    except ValueError as error:
        raise DownloadError(f"it leads to what is no address ({error})") from error


def _reason(error: requests.RequestException, seconds: float) -> str:
    """Return in words why there is no answer."""
    from requests import exceptions
    from urllib3.exceptions import NameResolutionError, ProtocolError, ReadTimeoutError

    cause = getattr(error.args[0], "reason", error.args[0]) if error.args else error
    for kinds, reason in (
        (exceptions.ProxyError, "the proxy refuses the connection; check HTTPS_PROXY and NO_PROXY"),
        (exceptions.SSLError, "the certificate of the host is not accepted"),
        (NameResolutionError, "no connection to the host: its name cannot be resolved"),
        (exceptions.ConnectTimeout, f"no connection to the host within {seconds:g} seconds"),
        ((exceptions.ReadTimeout, ReadTimeoutError), f"no answer for {seconds:g} seconds"),
        (ProtocolError, "the connection was cut after 0 bytes"),
        (exceptions.ConnectionError, "no connection to the host"),
    ):
        if isinstance(error, kinds) or isinstance(cause, kinds):
            return reason
    return str(error).partition("\n")[0] or type(error).__name__


def absent(urls: Collection[str]) -> dict[str, str]:
    """Return which of some addresses have no file, and why (`absence`)."""
    asked = sorted(urls)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        reasons = zip(asked, pool.map(absence, asked), strict=True)
    return {url: why for url, why in reasons if why}


def absence(url: str) -> str:
    """Return why an address has no file, without downloading it; empty if there may be one.

    A status that is not in `ABSENT` may be that of a busy server, or one without HEAD requests.
    """
    import requests  # slow to import, and few runs have missing files

    try:
        answer = requests.head(url, allow_redirects=True, timeout=TIMEOUT)
        if answer.status_code in ABSENT:
            # Some hosts refuse HEAD requests only.
            with requests.get(url, stream=True, timeout=TIMEOUT) as answer:
                pass
    except requests.RequestException as error:
        return _reason(error, TIMEOUT)
    except ValueError as error:
        return f"it leads to what is no address ({error})"
    why = ABSENT.get(answer.status_code)
    return f"{why}: {answer.status_code} {answer.reason}" if why else ""


# ---- Folders of a repository's commit, packed again, since hosts do not always pack it alike -----


def _make(url: str, archive: Archive, path: Path, form: FileForm, root: Path | None) -> None:
    """Make a file from an archive at an address."""
    with partial_file(path) as packed:
        save(url, packed, archive.at_most)
        limit = archive.at_most * 20 if archive.derive else form.bytes
        files = folder_of(packed, archive.folder, archive.into, limit)
    path.write_bytes(plain_tar(files))
    if archive.derive:
        path.write_bytes(_derived(path, archive, root))


def folder_of(packed: Path, folder: str, into: str, limit: int) -> dict[str, bytes]:
    """Return the files below a folder of a tar, whose name may have ``*`` for any one folder."""
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
                    raise DownloadError(f"its folder {folder} contains more than {limit:,} bytes")
                found["/".join((into, *below))] = archive.extractfile(member).read()
    except MemoryError as error:  # a header may announce any size
        raise DownloadError("it is too large to be unpacked") from error
    except (tarfile.TarError, *UNREADABLE) as error:
        # For a file that is no archive, further lines list the error of each compression method.
        said = str(error).partition("\n")[0].rstrip(":- ")
        raise DownloadError(f"it is not a complete archive: {said}") from error
    if not found:
        raise DownloadError(f"it has no files below {folder}")
    return found


def plain_tar(files: Mapping[str, bytes]) -> bytes:
    """Return a tar that depends only on the names and contents of its files (USTAR)."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            try:
                archive.addfile(member, io.BytesIO(files[name]))
            except ValueError as error:
                raise DownloadError(f"the file {name} cannot be packed: {error}") from error
    return packed.getvalue()


def _derived(origin: Path, archive: Archive, root: Path | None) -> bytes:
    """Return the table that ``data/derive.py`` makes from the files of a repository."""
    if root is None:
        raise DownloadError("it needs data/derive.py, but the project folder is not known here")
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
            raise DownloadError(f"data/derive.py made no {table}: {said[-1]}")
        return made.read_bytes()


def is_web_page(path: Path) -> bool:
    """Return whether a file begins like an HTML page, as hosts may send for a missing file."""
    with open(path, "rb") as file:
        return file.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(PAGE)


def keep_aside(path: Path, sha256: str, meant: Path) -> Path:
    """Rename a refused file to ``NAME.corrupt-<first 8 digits of its hash>``."""
    aside = meant.with_name(f"{meant.name}.corrupt-{sha256[:8]}")
    os.replace(path, aside)
    return aside
