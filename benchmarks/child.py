"""Programs in processes of their own, whose memory is that of nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["foreign_environment", "reason", "run_child"]

HERE = Path(__file__).resolve().parent

#: How the code of a child begins: it may import the modules of this folder.
START = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
from peak import peak
"""


def run_child(code: str, *arguments: object) -> list[float]:
    """Run Python code, which finds the arguments in ``sys.argv``; the numbers that it prints."""
    command = [sys.executable, "-c", START + code, HERE, *arguments]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return [float(word) for word in ended.stdout.split()]


def foreign_environment() -> dict[str, str]:
    """What a process with other packages is started with: it does not look for ours."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def reason(errors: str, status: int) -> str:
    """Why a process failed: the last line of what it said, or else its status."""
    return (errors.strip().splitlines() or [f"status {status}"])[-1]
