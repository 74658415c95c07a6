"""Report all missing data at once, and decide which data sets a run can use."""

import json
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter

from reseat.datasets import counting
from reseat.datasets.counting import STOP_LIST_DATASET, Features
from reseat.datasets.download import absent
from reseat.datasets.registry import DataSettings, Registry
from reseat.datasets.sources import Located, MissingFile, find
from reseat.datasets.user_files import HashRecord
from reseat.errors import DataError
from reseat.files.atomic import stored_json, write_text


@dataclass(frozen=True)
class Availability:
    """The data sets that a run can use, and those that are missing.

    Attributes
    ----------
    names : tuple of str
        Data sets to use, in the requested order.
    replaced : dict of str to tuple of str
        For each missing data set, the data sets that stand in for it.
    skipped : tuple of str
        Missing data sets that are left out.
    missing : tuple of MissingFile

    Examples
    --------
    >>> from reseat.datasets import Availability
    >>> Availability(names=("newsgroups20",), skipped=("enron_ldc",)).names
    ('newsgroups20',)
    """

    names: tuple[str, ...]
    replaced: dict[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    missing: tuple[MissingFile, ...] = ()


def missing_report(
    registry: Registry, names: Sequence[str], settings: DataSettings, features: Features = None
) -> list[MissingFile]:
    """Return every file of `names`, and every stop list they need, that is not available.

    Nothing is downloaded.  Where downloads are allowed, a file counts as missing only if it
    has no address, or if all of its addresses are known to lack the file.

    Parameters
    ----------
    registry : Registry
    names : sequence of str
    settings : DataSettings
    features : FeatureOptions or mapping, optional
        As for `reseat.datasets.build`; they determine which stop list is needed.

    Returns
    -------
    list of MissingFile
    """
    record = HashRecord(settings.raw)
    roles = {counting.stop_list_role(registry[name], features) for name in names} - {None}
    wanted: dict[str, set[str] | None] = dict.fromkeys(names)
    if roles:
        wanted.setdefault(STOP_LIST_DATASET, roles)
    rows = []
    for name, own in wanted.items():
        found = find(registry, name, settings, fetch=False, record=record, roles=own)
        if isinstance(found, Located):
            counting.own_stop_list(found, features)
            continue
        for row in found:
            failed = [url for url in row.urls if url in settings.unreachable]
            if not settings.download or len(failed) == len(row.urls):
                said = (
                    f"{url} cannot be downloaded ({settings.unreachable[url]})" for url in failed
                )
                rows.append(replace(row, reason="; ".join([row.reason, *said])))
    return rows


def format_missing(
    rows: Sequence[MissingFile],
    settings: DataSettings | None = None,
    width: int = 100,
    uses: Mapping[str, str] | None = None,
    note: str = "",
) -> str:
    """Return the missing files as a plain-text table, followed by advice on what to do.

    Parameters
    ----------
    rows : sequence of MissingFile
    settings : DataSettings, optional
        Supplies the name of the raw folder for the advice.
    width : int
        Characters per line; addresses are never broken, so that they can be copied.
    uses : mapping of str to str, optional
        For each data set, a text that is shown below its files.
    note : str
        Text that is shown below the table.
    """
    first = max([len("data set"), *(len(row.dataset) for row in rows)]) + 2
    heading = f"{'data set':<{first}}file: why it is missing, and where to get it"
    lines = [heading, "-" * width]
    indent = " " * first
    for dataset, missing in groupby(rows, attrgetter("dataset")):
        for row in missing:
            start = f"{dataset:<{first}}"
            lines += _wrap(f"{row.file}: {row.reason}", width, start, indent)
            lines += _wrap(f"where: {row.where}", width, indent, indent + "    ")
        lines += _wrap((uses or {}).get(dataset, ""), width, indent, indent + "    ")
    lines += ["", note] if note else []
    standins = {row.dataset: " + ".join(row.standins) or "has none" for row in rows}
    swaps = "; ".join(f"{name} -> {others}" for name, others in standins.items())
    raw = (settings or DataSettings()).raw
    choices = [
        f"get the files: put them in {raw}, in the folders and under the names that the table "
        "gives them, or set data.paths.<data set> to your own copy",
        "data.missing: skip omits these data sets and everything made from them",
        f"data.missing: standin uses others instead, marked as such in every result: {swaps}",
    ]
    if STOP_LIST_DATASET in standins:
        choices.append("instead of a stop list from a file: stop_list sklearn, or none")
    lines += ["", "What you can do:"]
    for choice in choices:
        lines += _wrap(choice, width, "  * ", "    ")
    return "\n".join(lines)


def _wrap(text: str, width: int, first: str, rest: str) -> list[str]:
    whole = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, **whole)


def check_available(
    registry: Registry, names: Sequence[str], settings: DataSettings, features: Features = None
) -> Availability:
    """Decide, before any job starts, which data sets a run uses.

    A missing data set is an error under ``stop``, left out under ``skip``, and replaced by its
    stand-ins, or theirs, under ``standin``.  A missing stop list is an error under all three.

    Parameters
    ----------
    registry, names, settings, features
        As for `missing_report`.

    Returns
    -------
    Availability
    """
    names = tuple(dict.fromkeys(names))
    rows = missing_report(registry, names, settings, features)
    if not rows:
        return Availability(names)
    refused = [row for row in rows if row.dataset in settings.paths]
    if refused:
        named = ", ".join(dict.fromkeys(row.dataset for row in refused))
        raise DataError(
            f"What data.paths names for {named} cannot be used; correct it or remove it. Nothing "
            f"has been started.\n\n{format_missing(refused, settings)}"
        )
    gone = {row.dataset for row in rows}
    table = format_missing(rows, settings)
    if settings.missing == "stop":
        number = "1 data set is" if len(gone) == 1 else f"{len(gone)} data sets are"
        raise DataError(f"{number} not available; nothing has been started.\n\n{table}")
    skipped = tuple(name for name in names if name in gone)
    if settings.missing == "skip":
        kept = tuple(name for name in names if name not in gone)
        if not kept:
            raise DataError(f"No data set is left when the missing ones are skipped.\n\n{table}")
        result = Availability(kept, skipped=skipped, missing=tuple(rows))
    else:
        replaced = {name: _resolve(registry, name, settings) for name in skipped}
        without = [name for name, others in replaced.items() if not others]
        if without:
            raise DataError(f"No stand-in is available for {', '.join(without)}.\n\n{table}")
        used = [other for name in names for other in replaced.get(name, (name,))]
        result = Availability(tuple(dict.fromkeys(used)), replaced, missing=tuple(rows))
    if STOP_LIST_DATASET not in names:
        left = missing_report(registry, result.names, settings, features)
        if left:
            raise DataError(
                f"The stop list cannot be skipped or replaced.\n\n{format_missing(left, settings)}"
            )
    return result


def _resolve(registry: Registry, name: str, settings: DataSettings) -> tuple[str, ...]:
    """Return the available stand-ins, each missing one replaced by its own in turn."""
    found: list[str] = []
    for standin in registry[name].standins:
        gone = missing_report(registry, [standin], settings)
        found += _resolve(registry, standin, settings) if gone else [standin]
    return tuple(dict.fromkeys(found))


# ---- Check of addresses before a run, so that lost files are missing at its start --------------

#: File in the raw folder in which the start of a run leaves what it found to its jobs.
RECORD = "unreachable-{run}.json"


def without_unreachable(
    registry: Registry,
    names: Sequence[str],
    settings: DataSettings,
    features: Features,
    probe: bool,
    run: str,
) -> DataSettings:
    """Return settings that list which of the addresses of missing files are unreachable.

    Parameters
    ----------
    registry, names, settings, features
        As for `missing_report`.
    probe : bool
        Whether to check the addresses; if not, the record of `remember_unreachable` is read.
    run : str
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
    """
    record = settings.raw / RECORD.format(run=run)
    # A raw folder that cannot be written to cannot take downloads either.
    with suppress(OSError):
        if settings.unreachable:
            write_text(record, json.dumps(settings.unreachable, indent=2) + "\n")
        else:
            record.unlink(missing_ok=True)
