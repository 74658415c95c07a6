"""What the console says about a run: one line per job, and the time left."""

import logging

import pytest
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from reseat.provenance.console import Progress, TimeLeft

JOBS = {1: ("fits", "a/fit"), 2: ("fits", "b/fit"), 3: ("plots", "plot")}


def test_jobs_are_taken_to_last_as_long_as_those_of_their_rule():
    left = TimeLeft(JOBS, {}, cores=1)
    left.start(1, 0.0)
    assert left.end(1, 60.0) == 60.0
    left.start(2, 60.0)
    # 50 seconds are left of the second fit, and nothing is known about the plot.
    assert left.seconds(70.0) == (pytest.approx(50.0), 1)


def test_what_another_run_took_counts_at_the_pace_of_this_machine():
    left = TimeLeft(JOBS, {"a/fit": 30.0, "b/fit": 100.0, "plot": 10.0}, cores=1)
    assert left.seconds(0.0) == (pytest.approx(140.0), 0)
    left.start(1, 0.0)
    left.end(1, 60.0)
    assert left.seconds(60.0) == (pytest.approx(220.0), 0)


def test_jobs_side_by_side_share_the_time():
    left = TimeLeft(JOBS, {"a/fit": 100.0, "b/fit": 100.0, "plot": 40.0}, cores=2)
    left.start(1, 0.0)
    left.start(2, 0.0)
    assert left.seconds(50.0) == (pytest.approx((50.0 + 50.0 + 40.0) / 2), 0)


def test_a_job_that_ends_is_one_line_and_the_rest_is_kept_from_the_console(caplog):
    now = iter([0.0, 5.0, 5.0, 5.0, 65.0, 65.0])
    logger = logging.getLogger("snakemake of this test")
    progress = Progress(
        logger, lambda: TimeLeft(JOBS, {}, cores=1), Quietness.HOST, lambda: next(now)
    )
    logger.addFilter(progress)
    quiet = []
    logger.addFilter(lambda record: quiet.append(getattr(record, "quietness", None)) or True)
    with caplog.at_level(logging.INFO, logger.name):
        logger.info(None, extra={"event": LogEvent.JOB_INFO, "jobid": 1})
        logger.info(None, extra={"event": LogEvent.JOB_FINISHED, "job_id": 1})
        logger.info(None, extra={"event": LogEvent.PROGRESS, "done": 1, "total": 3})
    said = [record.getMessage() for record in caplog.records if record.msg]
    assert said == ["[1/3] a/fit  0:05; about 0:05 left, and 1 job of unknown length"]
    assert quiet.count(Quietness.HOST) == 3


def test_a_dry_run_says_what_it_always_did():
    logger = logging.getLogger("snakemake of another test")
    progress = Progress(logger, lambda: None, Quietness.HOST)
    record = logger.makeRecord("", logging.INFO, "", 0, None, (), None)
    record.event, record.jobid = LogEvent.JOB_INFO, 1
    assert progress.filter(record) and not hasattr(record, "quietness")
