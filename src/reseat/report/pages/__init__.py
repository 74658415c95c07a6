"""Pages of the report: each module turns the data into the context of templates."""

from reseat.report.pages.front import front_page
from reseat.report.pages.paper import paper_page
from reseat.report.pages.run import data_page, diagnostics_page, timings_page

__all__ = ["data_page", "diagnostics_page", "front_page", "paper_page", "timings_page"]
