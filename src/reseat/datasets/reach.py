"""Which hosts answer: what lies on others is missing before a run is planned, not in its middle."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reseat.datasets.missing import missing_report
from reseat.datasets.settings import DataSettings
from reseat.io import write_text

if TYPE_CHECKING:
    from reseat.datasets.features import FeatureOptions
    from reseat.datasets.registry import Registry

__all__ = ["unanswering", "without_unreachable"]

#: Where the jobs of a run read what its start found, in the raw folder.
RECORD = "unreachable.json"

TIMEOUT = 5  # seconds


def without_unreachable(
    registry: Registry,
    names: Sequence[str],
    settings: DataSettings,
    features: FeatureOptions | Mapping[str, Any] | None,
    probe: bool,
) -> DataSettings:
    """Settings that know which of the hosts that are needed do not answer.

    Parameters
    ----------
    registry, names, settings, features
        As for `missing_report`.
    probe : bool
        Whether to ask them, and write down the answer; if not, it is read, so that all processes
        of a run plan alike.
    """
    if not settings.download:
        return settings
    record = settings.raw / RECORD
    if not probe:
        try:
            hosts = json.loads(record.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            hosts = []
        return replace(settings, unreachable=frozenset(hosts))
    rows = missing_report(registry, names, replace(settings, download=False), features)
    hosts = unanswering({host for row in rows for host in row.hosts})
    try:
        if hosts:
            write_text(record, json.dumps(sorted(hosts)) + "\n")
        else:
            record.unlink(missing_ok=True)
    except OSError:
        pass  # a raw folder that cannot be written cannot take downloads either
    return replace(settings, unreachable=frozenset(hosts))


def unanswering(hosts: Collection[str]) -> set[str]:
    """Those of some hosts that give no answer to a request over HTTP, whatever it says.

    Parameters
    ----------
    hosts : collection of str
        ``scheme://name`` or ``scheme://name:port``.
    """
    if not hosts:
        return set()

    def silent(host: str) -> bool:
        try:
            request = urllib.request.Request(host, method="HEAD")
            urllib.request.urlopen(request, timeout=TIMEOUT).close()
        except urllib.error.HTTPError:
            return False
        except (OSError, http.client.HTTPException) as error:
            # Whether its certificate is any good is found out when something is downloaded.
            return not isinstance(getattr(error, "reason", None), ssl.SSLError)
        return False

    asked = sorted(hosts)
    with ThreadPoolExecutor(len(asked)) as pool:
        return {host for host, fails in zip(asked, pool.map(silent, asked), strict=True) if fails}
