"""The pages of the report: from its data to what a template shows, one module each."""

from reseat.report.pages.data import data_page
from reseat.report.pages.diagnostics import diagnostics_page
from reseat.report.pages.front import front_page
from reseat.report.pages.paper import paper_page
from reseat.report.pages.timings import timings_page

__all__ = ["data_page", "diagnostics_page", "front_page", "paper_page", "timings_page"]
