"""Chains of many models on many draws of a data set, in one folder."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from reseat.chains import Chain, run_folder
from reseat.papers.plan import StudyRun

Run = TypeVar("Run", bound=StudyRun)


def run_studies(
    runs: Sequence[Run],
    prepare: Callable[[Run], Callable[[int, Path], Mapping[str, Any]]],
    *,
    numbers: Iterable[int] | None = None,
    label: str | None = None,
    **options: Any,
) -> None:
    """Run the chains of some models on all draws of a data set; `options` are of `run_folder`.

    `prepare` takes a run and returns a function of the number of a chain and of its folder for
    unfinished work, which returns further arguments of `reseat.chains.Chain`, ``build`` among them.
    """

    def chains(done: Path, unfinished: Path) -> list[Chain]:
        found = []
        for run in runs:
            decide = prepare(run)
            for number in run.chains if numbers is None else numbers:
                path = done / run.file(number)
                part = unfinished / path.stem
                given = {"seed": run.seed, "stream": run.stream, "path": path, "scratch": part}
                schedule = run.chain_schedule(number)
                found.append(Chain(number, schedule=schedule, **given, **decide(number, part)))
        return found

    models = ", ".join(dict.fromkeys(run.model for run in runs))
    run_folder(chains, label=label or f"{runs[0].dataset}: {models}", **options)
