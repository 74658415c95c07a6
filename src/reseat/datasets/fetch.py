"""Download one file from one pinned address, so that it ends in a good file or in one sentence."""

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
from reseat.io import new_file_beside, sha256_of

if TYPE_CHECKING:
    import requests

__all__ = ["Patience", "Refusal", "absence", "download", "partial_file", "save"]

logger = logging.getLogger(__name__)

BLOCK = 1 << 16

#: Answers after which another try may help.
PASSING = {408, 425, 429, 500, 502, 503, 504}
#: Answers after which there is nothing to download.
ABSENT = {
    **dict.fromkeys((401, 403), "the host refuses the file"),
    **dict.fromkeys((404, 410), "the host no longer has the file"),
}


@dataclass(frozen=True)
class Patience:
    """How long an address is tried.

    Attributes
    ----------
    tries : int
    wait : float
        Seconds before the second try, twice as many before the third, and so on, unless the
        server says how many.
    longest_wait : float
        Seconds; a server that asks for more is given up.
    silence : float
        Seconds without a byte after which a try has failed.
    seconds : float
        For all tries together.
    sleep, clock : callable
        As those of `time`.
    """

    tries: int = 3
    wait: float = 2.0
    longest_wait: float = 120.0
    silence: float = 30.0
    seconds: float = 1800.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


class Refusal(Exception):
    """Why an address did not give a file, as the rest of a sentence.

    Parameters
    ----------
    reason : str
    passing : bool
        Whether another try may help.
    wait : float, optional
        Seconds that the server asks for before it.
    """

    def __init__(self, reason: str, passing: bool = False, wait: float | None = None):
        super().__init__(reason)
        self.passing, self.wait = passing, wait


def download(
    url: str, path: Path, form: FileForm, progress: bool, patience: Patience | None = None
) -> str | None:
    """Fetch `url` to `path`, which comes into being only if the hash is right.

    Parameters
    ----------
    url : str
    path : Path
        Where the file shall stand.
    form : FileForm
        Its expected hash and size; more than that many bytes are never written.
    progress : bool
        Say on the log what is being downloaded.
    patience : Patience, optional

    Returns
    -------
    str or None
        None on success, else one sentence that says what went wrong.
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
    """Ask whether there is a file at an address, without downloading it.

    Parameters
    ----------
    url : str
    seconds : float
        How long an answer may take.

    Returns
    -------
    str
        Why there is none, as the rest of a sentence; empty if there may be one, which it may if
        the server is busy or does not take such questions.
    """
    import requests  # slow to import, and few runs lack anything

    try:
        answer = requests.head(url, allow_redirects=True, timeout=seconds)
    except OSError as error:  # of the network; those of requests are of this class
        return str(_refusal_for(error, 0, Patience(silence=seconds)))
    except ValueError as error:
        return f"it leads to what is no address ({error})"
    why = ABSENT.get(answer.status_code)
    return f"{why}: {_refusal_of(answer)}" if why else ""


@contextmanager
def partial_file(path: Path) -> Iterator[Path]:
    """A new file beside `path` for what is not whole yet, which is gone afterwards.

    What killed processes have left there is removed: no process writes longer than `Patience`
    lets it.
    """
    oldest = time.time() - 2 * Patience().seconds
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{escape(path.name)}.*.part"):
        try:
            if left.stat().st_mtime < oldest:
                left.unlink()
        except OSError:
            continue  # another process was faster
    partial = new_file_beside(path, ".part")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def put(partial: Path, path: Path) -> None:
    """Give a whole file its name; another file of that name is kept aside."""
    if path.is_file() and (there := sha256_of(path)) != sha256_of(partial):
        keep_aside(path, there)
    os.replace(partial, path)


def save(url: str, path: Path, limit: int, patience: Patience) -> None:
    """Write what `url` gives to `path`, in several tries, each of which goes on from the last.

    Parameters
    ----------
    url : str
    path : Path
    limit : int
        Bytes after which the address is given up.
    patience : Patience

    Raises
    ------
    Refusal
        If no try succeeded.
    OSError
        If the file cannot be written.
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
    """One request, for what the file still lacks."""
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
            # Unlike `iter_content` this returns whatever has come, so that the limits are looked
            # at however slowly it comes.
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
        # urllib3 raises kinds of its own while a body is read.
        raise _refusal_for(error, have, patience) from error


def _refusal_of(answer: requests.Response) -> Refusal:
    """What an answer that is no file means."""
    reason = f"{answer.status_code} {answer.reason}"
    return Refusal(
        reason,
        passing=answer.status_code in PASSING,
        wait=_seconds(answer.headers.get("Retry-After")),
    )


def _seconds(value: str | None) -> float | None:
    """``Retry-After``, which is a number of seconds or a date, as seconds."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _refusal_for(error: Exception, have: int, patience: Patience) -> Refusal:
    """What an error of the network means; the kinds are those of requests and urllib3."""
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
    """Names of the classes of an error, and of those that it came from."""
    if error is None or depth > 6:
        return
    yield from (kind.__name__ for kind in type(error).__mro__)
    causes = [error.__cause__, error.__context__, getattr(error, "reason", None), *error.args]
    for cause in causes:
        if isinstance(cause, BaseException):
            yield from _kinds(cause, depth + 1)
