"""New records in the clusters of a fit, and a fit made again from what its chains stored."""

import copy
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from reseat.chains import MixtureModel, chain_seed
from reseat.errors import ConfigError, DataError
from reseat.estimators.base import PosteriorClustering, interval, seed_of
from reseat.estimators.inputs import as_cells, encode_table, float_types, kinds_of
from reseat.estimators.prediction import Extended, Predicting
from reseat.estimators.sampling import STREAM, Sample, evenly, numbers_of
from reseat.likelihoods import Likelihood, RecordIndex
from reseat.models.fields.addresses import columns_of
from reseat.models.fields.columns import in_place, is_missing
from reseat.models.fields.index import index_fields
from reseat.models.records import candidates, unstarted
from reseat.priors import PartitionPrior
from reseat.summaries import expected_quality

#: Number of records up to which a new one is compared with every cluster, not only likely ones.
EVERY_CLUSTER_UP_TO = 500


class NotPickled:
    """A value that shallow copies of its owner share, and that is not stored with it."""

    def __init__(self, value=None):
        self.value = value

    def __reduce__(self):
        return NotPickled, ()


class Extending(Predicting):
    """Mixin of an estimator of records, to whose clusters new records can be added."""

    #: The index of all records and what was learned with it, if new records were added.
    _index = NotPickled()
    #: Number of records from which the rules of comparing fields are derived; None for all.
    _n_rules = None

    def extend(self, X) -> Self:
        """Return this fit with new records added to its clusters, without running its chains again.

        In each of up to 50 draws, they are seated as for `predict_proba`.  A new record is in the
        cluster that `predict` returns; those without one are in new clusters.

        Parameters
        ----------
        X : array or data frame, shape (n_new, n_fields)
            As for `fit`.

        Returns
        -------
        Microclustering
            A copy, with the new records last in `draws_` and `labels_`; old clusters keep their
            labels.  It can be extended again.
        """
        check_is_fitted(self, "draws_")
        total, draws, extended = 0, [], self._of_fit()._extended(X)
        for seated in self._seated(X, extended):
            total = total + self._shares(*seated)
            draws.append(np.asarray(seated[1].labels))
        n_chains, n_before, n_old = self.draws_.shape
        found = copy.copy(self)
        found.draws_ = np.stack(draws).reshape(n_chains, -1, len(draws[0])).astype(np.int32)
        n_draws = found.draws_.shape[1]
        sweeps = (evenly(n_before, n_draws) + 1) * int(self._of_fit().thin) - 1
        counts = numbers_of(draws).reshape(n_chains, -1)
        found.traces_ = {name: trace[:, sweeps] for name, trace in self.traces_.items()}
        found.traces_["n_clusters"] = counts.astype(float)
        found.log_joint_ = found.traces_["log_joint"]
        length = {"n_burn_in": 0, "n_samples": n_draws, "thin": 1}
        found.set_params(**length)
        found._parameters = self._parameters | length
        places = total.toarray().argmax(axis=1)
        fresh = np.flatnonzero(places == self.n_clusters_)
        if fresh.size > 1:
            places[fresh] += self._estimate(found._flat_draws()[:, n_old + fresh], self._seed)
        found.labels_ = np.append(self.labels_, places)
        found.n_clusters_ = int(found.labels_.max()) + 1
        found.n_clusters_interval_ = interval(counts)
        found.quality_ = expected_quality(found.labels_, found._flat_draws())
        settings, known, changing = self._fitted
        new = np.asarray(as_cells(X), dtype=object)
        found._fitted = settings, np.concatenate([known.astype(object), new]), changing
        found._index, found._n_rules = NotPickled(extended.index), n_old
        return found

    @property
    def _learned(self) -> dict:
        """What `restored` needs besides the records and their chains, as JSON types."""
        return {
            "changing": self._fitted[2],
            "changing_fields": self.changing_,
            "aliases": self.aliases_,
            "misfits": self.misfits_,
            "compared": self._compared,
        }

    def _extended(self, X):
        given = float_types(X)
        X = validate_data(self, as_cells(X), dtype=None, ensure_all_finite="allow-nan", reset=False)
        settings, known, changing = self._fitted
        if settings["sources"] is not None:
            raise ConfigError(
                "The records were fitted with their sources, and new ones have none; fit the old "
                "and the new records together."
            )
        names = getattr(self, "feature_names_in_", range(X.shape[1]))
        if given and (known_types := getattr(self, "_float_types", [])):
            _check_float_types(known_types, given, names)
        known, X = known.astype(object), X.astype(object)
        _check_kinds(known, X, names)
        if (empty := pd.isna(X).all(axis=1)).any():
            raise DataError(
                f"Record {np.argmax(empty)} of X has no value in any field; leave it out."
            )
        table = np.concatenate([known, X])
        canopies = found = None
        if self.likelihood_ == "similar":
            columns, rules = (in_place(columns_of(part))[0] for part in (table, known))
            _check_numbers(rules, columns, names, X)
            found = index_fields(columns, changing, rules)
            index, _ = found
        else:
            index = RecordIndex(encode_table(table)[0])
        model = unstarted(settings, index, ())
        if self.likelihood_ == "similar" and len(table) > EVERY_CLUSTER_UP_TO:
            means = {name: trace.mean() for name, trace in self.traces_.items()}
            _set_parameters(model.likelihood, means)
            rng = np.random.default_rng(chain_seed(self._seed, *STREAM, "candidates"))
            canopies = candidates(model.likelihood, columns, len(known), rng)

        def seated(rng: np.random.Generator, labels: np.ndarray, moves) -> MixtureModel:
            model.moves = moves
            model.start(labels)
            return model

        return Extended(seated, len(X), canopies, found)

    def _hold(self, model: MixtureModel, place: tuple[int, int], rng) -> bool:
        chain, draw = place
        sweep = (draw + 1) * self.thin - 1
        values = {name: trace[chain, sweep] for name, trace in self.traces_.items()}
        _set_parameters(model.likelihood, values)
        if model.prior.state().keys() <= values.keys():
            _set_parameters(model.prior, values)
        else:  # a law of sizes, of which chains keep no trace
            model.update_prior(rng)
        return True


def restored(
    unfitted: PosteriorClustering,
    X: np.ndarray,
    sample: Sample,
    labels: np.ndarray,
    learned: Mapping,
) -> PosteriorClustering:
    """Return an estimator as `fit` left it, apart from attributes that describe the fields."""
    found = clone(unfitted)
    found._forget()
    found._set_results(sample, seed_of(found.random_state), labels=labels)
    found.n_features_in_, found.likelihood_ = X.shape[1], found.likelihood
    found.aliases_, found.misfits_ = learned["aliases"], learned["misfits"]
    found.changing_ = [tuple(group) for group in learned["changing_fields"]]
    found._compared = learned.get("compared", [])  # which earlier versions did not write
    found._fitted = found._settings(None), X, [tuple(group) for group in learned["changing"]]
    return found


def _set_parameters(part: Likelihood | PartitionPrior, values: Mapping[str, float]) -> None:
    """Set the parameters that are given; others, such as those of new near values, stay."""
    part.restore({name: values.get(name, now) for name, now in part.hyperparameters.items()})


def _check_numbers(known: Sequence, columns: Sequence, names: Sequence, new: np.ndarray) -> None:
    """Raise a DataError if measured numbers were fitted, and a new value is none."""
    for place, (old, found) in enumerate(zip(known, columns, strict=True)):
        if any(isinstance(v, float) for v in old) and any(isinstance(v, str) for v in found):
            odd = next(v for v in new[:, place] if not is_missing(v) and not _is_number(v))
            raise DataError(
                f"Column {names[place]!r} of X has the value {str(odd)!r}, but had numbers alone "
                "when the model was fitted; correct it, or leave it empty."
            )


def _is_number(value) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError):
        return False


def _check_float_types(known: Sequence, new: Sequence, names: Sequence) -> None:
    """Raise a DataError if a column has floating-point numbers of another size than at the fit."""
    for name, old, found in zip(names, known, new, strict=True):
        if old is not None and found is not None and old != found:
            raise DataError(
                f"Column {name!r} of X has numbers of the type {found}, but had {old} when the "
                "model was fitted; 0.1 is another number there: convert them to the same type."
            )


def _check_kinds(known: np.ndarray, new: np.ndarray, names: Sequence) -> None:
    """Raise a DataError for values of another type than at the fit, which would equal none."""
    for name, old_cells, new_cells in zip(names, known.T, new.T, strict=True):
        old, found = kinds_of(old_cells), kinds_of(new_cells)
        if old and found and not old & found:
            raise DataError(
                f"Column {name!r} of X has {' and '.join(sorted(found))}, but had "
                f"{' and '.join(sorted(old))} when the model was fitted; convert it to the same "
                "type."
            )
