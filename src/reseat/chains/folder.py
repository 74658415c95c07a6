"""The chains of one job, in a folder that appears only when it is complete."""

import shutil
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from reseat.chains.chain import Chain
from reseat.chains.checkpoint import state_folder
from reseat.chains.runner import check_removable, run_chains
from reseat.errors import CheckpointError
from reseat.files.atomic import replace_folder

#: Folder within that of unfinished chains for files that they share, such as a matrix.
SHARED = "shared"


def run_folder(
    make_chains: Callable[[Path, Path], Iterable[Chain]],
    *,
    output: Path,
    scratch: Path,
    threads: int = 1,
    checkpoint_seconds: float = 30.0,
    stop: threading.Event | None = None,
    label: str = "chains",
) -> None:
    """Run chains into the folder `output`.

    Parameters
    ----------
    make_chains : callable
        Called as ``make_chains(done, scratch)`` with the folders of finished and unfinished chains.
    output : path
        Folder of the finished files; an older one is replaced.
    scratch : path
        Folder that all chains share until they are done; a restarted job finds them there.
    threads, checkpoint_seconds, stop, label
        As for `run_chains`.

    Raises
    ------
    CheckpointError
        If what an interrupted job left in `scratch` was made with other settings.
    ConfigError
        If `output`, which is replaced, or `scratch` holds anything that no chain has written.
    """
    output, scratch = Path(output), Path(scratch)
    check_removable(output, _is_chain)
    check_removable(scratch, Path.is_dir)
    done = scratch / "done"
    for part in scratch.glob("*"):
        if part.name != SHARED:
            check_removable(part, *([_is_chain] if part == done else []))
    chains = list(make_chains(done, scratch))
    try:
        run_chains(
            chains, threads=threads, checkpoint_seconds=checkpoint_seconds, stop=stop, label=label
        )
    except CheckpointError as error:
        raise CheckpointError(
            f"{error} All that this job has left unfinished is in {scratch}."
        ) from error
    # An interrupted job may have had more chains to run.
    done.mkdir(parents=True, exist_ok=True)
    kept = {path for chain in chains for path in (chain.path, state_folder(chain.path))}
    for path in set(done.iterdir()) - kept:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    replace_folder(done, output)
    shutil.rmtree(scratch, ignore_errors=True)
    with suppress(OSError):  # other jobs may still be at work in it
        scratch.parent.rmdir()


def _is_chain(path: Path) -> bool:
    return path.suffix == ".nc" or path == state_folder(path)
