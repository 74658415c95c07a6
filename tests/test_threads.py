"""Work that threads share: the order of results, errors, and requests to stop."""

import threading
import time

import pytest

from reseat.threads import Stopped, in_threads


@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("stop", [None, threading.Event()])
def test_results_come_in_the_order_of_the_items(threads, stop):
    def slowest_first(n):
        time.sleep(0.002 * (8 - n))
        return n * n

    assert in_threads(slowest_first, iter(range(8)), threads, stop) == [n * n for n in range(8)]
    assert stop is None or not stop.is_set()


def test_threads_run_side_by_side():
    meeting = threading.Barrier(3, timeout=60)
    assert sorted(in_threads(lambda _: meeting.wait(), range(3), 3)) == [0, 1, 2]


def test_a_single_thread_is_the_callers_own_unless_it_can_be_stopped():
    here = threading.get_ident()
    assert in_threads(lambda _: threading.get_ident(), [0]) == [here]
    assert in_threads(lambda _: threading.get_ident(), [0], 1, threading.Event()) != [here]


def test_a_failure_stops_the_others_and_is_raised_as_itself():
    stop, begun = threading.Event(), threading.Barrier(2, timeout=60)

    def work(n):
        if n > 1:
            raise Stopped("not begun") if stop.is_set() else AssertionError("began too late")
        begun.wait()
        if n == 1:
            raise KeyError("the cause")
        assert stop.wait(60)
        raise Stopped("a consequence")

    with pytest.raises(KeyError, match="the cause"):
        in_threads(work, range(2), 2, stop)
    assert stop.is_set()
    with pytest.raises(Stopped, match="not begun"):
        in_threads(work, [2, 3], 2, stop)
