"""Terminal output: progress, notes, and a table of clusters at the end."""

import math
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console as Terminal
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from tqdm import tqdm

from reseat.chains.progress import Progress
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.results import Report, Result
from reseat.errors import shown
from reseat.estimators.base import PosteriorClustering

MAX_LISTED = 15  # largest number of clusters in the table


class _Terminal(Terminal):
    """A terminal that prints control characters in texts as escapes."""

    def render_str(self, text: str, **options) -> Text:
        return super().render_str(shown(text), **options)


class Console:
    """Output to the terminal: results on the standard output, all else on the error stream."""

    def __init__(self, quiet: bool = False):
        self.quiet = quiet
        # No emoji: the user's names may contain a word between colons.
        self.out = _Terminal(highlight=False, emoji=False, quiet=quiet)
        self.err = _Terminal(stderr=True, highlight=False, emoji=False, quiet=quiet)
        self._bar = None
        self.notes: list[str] = []

    def say(self, sentence: str) -> None:
        """Print what is being done."""
        self._print(escape(sentence))

    def warn(self, sentence: str) -> None:
        """Print a note on what the user may want to fix, and keep it for the page."""
        self.notes.append(sentence)
        self._print(f"[bold yellow]note:[/] {escape(sentence)}")

    def _print(self, markup: str) -> None:
        with tqdm.external_write_mode(self.err.file):  # above a bar
            self.err.print(markup, soft_wrap=True)

    def progress(self, total: int, label: str = "chains", unit: str = "sweeps"):
        """Return the progress of a phase: a bar in a terminal, otherwise a line now and then."""
        self._bar = Progress(total, label, unit, shown=not self.quiet, file=self.err.file)
        return self._bar

    def close(self) -> None:
        """Remove the progress bar, if there is one."""
        if self._bar is not None:
            self._bar.close()

    def report(self, report: Report, folder: Path) -> None:
        """Print the clusters, their number, and notes on whether the chains can be trusted."""
        self.close()
        for result, advice in zip(report.results, report.advice, strict=True):
            self.out.print(_table(result))
            hidden = result.sizes.size - MAX_LISTED
            if hidden > 0:
                self.out.print(f"… and {hidden} smaller ones in {result.prefix}clusters.csv")
            low, high = result.interval
            said = (
                f"Number of clusters: {result.n_clusters.mean():.1f}, 95 % interval {low} to "
                f"{high}; in {result.prefix}labels.csv {result.sizes.size}"
            )
            if not math.isnan(report.agreement):
                said += f"; agreement of the chains {report.agreement:.2f}"
            if result.agreement is not None:
                said += f"; adjusted Rand index {result.agreement:.3f}"
            self.out.print(said, soft_wrap=True)
            for sentence in advice:
                self.warn(sentence)
        self.out.print(report.verdict, soft_wrap=True)
        self.out.print(escape(f"Results in {folder}; open {folder / 'index.html'}"), soft_wrap=True)

    def print_odds(
        self, pair: tuple[str, str], material: LoadedInput, estimator: PosteriorClustering
    ) -> None:
        """Print the log odds of two records, part by part."""
        one, other = (material.items.index(name) for name in pair)
        items = dict(zip(("first", "second"), pair, strict=True))
        fields = dict(enumerate(material.table[0]))
        odds = estimator.explain(one, other).rename(index=fields, columns=items)
        total = odds["log_odds"].sum()
        print(odds.fillna("").to_string(float_format="{:+.2f}".format))
        print(f"Log odds that {pair[0]} belongs to the entity of {pair[1]}: {total:+.2f}")


def _table(result: Result) -> Table:
    table = Table(title=f"{result.prefix}clusters".replace("_", " ").capitalize())
    table.add_column("cluster")
    table.add_column("size", justify="right")
    table.add_column("probability", justify="right")
    table.add_column("characterised by", overflow="fold")
    for row in result.clusters.head(MAX_LISTED).itertuples(index=False):
        cells = (row.cluster, str(row.size), f"{row.probability:.2f}", row.characterised_by)
        table.add_row(*map(escape, cells))
    return table


# ---- Notice Ctrl-C and SIGTERM at once, and end the process soon, whatever is being computed ----

#: Seconds for the work to write checkpoints and end by itself, before the process is ended.  A user
#: who presses Ctrl-C is waiting; a cluster that sends SIGTERM allows more time than this.
GRACE = {signal.SIGINT: 1.5, signal.SIGTERM: 15.0}
INTERRUPTED = 130
SENTENCE = "interrupted; re-run the command to resume."
#: For work that has no chains, and so no checkpoints.
LOST = "interrupted before anything was stored; re-run the command to start over."


@contextmanager
def stopping(
    grace: Mapping[int, float] = GRACE, sentence: str = SENTENCE
) -> Iterator[threading.Event]:
    """Yield an event that SIGINT or SIGTERM sets, and end the process if the block goes on.

    A single call of a numerical library may take minutes, in which Python handles no signal;
    therefore a thread listens to the wakeup pipe.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread can handle signals
        return
    ended = threading.Event()
    listening, wake = os.pipe()
    os.set_blocking(wake, False)

    def watch() -> None:
        number = os.read(listening, 1)[0]
        if ended.is_set():
            return
        stop.set()
        if not ended.wait(grace.get(number, 0)):
            print(f"\nnote: {sentence}", file=sys.stderr, flush=True)
            os._exit(INTERRUPTED)

    def on_signal(number, _) -> None:
        stop.set()
        raise KeyboardInterrupt

    before = {number: signal.signal(number, on_signal) for number in grace}
    woken = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield stop
    finally:
        ended.set()
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.write(wake, b"\0")
        thread.join()
        os.close(listening)
        os.close(wake)
