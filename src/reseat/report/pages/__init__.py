"""Pages of the report: each module turns the data into the context of one template."""

from reseat.report.pages.data import data_page
from reseat.report.pages.diagnostics import diagnostics_page
from reseat.report.pages.front import front_page
from reseat.report.pages.paper import paper_page
from reseat.report.pages.timings import timings_page

__all__ = ["data_page", "diagnostics_page", "front_page", "paper_page", "timings_page"]
