# Messages on the console during a run. Included after all rules.
import atexit
import re
import sys
from inspect import signature

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.settings.enums import Quietness

from reseat.configuration import did_you_mean
from reseat.errors import ReseatError
from reseat.kept_run import known_seconds
from reseat.provenance.changes import check_outputs, code_parameter, first_of, other_packages
from reseat.provenance.closure import library
from reseat.provenance.code import not_installed, share_code_version
from reseat.provenance.console import Forecast, Progress, TimeLeft
from reseat.provenance.runs import job_name, record_path

# Where this run lies, for the checks below. If files are stored elsewhere, it is a folder of
# copies, which need not be there.
HOME = home(str(rules.page.output.card)) or "."
COPIES = HOME if STORED else ""


def time_left():
    """Return the jobs to be run, with their times in a published run; None in a dry run."""
    if workflow.dryrun:
        return None

    def name(job):
        # A workflow that imports this one has logs of its own.
        log = str(job.log[0]).removeprefix(home(str(job.log[0]))) if job.log else ""
        return job_name(log) if log.startswith(f"{LOGS}/") else ""

    jobs = {
        workflow.dag.jobid(job): (job.rule.name, name(job)) for job in workflow.dag.needrun_jobs()
    }
    known = known_seconds(ROOT / "reports" / "published", SCALE)
    return TimeLeft(jobs, known, workflow.nodes or workflow.cores or 1)


if workflow.is_main_process:
    logger.addFilter(Progress(logger, time_left, Quietness.HOST))


# The code that a job can reach is one of its parameters, so that a change of the library reruns the
# jobs that it affects, and no others.


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
            outputs = [str(path) for path in one.output]
            kept = RUN if KEEP else None
            one.set_params(code=code_parameter(place, reaches, outputs, kept, HOME))
            if outputs:
                # It takes `output` so that Snakemake does not compare it.
                one.set_params(home=lambda wildcards, output: home(output[0]))
            if outputs and STORED:
                log = str(one.log[0])
                one.set_output(record=str(record_path(log.removeprefix(home(log)))))


for one in workflow.rules:
    depend_on_code(one)

if workflow.is_main_process:
    library().save()
    atexit.register(library().save)  # with what is read once the jobs are known
    share_code_version(ROOT / "workflow" / "Snakefile")
    logger.addFilter(Forecast(logger, RUN, parameters_of_jobs, HOME))


# Checks for what Snakemake would notice too late, or not at all.

# Targets that only print something. The targets of this run are not known yet, so these names are
# looked for in the command line.
PRINTING_TARGETS = {"list", "missing"}


def check_installation():
    """Warn if sources were changed but not installed, because jobs use the installed package."""
    changed = not_installed(ROOT / "src" / "reseat")
    if changed:
        logger.warning(
            f"src/reseat/{first_of(changed, 1)}: differs from the installed package, which is what "
            "jobs use; `make env` installs the sources."
        )


def check_packages():
    """Warn if results were made with other versions of packages; this alone reruns nothing."""
    found = other_packages(RUN, root=HOME)
    versions = sorted({version for own in found.values() for version in own})
    if versions:
        logger.warning(
            f"Results of {len(found)} rules were made with {', '.join(versions)}. They are kept; "
            "the report marks them when it is made."
        )


def hint_at_targets():
    """Suggest targets for words, of which some may be options, that are not targets."""
    known = [rule.name for rule in workflow.rules]
    for word in filter(re.compile(r"[a-z]\w+").fullmatch, sys.argv[1:]):
        hint = "" if word in known else did_you_mean(word, known)
        if hint:
            logger.warning(f"{word} is not a target{hint} `make list` shows all targets.")


def check_prefix():
    """Raise an error if a module gives results, reports and logs different prefixes."""
    page = rules.page
    places = {home(str(path)) for path in (page.output.card, page.log[0], page.input.restarts)}
    if len(places) > 1:
        raise WorkflowError(
            "A module of this workflow cannot have a replace_prefix, because results, reports and "
            "logs belong together; give it a prefix instead."
        )


if workflow.is_main_process:
    check_prefix()
    hint_at_targets()
    check_installation()
    check_packages()
    if not PRINTING_TARGETS.intersection(sys.argv):
        try:
            check_outputs(HOME, RUN)
        except ReseatError as error:
            raise WorkflowError(str(error)) from None
