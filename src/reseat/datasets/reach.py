"""Check of addresses before a run, so that files they no longer have are missing at its start."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reseat.datasets.fetch import absence
from reseat.datasets.missing import missing_report
from reseat.datasets.settings import DataSettings
from reseat.io import stored_json, write_text

if TYPE_CHECKING:
    from reseat.datasets.features import FeatureOptions
    from reseat.datasets.registry import Registry

__all__ = ["absent", "remember_unreachable", "without_unreachable"]

#: File in the raw folder that records what the start of a run found, for its jobs to read.
RECORD = "unreachable-{run}.json"

TIMEOUT = 5  # seconds
#: Number of addresses that are checked at a time.
AT_ONCE = 16


def without_unreachable(
    registry: Registry,
    names: Sequence[str],
    settings: DataSettings,
    features: FeatureOptions | Mapping[str, Any] | None,
    probe: bool,
    run: str,
) -> DataSettings:
    """Return settings that list which of the addresses of missing files are unreachable.

    Parameters
    ----------
    registry, names, settings, features
        As for `missing_report`.
    probe : bool
        Whether to check the addresses; if not, what `remember_unreachable` has recorded is read, so
        that all processes of a run make the same plan.
    run : str
        Name of the run.
    """
    if not settings.download:
        return settings
    record = settings.raw / RECORD.format(run=run)
    if not probe:
        return replace(settings, unreachable=stored_json(record))
    rows = missing_report(registry, names, replace(settings, download=False), features)
    return replace(settings, unreachable=absent({url for row in rows for url in row.urls}))


def remember_unreachable(settings: DataSettings, run: str) -> None:
    """Record which addresses are unreachable, for the jobs of a run.

    Only a run that starts jobs may do so: others would change what these jobs read.

    Parameters
    ----------
    settings : DataSettings
        From `without_unreachable`.
    run : str
        Name of the run.
    """
    record = settings.raw / RECORD.format(run=run)
    try:
        if settings.unreachable:
            write_text(record, json.dumps(settings.unreachable, indent=2) + "\n")
        else:
            record.unlink(missing_ok=True)
    except OSError:
        pass  # a raw folder that cannot be written to cannot take downloads either


def absent(urls: Collection[str]) -> dict[str, str]:
    """Return which of some addresses have no file, and why.

    The reason is that of `reseat.datasets.fetch.absence`.
    """
    asked = sorted(urls)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        reasons = pool.map(lambda url: absence(url, TIMEOUT), asked)
        return {url: why for url, why in zip(asked, reasons, strict=True) if why}
