"""Recipes of records, and records drawn from them.

Of real records, Zanella et al. (2016, section 4.1) keep only the distribution of each
field and the sizes of the entities, and draw new records from their likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reseat.datasets.identity import UNNAMED, DatasetIdentity, cell_name, draw_name
from reseat.datasets.records import Records, set_marginals, set_names
from reseat.datasets.stored import Stored, counted
from reseat.datasets.uniforms import Uniforms
from reseat.errors import DataError


@dataclass(frozen=True, eq=False)
class RecordRecipe(Stored):
    """Field distributions and entity sizes from which records are drawn.

    Attributes
    ----------
    fields : tuple of str
    levels : tuple of tuple of str
        Categories of each field.
    marginals : tuple of ndarray of float64, each of shape (n_levels of the field,)
        Distribution over the levels of each field.
    sizes : ndarray of int64, shape (largest_size,)
        Number of entities with 1, 2, ... records.
    identity : DatasetIdentity
        Draws derive theirs from it.

    Raises
    ------
    DataError
        If a marginal is not a distribution or has all its mass on one level, if an entry of
        `sizes` is not a whole number of at least 0, or if there are fewer than two records.

    Examples
    --------
    >>> from reseat.datasets import RecordRecipe
    >>> towns, sexes = ("Ayr", "Bath", "York"), ("f", "m")
    >>> laws = [0.2, 0.3, 0.5], [0.5, 0.5]
    >>> recipe = RecordRecipe(("town", "sex"), (towns, sexes), laws, sizes=[3, 1])
    >>> recipe.n_records, recipe.n_entities
    (5, 4)
    """

    KIND = "recipe"

    fields: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    marginals: tuple[np.ndarray, ...]
    sizes: np.ndarray
    identity: DatasetIdentity = UNNAMED

    n_fields = counted("fields", "fields")

    def __post_init__(self):
        super().__post_init__()
        set_names(self)
        set_marginals(self)
        for field, marginal in zip(self.fields, self.marginals, strict=True):
            if np.count_nonzero(marginal) < 2:
                raise self._fault(
                    f"field {field!r} has one level with a probability above 0, so it "
                    "carries no information; remove the field"
                )
        sizes = np.asarray(self.sizes)
        if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
            raise self._fault("sizes must be whole numbers of at least 0, one for each size")
        self._set(sizes=np.array(sizes, dtype=np.int64))
        if self.n_records < 2:
            raise self._fault(
                f"its sizes add up to {self.n_records} records; at least two are needed"
            )

    @classmethod
    def from_counts(cls, fields, levels, counts, sizes) -> RecordRecipe:
        """Make a recipe from the counts of the levels of each field.

        Parameters
        ----------
        fields, levels, sizes
            As for the class.
        counts : sequence of ndarray, each of shape (n_levels of the field,)
            A nonnegative count or weight of each level.

        Raises
        ------
        DataError
            As for the class, or if all counts of a field are 0.
        """
        for field, given in zip(fields, counts, strict=True):
            if not given.sum() > 0:
                raise DataError(f"recipe: all counts of field {field!r} are 0")
        return cls(fields, levels, tuple(given / given.sum() for given in counts), sizes)

    @property
    def name(self) -> str:
        """Name of the recipe in the registry."""
        return self.identity.name

    @property
    def n_records(self) -> int:
        """Number of records of a draw."""
        return int(self.sizes @ np.arange(1, len(self.sizes) + 1))

    @property
    def n_entities(self) -> int:
        """Number of entities of a draw."""
        return int(self.sizes.sum())

    def draw(
        self, delta: float, rng: np.random.Generator, number: int = 0, seed: Any = None
    ) -> Records:
        """Draw records; see `draw_records` for the parameters."""
        return draw_records(self, delta, rng, number, seed)

    def summary(self) -> dict[str, int]:
        return {
            "records": self.n_records,
            "fields": self.n_fields,
            "levels": sum(map(len, self.levels)),
            "entities": self.n_entities,
        }


def draw_records(
    recipe: RecordRecipe, delta: float, rng: np.random.Generator, number: int = 0, seed: Any = None
) -> Records:
    """Draw records from the Dirichlet-multinomial likelihood of Zanella et al. (2016).

    For field f of entity k, ``theta_fk ~ Dirichlet(delta gamma_f)``, where gamma_f is the marginal
    of the recipe, and each record has the value ``x ~ Categorical(theta_fk)`` (section 3.4).
    theta is integrated out (Polya's urn): after ``j`` records of the entity, the next one repeats
    one of them with probability ``j / (delta + j)``, and is a draw from gamma_f otherwise.

    Parameters
    ----------
    recipe : RecordRecipe
    delta : float
        Concentration, above 0 and a multiple of 0.01.
    rng : numpy.random.Generator
        Only its uniform doubles are used, which are the same under every version of numpy.
    number : int
        Number of the draw, from 0, for its name and title.
    seed : int or other plain value, optional
        Seed of `rng`, for the record of the preprocessing.

    Returns
    -------
    Records
        In random order, with the levels and marginals of the recipe.

    Raises
    ------
    ConfigError
        If delta is not such a number.
    """
    identity = recipe.identity
    steps = {**identity.preprocessing, "recipe": recipe.name, "delta": float(delta)}
    steps |= {"draw": int(number), "seed": seed, "rule": "Polya urn, rows shuffled"}
    name = draw_name(cell_name(recipe.name, delta), number)
    title = f"{identity.title}, \u03b4 = {delta:g}" + (f", draw {number}" if number else "")
    draw = Uniforms(rng)
    codes, entities = _urn(recipe, delta, draw)
    order = draw.order(len(codes))
    return Records(
        codes=codes[order],
        fields=recipe.fields,
        levels=recipe.levels,
        entities=entities[order],
        record_ids=np.arange(1, len(codes) + 1).astype(np.str_),
        identity=replace(identity, name=name, title=title, preprocessing=steps),
        marginals=recipe.marginals,
    )


def _urn(recipe: RecordRecipe, delta: float, draw: Uniforms) -> tuple[np.ndarray, np.ndarray]:
    """Return codes and entities, sorted by entity; the j-th records of all are drawn together."""
    sizes = np.repeat(np.arange(1, len(recipe.sizes) + 1), recipe.sizes)[::-1]
    starts = np.cumsum(sizes) - sizes
    codes = np.empty((recipe.n_records, recipe.n_fields), dtype=np.int32)
    cumulative = [np.cumsum(marginal) for marginal in recipe.marginals]
    for position in range(int(sizes[0])):
        # Sizes decrease, so the entities with a record at this position come first.
        own = starts[: np.searchsorted(-sizes, -position, side="left")]
        for field in range(recipe.n_fields):
            values = draw.choose(cumulative[field], len(own))
            if position:
                again = draw.chance(position / (delta + position), len(own))
                earlier = codes[own + draw.below(position, len(own)), field]
                values = np.where(again, earlier, values)
            codes[own + position, field] = values
    return codes, np.repeat(np.arange(len(sizes)), sizes)
