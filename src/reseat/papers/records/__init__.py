"""Zanella et al. 2016, microclustering for entity resolution: tables, figures and claims."""

PAPER = "Zanella et al. 2016"

#: The paper's models, in the order of its tables.
PAPER_MODELS = ("dp", "pyp", "nbnb", "nbd")

#: Point estimates, and what follows the names of their error rates, if not posterior means.
ESTIMATES = {
    "matching_sets": "matching sets",
    "probable_pairs": "probable pairs",
    "least_vi": "least VI",
    "least_binder": "least Binder loss",
}
