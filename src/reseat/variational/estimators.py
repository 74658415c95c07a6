"""FIRM and IRM for one table of counts, with the interface of scikit-learn."""

import warnings
from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from reseat.checks import check_whole
from reseat.errors import ConfigError
from reseat.variational.posterior import RelationalPosterior, fit_relational
from reseat.variational.relations import Relation
from reseat.variational.restarts import Seed

#: Types of the rows and the columns of a table.
SIDES = ("row", "column")


@dataclass(eq=False, repr=False)
class FIRM(ClusterMixin, BaseEstimator):
    """Frequency-based infinite relational model of a table of counts (Kurihara et al. 2006).

    A count c stands for c observations of a link, and a count of 0 for one of none.

    Parameters
    ----------
    n_row_clusters, n_column_clusters : int
        Truncations, by default those of the paper; at most the number of rows or columns.
    concentration : float or pair of float
        Concentrations of the stick-breaking priors, of rows and columns.
    beta, initialisation, reorder, merge, n_restarts, threads, tol, max_iter
        As for `fit_relational`.
    random_state : int, numpy.random.SeedSequence, Generator or RandomState, optional

    Attributes
    ----------
    labels_ : ndarray of int64, (n_rows,)
        Most probable cluster of each row, as `posterior_` numbers them, perhaps with gaps.
    column_labels_ : ndarray of int64, (n_columns,)
    elbo_, restarts_
        As in `posterior_`.
    posterior_ : RelationalPosterior
        That of the best restart; its types are "row" and "column".

    Examples
    --------
    >>> from reseat.variational import FIRM
    >>> model = FIRM(2, 2, n_restarts=3, random_state=1).fit([[5, 5, 0], [5, 5, 0], [0, 0, 5]])
    >>> model.labels_.tolist(), model.column_labels_.tolist()
    ([0, 0, 1], [0, 0, 1])
    """

    #: Whether every positive count is taken as 1.
    _binary = False

    n_row_clusters: int = 80
    n_column_clusters: int = 120
    _: KW_ONLY
    concentration: float | tuple[float, float] = 1.0
    beta: float = 0.1
    initialisation: str = "hard"
    reorder: bool = True
    merge: bool = False
    n_restarts: int = 30
    threads: int = 1
    tol: float = 1e-6
    max_iter: int = 500
    random_state: Seed = None

    def fit(self, X, y=None):
        """Cluster the rows and the columns of a table.

        Parameters
        ----------
        X : sparse or dense matrix of counts, (n_rows, n_columns)
            In an empty row or column, every cell is one observation of no link.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        DataError
            If a count is negative, not whole or not a number, or all are 0.
        ConfigError
            If a setting cannot be used.

        Warns
        -----
        ConvergenceWarning
            If the best restart did not converge within `max_iter` iterations.
        """
        settings = self.get_params(deep=False)
        truncation = settings.pop("n_row_clusters"), settings.pop("n_column_clusters")
        settings["rng"] = settings.pop("random_state")
        if np.ndim(self.concentration) == 1:
            if len(self.concentration) != len(SIDES):
                raise ConfigError(
                    f"concentration is {self.concentration!r}; it must be one number, or a pair of "
                    "them for rows and columns."
                )
            settings["concentration"] = dict(zip(SIDES, self.concentration, strict=True))
        self.posterior_ = fit_table(X, truncation, binary=self._binary, **settings)
        labels = self.posterior_.labels
        self.labels_, self.column_labels_ = labels["row"], labels["column"]
        self.elbo_, self.restarts_ = self.posterior_.elbo, self.posterior_.restarts
        validate_data(self, X, skip_check_array=True)  # sets the number and names of columns
        if not self.posterior_.converged:
            warnings.warn(
                f"The best restart did not converge within max_iter={self.max_iter} iterations; "
                "increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self


class IRM(FIRM):
    """Infinite relational model, with every positive count taken as 1 (Kemp et al. 2006).

    Parameters
    ----------
    n_row_clusters, n_column_clusters, concentration, beta, initialisation, reorder, merge, \
n_restarts, threads, max_iter, tol, random_state
        As for `FIRM`, whose attributes it has too.

    Examples
    --------
    >>> from reseat.variational import IRM
    >>> model = IRM(2, 2, n_restarts=3, random_state=1).fit([[5, 5, 0], [5, 5, 0], [0, 0, 5]])
    >>> model.labels_.tolist(), model.column_labels_.tolist()
    ([0, 0, 1], [0, 0, 1])
    """

    _binary = True


def fit_table(
    counts,
    truncation: tuple[int, int],
    *,
    trials=None,
    binary: bool = False,
    one_kind: bool = False,
    **settings,
) -> RelationalPosterior:
    """Cluster the rows and the columns of a table of counts, which get the types `SIDES`.

    Parameters
    ----------
    counts : sparse or dense matrix of counts, (n_rows, n_columns)
    truncation : pair of int
        Largest number of clusters of rows and of columns, or the number of these if that is less.
    trials : sparse or dense matrix of counts, (n_rows, n_columns), optional
        How often each pair was observed, with or without a link; see `Relation.from_matrix`.
    binary : bool
        Whether every positive count is taken as 1.
    one_kind : bool
        Whether rows and columns are the same things, of the first type.
    **settings
        As for `fit_relational`.
    """
    types = SIDES[:1] * 2 if one_kind else SIDES
    relation = Relation.from_matrix(counts, types, name="the table", trials=trials)
    sizes = dict(zip(SIDES, np.shape(counts), strict=True))
    most = {
        side: min(check_whole(f"n_{side}_clusters", limit, 1), sizes[side])
        for side, limit in zip(SIDES, truncation, strict=True)
    }
    return fit_relational(relation.binary() if binary else relation, sizes, most, **settings)
