"""Progress bars: those of rich in a terminal, those of tqdm in a notebook.

Each has the methods of `reseat.chains.progress.Progress`.
"""

from __future__ import annotations

import sys
import threading

from reseat.chains.progress import Progress

__all__ = ["Bar", "NotebookBar", "bar_for"]


class Bar:
    """A progress bar in a terminal, by default on the error stream; removed at the end."""

    def __init__(self, total: int, label: str, unit: str, terminal=None):
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bars

        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(unit),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=terminal or Console(stderr=True),
            transient=True,
        )
        self._task = self._bars.add_task(label, total=total)
        self._bars.start()

    def skip(self, n: int) -> None:
        """Count `n` steps that an earlier run made."""
        self._bars.advance(self._task, n)

    def step(self) -> None:
        """Count one step."""
        self._bars.advance(self._task)

    def close(self) -> None:
        """Remove the bar."""
        self._bars.stop()


class NotebookBar:
    """A progress bar in a notebook; its parameters are those of `Bar`."""

    def __init__(self, total: int, label: str, unit: str):
        from tqdm.auto import tqdm

        self._bar = tqdm(total=total, desc=label, unit=f" {unit}", leave=False)
        self._lock = threading.Lock()

    def skip(self, n: int) -> None:
        """Count `n` steps that an earlier run made."""
        with self._lock:
            self._bar.update(n)

    def step(self) -> None:
        """Count one step."""
        self.skip(1)

    def close(self) -> None:
        """Close the bar."""
        self._bar.close()


def bar_for(total: int, label: str, unit: str, terminal=None):
    """Return progress that suits the environment: a bar in a notebook or terminal, else lines.

    The parameters are those of `Bar`.
    """
    if terminal is None and _in_notebook():
        return NotebookBar(total, label, unit)
    if sys.stderr.isatty() if terminal is None else terminal.is_terminal:
        return Bar(total, label, unit, terminal)
    return Progress(total, label, unit=unit)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
