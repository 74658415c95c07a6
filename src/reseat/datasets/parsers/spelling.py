"""Names and words for made-up mentions, and a writer that sometimes makes spelling mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from reseat.datasets.uniforms import Uniforms

__all__ = [
    "FIRST_NAMES",
    "LAST_NAMES",
    "ORGANIZATIONS",
    "PLACES",
    "TITLE_WORDS",
    "VENUES",
    "Pen",
]

Thing = TypeVar("Thing")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST_NAMES = (
    "Adam Alice Anna Barbara Boris Bruno Carla Carol Daniel David Diana Edward Elena Eric Felix "
    "Frank Grace Greta Hannah Henry Hugo Irene Ivan James Jane John Julia Karen Keith Laura Leo "
    "Linda Maria Mark Martin Michael Nadia Nina Norman Olga Oscar Paul Peter Rachel Robert Rosa "
    "Sandra Simon Susan Thomas Teresa Ursula Victor Vera Walter Wanda"
).split()
LAST_NAMES = (
    "Abbott Andersen Baker Becker Bianchi Brown Carter Chen Cohen Cooper Dubois Evans Fischer "
    "Fletcher Garcia Gupta Hansen Harris Ivanov Jensen Johnson Keller Kowalski Kumar Larsen "
    "Martinez Miller Moreau Murphy Nakamura Novak Olsen Patel Petrov Quinn Richter Rossi Sato "
    "Schneider Silva Smith Tanaka Taylor Turner Vogel Walker Weber Wilson Young Zhang"
).split()
VENUES = (
    ("Journal of Artificial Intelligence Research", "J. Artif. Intell. Res.", "JAIR"),
    ("Machine Learning", "Mach. Learn.", "Machine Learning Journal"),
    ("International Conference on Machine Learning", "Int. Conf. on Machine Learning", "ICML"),
    ("Annual Symposium on Theory of Computing", "Symp. Theory of Computing", "STOC"),
    ("Conference on Computational Learning Theory", "Conf. Comput. Learning Theory", "COLT"),
    ("Very Large Data Bases", "VLDB Conference", "VLDB"),
    ("Artificial Intelligence", "Artif. Intell.", "AI Journal"),
    ("Information and Computation", "Inf. Comput.", "Inform. and Comput."),
)
ORGANIZATIONS = (
    ("International Business Machines", "IBM", "IBM Corp."),
    ("General Electric", "GE", "General Electric Co."),
    ("United Nations", "U.N.", "UN"),
    ("World Health Organization", "WHO", "W.H.O."),
    ("North Atlantic Treaty Organization", "NATO", "N.A.T.O."),
    ("Ford Motor Company", "Ford", "Ford Motor Co."),
    ("Bank of England", "Bank of England", "BoE"),
    ("European Space Agency", "ESA", "the European Space Agency"),
)
PLACES = (
    ("United States of America", "United States", "U.S.", "USA", "America"),
    ("United Kingdom", "UK", "U.K.", "Britain"),
    ("New York City", "New York", "NYC"),
    ("Los Angeles", "L.A.", "Los Angeles , California"),
    ("Soviet Union", "USSR", "Soviet Union"),
    ("South Africa", "South Africa", "S. Africa"),
    ("Saint Petersburg", "St. Petersburg", "Petersburg"),
    ("Hong Kong", "Hong Kong", "HK"),
)
TITLE_WORDS = (
    "learning boosting weak queries networks bayesian inference of boolean formulae in the from "
    "examples noisy approximate algorithms for decision trees statistical complexity experts "
    "online prediction models and clustering games efficient finite automata distribution free "
    "constructive induction concept drift incremental knowledge cascade correlation"
).split()


class Pen:
    """Seeded random choices, the same under every version of numpy, and spelling mistakes.

    `typos` is the probability that `miswrite` gets a letter wrong.
    """

    def __init__(self, seed: int, typos: float):
        self.draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
        self._typos = typos

    def below(self, bound: int) -> int:
        """Return a random whole number from 0 to `bound` - 1."""
        return int(self.draw.below(bound, 1)[0])

    def chance(self, probability: float) -> bool:
        """Return True with this probability, and False otherwise."""
        return bool(self.draw.chance(probability, 1)[0])

    def pick(self, things: Sequence[Thing]) -> Thing:
        """Return one of the things at random."""
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[Thing]) -> list[Thing]:
        """Return all of the things in random order."""
        return [things[number] for number in self.draw.order(len(things))]

    def miswrite(self, text: str) -> str:
        """Return the text, sometimes with one letter omitted, doubled or replaced."""
        if not self.chance(self._typos) or len(text) < 3:
            return text
        place = 1 + self.below(len(text) - 2)
        slip = self.pick(["", 2 * text[place], self.pick(LETTERS)])
        return text[:place] + slip + text[place + 1 :]
