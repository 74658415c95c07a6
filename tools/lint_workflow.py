"""Run `snakemake --lint` and print what it finds, except for one accepted complaint.

The rules do not name software environments, because all of them run in that of Snakemake itself,
which is created by `make env`, environment.yml or the Containerfile.
"""

import re
import subprocess
import sys

ACCEPTED = "Specify a conda environment or container for each rule."


def main():
    """Print the complaints; fail if there are any, or if Snakemake cannot read the workflow."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--lint"], capture_output=True, text=True
    )
    text = done.stdout + done.stderr
    found = []
    for block in re.split(r"^(?=Lints for )", text, flags=re.M):
        head, *lints = re.split(r"^    \* ", block, flags=re.M)
        if not head.startswith("Lints for "):
            continue
        lints = [lint for lint in lints if not lint.startswith(ACCEPTED)]
        if lints:
            found.append(head + "".join(f"    * {lint}" for lint in lints))
    if not found and done.returncode and ACCEPTED not in text:
        sys.exit(text)
    if found:
        sys.exit("".join(found))


if __name__ == "__main__":
    main()
