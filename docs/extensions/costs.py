"""What rules ask a scheduler for, and what commands say of themselves."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from resources import rules  # noqa: E402 — the tool that prints this beside what runs took


def resources(page, before):
    """A table of the memory and time of every long rule."""
    folder = ROOT / "workflow" / "rules"
    lines = ["| rule | memory, MB | time, minutes |", "|---|---:|---:|"]
    for rule in rules(folder).itertuples():
        lines.append(f"| `{rule.rule}` | {rule.mem_mb:.0f} | {rule.runtime:.0f} |")
    return "\n".join(lines), sorted(folder.glob("*.smk"))


def usage(page, before, *command):
    """What ``reseat COMMAND --help`` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "reseat.command", *command, "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "88"},
    )
    if done.returncode:
        raise OSError(done.stderr)
    return f"```text\n{done.stdout.rstrip()}\n```", []
