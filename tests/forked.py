"""Commands in processes forked from one that has imported what all of them import.

To import Snakemake takes longer than to plan most runs, and the suite starts it a hundred times.
"""

import atexit
import os
import runpy
import subprocess
import sys
import tempfile
from multiprocessing import get_context

#: What takes longest to import, and depends neither on the folder nor on the environment.
PRELOADED = ("snakemake.cli", "snakemake.api", "numpy", "pandas", "scipy.sparse", "requests")

_server = get_context("forkserver")
_server.set_forkserver_preload(["forked", *PRELOADED])


def run_module(name, *arguments, environment):
    """What ``python -m name *arguments`` does in an environment, with its output captured."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [os.path.join(folder, stream) for stream in ("stdout", "stderr")]
        process = _server.Process(
            target=_main, args=(name, list(map(str, arguments)), environment, outputs, os.getcwd())
        )
        process.start()
        process.join()
        texts = []
        for path in outputs:
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
    return subprocess.CompletedProcess([name, *arguments], process.exitcode, *texts)


def _main(name, arguments, environment, outputs, folder):
    """Be that process."""
    for number, path in enumerate(outputs, start=1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [folder, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = [name, *arguments]
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()  # which a forked process would leave out
