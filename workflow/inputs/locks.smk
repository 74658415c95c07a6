# After a power cut no `snakemake --unlock` is needed.
from snakemake.logging import logger

from reseat.instances import forget_dead

if workflow.is_main_process and forget_dead(".snakemake"):
    logger.info("An earlier run was interrupted; its stale locks were removed, and the run resumes.")
