"""What a fit says about its progress, its time and its memory."""

import io
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from reseat import MultinomialMixture
from reseat.chains import Schedule
from reseat.chains.progress import Progress
from reseat.estimators import sampling
from reseat.estimators.sampling import following

SCHEDULE = Schedule(burn_in=100, n_samples=900, thin=9)


@pytest.fixture
def sweep(monkeypatch):
    """Return a function that makes sweeps of a given time and returns what the forecast has said.

    There are 4 chains on 2 threads, and 1,000 items.
    """
    held = SimpleNamespace(memory_info=lambda: SimpleNamespace(rss=500_000_000))
    monkeypatch.setattr(sampling.psutil, "Process", lambda: held)
    clock = {"now": 0.0}
    monkeypatch.setattr(sampling.time, "monotonic", lambda: clock["now"])
    said = []
    forecast = sampling.Forecast(Progress(shown=False), 4, SCHEDULE, n_threads=2, say=said.append)
    forecast.n_items = 1000

    def step(seconds, times):
        for _ in range(times):
            clock["now"] += seconds
            forecast.step()
        return said

    step.forecast = forecast
    return step


def test_the_first_sweeps_tell_what_all_will_take(sweep):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sweep(0.1, 20) == []  # 1.9 seconds since the first
        # 3999 sweeps of a tenth of a second, and labels of 400 draws beside the memory in use.
        assert sweep(0.1, 1) == ["The chains will take about 6 min 40 s and 0.5 GB."]
        assert len(sweep(0.1, 100)) == 1  # once


def test_sweeps_of_an_earlier_run_take_no_time(sweep):
    sweep.forecast.skip(2000)
    assert sweep(0.1, 21)[0].startswith("The chains will take about 3 min 20 s")


def test_one_slow_sweep_is_no_measure(sweep):
    assert sweep(5.0, 6) == []
    with pytest.warns(UserWarning, match="5 h 33 min; use fewer samples"):
        assert len(sweep(5.0, 1)) == 1


def test_too_little_memory_is_told_with_a_remedy(sweep, monkeypatch):
    memory = SimpleNamespace(available=1e9)
    monkeypatch.setattr(sampling.psutil, "virtual_memory", lambda: memory)
    sweep.forecast.n_items = 2_000_000
    # 400 draws of 2,000,000 labels, 8 bytes each.
    with pytest.warns(UserWarning, match="about 6.9 GB of memory, and 1.5 GB are free; keep fewer"):
        sweep(0.1, 21)


def test_a_fit_tells_its_items_and_draws_the_same(monkeypatch):
    counts = np.repeat([[9, 1, 0], [0, 1, 9]], 5, axis=0)
    model = MultinomialMixture(n_chains=2, n_burn_in=2, n_samples=4, thin=2, random_state=1)
    before = model.fit(counts).draws_
    told = []
    monkeypatch.setattr(sampling, "MEASURED_SECONDS", 0.0)
    monkeypatch.setattr(sampling, "memory_of", lambda chains, schedule, n: told.append(n) or 0)
    said = []
    with following(say=said.append):
        after = model.fit(counts).draws_
    np.testing.assert_array_equal(before, after)
    assert len(said) == 1 and told[-1] == 10


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("total", [0, 1, 3])
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_a_terminal_has_a_bar_that_is_removed_and_a_log_has_lines(kind, total):
    file = kind()
    progress = Progress(total, "chains", file=file)
    progress.skip(min(total, 1))
    for _ in range(total):  # one step beyond the end where some were skipped
        progress.step()
    progress.close()
    progress.close()
    said = file.getvalue()
    assert "chains" in said and "sweeps" in said
    if kind is Terminal:
        assert said.endswith("\r") and not said.split("\r")[-2].strip() and "\n" not in said
    else:
        done = total + min(total, 1)
        assert said.startswith(f"chains: {done}/") and said.endswith(" left\n")
        assert said.count("\n") == 1 and "\r" not in said


def test_a_long_phase_has_a_line_now_and_then(monkeypatch):
    clock = {"now": 0.0}
    monkeypatch.setattr("tqdm.std.time", lambda: clock["now"])
    file = io.StringIO()
    progress = Progress(100, "chains", file=file)
    progress.skip(40)
    for _ in range(50):
        clock["now"] += 0.5
        progress.step()
    lines = file.getvalue().splitlines()
    assert lines[0] == "chains: 60/100 sweeps,  2.00 sweeps/s, 00:20 left"
    assert lines[1:] == ["chains: 80/100 sweeps,  2.00 sweeps/s, 00:10 left"]


def test_a_first_sweep_that_takes_long_is_said(monkeypatch):
    said = []
    forecast = partial(sampling.Forecast, Progress(shown=False), 4, SCHEDULE, say=said.append)
    begun = forecast()
    begun.step()
    assert begun._waiting.finished.is_set() and not said
    monkeypatch.setattr(sampling, "PATIENCE", 0.01)
    forecast()._waiting.join()
    assert said[0].startswith("The first of 4,000 sweeps has not ended after 0.01 seconds")
