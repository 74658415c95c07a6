"""Programs in their own processes, so that their memory can be measured alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["foreign_environment", "reason", "run_child"]

HERE = Path(__file__).resolve().parent

#: Start of the code of a child, which lets it import the modules in this folder.
START = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
from peak import peak
"""


def run_child(code: str, *arguments: object) -> list[float]:
    """Run Python code with the arguments in ``sys.argv``, and return the numbers that it prints."""
    command = [sys.executable, "-c", START + code, HERE, *arguments]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return [float(word) for word in ended.stdout.split()]


def foreign_environment() -> dict[str, str]:
    """Return the environment for a process that must not import the packages of this one."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def reason(errors: str, status: int) -> str:
    """Return why a process failed: the last line of its errors or, without any, its status."""
    return (errors.strip().splitlines() or [f"status {status}"])[-1]
