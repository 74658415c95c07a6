"""The sampler against enumeration."""

from __future__ import annotations

from reseat.errors import DataError
from reseat.experiments.enumerated import prior_check_table

_COLUMNS = ("likelihood", "prior", "n_items", "partition", "exact", "sampled", "n_sweeps")


def check_table(artefact, enumeration):
    """Exact against sampled probabilities of all partitions of a few objects.

    Parameters
    ----------
    artefact : str
    enumeration : pandas.DataFrame
        One row a (likelihood, prior, partition): `likelihood`, `prior`, `n_items`, `partition`
        (labels such as ``00121``), `exact`, `sampled` (share of the sweeps) and `n_sweeps`.

    Returns
    -------
    pandas.DataFrame
        As `reseat.experiments.enumerated.prior_check_table` gives it; `prior` names the likelihood
        as well.

    Raises
    ------
    DataError
        If a column is missing or there is no row.
    """
    missing = [name for name in _COLUMNS if name not in enumeration.columns]
    if missing:
        raise DataError(f"{artefact}: the check lacks {', '.join(missing)}; enumerate again.")
    names = enumeration["likelihood"] + ", " + enumeration["prior"]
    if enumeration["n_items"].nunique() > 1:
        names = names + ", n = " + enumeration["n_items"].astype(str)
    counts = enumeration.assign(prior=names, count=enumeration["sampled"] * enumeration["n_sweeps"])
    return prior_check_table(artefact, counts)
