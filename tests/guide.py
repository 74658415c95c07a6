"""The examples of the guide for contributors, as code."""

import importlib.util
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

from places import ROOT

import reseat


def guide():
    """Return the guide for contributors: CONTRIBUTING.md and the pages about each task."""
    pages = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "extend").glob("*.md"))]
    return "".join(page.read_text(encoding="utf-8") for page in pages)


def example(name):
    """Return the code block of the guide for contributors for the file `name`."""
    block = re.search(rf"^```\w+\n# {re.escape(name)}\n(.*?)^```$", guide(), re.M | re.S)
    assert block, name
    return block[1]


def compiled(source, name, folder):
    """Compile the Cython module `source` in `folder` against the installed package; import it."""
    (folder / f"{name}.pyx").write_text(source, encoding="utf-8")
    library = folder / (name + sysconfig.get_config_var("EXT_SUFFIX"))
    packages = Path(reseat.__file__).parent.parent
    translate = [sys.executable, "-m", "cython", "-3", "-I", packages, f"{name}.pyx"]
    compiler = sysconfig.get_config_var("LDSHARED").split()
    build = [*compiler, "-O0", "-fPIC", f"-I{sysconfig.get_path('include')}"]
    for command in (translate, [*build, f"{name}.c", "-o", library, "-lm"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    specification = importlib.util.spec_from_file_location(name, library)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
