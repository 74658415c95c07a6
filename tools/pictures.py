"""Make the pictures in the tutorials: those that their first command draws.

    python tools/pictures.py

Each tutorial's code before that command, and the command, run in a folder of their own.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def draw(page):
    """Write the picture of one tutorial to docs/_static."""
    text = page.read_text(encoding="utf-8")
    before, command = re.search(r"(.*?)```sh\n(reseat cluster .*?)\n```", text, re.S).groups()
    code = "\n".join(re.findall(r"```python\n(.*?)```", before, re.S))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
        _, *words = shlex.split(command.replace("\\\n", " "))
        subprocess.run([sys.executable, "-m", "reseat.command", *words], cwd=folder, check=True)
        found = next(Path(folder).glob("*/picture.png"))
        shutil.copy(found, DOCS / "_static" / f"{page.stem}.png")


if __name__ == "__main__":
    for page in sorted((DOCS / "tutorials").glob("*.md")):
        draw(page)
