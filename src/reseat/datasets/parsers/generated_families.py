"""Made-up families of sequences, for semi-supervised clustering without any data."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from reseat.checks import check_whole
from reseat.datasets.parsers.options import check_probabilities
from reseat.datasets.sequences import Sequences
from reseat.datasets.uniforms import Uniforms
from reseat.errors import ConfigError

AMINO_ACIDS = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
MAX_INDEL = 5
MIN_LENGTH = 20  # fewest letters that deletions may leave


def parse_generated_families(
    paths: Mapping[str, Path],
    seed: int,
    sizes: Sequence[int],
    length: int = 150,
    substitution: float = 0.06,
    indel: float = 0.003,
    unlabelled: float = 0.7,
    n_new: int = 3,
    fragments: float = 0.5,
) -> Sequences:
    """Draw families of sequences, in which random ones are replaced by two copies until complete.

    `sizes`, `length`: number of members of each family, and of letters of the first.
    `substitution`, `indel`: probabilities, per letter and copy, of another letter, and of an
        insertion or deletion of up to five letters.
    `unlabelled`: share of the members of a family that have no label; at least one has a label.
    `n_new`: number of the last families none of whose members has a label.
    `fragments`: share of the last new family that is cut to a piece of about half the length.
    """
    if not sizes or any(not isinstance(n, int) or n < 1 for n in sizes):
        raise ConfigError(
            "the option 'sizes' must list whole numbers of at least 1, one for each family"
        )
    check_whole("the option 'length'", length, MIN_LENGTH)
    check_whole("the option 'n_new'", n_new, 0, len(sizes) - 1, ", below the number of families")
    check_probabilities("[]", substitution=substitution, indel=indel)
    check_probabilities("[]", unlabelled=unlabelled, fragments=fragments)
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    members = []
    for number, size in enumerate(sizes):
        family = f"family {number + 1:0{len(str(len(sizes)))}d}"
        alive = [draw.below(len(AMINO_ACIDS), length)]
        while len(alive) < size:
            parent = alive.pop(int(draw.below(len(alive), 1)[0]))
            alive += [_copy(parent, substitution, indel, draw) for _ in range(2)]
        is_new = number >= len(sizes) - n_new
        n_labelled = 0 if is_new else max(1, round(size * (1 - unlabelled)))
        labelled = draw.order(size) < n_labelled
        if is_new and number == len(sizes) - 1:
            cut = draw.order(size) < round(size * fragments)
            alive = [_piece(s, draw) if c else s for s, c in zip(alive, cut, strict=True)]
        members += [(s, family, known) for s, known in zip(alive, labelled, strict=True)]
    rows = [members[place] for place in draw.order(len(members))]
    return Sequences(
        names=[f"s{number:0{len(str(len(rows)))}d}" for number in range(1, len(rows) + 1)],
        sequences=["".join(AMINO_ACIDS[letters]) for letters, _, _ in rows],
        labels=[family if known else "" for _, family, known in rows],
        groups=["" if known else family for _, family, known in rows],
    )


def _copy(parent: np.ndarray, substitution: float, indel: float, draw: Uniforms) -> np.ndarray:
    n_letters = len(AMINO_ACIDS)
    changed = draw.chance(substitution, len(parent))
    # Drawn from the other letters, so that a substitution always changes the letter.
    letters = np.where(changed, parent + 1 + draw.below(n_letters - 1, len(parent)), parent)
    letters %= n_letters
    for place in np.flatnonzero(draw.chance(indel, len(letters)))[::-1]:
        run = 1 + int(draw.below(MAX_INDEL, 1)[0])
        if draw.chance(0.5, 1)[0]:
            letters = np.insert(letters, place, draw.below(n_letters, run))
        elif len(letters) - run >= MIN_LENGTH:
            letters = np.delete(letters, np.arange(place, min(place + run, len(letters))))
    return letters


def _piece(letters: np.ndarray, draw: Uniforms) -> np.ndarray:
    kept = len(letters) * 2 // 5 + int(draw.below(max(1, len(letters) // 5), 1)[0])
    start = int(draw.below(len(letters) - kept + 1, 1)[0])
    return letters[start : start + kept]
