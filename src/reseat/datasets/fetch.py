"""Download one file from one pinned address."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pooch

from reseat.datasets.entries import FileForm
from reseat.datasets.hashes import keep_aside, sha256_of

__all__ = ["download"]

TIMEOUT = 30  # seconds without an answer


def download(url: str, path: Path, form: FileForm, progress: bool) -> str | None:
    """Fetch `url` to `path`, which comes into being only if the hash is right.

    Parameters
    ----------
    url : str
    path : Path
        Where the file shall stand.
    form : FileForm
        Its expected hash and size.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    str or None
        None on success, else one sentence that says what went wrong.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        return f"{url} cannot be saved: {path.parent} cannot be written ({error.strerror})"
    partial = Path(name)
    try:
        fetch = pooch.HTTPDownloader(progressbar=progress, timeout=TIMEOUT)
        fetch(url, str(partial), None)
        sha256 = sha256_of(partial)
        if sha256 == form.sha256:
            os.chmod(partial, 0o644)
            os.replace(partial, path)
            return None
        size = partial.stat().st_size
        os.replace(partial, path)
        aside = keep_aside(path, sha256)
        return (
            f"{url} gave a file of {size:,} bytes with another sha256 ({sha256[:8]}...) than the "
            f"registry has; it is kept aside as {aside.name}"
        )
    except Exception as error:
        # requests, urllib3 and the file system each raise their own kind.
        return f"{url} could not be downloaded ({_reason(error)})"
    finally:
        partial.unlink(missing_ok=True)


def _reason(error: Exception) -> str:
    kind = type(error).__name__
    if kind in {"ConnectionError", "ConnectTimeout", "SSLError", "ProxyError"}:
        return "no connection to the host"
    if kind in {"Timeout", "ReadTimeout"}:
        return f"no answer for {TIMEOUT} seconds"
    return str(error).splitlines()[0] if str(error) else kind
