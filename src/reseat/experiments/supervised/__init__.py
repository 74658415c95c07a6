"""Daumé & Marcu 2005, supervised clustering: tables, figures and claims."""

PAPER = "Daumé & Marcu 2005"

#: How the names of variants with another scale begin; the models themselves have variance 1.
SCALE = "sigma "
