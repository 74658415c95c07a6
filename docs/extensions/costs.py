"""Costs of runs, resources that rules request, and help texts of commands."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from resources import rules  # noqa: E402 — the tool that prints this beside what runs took


def resources(page, before):
    """Return a table of the memory and time that every long rule requests."""
    folder = ROOT / "workflow" / "rules"
    lines = ["| rule | memory, MB | time, minutes |", "|---|---:|---:|"]
    for rule in rules(ROOT).dropna(subset=["mem_mb", "runtime"]).itertuples():
        lines.append(f"| `{rule.rule}` | {rule.mem_mb:.0f} | {rule.runtime:.0f} |")
    return "\n".join(lines), sorted(folder.glob("*.smk"))


def published(page, before):
    """Return a table of the published run's costs by family, or a sentence if there is none."""
    manifest = ROOT / "reports" / "published" / "manifest.json"
    if not manifest.is_file():
        return "No run has been published yet.", []
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    with open(manifest.with_name("jobs.csv"), newline="", encoding="utf-8") as file:
        disk = sum(float(job["disk_mb"]) for job in csv.DictReader(file))
    lines = [
        "| family | measured jobs | hours, one after another | of a processor | largest job, MB |",
        "|---|---:|---:|---:|---:|",
    ]
    for family, cost in facts["costs"].items():
        numbers = (cost["jobs"], f"{cost['hours']:.2f}", f"{cost['processor_hours']:.2f}")
        cells = (family, *numbers, cost["largest_job_mb"] or "not measured")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    took = f"took {facts['hours']:.1f} hours, pauses left out, and " if "hours" in facts else ""
    said = f"Its scale is {facts['scale']}; its {facts['jobs']} jobs {took}wrote {disk:.0f} MB."
    return "\n".join([*lines, "", said]), [manifest]


def usage(page, before, *command):
    """Return what ``reseat COMMAND --help`` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "reseat.command", *command, "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "88"},
    )
    if done.returncode:
        raise OSError(done.stderr)
    return f"```text\n{done.stdout.rstrip()}\n```", []
