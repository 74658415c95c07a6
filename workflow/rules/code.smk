# The code that a job can reach is one of its parameters, so that a change of the library reruns the
# jobs that it affects, and no others. Included after all rules.
import atexit
from inspect import signature

from snakemake.logging import logger

from reseat.provenance.closure import library
from reseat.provenance.code import tell_jobs
from reseat.provenance.forecast import Forecast
from reseat.provenance.reruns import CodeParameter


def parameters_of_jobs():
    """Return the parameters of all jobs by job number, and the names of those not compared."""

    def not_compared(job):
        # Functions of anything but the wildcards; Snakemake keeps their values, without names.
        given = () if job.is_group() else job.rule.params._allitems()
        return {
            name
            for name, value in given
            if callable(value) and {*signature(value).parameters} - {"wildcards"}
        }

    return {workflow.dag.jobid(job): (job.params, not_compared(job)) for job in workflow.dag.jobs}


def depend_on_code(one):
    """Add the code parameter to a rule if its script belongs to this workflow."""
    if one.script:
        place = Path(one.basedir.get_path_or_uri(secret_free=True), one.script)
        if place.resolve().is_relative_to(ROOT.resolve()):
            reaches = getattr(one.params, "reaches", ())
            outputs = map(str, one.output)
            code = CodeParameter(place, reaches, outputs, RUN if KEEP else None)
            one.set_params(code=code.of_job)


for one in workflow.rules:
    depend_on_code(one)

if workflow.is_main_process:
    library().save()
    atexit.register(library().save)  # with what is read once the jobs are known
    tell_jobs(ROOT / "Snakefile")
    logger.addFilter(Forecast(logger, RUN, parameters_of_jobs))
