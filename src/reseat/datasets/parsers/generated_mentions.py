"""Made-up mentions of people, things and papers, for trying everything out without any data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reseat.checks import check_choice
from reseat.datasets.parsers.options import check_probabilities
from reseat.datasets.raw import RawMentions
from reseat.datasets.uniforms import Uniforms
from reseat.errors import ConfigError

Rows = list[tuple[str, dict[str, str | float]]]  # entity, and the fields of the mention


def parse_generated_mentions(
    paths: Mapping[str, Path],
    seed: int,
    kind: str,
    train: Sequence[int],
    test: Sequence[int],
    typos: float = 0.05,
) -> RawMentions:
    """Make up entities, with mentions that are abbreviated, varied and misspelt.

    `train`, `test`: numbers of entities (for ``names``, of documents) and of mentions.
    `typos`: probability that one letter of a text is wrong.
    """
    check_choice("the option 'kind'", kind, MAKERS)
    check_probabilities(typos=typos)
    for key, given in (("train", train), ("test", test)):
        if len(given) != 2 or not 1 <= given[0] <= given[1]:
            raise ConfigError(
                f"the option {key!r} is {given!r}; it must be two numbers, the first of entities "
                "or documents, the second of mentions and not smaller than the first"
            )
    pen = _Pen(seed, typos)
    rows, sides = [], []
    for is_test, (n_wholes, n_mentions) in ((False, train), (True, test)):
        made = MAKERS[kind](pen, int(is_test), n_wholes, n_mentions)
        rows += made
        sides += [is_test] * len(made)
    columns = {key: [seen[key] for _, seen in rows] for key in rows[0][1]}
    if "year" in columns:
        columns["year"] = np.array(columns["year"], dtype=np.float64)
    documents = columns.pop("document", None)
    ids = [f"{kind} {number:0{len(str(len(rows)))}d}" for number in range(1, len(rows) + 1)]
    return RawMentions(kind, columns, [entity for entity, _ in rows], sides, ids, documents)


def _sizes(pen: _Pen, n_wholes: int, n_mentions: int) -> list[int]:
    """Return the number of mentions of each: one, and more with weights that fall as 1 / rank."""
    weights = np.cumsum(1.0 / (np.arange(n_wholes) + 1.0))
    more = pen.draw.choose(weights, n_mentions - n_wholes)
    return (np.bincount(more, minlength=n_wholes) + 1).tolist()


def _researchers(pen: _Pen, side: int, n_people: int, n_mentions: int) -> Rows:
    """Return mentions of people who share a last name and an initial in pairs."""
    names, rows = [], []
    lasts = pen.shuffled(LAST_NAMES[side::2])
    while len(names) < n_people:
        last = lasts[len(names) // 2 % len(lasts)]
        initial = names[-1][0][0] if len(names) % 2 else pen.pick(FIRST_NAMES)[0]
        names.append((pen.pick([n for n in FIRST_NAMES if n[0] == initial]), last))
    for number, size in enumerate(_sizes(pen, n_people, n_mentions)):
        first, last = names[number]
        middle = pen.pick("ABCDEFGHJKLMRST") + "."
        friends = [f"{pen.pick(FIRST_NAMES)} {pen.pick(LAST_NAMES)}" for _ in range(5)]
        venues, start = pen.shuffled(VENUES)[:2], 1980 + pen.below(20)
        for _ in range(size):
            shown = pen.pick([first, first, f"{first} {middle}", f"{first[0]}."])
            shown, surname = pen.add_typos(shown), pen.add_typos(last)
            own = [pen.add_typos(friend) for friend in pen.shuffled(friends)[: pen.below(4)]]
            rows.append((f"person {side}.{number}", {
                "first_name": shown, "last_name": surname, "full_name": f"{shown} {surname}",
                "year": start + pen.below(6), "venue": pen.pick(pen.pick(venues)),
                "coauthors": "; ".join(own),
            }))  # fmt: skip
    return pen.shuffled(rows)


def _news(pen: _Pen, side: int, n_documents: int, n_mentions: int) -> Rows:
    """Return mentions in documents that name people, organizations and places repeatedly."""
    rows = []
    for number, size in enumerate(_sizes(pen, n_documents, n_mentions)):
        document = f"document {side}.{number}"
        forms, things = [], pen.shuffled(ORGANIZATIONS + PLACES)
        for _ in range(max(1, round(size / 2.2))):
            if pen.chance(1 / 3) or not things:
                first, last = pen.pick(FIRST_NAMES), pen.pick(LAST_NAMES)
                middle = pen.pick("ABCDEFGHJKLMRST")
                forms.append([f"{first} {middle}. {last}", last, f"{first} {last}", f"Mr. {last}"])
            else:
                forms.append(things.pop())
        found = []
        for mention in range(size):
            entity = mention if mention < len(forms) else pen.below(len(forms))
            name = forms[entity][0] if mention < len(forms) else pen.pick(forms[entity])
            name = pen.add_typos(name)
            found.append((f"{document}#{entity}", {
                "name": name, "head": name.split()[-1], "document": document,
            }))  # fmt: skip
        rows += pen.shuffled(found)
    return rows


def _citations(pen: _Pen, side: int, n_papers: int, n_mentions: int) -> Rows:
    """Return references that differ in the order of names, abbreviations and omissions."""
    rows = []
    group = [(pen.pick(FIRST_NAMES), last) for last in pen.shuffled(LAST_NAMES[side::2])[:6]]
    for number, size in enumerate(_sizes(pen, n_papers, n_mentions)):
        people = pen.shuffled(group)[: 1 + pen.below(3)]
        title = pen.shuffled(TITLE_WORDS)[: 4 + pen.below(4)]
        year, venue = 1985 + pen.below(12), pen.pick(VENUES)
        for _ in range(size):
            style, shown = pen.below(3), title
            if pen.chance(0.15):
                shown = title[: max(3, len(title) - 2)]
            signed = [(first, pen.add_typos(last)) for first, last in people]
            written = [(f"{a} {b}", f"{b}, {a[0]}.", f"{a[0]}. {b}")[style] for a, b in signed]
            wrong_year = int(pen.chance(0.1)) * (2 * pen.below(2) - 1)
            rows.append((f"paper {side}.{number}", {
                "title": pen.add_typos(" ".join(shown).capitalize()),
                "first_author": written[0],
                "authors": (", " if style == 2 else " and ").join(written),
                "year": np.nan if pen.chance(0.1) else year + wrong_year,
                "venue": "" if pen.chance(0.1) else pen.add_typos(pen.pick(venue)),
                "coauthors": "; ".join(f"{first[0]} {last}" for first, last in people[1:]),
            }))  # fmt: skip
    return pen.shuffled(rows)


MAKERS = {"identity": _researchers, "names": _news, "citations": _citations}


# ---- Words of mentions, and a writer that sometimes makes spelling mistakes -------------------

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


class _Pen:
    def __init__(self, seed: int, typos: float):
        self.draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
        self._typos = typos

    def below(self, bound: int) -> int:
        return int(self.draw.below(bound, 1)[0])

    def chance(self, probability: float) -> bool:
        return bool(self.draw.chance(probability, 1)[0])

    def pick(self, things: Sequence) -> Any:
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence) -> list:
        return [things[number] for number in self.draw.order(len(things))]

    def add_typos(self, text: str) -> str:
        """Return the text, sometimes with one letter omitted, doubled or replaced."""
        if not self.chance(self._typos) or len(text) < 3:
            return text
        place = 1 + self.below(len(text) - 2)
        slip = self.pick(["", 2 * text[place], self.pick(LETTERS)])
        return text[:place] + slip + text[place + 1 :]
