# What the report is made of.

from reseat.configuration import read_yaml

CATALOGUE = f"{workflow.basedir}/config/artefacts.yaml"
PAGES = [
    *("index", "data", "diagnostics", "timings"),
    *read_yaml(CATALOGUE)["papers"],
]

# Data sets of all families, whose chains are looked at.
REPORTED = [name for plan in PLANS for name in plan.datasets] + list(RECORDS.needed)
