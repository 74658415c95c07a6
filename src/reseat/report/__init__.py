"""The report: one static page with everything that was made, and how."""

from reseat.report.artefacts import Artefact, Catalogue, Paper, list_artefacts, load_artefacts
from reseat.report.environment import environment
from reseat.report.page import ReportInputs, build_page, write_page
from reseat.report.runs import dataset_cards, describe_runs
from reseat.report.timings import chain_rates, read_benchmarks, summarise_benchmarks

__all__ = [
    "Artefact",
    "Catalogue",
    "Paper",
    "ReportInputs",
    "build_page",
    "chain_rates",
    "dataset_cards",
    "describe_runs",
    "environment",
    "list_artefacts",
    "load_artefacts",
    "read_benchmarks",
    "summarise_benchmarks",
    "write_page",
]
