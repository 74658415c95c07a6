"""Folders of results: one that is being written, beside files of the user, and earlier ones."""

import argparse
import json
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat import __version__
from reseat.chains.chain import FORMAT
from reseat.chains.runner import check_removable
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.options import LAST, LONGER, RESULT_FILES, in_options
from reseat.datasets.parsers.record_table import records_of
from reseat.datasets.raw import RawRecords
from reseat.errors import ConfigError, DataError, ReseatError
from reseat.estimators import Microclustering
from reseat.estimators.base import NOT_IN_IDENTITY, PosteriorClustering, by_size
from reseat.estimators.extending import restored
from reseat.estimators.relational import UNUSED
from reseat.estimators.sampling import data_hash, read_chains
from reseat.files.atomic import sha256_of, stored_json, write_text
from reseat.reading.tables import read_frame
from reseat.reading.values import MISSING_CELLS

CHAINS = "chains"  # subfolder of the results with the files of the chains
SETTINGS = "settings.json"  # file by which a folder is recognised as a result of this command
#: File with the hashes of the files that this command wrote beside it; others are the user's.
WRITTEN = ".written.json"
#: Subfolder in which a new result is made.  Once it has the file `WRITTEN`, it is complete.
NEW = ".new-result"
#: Names of what chains leave in their folder, also if the process was killed.
OF_CHAINS = re.compile(r"chain-\d+\.(nc|state)|\.chain-\d+(\.lock|\.nc\.[0-9a-f]{16}\.nc)?")


@dataclass(frozen=True)
class Output:
    """The folder of the results, and what is to be written to it."""

    folder: Path
    settings: dict[str, Any]
    #: Whether files that this command wrote, and the user has changed since, may be replaced.
    overwrite: bool
    #: Whether the chains begin again, beside those of the result that is to be replaced.
    afresh: bool

    @property
    def new(self) -> Path:
        """The subfolder in which the new result is made."""
        return self.folder / NEW

    @property
    def chains(self) -> Path:
        """The folder of the chains until the result is complete."""
        return (self.new if self.afresh else self.folder) / CHAINS

    def lengthen(self, n_samples: int) -> None:
        """Store that the chains are to be longer before they are, so that they can be resumed."""
        self.settings["n_samples"] = n_samples
        _write(self.chains.parent / SETTINGS, self.settings)

    @contextmanager
    def replacing(self, learned: Mapping[str, Any] | None = None) -> Iterator[Path]:
        """Yield a folder for all files of the result, which replace earlier ones at the end."""
        self._remove_files()  # of an earlier attempt
        _write(self.new / SETTINGS, {**self.settings, **(learned or {})})
        try:
            yield self.new
            files = [path for path in self.new.iterdir() if path.is_file()]
            hashes = {path.name: [sha256_of(path)] for path in files if path.name != SETTINGS}
            # The user may have edited a file in the meantime.
            check_unchanged(self.folder, hashes, self.overwrite)
        except BaseException:
            self._remove_files()
            raise
        write_text(self.new / WRITTEN, json.dumps(hashes, indent=1, sort_keys=True) + "\n")
        finish_replacing(self.folder, self.overwrite)

    def _remove_files(self) -> None:
        """Remove what is in the subfolder, except chains that can be resumed."""
        if not self.afresh:
            shutil.rmtree(self.new, ignore_errors=True)
            return
        for path in self.new.glob("*"):
            if path.name not in (SETTINGS, CHAINS):
                path.unlink()


@contextmanager
def output_folder(
    arguments: argparse.Namespace, estimator: PosteriorClustering, material: LoadedInput
) -> Iterator[Output]:
    """Yield the folder of the results; another result in it stays until the new one is complete."""
    folder, overwrite = arguments.output, arguments.overwrite
    finish_replacing(folder, overwrite)
    new, finished, same = folder / NEW, (folder / LAST).is_file(), True
    older, begun = stored_json(folder / SETTINGS), stored_json(new / SETTINGS)
    if not overwrite:
        _sample_as_before(arguments, estimator, older)
    settings = _settings(arguments, estimator, material)
    # Other chains of the same result may be starting.
    if any(e.name != NEW and not e.name.startswith(f".{SETTINGS}.") for e in folder.iterdir()):
        if not _is_ours(older):
            damaged = (folder / SETTINGS).exists() and not older
            said = f" (its {SETTINGS} is damaged)" if damaged else ""
            raise ConfigError(
                f"{folder} is not empty and does not contain a result of this command{said}; "
                "choose another folder."
            )
        same = _is_extension(older, settings)
        if not same and not overwrite:
            raise ConfigError(
                f"{folder} contains a result of {_difference(older, settings)}; choose another "
                "folder, or use --overwrite."
            )
        check_unchanged(folder, _names_of_results(material.columns is not None), overwrite)
    if not _is_ours(begun) and any(map(Path.is_file, new.rglob("*"))):
        raise ConfigError(f"{new} is not as this command made it; rename it.")
    # An interrupted run of the same command is resumed instead.
    output = Output(folder, settings, overwrite, afresh=bool(overwrite) and (finished or not same))
    if output.afresh:
        for path in filter(Path.is_dir, _files_of_chains(folder)):
            check_removable(path)
        if not _is_extension(begun, settings):
            shutil.rmtree(new, ignore_errors=True)
    path = output.chains.parent / SETTINGS
    if output.afresh or not finished:
        _write(path, settings)
    try:
        yield output
    except ReseatError:
        if not any(output.chains.glob("*")):  # nothing was computed
            if output.afresh:
                shutil.rmtree(new, ignore_errors=True)
            elif older:
                _write(path, older)
            else:
                path.unlink()
        raise


def _settings(
    arguments: argparse.Namespace, estimator: PosteriorClustering, material: LoadedInput
) -> dict[str, Any]:
    """Return what identifies a result, and the path of its input, as JSON types."""
    idle = UNUSED.get(getattr(estimator, "inference", ""), ())
    params = {k: v for k, v in estimator._identifying.items() if k not in idle}
    settings = {
        "reseat": __version__,
        "format": FORMAT,
        "model": arguments.model,
        "input": str(arguments.input),
        "seed": arguments.seed,
        # That of supervised clustering has the name under which the command's stands above.
        **{f"{arguments.model}_model" if k == "model" else k: v for k, v in params.items()},
        **({} if arguments.into is None else {"into": arguments.earlier.settings["data"]}),
        "data": material.hash,
    }
    return json.loads(json.dumps(settings, default=list))


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=2) + "\n")


def _is_extension(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether only the place of the input, what was learned and more samples differ."""
    kept = {key: value for key, value in old.items() if key != LEARNED}
    longer = kept | {key: new[key] for key in ("input", "n_samples")} == new
    return longer and old.get("n_samples", np.inf) <= new["n_samples"]


def _sample_as_before(arguments, estimator: PosteriorClustering, stored: Mapping[str, Any]) -> None:
    """Take over the thinning, and the samples of chains that became longer than the default."""
    longer = {"records": LONGER}.get(arguments.model, 1) * estimator.n_samples
    if arguments.samples is None and stored.get("n_samples") == longer:
        estimator.set_params(n_samples=longer)
    thin = stored.get("thin")
    if arguments.thin is None and isinstance(thin, int) and 1 <= thin <= estimator.n_samples:
        estimator.set_params(thin=thin)


def _difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return in words what differs, under the name of the option if there is one."""
    if old.get("format") != new["format"]:
        return "an earlier version"
    names = [name for name in new if old.get(name) != new[name] and name not in ("data", "input")]
    others = len(names) > 1 or old.get("data") != new["data"]
    if "n_samples" in names and others and old.get("n_samples", np.inf) < new["n_samples"]:
        names.remove("n_samples")  # more samples alone would be accepted
    if not names:
        return "other data, or of data read with other options"
    name = names[0]
    option = in_options("random_state" if name == "seed" else name)
    return f"other settings ({option} {old.get(name)!r}, now {new[name]!r})"


def _is_ours(settings: Mapping[str, Any]) -> bool:
    """Return whether this command wrote a settings file: other programs use this name too."""
    known = {"reseat", "model", "data"} <= settings.keys()
    return known and isinstance(settings.get("n_samples", 0), int)


# ---- Replacing an earlier result, file by file but in whole ----------------------------------
#
# The folder itself cannot be swapped: it may be the current one, a mount point or a link, and it
# has files of the user.


def finish_replacing(folder: Path, overwrite: bool = False) -> None:
    """Move a complete new result into place; that of a killed command is moved by the next one."""
    new = folder / NEW
    if not (new / WRITTEN).is_file() or not _is_ours(stored_json(folder / SETTINGS)):
        return
    written = _written_files(new)
    check_unchanged(folder, written, overwrite)
    settings = stored_json(new / SETTINGS) or stored_json(folder / SETTINGS)
    chains = {f"chain-{number}" for number in range(settings.get("n_chains", 0))}
    moved = sorted((new / CHAINS).glob("*"))
    names, there = {path.name for path in moved}, _files_of_chains(folder)
    replaced = [path for path in there if path.stem not in chains or path.name in names]
    for path in filter(Path.is_dir, replaced):
        check_removable(path)
    for name in of_command(folder, _names_of_results(columns=True)) - written.keys():
        (folder / name).unlink(missing_ok=True)
    for path in replaced:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    names = sorted(written, key=lambda name: (name == LAST, name))
    for path in (*moved, *(new / name for name in (*names, SETTINGS, WRITTEN))):
        if path.exists():
            target = folder / path.relative_to(new)
            target.parent.mkdir(exist_ok=True)
            os.replace(path, target)
    shutil.rmtree(new)
    with suppress(OSError):
        (folder / CHAINS).rmdir()  # which refuses to delete files


def check_unchanged(folder: Path, names: Collection[str], overwrite: bool = False) -> None:
    """Refuse to replace what this command did not write or, without `overwrite`, was changed."""
    old, new, ours = _written_files(folder), _written_files(folder / NEW), of_command(folder, names)
    for path in (folder / name for name in sorted({*names, *old})):
        known = (*old.get(path.name, ()), *new.get(path.name, ()))
        if not path.exists() or (path.is_file() and sha256_of(path) in known):
            continue
        replaceable = path.is_file() and path.name in ours
        if not (replaceable and overwrite):
            remedy = "rename it, or use --overwrite" if replaceable else "rename it"
            raise ConfigError(
                f"{path} is not as this command wrote it, and would be replaced; {remedy}."
            )


def of_command(folder: Path, names: Collection[str]) -> set[str]:
    """Return those of the files that this command wrote, even if they were changed since."""
    if (folder / WRITTEN).is_file():
        return set(_written_files(folder))
    return set(names) if (folder / LAST).is_file() else set()


def _written_files(folder: Path) -> dict[str, list[str]]:
    """Return the hashes that each file of this command may have; empty without a valid record."""
    found = stored_json(folder / WRITTEN)
    valid = all(isinstance(hashes, list) for hashes in found.values())
    return {Path(name).name: [*map(str, hashes)] for name, hashes in found.items() if valid}


def _names_of_results(columns: bool) -> list[str]:
    """Return the names that files of a result may have, also those of its columns."""
    names = [file.name for file in RESULT_FILES if file.name not in (SETTINGS, CHAINS)]
    return names + [f"column_{f.name}" for f in RESULT_FILES if f.columns and columns]


def _files_of_chains(folder: Path) -> list[Path]:
    return [path for path in (folder / CHAINS).glob("*") if OF_CHAINS.fullmatch(path.name)]


# ---- Earlier results, to which records are added and whose names clusters keep ----------------

LABELS = "labels.csv"
#: Key of the settings with what was learned from the records; there, the names of the columns, and
#: the largest number that a cluster ever had, which no other one gets.
LEARNED, OF_RECORDS, LAST_NUMBER = "learned", "columns", "last"
OWN = 3  # columns of the labels before those of the records


@dataclass(frozen=True)
class Earlier:
    """A finished result of `reseat cluster records`."""

    folder: Path

    def __post_init__(self):
        if not (self.settings and self.clusters):  # which refuse what cannot be used
            raise DataError(f"{self.folder / LABELS} is not as this command wrote it.")

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Its settings, and what was learned."""
        found = stored_json(self.folder / SETTINGS)
        if found.get("model") != "records" or not (self.folder / LABELS).is_file():
            raise DataError(f"{self.folder} has no result of reseat cluster records; name one.")
        if LEARNED not in found:
            raise DataError(
                f"{self.folder} has a result of an earlier version, or with sources; make it again "
                "without, or cluster the old and the new records together."
            )
        return found

    @cached_property
    def labels(self) -> pd.DataFrame:
        """The clusters of its records, beside the columns of the input."""
        table = read_frame(self.folder / LABELS)
        if table.shape[1] != OWN + len(self.columns):
            raise DataError(f"{self.folder / LABELS} is not as this command wrote it.")
        return table.set_axis([*table.columns[:OWN], *self.columns], axis=1)

    @property
    def columns(self) -> list[str]:
        """The names of the columns of its records."""
        return self.settings[LEARNED][OF_RECORDS]

    @cached_property
    def clusters(self) -> dict[str, str]:
        """The name of the cluster of each record, by the name of the record."""
        found = dict(zip(self.labels["item"], self.labels["cluster"], strict=True))
        if len(found) < len(self.labels):
            raise DataError(
                f"{self.folder / LABELS}: several records have the same name; name a column in "
                "which each has its own with --id-column, in both commands."
            )
        return found

    def and_more(self, new: RawRecords, numbered: bool) -> RawRecords:
        """Return its records, followed by new ones, which are numbered on if they have no names."""
        table = self.labels.iloc[:, OWN:].assign(**{"": self.labels["item"]})
        old = records_of(table, self.folder / LABELS, self.columns, None, "", MISSING_CELLS)
        n_old, n_new = len(old.cells), len(new.cells)
        ids = [str(n_old + k) for k in range(1, n_new + 1)] if numbered else list(new.record_ids)
        if twice := set(ids) & self.clusters.keys():
            raise DataError(
                f"the new record {min(twice)} has the name of one in {self.folder}; give each a "
                "name of its own."
            )
        cells = pd.concat([old.cells, new.cells[self.columns]], ignore_index=True)
        return RawRecords(cells, None, [*old.record_ids, *ids])

    def extended(self, cells: np.ndarray) -> Microclustering:
        """Return its fit with new records; `cells` has those of all, the new ones last."""
        cells = np.asarray(cells, dtype=object)
        n_old = len(self.labels)
        if data_hash(cells[:n_old]) != self.settings["data"]:
            raise DataError(
                f"{self.folder / LABELS} is not as this command wrote it; undo the change."
            )
        known = Microclustering().get_params()
        given = {k: v for k, v in self.settings.items() if k in known and k not in NOT_IN_IDENTITY}
        unfitted = Microclustering(**given, random_state=self.settings["seed"])
        sample = read_chains(self.folder / CHAINS, unfitted.n_chains)
        labels = by_size(pd.factorize(self.labels["cluster"])[0])
        fitted = restored(unfitted, cells[:n_old], sample, labels, self.settings[LEARNED])
        return fitted.extend(cells[n_old:])
