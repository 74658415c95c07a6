"""Zanella et al. 2016, microclustering for entity resolution: tables, figures and claims."""

PAPER = "Zanella et al. 2016"
