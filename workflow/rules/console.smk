# Messages on the console during a run. Included after all rules.
from snakemake.logging import logger
from snakemake.settings.enums import Quietness

from reseat.provenance.progress import Progress, TimeLeft
from reseat.published import known_seconds
from reseat.runs import job_name

PUBLISHED_RUN = ROOT / "reports" / "published"


def time_left():
    """Return the jobs to be run, with their times in the published run if it has this scale.

    Returns None in a dry run.
    """
    if workflow.dryrun:
        return None

    def name(job):
        # A workflow that imports this one has logs of its own.
        own = job.log and str(job.log[0]).startswith(f"{LOGS}/")
        return job_name(job.log[0]) if own else ""

    jobs = {
        workflow.dag.jobid(job): (job.rule.name, name(job)) for job in workflow.dag.needrun_jobs()
    }
    known = known_seconds(PUBLISHED_RUN, SCALE)
    return TimeLeft(jobs, known, workflow.nodes or workflow.cores or 1)


if workflow.is_main_process:
    logger.addFilter(Progress(logger, time_left, Quietness.HOST))
