"""The report: a static site with everything that was made, and how."""

from reseat.report.all_runs import compare_runs, write_all_runs
from reseat.report.artefacts import Artefact, Catalogue, Paper, list_artefacts, load_artefacts
from reseat.report.environment import environment
from reseat.report.inputs import ReportInputs
from reseat.report.runs import dataset_cards, describe_runs
from reseat.report.site import build_site, write_site
from reseat.report.timings import read_benchmarks, summarise_benchmarks

__all__ = [
    "Artefact",
    "Catalogue",
    "Paper",
    "ReportInputs",
    "build_site",
    "compare_runs",
    "dataset_cards",
    "describe_runs",
    "environment",
    "list_artefacts",
    "load_artefacts",
    "read_benchmarks",
    "summarise_benchmarks",
    "write_all_runs",
    "write_site",
]
