"""Print, for each rule, the memory and time that its jobs took beside what it asks for.

    python tools/resources.py [results/RUN/benchmarks …]

The numbers come from the benchmark files that every run leaves. Asked for should be about twice the
peak of memory, and several times the longest time: other machines are slower, and nodes are shared.
"""

import argparse
import re
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
# In the pattern of a benchmark file.
WILDCARD = re.compile(r"\{+\w+\}+")


def rules(folder):
    """Every rule with a benchmark: its pattern of benchmark files and what it asks for.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the rule files, laid out as snakefmt does.

    Returns
    -------
    pandas.DataFrame
        Columns `rule`, `pattern`, `mem_mb` and `runtime` (minutes).
    """
    rows = []
    for path in sorted(folder.glob("*.smk")):
        for name, body in re.findall(
            r"^rule (\w+):\n(.*?)(?=^\S|\Z)", path.read_text(encoding="utf-8"), re.M | re.S
        ):
            benchmark = re.search(r'^    benchmark:\n\s+f"{BENCHMARKS}/(.+)"$', body, re.M)
            if benchmark:
                parts = [re.escape(part) for part in WILDCARD.split(benchmark[1])]
                pattern = r"[^/]+".join(parts)
                asked = {
                    key: re.search(rf"^ +{key}=(?:per_attempt\()?(\d+)", body, re.M)
                    for key in ("mem_mb", "runtime")
                }
                numbers = {key: int(found[1]) for key, found in asked.items() if found}
                rows.append({"rule": name, "pattern": pattern, **numbers})
    return pd.DataFrame(rows)


def measured(folder):
    """The benchmark files below a folder.

    Returns
    -------
    pandas.DataFrame
        Columns `file` (below the folder), `mb` (peak of resident memory) and `seconds`.
    """
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        name = path.relative_to(folder).as_posix()
        table = pd.read_csv(path, sep="\t", na_values="-")
        rows.append({"file": name, "mb": table["max_rss"].max(), "seconds": table["s"].max()})
    return pd.DataFrame(rows, columns=["file", "mb", "seconds"])


def compare(asked, found):
    """One row a rule: jobs measured, peak of memory and longest time beside what is asked for."""
    rows = []
    for rule in asked.itertuples():
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
    """Print the table; fail if a rule took more than it asks for."""
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
    table = compare(rules(ROOT / "workflow" / "rules"), found)
    print(table.to_string(index=False, na_rep="-", float_format="{:.1f}".format))
    short = table[
        (table["peak MB"] > table["asked MB"]) | (table["longest min"] > table["asked min"])
    ]
    if len(short):
        sys.exit(f"Used more than requested: {', '.join(short['rule'])}.")


if __name__ == "__main__":
    main()
