"""A small run made by hand: data, chains, scores, figure and verdicts, each job with a record."""

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from given_files import put

from reseat.chains import Chain, MixtureModel, Schedule, run_chain
from reseat.datasets.registry import DataFile, Dataset, FileForm
from reseat.datasets.stored import save_archive
from reseat.likelihoods import DirichletMultinomial
from reseat.priors import DirichletProcess
from reseat.provenance import JobRecord

RAW = "ab" * 32
IDENTITY = {
    "name": "notes",
    "title": "Notes",
    "status": "stand-in",
    "stands_for": "letters of 1850",
    "licence": "CC BY 4.0",
    "citation": "A. Author (2020). Notes.",
    "note": "",
    "sha256": {"notes/notes.tsv": RAW},
    "preprocessing": {"parser": "count_table"},
}
URL = "https://example.org/notes.tsv"
# Compressed in the mirror, uncompressed at the URL.
FORMS = (
    FileForm("notes/notes.tsv.gz", "cd" * 32, 60),
    FileForm("notes/notes.tsv", RAW, 120, (URL,)),
)
# As the rules pass it to the job.
ENTRY = asdict(
    Dataset(
        **{key: IDENTITY[key] for key in ("name", "title", "licence", "citation", "status")},
        stands_for=IDENTITY["stands_for"],
        about="Twelve notes",
        family="documents",
        parser="count_table",
        files={"table": DataFile(FORMS, origin="letters that were kept")},
    )
)
VERDICTS = """paper,claim,verdict,effect,low,high,evidence
Vogt et al. 2010,TIWD-3a: both do well,confirmed,0.98,0.95,1,two chains
Vogt et al. 2010,TIWD-3a (as printed): both do well,refuted,,,,the table
Vogt et al. 2010,TIWD-3b: one does badly,untestable,,,,nothing
"""


class Names(list):
    """Files or parameters by name, as Snakemake passes them to a script."""

    def __init__(self, **named):
        super().__init__(
            path for value in named.values()
            for path in (value if isinstance(value, list) else [value])
        )  # fmt: skip
        self._named = named

    def items(self):
        return self._named.items()


def record_job(rule, log, make, *, given=None, made=None, params=None):
    """Do the work of a script and write its record; to be called in the folder of the run."""
    script = f"workflow/scripts/{rule}.py"
    task = SimpleNamespace(
        rule=rule,
        input=Names(**(given or {})),
        output=Names(**(made or {})),
        params=Names(**(params or {})),
        wildcards=Names(),
        log=[log],
        config={"scale": "demo", "seed": 7},
        threads=1,
    )
    record = JobRecord(task, script)
    make()
    return record.finish()


def make_data():
    counts = np.random.default_rng(3).poisson(1.0, (12, 5))
    header = {"format": 1, "identity": IDENTITY}
    save_archive("data/processed/demo/documents/notes.npz", header, {"counts": counts})


def make_chains(folder="results/demo/notes/chains"):
    with np.load("data/processed/demo/documents/notes.npz") as stored:
        counts = stored["counts"]

    def build(rng):
        model = MixtureModel(DirichletProcess(1.0), DirichletMultinomial(counts, beta=0.5))
        model.start_at_random(3, rng)
        return model

    given = {"build": build, "schedule": Schedule(3, 4, 2), "stream": ("paper", "notes", "dp")}
    given |= {"seed": 7, "identity": {"model": {"name": "dp"}, "data": IDENTITY}}
    for number in range(2):
        path, scratch = Path(folder, f"dp-chain-{number}.nc"), Path("scratch", str(number))
        run_chain(Chain(number=number, path=path, scratch=scratch, **given))


def write(path, text):
    put(Path(path), text)


SCORES = "results/demo/notes/scores.csv"


def make_scores(text="ari\n0.5\n"):
    return record_job(
        "scores",
        "logs/demo/notes/scores.log",
        lambda: write(SCORES, text),
        given={"chains": "results/demo/notes/chains"},
        made={"scores": SCORES},
    )


def make_run():
    """Run all jobs in the current folder."""
    for rule in ("data", "chains", "scores", "tiwd_fig4", "verdicts", "claims"):
        write(f"workflow/scripts/{rule}.py", f"# {rule}\n")
    write("config/published/table.csv", "mean\n1\n")
    write("Snakefile", "# rules\n")
    data = "data/processed/demo/documents/notes.npz"
    record_job("data", "logs/demo/documents/notes.log", make_data,
               made={"corpus": data}, params={"entry": ENTRY})  # fmt: skip
    runs = [{"seed": 7, "model": "dp", "settings": {"concentration": 1.0}}]
    record_job("chains", "logs/demo/notes/chains.log", make_chains, given={"corpus": data},
               made={"chains": "results/demo/notes/chains"}, params={"runs": runs})  # fmt: skip
    make_scores()
    figure, table = "reports/demo/figures/tiwd_fig4.png", "reports/demo/tables/tiwd_fig4.csv"
    record_job(
        "tiwd_fig4",
        "logs/demo/distances/tiwd_fig4.log",
        lambda: (write(figure, "a picture"), write(table, "mean\n0.5\n")),
        given={"scores": [SCORES], "published": "config/published/table.csv"},
        made={"table": table, "png": figure},
        params={"artefact": "tiwd_fig4"},
    )
    verdicts = "results/demo/distances/claims.csv"
    record_job("verdicts", "logs/demo/distances/claims.log", lambda: write(verdicts, VERDICTS),
               given={"scores": SCORES}, made={"claims": verdicts})  # fmt: skip
    judged = "reports/demo/claims.csv"
    record_job("claims", "logs/demo/report/claims.log", lambda: write(judged, VERDICTS),
               given={"claims": verdicts}, made={"claims": judged})  # fmt: skip
