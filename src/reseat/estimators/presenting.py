"""Views of a fitted estimator: a table of numbers, figures, and data for ArviZ."""

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from reseat.checks import check_choice, check_whole
from reseat.estimators.sampling import numbers_of
from reseat.summaries import over_draws, probable_pairs, questions

#: Columns of a table of quantities.
COLUMNS = ["mean", "sd", "low", "high", "rhat", "ess"]


def central(values: np.ndarray) -> tuple[float, float]:
    """Return the ends of the central 95 % of the values; for whole numbers, two of the values."""
    whole = bool((values == np.round(values)).all())
    low, high = np.quantile(values, [0.025, 0.975], method="inverted_cdf" if whole else "linear")
    return float(low), float(high)


def quantity(values: np.ndarray, rhat: float = np.nan, ess: float = np.nan) -> dict[str, float]:
    """Return the row of a table that describes the draws of a quantity."""
    sd = float(np.std(values, ddof=1)) if np.size(values) > 1 else np.nan
    return dict(zip(COLUMNS, (values.mean(), sd, *central(values), rhat, ess), strict=True))


class Presenting:
    """Mixin that summarises and draws the result of an estimator."""

    #: What `n_clusters_` counts, as tables call it.
    _counted = "clusters in labels_"

    def summary(self) -> pd.DataFrame:
        """Return numbers of clusters and hyperparameters, with uncertainty and diagnostics.

        Returns
        -------
        DataFrame
            One row per quantity, by the index; columns ``mean``, ``sd``, ``low`` and ``high``
            (central 95 %), ``rhat`` and ``ess``.  Variational inference has numbers of clusters.
        """
        self._check_draws()
        rows = {
            self._called(name): quantity(
                values, self.rhat_.get(name, np.nan), self.ess_.get(name, np.nan)
            )
            for name, values in self.traces_.items()
        }
        for side in ("", "column_")[: 1 + hasattr(self, "column_labels_")]:
            low, high = getattr(self, f"n_{side}clusters_interval_")
            number = getattr(self, f"n_{side}clusters_")
            name = f"clusters in {side}labels_" if side else self._counted
            rows[name] = {"mean": number, "low": low, "high": high}
        return pd.DataFrame.from_dict(rows, orient="index").reindex(columns=COLUMNS)

    def _called(self, trace: str) -> str:
        """Return what tables and pictures call a trace."""
        return trace

    def questions(self, n_questions: int = 50) -> pd.DataFrame:
        """Return the pairs of items about which an answer is expected to correct most.

        Ask whether the two are the same, and fit again with the answers as `decisions`.

        Parameters
        ----------
        n_questions : int

        Returns
        -------
        DataFrame
            One row per pair, the most useful first: the ``first`` and the ``second`` item, the
            ``probability`` that they are together, and the ``gain`` (`reseat.summaries.questions`).
        """
        draws = self._flat_draws()
        n_questions = check_whole("n_questions", n_questions, 1)
        first, second, probability = probable_pairs(draws)
        chosen, gain = questions(draws, first, second, n_questions)
        columns = {"first": first, "second": second, "probability": probability}
        found = pd.DataFrame({name: values[chosen] for name, values in columns.items()})
        return found.assign(gain=gain)

    def over_draws(self, statistic, n_draws: int = 200) -> pd.Series:
        """Return a statistic of the clusters with its uncertainty.

        Parameters
        ----------
        statistic, n_draws
            As for `reseat.summaries.over_draws`.

        Returns
        -------
        Series
            ``mean``, ``sd``, and ``low`` and ``high``, the ends of the 95 % interval.
        """
        return pd.Series(over_draws(statistic, self._flat_draws(), n_draws))

    def plot(self, kind: str = "posterior"):
        """Draw the result.

        Parameters
        ----------
        kind : {"posterior", "coclustering", "sizes", "traces"}
            What the method ``plot_posterior`` draws, and so on.

        Returns
        -------
        matplotlib.figure.Figure
        """
        check_choice("kind", kind, ("posterior", "coclustering", "sizes", "traces"))
        return getattr(self, f"plot_{kind}")()

    def plot_posterior(self):
        """Draw the co-clustering probabilities of pairs, and those of the number of clusters."""
        from reseat.estimators.pictures import draw_posterior

        return draw_posterior(self._flat_draws(), self.labels_, self._numbers_of_draws())

    def plot_coclustering(self):
        """Draw the co-clustering probabilities of pairs, with items sorted by cluster."""
        from reseat.estimators.pictures import draw_coclustering

        return draw_coclustering(self._flat_draws(), self.labels_)

    def plot_sizes(self):
        """Draw the sizes of the largest clusters, with mean and spread over the draws."""
        from reseat.estimators.pictures import draw_sizes

        return draw_sizes(self._flat_draws())

    def plot_traces(self):
        """Draw the traces of log joint density, number of clusters and hyperparameters."""
        from reseat.estimators.pictures import draw_traces

        self._check_draws()
        return draw_traces({self._called(name): v for name, v in self.traces_.items()})

    def to_arviz(self):
        """Return the result in the form that ArviZ uses.

        Returns
        -------
        xarray.DataTree
            ``posterior`` with numbers of clusters and hyperparameters, ``sample_stats`` with the
            log joint density, and ``partition`` with the thinned draws of the labels.  The
            coordinate ``draw`` counts the sweeps after the burn-in.
        """
        import xarray as xr

        self._check_draws()
        n_chains, n_draws = self.draws_.shape[:2]
        chains, groups = {"chain": np.arange(n_chains)}, {}
        for name, values in self.traces_.items():
            every = chains | {"draw": np.arange(values.shape[1])}
            group = "sample_stats" if name == "log_joint" else "posterior"
            groups.setdefault(group, xr.Dataset(coords=every))[name] = (("chain", "draw"), values)
        labels = {"labels": (("chain", "draw", "item"), self.draws_)}
        if hasattr(self, "column_draws_"):
            labels["column_labels"] = (("chain", "draw", "column"), self.column_draws_)
        kept = {"draw": int(self._of_fit().thin) * np.arange(1, n_draws + 1) - 1}
        groups["partition"] = xr.Dataset(labels, coords=chains | kept)
        return xr.DataTree.from_dict(groups)

    def _check_draws(self) -> None:
        """Raise an error unless there are draws to show."""
        if not hasattr(self, "draws_"):
            check_is_fitted(self, "draws_")  # which results of stored chains do not pass

    def _numbers_of_draws(self) -> np.ndarray:
        return numbers_of(self._flat_draws())

    def _html_repr(self) -> str:
        """Return the settings with the result below them, for a notebook."""
        settings = super()._html_repr()
        if not hasattr(self, "draws_"):
            return settings
        low, high = self.n_clusters_interval_
        return (
            f"{settings}<p>{self.n_clusters_} {self._counted}, {low} to {high} with a probability "
            f"of 95 %.</p>{self.summary().to_html(float_format='{:.4g}'.format)}"
        )
