"""Print the target of every table and figure, and what it cost in the published run."""

from pathlib import Path

from reseat.kept_run import in_words, read_costs
from reseat.papers.catalogue import CATALOGUE

costs = read_costs(Path(__file__).resolve().parents[3] / "reports" / "published" / "costs.csv")
print(CATALOGUE.listing({name: in_words(cost) for name, cost in costs.items()}))
if costs:
    print(
        "\nTime of all jobs behind each, one after another, memory of the largest and disk space,"
        "\nas measured in the published run (reports/published)."
    )
