"""Make an estimator from arguments, and prepare a folder that contains only its results."""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from reseat import __version__
from reseat.chains.checkpoint import FORMAT
from reseat.chains.runner import check_removable
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.options import CHAINS, default_length, given_by_user
from reseat.errors import CheckpointError, ConfigError, DataError
from reseat.estimators import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.estimators.base import NO_MATTER, PosteriorClustering
from reseat.estimators.relational import IDLE
from reseat.estimators.sampling import data_hash
from reseat.files.atomic import sha256_of, stored_json, write_text

__all__ = [
    "FILES_OF_CHAINS",
    "LAST",
    "SETTINGS",
    "WRITTEN",
    "check_settings",
    "check_unchanged",
    "make_estimator",
    "of_command",
    "output_folder",
    "replacing",
]


# ---- Track the files that this command wrote; others, and files changed since, are the user's ----

#: File with the hashes of the files that this command wrote to the same folder.
WRITTEN = ".written.json"
#: Beginning of the name of the subfolder for new files until all of them have been written, and
#: the whole of it, so that a folder of the user is not taken for one.
NEW = ".unfinished"
OF_NEW = re.compile(r"\.unfinished-[0-9a-f]{16}")
#: File that is put in place last, when all others are there.
LAST = "index.html"


def check_unchanged(folder: Path, names: Collection[str], overwrite: bool = False) -> None:
    """Raise a ConfigError if a file that would be replaced is not as this command wrote it.

    The files are `names` and those that this command wrote here; with `overwrite`, it accepts files
    that it wrote and that have been changed since.
    """
    written, ours = _written_files(folder), of_command(folder, names)
    for name in sorted({*names, *written}):
        path = folder / name
        if not path.exists():
            continue
        replaceable = path.is_file() and name in ours
        if replaceable and (overwrite or sha256_of(path) in written.get(name, ())):
            continue
        raise ConfigError(
            f"{path} is not as this command wrote it, and would be replaced; rename it"
            f"{', or use --overwrite' * replaceable}."
        )


def of_command(folder: Path, names: Collection[str]) -> set[str]:
    """Return the names of the files that this command wrote, even if they were changed since.

    Of a complete result of an earlier release, which kept no record of its files, it returns
    `names`.
    """
    if (folder / WRITTEN).is_file():
        return set(_written_files(folder))
    return set(names) if (folder / LAST).is_file() else set()


@contextmanager
def replacing(folder: Path, overwrite: bool = False) -> Iterator[Path]:
    """Yield an empty folder whose files replace those that this command wrote before.

    If the block fails, the earlier files remain unchanged. With `overwrite`, files that the user
    changed may be replaced.
    """
    for left in folder.glob(f"{NEW}-*"):
        if OF_NEW.fullmatch(left.name):
            shutil.rmtree(left, ignore_errors=True)
    place = folder / f"{NEW}-{secrets.token_hex(8)}"
    place.mkdir()
    try:
        yield place
        old, new = (
            _written_files(folder),
            {path.name: [sha256_of(path)] for path in place.iterdir()},
        )
        # The user may have edited a file in the meantime.
        check_unchanged(folder, new, overwrite)
        # Recorded before any file is replaced, so that after an interruption both the old and the
        # new files are recognised as this command's.
        _record(folder, {name: old.get(name, []) + new.get(name, []) for name in old | new})
        for name in old.keys() - new.keys():
            (folder / name).unlink(missing_ok=True)
        for name in sorted(new, key=lambda name: (name == LAST, name)):
            os.replace(place / name, folder / name)
        _record(folder, new)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _written_files(folder: Path) -> dict[str, list[str]]:
    """Return the hashes that each file of this command may have; empty without a valid record."""
    found = stored_json(folder / WRITTEN)
    valid = all(isinstance(hashes, list) for hashes in found.values())
    return {Path(name).name: [*map(str, hashes)] for name, hashes in found.items() if valid}


def _record(folder: Path, hashes: dict[str, list[str]]) -> None:
    write_text(folder / WRITTEN, json.dumps(hashes, indent=1, sort_keys=True) + "\n")


ESTIMATORS = {
    "documents": MultinomialMixture,
    "records": Microclustering,
    "distances": WishartDirichlet,
    "relational": RelationalModel,
    "supervised": SupervisedClustering,
}
#: Options that are passed to the estimators as parameters of the same name, if they are given.
PARAMETERS = (
    *("prior", "concentration", "discount", "max_clusters", "beta", "share"),
    *("square", "dim", "landmarks", "inference", "binary", "likelihood"),
    *("max_distortion", "per_field"),
    *("max_row_clusters", "max_column_clusters"),
)
#: Command-line options by the names that the estimators' messages use.
OPTIONS = {
    "n_jobs": "--threads",
    "n_chains": "--chains",
    "n_burn_in": "--burn-in",
    "n_samples": "--samples",
    "max_clusters": "--max-clusters",
    "max_row_clusters": "--max-row-clusters",
    "max_column_clusters": "--max-column-clusters",
    # Only after these words, because elsewhere "thin" is an ordinary word.
    **{f"{before} thin": f"{before} --thin" for before in ("and", "raise", "lower", "a larger")},
    "n_restarts": "--restarts",
    "random_state": "--seed",
    "max_distortion": "--max-distortion",
    "inference='gibbs'": "--inference gibbs",
    "likelihood='categorical'": "--likelihood categorical",
    "landmarks=1000": "--landmarks 1000",
    "square=True": "--square",
    "choose another place for the chains": "use --overwrite",
    # On the command line, all processors are the default.
    ", or -1 for all processors": "",
}
#: Smallest number of sweeps, over all chains, for which a 95 % interval is meaningful.
FEW_DRAWS = 100
#: Subfolder of the results with the files of the chains.
FILES_OF_CHAINS = "chains"
#: File by which a folder is recognised as a result of this command.
SETTINGS = "settings.json"
#: Other files of such a folder that may be removed, and no others: those of `RESULTS` for rows and,
#: with the second prefix, for columns; and those of `ONCE`, which have no prefix.
PREFIXES = ("", "column_")
RESULTS = (
    *("labels.csv", "clusters.csv", "pairs.csv", "coclustering.npz"),
    *("picture.png", "picture.svg", "picture.pdf"),
)
ONCE = (
    *("summary.csv", "models.csv", LAST),
    *("duplicates.csv", "review.html", "golden.csv", "aliases.csv"),
)
#: Subfolder for a result that is being overwritten, until a part of the new one exists.
ASIDE = ".overwritten"
#: Name of that subfolder while files are moved into it or back: they all belong to the old result,
#: and so does what is still in its place.
PART = ".overwritten.part"
#: Names of what chains leave in their folder: finished files and last states, unfinished chains,
#: and files that a killed process was writing.
OF_CHAINS = re.compile(r"chain-\d+\.(nc|state)|\.chain-\d+(\.nc\.[0-9a-f]{16}\.nc)?")


def make_estimator(
    arguments: argparse.Namespace, material: LoadedInput | None
) -> PosteriorClustering:
    """Return the requested estimator; without data, its default chain lengths are arbitrary."""
    kind = ESTIMATORS[arguments.model]
    known = kind().get_params()
    given = {
        name: getattr(arguments, name)
        for name in PARAMETERS
        if name in known and given_by_user(getattr(arguments, name))
    }
    if arguments.restarts is not None:
        given["n_restarts"] = arguments.restarts
    if given.get("max_distortion", 0) > 0:  # otherwise the estimator refuses it
        given["distortion"] = min(known["distortion"], given["max_distortion"])
    n_items = 1 if material is None else len(material.items)
    likelihood = material.settings.get("likelihood") if material else None
    lengths = default_length(arguments.model, n_items, likelihood)
    burn_in, samples, thin = (
        default if chosen is None else chosen
        for chosen, default in zip(
            (arguments.burn_in, arguments.samples, arguments.thin), lengths, strict=True
        )
    )
    if arguments.thin is None:
        thin = max(1, min(thin, samples))
    return kind(
        **(given | (dict(material.settings) if material else {})),
        n_chains=arguments.chains,
        n_burn_in=burn_in,
        n_samples=samples,
        thin=thin,
        random_state=arguments.seed,
        n_jobs=arguments.threads,
    )


def in_options(sentence: str) -> str:
    """Return an estimator's message with command-line options instead of parameters.

    A word in quotes is the user's own, such as the name of a column, and stays.
    """
    for name, option in OPTIONS.items():
        found = rf"(?<!['\w]){name}(?!['\w])" if name.isidentifier() else re.escape(name)
        sentence = re.sub(found, option, sentence)
    return sentence


def check_settings(arguments: argparse.Namespace) -> None:
    """Raise a ConfigError, in the words of the command line, for settings invalid for any data."""
    try:
        make_estimator(arguments, None).check_settings()
    except ConfigError as error:
        said = in_options(str(error))
        # The other parameters have the same name as their option, but also occur as ordinary words,
        # so that only the first word of the sentence is replaced.
        said = re.sub(r"^([a-z]+)(?= is )", r"--\1", said)
        raise ConfigError(said) from error


def remarks(arguments: argparse.Namespace, estimator: PosteriorClustering) -> list[str]:
    """Return remarks to show before sampling, such as options without effect or few draws."""
    said = []
    if getattr(estimator, "inference", "") == "variational":
        idle = [option for option, given in (("--burn-in", arguments.burn_in is not None),
                ("--chains", arguments.chains != CHAINS)) if given]  # fmt: skip
        if idle:
            said.append(f"variational inference has no chains: {' and '.join(idle)} ignored.")
        return said + _remarks_on_draws(estimator.n_samples // estimator.thin)
    for option in ("restarts", "max_row_clusters", "max_column_clusters"):
        if getattr(arguments, option) is not None:
            name = f"--{option.replace('_', '-')}"
            said.append(f"{name} is for variational inference only, and ignored.")
    if estimator.n_chains == 1:
        said.append(
            "with a single chain, convergence cannot be checked; use --chains 4 for results that "
            "matter."
        )
    return said + _remarks_on_draws(estimator.n_chains * (estimator.n_samples // estimator.thin))


def _remarks_on_draws(n_draws: int) -> list[str]:
    if n_draws >= FEW_DRAWS:
        return []
    draws = "a single draw" if n_draws == 1 else f"only {n_draws} draws"
    return [
        f"probabilities and intervals from {draws} are unreliable; raise --samples, or lower "
        f"--thin, until {FEW_DRAWS} or more are kept."
    ]


@contextmanager
def output_folder(
    arguments: argparse.Namespace, estimator: PosteriorClustering, material: LoadedInput
) -> Iterator[Path]:
    """Yield the folder of the results, which may already contain a part of the same result.

    If the settings or the data are refused in the block before anything was computed, or if the
    block ends before the results of more samples are written, the earlier settings file is
    restored.
    """
    folder = arguments.output
    _recover(folder)
    if arguments.thin is None and not arguments.overwrite:
        _thin_as_before(estimator, folder / SETTINGS)
    idle = {*NO_MATTER, *IDLE.get(getattr(estimator, "inference", ""), ())}
    params = {k: v for k, v in estimator.get_params().items() if k not in idle}
    settings = {
        "reseat": __version__,
        "format": FORMAT,
        "model": arguments.model,
        "input": str(arguments.input),
        "seed": arguments.seed,
        # That of supervised clustering has the name under which the command's stands above.
        **{f"{arguments.model}_model" if k == "model" else k: v for k, v in params.items()},
        "data": data_hash(*_arrays(material)),
    }
    text = json.dumps(settings, indent=2, default=list) + "\n"
    if folder.exists() and any(folder.iterdir()):
        path = folder / SETTINGS
        if not _is_ours(path):
            damaged = path.exists() and not _comparable(path)
            raise ConfigError(
                f"{folder} is not empty and does not contain a result of this command"
                f"{f' (its {SETTINGS} is damaged)' * damaged}; choose another folder."
            )
        old, new = _comparable(path), json.loads(text)
        del new["input"]
        same = _goes_on(old, new)
        if not same and not arguments.overwrite:
            different = _difference(old, new, vars(arguments))
            raise ConfigError(
                f"{folder} contains a result of {different}; choose another folder, or use "
                "--overwrite."
            )
        prefixes = PREFIXES[: 1 if material.columns is None else 2]
        check_unchanged(folder, _names_of_results(prefixes), arguments.overwrite)
        # An interrupted run of the same command is resumed instead.
        if arguments.overwrite and (not same or (folder / LAST).is_file()):
            for place in filter(Path.is_dir, _files_of_chains(folder)):
                check_removable(place)
            _set_aside(folder)
    path, computed, finished = folder / SETTINGS, _computed(folder), _written(folder)
    before = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
    write_text(path, text)
    try:
        yield folder
    except BaseException as error:
        refused = isinstance(error, ConfigError | DataError | CheckpointError)
        if refused and _computed(folder) == computed:
            if before is None:
                path.unlink()
            else:
                write_text(path, before)
        elif before is not None and finished is not None and finished == _written(folder):
            write_text(path, before)  # of the results in the folder, which are the earlier ones
        _recover(folder)
        raise
    shutil.rmtree(folder / ASIDE, ignore_errors=True)
    with suppress(OSError):
        (folder / FILES_OF_CHAINS).rmdir()  # which refuses to delete files


def _written(folder: Path) -> tuple[int, int] | None:
    """Return what identifies the results in a folder; None if there are none."""
    path = folder / LAST
    if not path.is_file():
        return None
    known = path.stat()
    return known.st_ino, known.st_mtime_ns


def _computed(folder: Path) -> set[Path]:
    return set((folder / FILES_OF_CHAINS).rglob("*"))


def _arrays(material: LoadedInput):
    for values in material.source or material.fit.values():
        if not sp.issparse(values) and values.dtype == object:
            values = np.array([str(value) for value in values.ravel()]).reshape(values.shape)
        yield values


def _comparable(path: Path) -> dict[str, Any]:
    """Return the settings in a file without the path of the input, which may have moved."""
    return {key: value for key, value in stored_json(path).items() if key != "input"}


def _goes_on(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether the settings are the same, except perhaps for a larger number of samples."""
    longer = old | {"n_samples": new["n_samples"]} == new
    return longer and old.get("n_samples", np.inf) <= new["n_samples"]


def _thin_as_before(estimator: PosteriorClustering, path: Path) -> None:
    """Thin like an earlier result, because the default depends on the number of samples."""
    thin = _comparable(path).get("thin")
    if isinstance(thin, int) and 1 <= thin <= estimator.n_samples:
        estimator.set_params(thin=thin)


def _difference(old: dict[str, Any], new: dict[str, Any], options: Container[str]) -> str:
    """Return in words what differs, under the name of the option if there is one."""
    if old.get("format") != new["format"]:
        return "an earlier version"
    names = [name for name in new if old.get(name) != new[name] and name != "data"]
    others = len(names) > 1 or old.get("data") != new["data"]
    if "n_samples" in names and others and old.get("n_samples", np.inf) < new["n_samples"]:
        names.remove("n_samples")  # more samples alone would be accepted
    if not names:
        return "other data, or of data read with other options"
    name = names[0]
    named = OPTIONS.get(name) or (f"--{name}" if name in options and name != "model" else name)
    return f"other settings ({named} {old.get(name)!r}, now {new[name]!r})"


def _is_ours(path: Path) -> bool:
    """Return whether this command wrote a settings file: other programs use this name too."""
    found = _comparable(path)
    return {"reseat", "model", "data"} <= found.keys() and isinstance(
        found.get("n_samples", 0), int
    )


def _files_of_chains(folder: Path) -> list[Path]:
    return [path for path in (folder / FILES_OF_CHAINS).glob("*") if OF_CHAINS.fullmatch(path.name)]


def _names_of_results(prefixes: Sequence[str]) -> list[str]:
    return [*(prefix + name for prefix in prefixes for name in RESULTS), *ONCE]


def _set_aside(folder: Path) -> None:
    """Move a result that is to be overwritten, and nothing else, to a subfolder."""
    names = (*of_command(folder, _names_of_results(PREFIXES)), WRITTEN, SETTINGS)
    results = [path for name in names if (path := folder / name).is_file()]
    _move((*results, *_files_of_chains(folder)), folder, folder / PART)
    os.replace(folder / PART, folder / ASIDE)


def _recover(folder: Path) -> None:
    """Restore the result that was to be overwritten if no part of the new one exists.

    Folders that are not results of this command are left alone.
    """
    if not any(_is_ours(place / SETTINGS) for place in (folder, folder / PART, folder / ASIDE)):
        return
    _move_back(folder)  # what an earlier command did not finish moving
    aside = folder / ASIDE
    if not aside.is_dir():
        return
    if _files_of_chains(folder) or (folder / LAST).is_file():
        shutil.rmtree(aside, ignore_errors=True)
    else:
        # Renamed first, so that an interruption does not make the files moved back look new.
        os.replace(aside, folder / PART)
        _move_back(folder)


def _move_back(folder: Path) -> None:
    """Return the files of a result that has not been set aside, or restored, completely."""
    part = folder / PART
    inside = sorted(part.rglob("*"))
    _move((path for path in inside if not path.is_dir()), part, folder)
    for path in (*reversed(inside), part):
        if path.is_dir():
            path.rmdir()  # which refuses to delete files


def _move(paths: Iterable[Path], source: Path, target: Path) -> None:
    for path in paths:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, place)
