# The code that a job can reach is one of its parameters, so that a change of the library makes again
# what it concerns, and nothing else. Included last, when all rules are known.
from snakemake.logging import logger

from reseat.provenance.closure import library
from reseat.provenance.forecast import Forecast
from reseat.provenance.reruns import CodeParameter


def parameters_of_jobs():
    """Parameters of all jobs of the run, by their numbers."""
    return {workflow.dag.jobid(job): job.params for job in workflow.dag.jobs}


for one in workflow.rules:
    script = Path(one.basedir.get_path_or_uri(secret_free=True), one.script or "")
    if one.script and script.resolve().is_relative_to(ROOT.resolve()):
        reaches = getattr(one.params, "reaches", ())
        one.set_params(code=CodeParameter(script, reaches, RUN if KEEP else None).of_job)

if workflow.is_main_process:
    library().save()
    logger.addFilter(Forecast(logger, RUN, parameters_of_jobs))
