"""Download of a file from a pinned address, which ends in a verified file or in one sentence."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from glob import escape
from pathlib import Path
from typing import IO, TYPE_CHECKING

from reseat.datasets.entries import FileForm
from reseat.datasets.hashes import is_web_page, keep_aside
from reseat.files.atomic import new_file_beside, sha256_of

if TYPE_CHECKING:
    import requests

__all__ = ["Patience", "Refusal", "absence", "download", "partial_file", "save"]

logger = logging.getLogger(__name__)

BLOCK = 1 << 16

#: Status codes after which another try may help.
PASSING = {408, 425, 429, 500, 502, 503, 504}
#: Status codes that mean that there is no file to download.
ABSENT = {
    **dict.fromkeys((401, 403), "the host refuses the file"),
    **dict.fromkeys((404, 410), "the host no longer has the file"),
}


@dataclass(frozen=True)
class Patience:
    """Limits on the tries and the time that are spent on an address."""

    tries: int = 3
    #: Seconds before the second try, doubled before each further one, unless the server says how
    #: long to wait.
    wait: float = 2.0
    #: Longest wait in seconds; if a longer one is due, the address is abandoned.
    longest_wait: float = 120.0
    #: Seconds without data after which a try has failed.
    silence: float = 30.0
    #: Seconds for all tries together.
    seconds: float = 1800.0
    #: Functions like ``time.sleep`` and ``time.monotonic``, the defaults.
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


class Refusal(Exception):
    """Failure to obtain a file from an address; the message is the rest of a sentence.

    If it is `passing`, another try may help, after `wait` seconds if the server asks for that.
    """

    def __init__(self, reason: str, passing: bool = False, wait: float | None = None):
        super().__init__(reason)
        self.passing, self.wait = passing, wait


def download(
    url: str, path: Path, form: FileForm, progress: bool, patience: Patience | None = None
) -> str | None:
    """Download `url` to `path`, which is created only if the hash is right.

    Return None on success, or one sentence that says what went wrong. No more bytes than the size
    in `form` are ever written.
    """
    if progress:
        logger.info("downloading %s (%s bytes)", url, f"{form.bytes:,}")
    try:
        with partial_file(path) as partial:
            save(url, partial, form.bytes, patience or Patience())
            sha256 = sha256_of(partial)
            if sha256 == form.sha256:
                put(partial, path)
                return None
            size = partial.stat().st_size
            what = "a truncated file" if size < form.bytes else "another file"
            what = "a web page" if is_web_page(partial) else what
            aside = keep_aside(partial, sha256, path)
            return (
                f"{url} returned {what} ({size:,} of {form.bytes:,} bytes, sha256 "
                f"{sha256[:8]}...); it was kept as {aside.name}"
            )
    except Refusal as reason:
        return f"{url} could not be downloaded ({reason})"
    except OSError as error:
        return f"{url} cannot be saved: {path.parent} cannot be written ({error.strerror})"


def absence(url: str, seconds: float) -> str:
    """Return why an address has no file, without downloading anything.

    The reason is the rest of a sentence: a status in `ABSENT`, or an error of the network,
    including a timeout. It is empty if there may be a file, as for any other status, such as those
    of a busy server or one that does not support HEAD requests.
    """
    import requests  # slow to import, and few runs have missing files

    try:
        answer = requests.head(url, allow_redirects=True, timeout=seconds)
        if answer.status_code in ABSENT:
            # Some hosts refuse HEAD requests only.
            with requests.get(url, stream=True, timeout=seconds) as answer:
                pass
    except OSError as error:  # a network error; those of requests are OSErrors too
        return str(_refusal_for(error, 0, Patience(silence=seconds)))
    except ValueError as error:
        return f"it leads to what is no address ({error})"
    why = ABSENT.get(answer.status_code)
    return f"{why}: {_refusal_of(answer)}" if why else ""


@contextmanager
def partial_file(path: Path) -> Iterator[Path]:
    """Yield a new file beside `path` for an incomplete download; it is removed afterwards.

    Files left there by killed processes are removed first.  They are recognised by their age,
    because no process writes longer than `Patience` allows.
    """
    oldest = time.time() - 2 * Patience().seconds
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{escape(path.name)}.*.part"):
        try:
            if left.stat().st_mtime < oldest:
                left.unlink()
        except OSError:
            continue  # another process has removed it
    partial = new_file_beside(path, ".part")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def put(partial: Path, path: Path) -> None:
    """Rename a complete file to `path`, and set aside a different file that is there."""
    if path.is_file() and (there := sha256_of(path)) != sha256_of(partial):
        keep_aside(path, there)
    os.replace(partial, path)


def save(url: str, path: Path, limit: int, patience: Patience) -> None:
    """Download `url` to `path` in several tries, each of which resumes where the last one ended.

    It is abandoned at `limit` bytes, with a Refusal if no try succeeds.
    """
    import requests  # slow to import, and few jobs fetch anything

    end = patience.clock() + patience.seconds
    with open(path, "wb") as file, requests.Session() as session:
        for number in range(1, patience.tries + 1):
            try:
                _once(session, url, file, limit, patience, end)
                return
            except Refusal as reason:
                refusal = reason
            pause = patience.wait * 2 ** (number - 1) if refusal.wait is None else refusal.wait
            if not refusal.passing or number == patience.tries:
                break
            if pause > patience.longest_wait or patience.clock() + pause > end:
                raise Refusal(f"{refusal}; retrying in {pause:.0f} seconds may help")
            patience.sleep(pause)
    tried = f"; tried {number} times" if number > 1 else ""
    raise Refusal(f"{refusal}{tried}")


def _once(
    session: requests.Session, url: str, file: IO[bytes], limit: int, patience: Patience, end: float
) -> None:
    """Make one request for the rest of a partial file."""
    from requests import RequestException

    have = file.seek(0, os.SEEK_END)
    headers = {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        with session.get(url, headers=headers, timeout=patience.silence, stream=True) as answer:
            if answer.status_code == 416 and have:
                file.truncate(0)
                raise Refusal("the server cannot resume the download", passing=True)
            if answer.status_code >= 400:
                raise _refusal_of(answer)
            if answer.status_code != 206:
                have = file.seek(0)
                file.truncate()
            # Unlike `iter_content`, `read1` returns whatever has arrived, so that the limits are
            # checked however slowly the data arrive.
            while block := answer.raw.read1(BLOCK, decode_content=True):
                have += len(block)
                if have > limit:
                    raise Refusal(f"it sent more than the expected {limit:,} bytes")
                if patience.clock() > end:
                    raise Refusal(f"it took more than {patience.seconds:.0f} seconds")
                file.write(block)
        file.flush()
    except (Refusal, OSError) as error:
        if isinstance(error, Refusal) or not isinstance(error, RequestException):
            raise
        raise _refusal_for(error, have, patience) from error
    except Exception as error:
        # urllib3 raises exceptions of its own while a body is read.
        raise _refusal_for(error, have, patience) from error


def _refusal_of(answer: requests.Response) -> Refusal:
    """Return the refusal for a response that is not a file."""
    reason = f"{answer.status_code} {answer.reason}"
    return Refusal(
        reason,
        passing=answer.status_code in PASSING,
        wait=_seconds(answer.headers.get("Retry-After")),
    )


def _seconds(value: str | None) -> float | None:
    """Return ``Retry-After``, a number of seconds or a date, in seconds; None if it is neither."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _refusal_for(error: Exception, have: int, patience: Patience) -> Refusal:
    """Return the refusal for a network error, told by the classes of requests and urllib3."""
    kinds = set(_kinds(error))
    for kind, reason, passing in (
        ("ProxyError", "the proxy refuses the connection; check HTTPS_PROXY and NO_PROXY", False),
        ("SSLError", "the certificate of the host is not accepted", False),
        ("NameResolutionError", "no connection to the host: its name cannot be resolved", False),
        ("gaierror", "no connection to the host: its name cannot be resolved", False),
        (
            "ConnectTimeout",
            f"no connection to the host within {patience.silence:g} seconds",
            True,
        ),
        ("ReadTimeout", f"no answer for {patience.silence:g} seconds", True),
        ("ReadTimeoutError", f"no answer for {patience.silence:g} seconds", True),
        ("NewConnectionError", "no connection to the host", False),
        ("ProtocolError", f"the connection was cut after {have:,} bytes", True),
        ("ConnectionResetError", f"the connection was cut after {have:,} bytes", True),
        ("ConnectionError", "no connection to the host", False),
    ):
        if kind in kinds:
            return Refusal(reason, passing)
    return Refusal(str(error).splitlines()[0] if str(error) else type(error).__name__)


def _kinds(error: BaseException | None, depth: int = 0) -> Iterator[str]:
    """Yield the names of the classes of an error, and of the errors that caused it."""
    if error is None or depth > 6:
        return
    yield from (kind.__name__ for kind in type(error).__mro__)
    causes = [error.__cause__, error.__context__, getattr(error, "reason", None), *error.args]
    for cause in causes:
        if isinstance(cause, BaseException):
            yield from _kinds(cause, depth + 1)
