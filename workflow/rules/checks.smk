# What Snakemake would notice too late, or not at all. Included when all rules are known.
import sys

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from reseat.errors import ReseatError
from reseat.provenance.code import not_installed
from reseat.provenance.damage import check_outputs

# Targets that make nothing; which targets are asked for is not known yet.
ONLY_TELL = {"list", "missing"}


def check_results():
    """Stop before jobs take results that are not as they were made."""
    try:
        check_outputs(".", RUN)
    except ReseatError as error:
        raise WorkflowError(str(error)) from None


def check_installation():
    """Say that sources were changed and not installed: jobs see the installed package alone."""
    changed = not_installed(ROOT / "src" / "reseat")
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        logger.warning(
            f"src/reseat/{changed[0]}{more}: not as in the installed package, which is what "
            "runs; `make env` installs the sources."
        )


if workflow.is_main_process:
    check_installation()
    if not ONLY_TELL.intersection(sys.argv):
        check_results()
