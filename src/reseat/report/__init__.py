"""The report: a static site that shows everything that was made, and how."""

import lazy_loader

# Imported on first use.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "site": ["compare_runs", "write_all_runs", "build_site", "write_site"],
        "data": ["ReportInputs"],
        "timings": ["environment", "read_benchmarks", "summarise_benchmarks"],
    },
)
