# Preparations before any job starts.
import gc
import getpass
import os
import re
import shutil
import sys

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from reseat.datasets import remember_unreachable
from reseat.files.locking import clear_stale_locks

# Snakemake tells whether this is a dry run only after all rules have been read.
DRY_RUN = any(re.fullmatch(r"--dry-?run|-[pqrFk]*n\w*", word) for word in sys.argv[1:])

# Nearly all objects of a plan live until the end, and searching them for garbage took a sixth of
# the time.
gc.freeze()
gc.set_threshold(100_000, 50, 50)

# Snakemake takes the last of several such options, and drops the others without a word.
for names in (("--config", "-C"), ("--configfile", "--configfiles")):
    given = [word for word in sys.argv[1:] if word.partition("=")[0] in names]
    if len(given) > 1 and workflow.is_main_process:
        raise WorkflowError(
            f"{names[0]} is given {len(given)} times, of which Snakemake would use only the last; give "
            f"it once, with all its values, separated by blanks."
        )

# Snakemake asks for the name of the user, which one in a container may not have.
try:
    getpass.getuser()
except (KeyError, OSError):  # the latter from Python 3.13
    os.environ.update(USER=str(os.getuid()))

# Without a core, Snakemake would wait forever.
N_CORES = workflow.resource_settings.cores
if N_CORES is not None and N_CORES < 1 and not DRY_RUN:
    raise WorkflowError(f"--cores is {N_CORES}; it must be at least 1.")

# Snakemake does not quote the path of Python when it starts a script.
if re.search(r"\s", sys.executable):
    raise WorkflowError(
        f"{sys.executable} contains a blank, so that Snakemake cannot start any job; move the "
        "project, or its environment, to a folder without blanks."
    )

# After a power cut, `snakemake --unlock` is not needed.
if workflow.is_main_process and clear_stale_locks(".snakemake"):
    logger.info(
        "An earlier run was interrupted; its stale locks were removed, and the run resumes."
    )


# By default, Snakemake starts at most 100 jobs per second, which no run here comes near. To enforce
# this limit, it looks for new jobs once per second for every job that has ended: after 300 jobs,
# 300 times per second. The limit is therefore removed, unless the user has set another one.
onstart:
    # Without sbatch, the plugin would wait forever.
    if workflow.executor_plugin.name == "slurm" and shutil.which("sbatch") is None:
        raise WorkflowError(
            "This machine has no sbatch, so it cannot submit jobs to SLURM; log in to a node that "
            "can, or leave out the profile."
        )
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit is not None and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None
    if not PRINTING_TARGETS.intersection(sys.argv):
        remember_unreachable(DATA, RUN)
    library().save()  # so that jobs need not read the sources again
