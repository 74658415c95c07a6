"""Progress bars in a terminal and in a notebook, which tests and logs never have."""

import io
import sys
from types import ModuleType

import pytest
from rich.console import Console

from reseat.chains.progress import Progress
from reseat.estimators.sampling import Bar, NotebookBar, bar_for


@pytest.mark.parametrize("total", [0, 1, 3])
def test_a_terminal_has_a_bar_that_is_removed_at_the_end(total):
    written = io.StringIO()
    terminal = Console(file=written, force_terminal=True, width=100)
    bar = bar_for(total, "chains", "sweeps", terminal)
    assert isinstance(bar, Bar)
    bar.skip(min(total, 1))
    for _ in range(total):  # one step beyond the end where some were skipped
        bar.step()
    bar.close()
    assert "chains" in written.getvalue() and "sweeps" in written.getvalue()
    assert written.getvalue().rstrip().endswith("\x1b[2K")  # the line is erased


def test_a_notebook_has_a_bar_of_its_own(monkeypatch, capsys):
    notebook = ModuleType("IPython")
    notebook.get_ipython = lambda: type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    bar = bar_for(4, "chains", "sweeps")
    assert isinstance(bar, NotebookBar)
    bar.skip(2)
    bar.step()
    assert bar._bar.n == 3
    bar.close()


def test_elsewhere_there_are_lines():
    assert isinstance(bar_for(2, "chains", "sweeps", Console(file=io.StringIO())), Progress)
