# What the report is made of.

from reseat.configuration import read_yaml
from reseat.provenance.reruns import other_code

CATALOGUE = f"{workflow.basedir}/config/artefacts.yaml"
PAGES = [
    *("index", "data", "diagnostics", "timings"),
    *read_yaml(CATALOGUE)["papers"],
]

# Data sets of all families, whose chains are looked at.
REPORTED = [name for plan in PLANS for name in plan.datasets] + list(RECORDS.needed)

# Whether results are left as they are when the code that made them has changed.
KEEP = config["code"] == "keep"


def made_by_other_code(wildcards):
    """Rules whose results were made by other code; the report is made anew to say so."""
    return other_code(RUN, ["page", "crate"]) if KEEP else {}
