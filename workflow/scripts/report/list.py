"""Print every table and figure that the workflow makes, by the name it is asked for."""

from reseat.experiments.catalogue import CATALOGUE

print(CATALOGUE)
