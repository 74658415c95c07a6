# What the report is made of.

import yaml

CATALOGUE = f"{workflow.basedir}/config/artefacts.yaml"
PAGES = [
    *("index", "data", "diagnostics", "timings"),
    *yaml.safe_load(Path(CATALOGUE).read_text(encoding="utf-8"))["papers"],
]

# Data sets of all families, whose chains are looked at.
REPORTED = [name for plan in PLANS for name in plan.datasets] + list(RECORDS.needed)
