"""Print, for each rule, the memory and time that its jobs took next to what it requests.

    python tools/resources.py [results/RUN/benchmarks …]

The numbers come from the benchmark files that every run writes. A rule should request about twice
the peak memory and several times the longest time: other machines are slower, and nodes are shared.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import pandas as pd
from snakemake.api import SnakemakeApi
from snakemake.settings.enums import Quietness
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings

ROOT = Path(__file__).resolve().parent.parent
# A wildcard in the pattern of a benchmark file, perhaps with its constraint.
WILDCARD = re.compile(r"\{\w+(?:,[^{}]*)?\}")


def rules(root=ROOT):
    """Return every rule of the workflow that runs something, as Snakemake reads it.

    `pattern` is that of its benchmark files; `mem_mb` and `runtime` (minutes) are those of the
    first attempt, None if the rule leaves them to the profile.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api,
    ):
        workflow = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(config={"scale": "demo"}),
            snakefile=root / "Snakefile",
            workdir=Path(folder),
        )._workflow
        found = [
            {
                "rule": rule.name,
                "group": rule._group,  # `rule.group` is None where jobs run on this machine
                "pattern": _pattern(rule.benchmark),
                **{key: _asked(rule.resources.get(key)) for key in ("mem_mb", "runtime")},
            }
            for rule in workflow.rules
            if not (rule.norun or rule.name in workflow._localrules)
        ]
    return pd.DataFrame(found)


def _pattern(benchmark):
    if benchmark is None:
        return None
    _, _, path = str(benchmark).partition("/benchmarks/")
    return "[^/]+".join(map(re.escape, WILDCARD.split(path)))


def _asked(resource):
    return None if resource is None else resource.evaluate(None, attempt=1).value


def measured(folder):
    """Return the measurements in the benchmark files below a folder.

    `mb` is the peak resident memory.
    """
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        name = path.relative_to(folder).as_posix()
        table = pd.read_csv(path, sep="\t", na_values="-")
        rows.append({"file": name, "mb": table["max_rss"].max(), "seconds": table["s"].max()})
    return pd.DataFrame(rows, columns=["file", "mb", "seconds"])


def compare(asked, found):
    """Return one row per rule: jobs measured, peak memory and longest time next to the requests."""
    rows = []
    for rule in asked.dropna(subset="pattern").itertuples():
        mine = found[found["file"].str.fullmatch(rule.pattern)]
        rows.append(
            {
                "rule": rule.rule,
                "jobs": len(mine),
                "peak MB": mine["mb"].max(),
                "asked MB": rule.mem_mb,
                "longest min": mine["seconds"].max() / 60,
                "asked min": rule.runtime,
            }
        )
    return pd.DataFrame(rows)


def main():
    """Print the table; fail if a rule took more than it requests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, help="default: those of all runs")
    arguments = parser.parse_args()
    folders = arguments.folders or sorted(Path("results").glob("*/benchmarks"))
    if not folders:
        sys.exit("No folder results/RUN/benchmarks found here: run the workflow first.")
    for folder in folders:
        if not folder.is_dir():
            sys.exit(
                f"{folder} is not a folder: run the workflow first, or specify another folder."
            )
    found = pd.concat([measured(folder) for folder in folders])
    table = compare(rules(), found)
    print(table.to_string(index=False, na_rep="-", float_format="{:.1f}".format))
    short = table[
        (table["peak MB"] > table["asked MB"]) | (table["longest min"] > table["asked min"])
    ]
    if len(short):
        sys.exit(f"Used more than requested: {', '.join(short['rule'])}.")


if __name__ == "__main__":
    main()
