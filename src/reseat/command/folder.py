"""Keep a folder that contains the results of one estimator, and files of the user."""

import argparse
import json
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reseat import __version__
from reseat.chains.chain import FORMAT
from reseat.chains.runner import check_removable
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.options import LAST, LONGER, RESULT_FILES, in_options
from reseat.errors import ConfigError, ReseatError
from reseat.estimators.base import PosteriorClustering
from reseat.estimators.relational import UNUSED
from reseat.files.atomic import sha256_of, stored_json, write_text

#: Subfolder of the results with the files of the chains.
CHAINS = "chains"
#: File by which a folder is recognised as a result of this command.
SETTINGS = "settings.json"
#: File with the hashes of the other files that this command wrote to the same folder.  Files that
#: are not in it, or have changed since, are the user's.
WRITTEN = ".written.json"
#: Subfolder in which a new result is made.  Once it has the file `WRITTEN`, it is complete.
NEW = ".new-result"
#: Names of what chains leave in their folder: finished files and last states, unfinished chains and
#: their locks, and files that a killed process was writing.
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
    def name(self) -> str:
        """The name of the folder, wherever it is referred to from."""
        return self.folder.resolve().name

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
    """Yield the folder of the results, which may already contain a part of the same result.

    Another result stays as it is until the new one is complete, or if the block refuses its input.
    """
    folder, overwrite = arguments.output, arguments.overwrite
    finish_replacing(folder, overwrite)
    new, finished, same = folder / NEW, (folder / LAST).is_file(), True
    older, begun = _stored(folder), _stored(new)
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
        _check_removable(_files_of_chains(folder))
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


def _stored(folder: Path, name: str = SETTINGS) -> dict[str, Any]:
    return stored_json(folder / name)


def _is_extension(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether the settings are the same, except perhaps for a larger number of samples.

    The input may have moved, and what was learned is no setting.
    """
    kept = {key: value for key, value in old.items() if key != "learned"}
    longer = kept | {key: new[key] for key in ("input", "n_samples")} == new
    return longer and old.get("n_samples", np.inf) <= new["n_samples"]


def _sample_as_before(arguments, estimator: PosteriorClustering, stored: Mapping[str, Any]) -> None:
    """Thin like an earlier result, because the default depends on the number of samples.

    Take as many samples, too, if its chains did not agree by the default and became longer.
    """
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
    if not (new / WRITTEN).is_file() or not _is_ours(_stored(folder)):
        return
    written = _written_files(new)
    check_unchanged(folder, written, overwrite)
    settings = _stored(new) or _stored(folder)
    chains = {f"chain-{number}" for number in range(settings.get("n_chains", 0))}
    moved = sorted((new / CHAINS).glob("*"))
    names, there = {path.name for path in moved}, _files_of_chains(folder)
    replaced = [path for path in there if path.stem not in chains or path.name in names]
    _check_removable(replaced)
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
    """Raise a ConfigError if a file that would be replaced is not as this command wrote it.

    With `overwrite`, it accepts files that it wrote and that have been changed since.
    """
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
    found = _stored(folder, WRITTEN)
    valid = all(isinstance(hashes, list) for hashes in found.values())
    return {Path(name).name: [*map(str, hashes)] for name, hashes in found.items() if valid}


def _names_of_results(columns: bool) -> list[str]:
    """Return the names that files of a result may have, also those of its columns."""
    names = [file.name for file in RESULT_FILES if file.name not in (SETTINGS, CHAINS)]
    return names + [f"column_{f.name}" for f in RESULT_FILES if f.columns and columns]


def _files_of_chains(folder: Path) -> list[Path]:
    return [path for path in (folder / CHAINS).glob("*") if OF_CHAINS.fullmatch(path.name)]


def _check_removable(files_of_chains: Collection[Path]) -> None:
    for path in filter(Path.is_dir, files_of_chains):
        check_removable(path)
