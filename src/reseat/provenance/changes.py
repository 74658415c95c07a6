"""What is no longer as it was when a result was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from reseat.provenance.code import library_checksums
from reseat.provenance.files import digest, state_of
from reseat.provenance.history import History, Step

__all__ = ["Change", "find_changes"]


@dataclass(frozen=True)
class Change:
    """One thing that is no longer as it was.

    Attributes
    ----------
    path : str
        A file, or ``reseat`` for the library.
    kind : {"changed", "missing", "made again", "script", "library"}
    sentence : str
    """

    path: str
    kind: str
    sentence: str

    def to_dict(self) -> dict[str, str]:
        """The attributes."""
        return asdict(self)


def find_changes(history: History, steps: Sequence[Step]) -> tuple[dict[str, str], list[Change]]:
    """Compare what some jobs made and took with what is there now; every file is read.

    Parameters
    ----------
    history : History
    steps : sequence of Step
        From `History.steps`.

    Returns
    -------
    states : dict of str to str
        Path to ``unchanged``, ``changed`` or ``missing``, of outputs that were used and of
        sources.
    changes : list of Change
        Each thing once.
    """
    states, changes = {}, []
    outputs = [step.output(path) for step in steps for path in step.used]
    for entry in [*outputs, *history.sources(steps)]:
        path = entry["path"]
        if states.get(path, "unchanged") == "unchanged":
            states[path] = _state(history, entry)
            if states[path] != "unchanged":
                what = "is no longer there" if states[path] == "missing" else "has changed"
                changes.append(Change(path, states[path], f"{path} {what}"))
    return states, [*changes, *_made_again(history, steps), *_code(history, steps)]


def _state(history, entry):
    try:
        now = state_of(history.root / entry["path"]).sha256
    except OSError:
        return "missing"
    return "unchanged" if now == entry["sha256"] else "changed"


def _made_again(history, steps):
    """Inputs that were made anew, with another content, after a job had taken them."""
    for step in steps:
        for entry in step.record["inputs"]:
            maker = history.maker(entry["path"])
            if maker is None:
                continue
            made = next(out for out in maker["outputs"] if out["path"] == entry["path"])
            if made["sha256"] != entry["sha256"]:
                taker = step.used[0]
                yield Change(
                    entry["path"],
                    "made again",
                    f"{entry['path']} was made again, differently, after {taker} was made from it",
                )


def _code(history, steps):
    scripts, libraries = {}, set()
    for step in steps:
        scripts.setdefault(step.record["script"]["path"], set()).add(
            step.record["script"]["sha256"]
        )
        libraries.add(step.record["code"]["sources"])
    for path, sums in sorted(scripts.items()):
        try:
            now = digest(history.root / path)
        except OSError:
            continue  # the results were copied without the workflow
        if sums != {now}:
            yield Change(path, "script", f"{path} has changed since it ran")
    if len(libraries) > 1:
        yield Change("reseat", "library", "the library changed between the jobs")
    if libraries and libraries != {library_checksums()["sources"]}:
        yield Change("reseat", "library", "the library has changed since, or is not the one here")
