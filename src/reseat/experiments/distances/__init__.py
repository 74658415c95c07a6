"""Vogt et al. 2010, clustering from distances only: tables, figures and claims."""

PAPER = "Vogt et al. 2010"
