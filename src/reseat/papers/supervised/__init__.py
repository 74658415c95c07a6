"""Daumé & Marcu 2005, supervised clustering: tables, figures and claims."""

import re

PAPER = "Daumé & Marcu 2005"


def name_scale(sigma):
    """Return the name of the variant of a model whose means have another variance than 1."""
    return f"sigma {sigma:g}"


def scale_of(variant):
    """Return the variance that the name of a variant states; None if it states none."""
    found = re.fullmatch(r"sigma (\d[\d.e+-]*)", variant)
    return float(found[1]) if found else None
