# The project's workflow, whose jobs are written to jobs.json when Snakemake ends.
import atexit
import json
import os
import re

from reseat.provenance.records import plain


include: "../../Snakefile"


# Code is left out, and so are the modules of functions: where code or a run is does not matter.
LEFT_OUT = {"code", "home", "reaches"}


def listed(job):
    """Return what a job reads, writes and is given, with paths below the project."""
    found = {
        "rule": job.rule.name,
        "input": sorted(map(str, job.input)),
        "output": sorted(map(str, job.output)),
        "log": sorted(map(str, job.log)),
        "benchmark": str(job.benchmark),
        "threads": job.threads,
        "requests": [job.resources.get("mem_mb"), job.resources.get("runtime")],
        "params": {k: plain(v) for k, v in job.params._allitems() if k not in LEFT_OUT},
    }
    text = json.dumps(found).replace(os.path.relpath(ROOT), "PROJECT").replace(str(ROOT), "PROJECT")
    return json.loads(re.sub(r'"reseat[\w.]+:(?=[\w.]+")', '"', text))


def write_jobs(folder):
    os.chdir(folder)  # Snakemake has left it
    text = json.dumps([listed(job) for job in workflow.dag.jobs])
    Path("jobs.json").write_text(text, encoding="utf-8")


atexit.register(write_jobs, os.getcwd())
