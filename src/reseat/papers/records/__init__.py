"""Zanella et al. 2016, microclustering for entity resolution: tables, figures and claims."""

PAPER = "Zanella et al. 2016"

#: The paper's models, in the order of its tables.
PAPER_MODELS = ("dp", "pyp", "nbnb", "nbd")
