"""Snakemake and its jobs in processes forked from one that has already done their imports.

Most jobs of the tests take less time than their imports, and the suite has several hundred jobs.
A fork is a process like any other, and imports the library from the place that its environment
names.  The tests of faults and of clusters start Snakemake and its jobs as a user does.
"""

import atexit
import gc
import importlib
import os
import runpy
import subprocess
import sys
import tempfile
from contextlib import nullcontext, suppress
from multiprocessing import connection, get_context
from pathlib import Path
from threading import Lock

#: Modules that take longest to import; none is of the library itself, which tests change.
PRELOADED = (
    *("snakemake.cli", "snakemake.script", "requests", "h5py", "numpy", "pandas"),
    *("matplotlib.figure", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg"),
    *("scipy.optimize", "scipy.sparse", "scipy.stats", "scipy.cluster.hierarchy"),
    *("sklearn.cluster", "sklearn.neighbors", "pydantic", "lazy_loader", "rapidfuzz"),
    *("fontTools.subset", "PIL.JpegImagePlugin", "pandas.io.formats.csvs"),
)

_server = get_context("forkserver")
_server.set_forkserver_preload(["forked", *PRELOADED])
# Protects the state that multiprocessing keeps of its processes, which is not thread-safe.
_lock = Lock()


def run_snakemake(*arguments, environment):
    """Run ``python -m snakemake *arguments`` in an environment and capture its output."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder, stream) for stream in ("stdout", "stderr")]
        for path in outputs:
            path.touch()
        arguments = ["snakemake", *map(str, arguments)]
        code = _run(_snakemake, arguments, outputs, environment)
        texts = [path.read_text(encoding="utf-8") for path in outputs]
    return subprocess.CompletedProcess(arguments, code, *texts)


def _run(target, arguments, outputs, environment, watched=lambda pid: nullcontext()):
    """Return the exit code of a fork that is called like a command."""
    process = _server.Process(
        target=_become, args=(target, arguments, outputs, environment, os.getcwd())
    )
    with _lock:
        process.start()
    with watched(process.pid):
        connection.wait([process.sentinel])
    with _lock:
        return process.exitcode


def _become(target, arguments, outputs, environment, folder):
    """Turn this fork into a process with its own outputs, environment and folder."""
    gc.freeze()  # no collection looks at what was imported before, and so copies its pages
    for number, path in enumerate(outputs, start=1):
        file = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = arguments
    # As an interpreter does when it starts.
    sys.modules.pop("sitecustomize", None)
    with suppress(ImportError):
        importlib.import_module("sitecustomize")
    try:
        target(outputs)
    finally:
        atexit._run_exitfuncs()  # multiprocessing does not call them


def _snakemake(outputs):
    from snakemake.benchmark import benchmarked
    from snakemake.script import PythonScript

    def execute_script(script, name, edit=False):
        def watched(pid):
            record = script.bench_record
            return nullcontext() if record is None else benchmarked(pid, record)

        if code := _run(_script, [name], outputs, dict(os.environ), watched):
            raise subprocess.CalledProcessError(code, [sys.executable, name])

    PythonScript.execute_script = execute_script
    runpy.run_module("snakemake", run_name="__main__", alter_sys=True)


def _script(_):
    runpy.run_path(sys.argv[0], run_name="__main__")
