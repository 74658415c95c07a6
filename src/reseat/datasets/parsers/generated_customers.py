"""Made-up customers, some recorded repeatedly: mistyped, by nickname, moved, with empty cells."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.checks import check_between, check_whole
from reseat.datasets.parsers.options import check_probabilities
from reseat.datasets.raw import RawRecords
from reseat.datasets.uniforms import Uniforms
from reseat.errors import ConfigError

#: First names and their short forms.
NICKNAMES = dict(
    pair.split(":")
    for pair in (
        "Alexander:Alex Alfred:Fred Andrew:Andy Anthony:Tony Barbara:Barb Benjamin:Ben "
        "Catherine:Kate Charles:Charlie Christina:Tina Christopher:Chris Daniel:Dan David:Dave "
        "Deborah:Debbie Donald:Don Dorothy:Dot Edward:Ted Eleanor:Nell Elizabeth:Liz Frances:Fran "
        "Francis:Frank Frederick:Fred Gerald:Gerry Gregory:Greg Harold:Harry Helen:Nell "
        "Henry:Harry Isabella:Bella Jacqueline:Jackie James:Jim Jennifer:Jen Jessica:Jess "
        "Johanna:Hanna John:Jack Jonathan:Jon Joseph:Joe Joshua:Josh Judith:Judy Katharina:Kathi "
        "Kenneth:Ken Lawrence:Larry Leonard:Leo Magdalena:Lena Margaret:Peggy Martha:Patty "
        "Matthew:Matt Maximilian:Max Michael:Mike Nicholas:Nick Pamela:Pam Patricia:Pat "
        "Peter:Pete Philip:Phil Rebecca:Becky Richard:Dick Robert:Bob Samantha:Sam Samuel:Sam "
        "Sebastian:Bastian Sophia:Sophie Stephen:Steve Susan:Sue Theodore:Ted Theresa:Terry "
        "Thomas:Tom Timothy:Tim Veronica:Ronnie Victoria:Vicky Walter:Walt William:Bill "
        "Zacharias:Zach"
    ).split()
)
#: Parts from which surnames and names of places are composed.
BEGINNINGS = (
    "Alder Ash Beck Berg Birch Black Bran Brook Burn Clay Cole Dale Dorn East Eich Eller Fair "
    "Fern Field Ford Garn Glen Gold Green Hall Hart Hazel Hill Holm Horn Ing Kell Kirch Lang "
    "Lind Marsh Mill Moor North Oak Oster Penn Reed Rosen Sand Schoen Stein Stone Thorn Wald "
    "West White Win Wood"
).split()
ENDINGS = (
    "au bach berg bourne burg by croft dale den feld field ford gate ham hart haus heim hoff "
    "holt hurst land ley man mann more ner rick son stead thal ton ville well wick wood worth"
).split()
N_NAMES = len(BEGINNINGS) * len(ENDINGS)
FIELDS = ("first_name", "last_name", "postcode", "city", "birth_year", "phone")
EMPTY = (0.02, 0.02, 0.1, 0.15, 0.2, 0.35)  # probabilities of empty cells
POSTCODES_OF_CITY = 12
LETTERS, DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"


def parse_generated_customers(
    paths: Mapping[str, Path],
    seed: int,
    n_records: int,
    shares: Sequence[float] = (0.74, 0.21, 0.04, 0.01),
    typos: float = 0.1,
    nicknames: float = 0.1,
    moves: float = 0.08,
    empty: float = 1.0,
) -> RawRecords:
    """Draw records of customers.

    `shares`: shares of the people who have 1, 2, … records.
    `typos`, `nicknames`, `moves`: probabilities of a wrong letter in a cell, of a first name in its
        short form, and of another address and number.
    `empty`: factor by which `EMPTY`, the probabilities of empty cells, is multiplied.
    """
    check_probabilities(typos=typos, nicknames=nicknames, moves=moves)
    check_between("the option 'empty'", empty, 0, 1 / max(EMPTY), "[)")
    check_whole("the option 'n_records'", n_records, 2)
    if not shares or min(shares) < 0 or not sum(shares) > 0:
        raise ConfigError("the option 'shares' must list non-negative shares, not all of them 0")
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    sizes = draw.choose(np.cumsum(shares), n_records) + 1
    entities = np.repeat(np.arange(n_records), sizes)[:n_records]
    entities = entities[draw.order(n_records)]
    first = draw.choose(np.cumsum(1 / np.arange(5, len(NICKNAMES) + 5)), n_records)[entities]
    # Few surnames are frequent.
    rank = draw.choose(np.cumsum(1 / np.arange(10, N_NAMES + 10)), n_records)
    last = (rank * 37 % N_NAMES)[entities]
    born = 1935 + draw.below(71, n_records)[entities]
    lived, called = draw.chance(moves, n_records), list(NICKNAMES.items())
    # Number of the address: the original one of the person, or a new one of the record alone.
    own = np.where(lived, n_records + np.arange(n_records), entities)
    city = draw.choose(np.cumsum(1 / np.arange(10, 110)), 2 * n_records)[own]
    area = draw.below(POSTCODES_OF_CITY, 2 * n_records)[own]
    phone = draw.below(10**8, 2 * n_records)[own]
    short = draw.chance(nicknames, n_records)
    columns = (
        [called[k][int(s)] for k, s in zip(first, short, strict=True)],
        [_name(k) for k in last],
        [f"{10_000 + 870 * c + 37 * a:05d}" for c, a in zip(city, area, strict=True)],
        [_name(37 * (11 * c + 5)) for c in city],
        [str(year) for year in born],
        [f"0{number:08d}" for number in phone],
    )
    cells = {}
    for name, column, share in zip(FIELDS, columns, EMPTY, strict=True):
        wrong = draw.chance(typos, n_records)
        kind, place, letter = (draw.below(n, n_records) for n in (4, 2**20, 2**20))
        shown = [
            _mistyped(text, kind[k], place[k], letter[k]) if wrong[k] else text
            for k, text in enumerate(column)
        ]
        known = pd.Series(shown, dtype=object)
        cells[name] = known.mask(draw.chance(share * empty, n_records))
    ids = [str(number) for number in range(1, n_records + 1)]
    return RawRecords(pd.DataFrame(cells), [str(entity) for entity in entities], ids)


def _name(number: int) -> str:
    number = number % N_NAMES
    return BEGINNINGS[number % len(BEGINNINGS)] + ENDINGS[number // len(BEGINNINGS)]


def _mistyped(text: str, kind: int, place: int, letter: int) -> str:
    """Return the text with one letter replaced, omitted, inserted or swapped with the next."""
    letters = DIGITS if text.isdigit() else LETTERS
    k, new = place % len(text), letters[letter % len(letters)]
    if kind == 0 and len(text) > 2:
        return text[:k] + text[k + 1 :]
    if kind == 1:
        return text[:k] + new + text[k:]
    if kind == 2 and k + 1 < len(text) and text[k] != text[k + 1]:
        return text[:k] + text[k + 1] + text[k] + text[k + 2 :]
    return text[:k] + new + text[k + 1 :]
