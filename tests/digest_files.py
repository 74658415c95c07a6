"""Files of digests, and the message of a test that finds a difference."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from reseat.files.atomic import atomic_path

FOLDER = Path(__file__).resolve().parent / "digests"

#: Number of changes that a message lists; the tool prints all of them.
SHOWN = 40


def read(path: Path) -> dict:
    """Return the stored digests."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def write(digests: Mapping, path: Path) -> None:
    """Store digests, one entry per line, so that a diff shows which have changed."""
    dump = partial(json.dumps, separators=(",", ":"), ensure_ascii=False)
    lines = (f"{dump(name)}: {dump(digests[name])}" for name in sorted(digests))
    with atomic_path(path) as temporary:
        temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def remedy(
    changed: Sequence[str], path: Path, arguments: str = "", what: str = "What is drawn"
) -> str:
    """Return the message of a test that has found changes."""
    more = [f"and {len(changed) - SHOWN} more"] if len(changed) > SHOWN else []
    command = f"python tools/digests.py {arguments}".strip()
    return (
        f"{what} differs from {path.name} in {len(changed)} entries:\n  "
        + "\n  ".join([*changed[:SHOWN], *more])
        + f"\nIf this is meant, run `{command}`, which rewrites the file, and name the change in "
        "CHANGELOG.md, unless no user can notice it."
    )
