"""Progress of a set of chains or of another long computation: a bar, or lines in a log."""

import io
import sys
import threading

#: Seconds between two lines where there is no bar, so that a log stays readable.
EVERY = 10.0
LINE = "{desc}: {n_fmt}/{total_fmt}{unit}, {rate_noinv_fmt}, {remaining} left"


class Progress:
    """A counter of steps for many threads: a bar of tqdm in a terminal, lines elsewhere."""

    def __init__(
        self,
        total: int = 0,
        label: str = "",
        unit: str = "sweeps",
        *,
        shown: bool = True,
        file=None,
    ):
        self._lock = threading.Lock()
        self._bar = _bar(total, label, unit, file or sys.stderr) if shown else None

    def skip(self, n: int) -> None:
        """Count `n` steps that an earlier run made, which do not change the rate."""
        if self._bar is not None:
            with self._lock:
                self._bar.initial += n
                self._bar.update(n)

    def step(self) -> None:
        """Count one step."""
        if self._bar is not None:
            with self._lock:
                self._bar.update()

    def close(self) -> None:
        """Remove the bar, or print the last line, once."""
        if self._bar is not None:
            with self._lock:
                self._bar.close()


def _bar(total: int, label: str, unit: str, file):
    from tqdm import auto  # slow to import

    class Bar(auto.tqdm):
        monitor_interval = 0  # no thread of its own, since each step looks at the clock

    class Lines(auto.std_tqdm):
        """Lines instead of a bar, which a file would hold many times."""

        monitor_interval = 0

        def display(self, msg=None, pos=None):
            print(self, file=file, flush=True)

        def close(self):
            if not self.disable:
                self.display()
                self.disable = True
                self._decr_instances(self)

    # Look at the clock at each step, and show the mean rate.
    how = {"total": total, "desc": label, "unit": f" {unit}", "miniters": 1, "smoothing": 0}
    if file.isatty() or auto.tqdm is not auto.asyncio_tqdm:
        return Bar(**how, file=file, leave=False, dynamic_ncols=True)
    # What tqdm writes itself, such as carriage returns, is for bars.
    return Lines(**how, file=io.StringIO(), bar_format=LINE, mininterval=EVERY, delay=EVERY)


def duration(seconds: float) -> str:
    """Return a duration in words, such as ``1 min 30 s``."""
    if seconds == float("inf"):
        return "unknown time"
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
