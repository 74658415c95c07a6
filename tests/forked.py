"""Snakemake and its jobs in processes forked from one that has already done their imports.

Most jobs of the tests take less time than their imports, and the suite has several hundred jobs.
A fork is a process like any other, and imports the library from the place that its environment
names.  The tests of clusters, and of faults at full length, start both as a user does.
"""

import atexit
import gc
import importlib
import os
import runpy
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import nullcontext, suppress
from functools import cache
from multiprocessing import connection, get_context
from pathlib import Path

#: Modules that take longest to import; none is of the library itself, which tests change.
PRELOADED = (
    *("snakemake.cli", "snakemake.script", "requests", "h5py", "numpy", "pandas", "seaborn"),
    *("matplotlib.figure", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg"),
    *("scipy.optimize", "scipy.sparse", "scipy.stats", "scipy.cluster.hierarchy"),
    *("sklearn.cluster", "sklearn.neighbors", "pydantic", "lazy_loader", "rapidfuzz"),
    *("fontTools.subset", "PIL.JpegImagePlugin", "pandas.io.formats.csvs"),
)


def run_snakemake(*arguments, environment):
    """Run ``python -m snakemake *arguments`` in an environment and capture its output."""
    address = _server()
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder, stream) for stream in ("stdout", "stderr")]
        for path in outputs:
            path.touch()
        arguments = ["snakemake", *map(str, arguments)]
        code = _run(address, _snakemake, arguments, outputs, environment)
        texts = [path.read_text(encoding="utf-8") for path in outputs]
    return subprocess.CompletedProcess(arguments, code, *texts)


@cache
def _server():
    """Start the process that forks, which ends with this one, and return its address."""
    server = subprocess.Popen(
        [sys.executable, "-c", "import forked; forked.serve()"],
        cwd=Path(__file__).parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)
    return server.stdout.readline().strip()


def serve():
    """Fork a process for each request, until standard input ends."""
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()  # no collection looks at what was imported, and so copies its pages
    sys.path.remove("")
    folder = tempfile.mkdtemp()  # which a fork does not remove when it ends
    address = str(Path(folder, "socket"))
    with socket.socket(socket.AF_UNIX) as requests:
        requests.bind(address)
        requests.listen()
        print(address, flush=True)
        _serve(requests, address)
    shutil.rmtree(folder)


def _serve(requests, address):
    running = {}
    while sys.stdin not in (ready := connection.wait([sys.stdin, requests, *running])):
        for sentinel in running.keys() & set(ready):
            process, channel = running.pop(sentinel)
            process.join()
            with channel, suppress(ConnectionError):  # who asked may have been killed
                channel.send(process.exitcode)
        if requests in ready:
            channel = connection.Connection(requests.accept()[0].detach())
            request = (address, *channel.recv())
            process = get_context("fork").Process(target=_become, args=request)
            process.start()
            channel.send(process.pid)
            running[process.sentinel] = process, channel


def _run(address, target, arguments, outputs, environment, watched=lambda pid: nullcontext()):
    """Return the exit code of a fork that is called like a command."""
    with connection.Client(address) as channel:
        channel.send((target, arguments, outputs, environment, os.getcwd()))
        with watched(channel.recv()):
            return channel.recv()


def _become(address, target, arguments, outputs, environment, folder):
    """Turn this fork into a process with its own outputs, environment and folder."""
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
        target(address, outputs)
    finally:
        atexit._run_exitfuncs()  # multiprocessing does not call them


def _snakemake(address, outputs):
    from snakemake.benchmark import benchmarked
    from snakemake.script import PythonScript

    def execute_script(script, name, edit=False):
        def watched(pid):
            record = script.bench_record
            return nullcontext() if record is None else benchmarked(pid, record)

        if code := _run(address, _script, [name], outputs, dict(os.environ), watched):
            raise subprocess.CalledProcessError(code, [sys.executable, name])

    PythonScript.execute_script = execute_script
    runpy.run_module("snakemake", run_name="__main__", alter_sys=True)


def _script(*_):
    runpy.run_path(sys.argv[0], run_name="__main__")
