"""Kurihara et al. 2006, FIRM and IRM of word pairs: tables, figures and claims."""

PAPER = "Kurihara et al. 2006"
