# Checks for what Snakemake would notice too late, or not at all. Included after all rules.
import re
import sys

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from reseat.configuration import did_you_mean
from reseat.errors import ReseatError
from reseat.provenance.closure import library
from reseat.provenance.code import not_installed
from reseat.provenance.damage import check_outputs
from reseat.provenance.reruns import other_packages

# Targets that only print something. The targets of this run are not known yet, so these names are
# looked for in the command line.
ONLY_TELL = {"list", "missing"}


def check_results():
    """Raise an error before any job starts if a result was changed or damaged."""
    try:
        check_outputs(".", RUN)
    except ReseatError as error:
        raise WorkflowError(str(error)) from None


def check_names():
    """Raise an error before any job starts if a product names a function that does not exist."""
    try:
        for product in CATALOGUE.products.values():
            library().require(product.references, product.name)
    except ReseatError as error:
        raise WorkflowError(str(error)) from None


def check_installation():
    """Warn if sources were changed but not installed, because jobs use the installed package."""
    changed = not_installed(ROOT / "src" / "reseat")
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        logger.warning(
            f"src/reseat/{changed[0]}{more}: differs from the installed package, which is what "
            "jobs use; `make env` installs the sources."
        )


def check_packages():
    """Warn if results were made with other versions of packages; this alone reruns nothing."""
    found = other_packages(RUN)
    versions = sorted({version for own in found.values() for version in own})
    if versions:
        logger.warning(
            f"Results of {len(found)} rules were made with {', '.join(versions)}. They are kept; "
            "the report marks them when it is made."
        )


def hint_at_targets():
    """Suggest targets for words that are not targets; Snakemake itself only rejects them.

    Options and targets have not been told apart yet, so this can only be a hint.
    """
    known = [rule.name for rule in workflow.rules]
    for word in filter(re.compile(r"[a-z]\w+").fullmatch, sys.argv[1:]):
        hint = "" if word in known else did_you_mean(word, known)
        if hint:
            logger.warning(f"{word} is not a target{hint} `make list` shows all targets.")


def check_prefix():
    """Raise an error if the workflow was imported with a prefix, by which no record is found."""
    if not str(rules.page.output[0]).startswith(f"{REPORTS}/"):
        raise WorkflowError(
            "A module of this workflow cannot have a prefix, because its results and their records "
            "belong together; leave it out, and give the run a name (run: NAME) instead."
        )


if workflow.is_main_process:
    check_prefix()
    hint_at_targets()
    check_names()
    check_installation()
    check_packages()
    if not ONLY_TELL.intersection(sys.argv):
        check_results()
