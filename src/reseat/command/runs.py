"""Subcommands on runs of the workflow: explain a result, keep a run, compare one with it."""

import argparse
import json
import os
from pathlib import Path

import pandas as pd

from reseat.command import writing_to
from reseat.configuration import did_you_mean
from reseat.errors import ConfigError, DataError
from reseat.files.atomic import write_table
from reseat.kept_run import PublishedRun, explain_published, publish, render_published, verify
from reseat.kept_run.writing import FOLDER
from reseat.papers.catalogue import CATALOGUE
from reseat.provenance.explain import explain, find_target, render
from reseat.provenance.records import History, named_run, read_records
from reseat.report.comparison import LEVEL

MAX_LISTED = 8  # largest number of differing numbers printed for each table


def explain_result(arguments: argparse.Namespace) -> int:
    """Print where a result comes from."""
    artefacts, published = CATALOGUE.artefacts, _published(arguments)
    if published is not None:
        facts = explain_published(published, arguments.target, artefacts)
        text = render_published(facts, published.folder, artefacts.get(facts["artefact"]))
    else:
        history = History(arguments.directory, arguments.of_run)
        target = find_target(history, arguments.target, artefacts, CATALOGUE.claims())
        facts = explain(history, target)
        text = render(facts, artefacts.get(target.artefact))
    if arguments.json:
        text = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
    print(text, end="")
    return 0


def _published(arguments):
    """Return the published run if it, its copy or a file of it is meant, or there is no other."""
    folder, name = arguments.directory / FOLDER, named_run(arguments.of_run)
    meant = name == folder.name or f"{FOLDER}/" in arguments.target
    if not meant and (not folder.is_dir() or any(read_records(arguments.directory, name))):
        return None
    published = PublishedRun(folder)
    return published if meant or name in ("", published.manifest["run"]) else None


def publish_run(arguments: argparse.Namespace) -> int:
    """Copy what is kept of a run."""
    folder = publish(arguments.directory, arguments.of_run, smaller=arguments.smaller)
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    name = named_run(arguments.of_run)
    print(f"{folder} now contains the run {name}: {len(files)} files, {size:.1f} MB.")
    return 0


def verify_run(arguments: argparse.Namespace) -> int:
    """Print the verdicts, and return 1 if a number differs, else 0."""
    if arguments.csv is not None:
        _check_csv(arguments.csv)
    folder = arguments.directory / FOLDER
    if not folder.is_dir() and Path(FOLDER).is_dir():
        folder = Path(FOLDER)  # a run elsewhere is compared with the published one of the project
    published = PublishedRun(folder)
    reports = arguments.directory / "reports"
    own = _own_report(reports, named_run(arguments.of_run), arguments.artefacts)
    if own.name == Path(FOLDER).name:
        raise ConfigError(
            "--run published is the published run itself; name a run of your own, or leave it out "
            "for the newest."
        )
    names, missing = _artefacts(published, own, arguments.artefacts)
    tables = []
    for name in names:
        here = _own_table(own / "tables" / f"{name}.csv")
        table = verify.verify_table(published.table(name), here, name)
        tables.append(table.assign(artefact=name))
    tables = verify.judge(tables)
    numbers = pd.concat(tables, ignore_index=True)
    if len(numbers) and numbers["verdict"].eq(verify.ONLY_PUBLISHED).all():
        raise DataError(
            f"{own} and the published run have no numbers in common; check that they use the same "
            "data sets."
        )
    compared = [verify.SAME, verify.AGREES, verify.DOUBTFUL, verify.DIFFERS]
    n_compared = int(numbers["verdict"].isin(compared).sum())
    if not n_compared:
        raise DataError(
            f"{own}: none of the {len(numbers):,} numbers in {', '.join(names)} can be compared; "
            "they are measured times, or have no error. Name other tables."
        )
    print(
        f"The run {own.name} compared with the published one ({published.manifest['scale']} "
        f"scale, seed {published.manifest['settings']['seed']})."
    )
    _print_tables(names, tables)
    if missing:
        print(f"Not made in this run: {', '.join(missing)}.")
    if arguments.csv:
        with writing_to(arguments.csv, "another file for --csv"):
            write_table(numbers, arguments.csv)
    _print_sums(numbers, n_compared)
    return int(numbers["verdict"].eq(verify.DIFFERS).any())


def _print_tables(names, tables) -> None:
    """Print how many numbers of each table have each verdict, and the first that differ."""
    width = max(map(len, names))
    for name, table in zip(names, tables, strict=True):
        counts = table["verdict"].value_counts()
        said = [f"{counts[verdict]} {verdict}" for verdict in verify.VERDICTS if verdict in counts]
        print(f"{name:<{width}}  {', '.join(said) or 'only measured times'}")
        differing = table[table["verdict"].eq(verify.DIFFERS)]
        for row in differing.head(MAX_LISTED).itertuples():
            print(f"  {row.row}, {row.column}: published {row.published}, here {row.own}")
        more = len(differing) - MAX_LISTED
        if more > 0:
            print(f"  and {more} more; use --csv to write them all to a file")


def _print_sums(numbers, n_compared: int) -> None:
    """Print how many numbers differ, of how many, and what the doubtful ones mean."""
    n_differing = int(numbers["verdict"].eq(verify.DIFFERS).sum())
    few = {0: "No number differs", 1: "1 number differs"}
    said = few.get(n_differing, f"{n_differing} numbers differ")
    print(
        f"{said} by more than Monte Carlo error explains; {n_compared} of {len(numbers)} in the "
        "tables were compared."
    )
    n_doubtful = int(numbers["verdict"].eq(verify.DOUBTFUL).sum())
    n_judged = int(numbers["p"].count())
    if n_doubtful:
        print(
            f"{n_doubtful} are doubtful: farther apart than chance sets one in a hundred. Of the "
            f"{n_judged} that were judged by their errors, chance sets about "
            f"{LEVEL * n_judged:.0f} so far apart."
        )


def _check_csv(path: Path) -> None:
    """Raise a DataError if the file cannot be written, before anything is printed."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file for --csv.")
    there = next((folder for folder in path.absolute().parents if folder.exists()), Path("/"))
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise DataError(f"{there} cannot be written to; choose another file for --csv.")
    if path.is_file() and path.stat().st_size:
        with open(path, encoding="utf-8", errors="replace") as file:
            names = file.readline().rstrip("\n").split(",")
        if names[: len(verify.COLUMNS)] != verify.COLUMNS:
            raise DataError(
                f"{path} was not written by this command and would be overwritten; choose another "
                "file for --csv."
            )


def _own_table(path: Path):
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror or error}).") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path} is no table ({error}); delete it and run the workflow again."
        ) from error


def _own_report(reports, name, wanted):
    """Return the folder of a run: the named one, or the newest with a report and the tables."""
    if name:
        if not (reports / name / "tables").is_dir():
            raise DataError(
                f"{reports / name} contains no tables; run the workflow first, or name another run."
            )
        return reports / name
    known = [path.parent for path in reports.glob("*/tables") if path.is_dir()]
    own = [path for path in known if path.name != Path(FOLDER).name]
    if not own:
        raise DataError(f"{reports} contains no run of your own; create one first (make all).")

    def suits(path):
        has = all((path / "tables" / f"{table}.csv").is_file() for table in wanted)
        return has, (path / "run.json").is_file(), (path / "tables").stat().st_mtime_ns

    return max(own, key=suits)


def _artefacts(published, own, wanted):
    """Return the names of the tables to compare, and of those that the run lacks."""
    known, wanted = published.names(), list(dict.fromkeys(wanted))
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known) or "."
            raise DataError(f"The published run has no table {name!r}{hint}")
    made = {path.stem for path in own.glob("tables/*.csv")}
    if wanted and not made.issuperset(wanted):
        lacking = [name for name in wanted if name not in made]
        raise DataError(
            f"{own} has no table {lacking[0]}; create it first (snakemake {lacking[0]}), or name "
            "another run with --run."
        )
    names = [name for name in wanted or known if name in made]
    if not names:
        raise DataError(f"{own} has none of the tables of the published run.")
    return names, [name for name in known if name not in made and not wanted]
