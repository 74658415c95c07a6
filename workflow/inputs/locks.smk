# After a power cut no `snakemake --unlock` is needed.
from snakemake.logging import logger

from reseat.instances import forget_dead

if workflow.is_main_process and forget_dead(".snakemake"):
    logger.info("An earlier run was cut short; its locks are gone, and it is gone on with.")
