from .data import ReportInputs as ReportInputs
from .site import build_site as build_site
from .site import compare_runs as compare_runs
from .site import write_all_runs as write_all_runs
from .site import write_site as write_site
from .timings import environment as environment
from .timings import read_benchmarks as read_benchmarks
from .timings import summarise_benchmarks as summarise_benchmarks
