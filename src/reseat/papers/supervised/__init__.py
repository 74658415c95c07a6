"""Daumé & Marcu 2005, supervised clustering: tables, figures and claims."""

import re

PAPER = "Daumé & Marcu 2005"


def name_scale(sigma):
    """Return the name of the variant of a model whose means have another variance than 1."""
    return f"sigma {sigma if isinstance(sigma, str) else format(sigma, 'g')}"


def scale_of(variant):
    """Return the variance that the name of a variant states; NaN if sampled, None if none."""
    found = re.fullmatch(r"sigma (\d[\d.e+-]*|sampled)", variant)
    return float(found[1].replace("sampled", "nan")) if found else None
