"""Files with faults for `reseat cluster`: read as they are written, or refused in one sentence."""

import csv
import io
import re
from collections import Counter

import numpy as np
import pytest
from calls import read
from malformed import FAULTS
from specimens import text_of

from reseat.errors import ReseatError

N_FILES = 30
COUNTS = [(d, w, (3 * d + w) % 4 + 1) for d in range(1, 7) for w in range(1, 5) if (d + w) % 3]
UCI = f"6\n4\n{len(COUNTS)}\n" + "".join(f"{d} {w} {n}\n" for d, w, n in COUNTS)
LDA = "".join(
    " ".join([str(len(own)), *(f"{w}:{n}" for w, n in own)]) + "\n"
    for own in ([(w, n) for d, w, n in COUNTS if d == document] for document in range(1, 7))
)
PAIRS = "row,column,count\n" + "".join(f"größe{d},w{w},{n}\n" for d, w, n in COUNTS)


def cells(found):
    matrix = found.fit["X"].tocoo()
    rows, columns = found.items, found.columns or list(range(matrix.shape[1]))
    places = zip(*matrix.coords, matrix.data, strict=True)
    return {(rows[int(r)], columns[int(c)]): int(n) for r, c, n in places if n}


def uci(content):
    first, *rows = text_of(content).splitlines()
    size = [int(first), *(int(line) for line in rows[:2])]
    found = Counter()
    for line in rows[2:]:
        document, word, count = map(int, line.split())
        assert 1 <= document <= size[0] and 1 <= word <= size[1]
        found[str(document), word - 1] += count
    assert len(rows) - 2 == size[2]
    return {place: count for place, count in found.items() if count}


def lda(content):
    found = Counter()
    for number, line in enumerate(text_of(content).splitlines(), start=1):
        length, *own = line.split()
        assert len(own) == int(length)
        for word, count in (pair.split(":") for pair in own):
            found[str(number), int(word)] += int(count)
    return {place: count for place, count in found.items() if count}


def pairs(content):
    text = text_of(content)
    sign = max(",;\t", key=text.split("\n")[0].count)
    _, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign, skipinitialspace=True)
    found = Counter()
    for row in rows:
        if row:
            row = [cell.strip() for cell in row]
            assert all(row) and len(row) in (2, 3)
            assert re.fullmatch("[0-9]*", "".join(row[2:]))
            found[row[0], row[1]] += int(row[2]) if row[2:] else 1
    return {place: count for place, count in found.items() if count}


KINDS = [
    ("documents", "docword.x.txt", UCI, cells, uci),
    ("documents", "x.ldac", LDA, cells, lda),
    ("relational", "x.csv", PAIRS, cells, pairs),
]


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=[f"{k[0]}-{k[1]}" for k in KINDS])
def test_a_file_with_a_fault_is_refused_in_one_sentence_or_read_as_it_is_written(kind, tmp_path):
    model, name, text, values, second = KINDS[kind]
    whole, rng, wrong = text.encode(), np.random.default_rng([2008, kind]), []
    path = tmp_path / name
    path.write_bytes(whole)
    given = {"stop_list": "none"} if model == "documents" else {"header": "yes"}
    assert values(read(path, model, **given)) == second(whole)
    n_read = 0
    for number in range(N_FILES):
        fault = FAULTS[number % len(FAULTS)]
        path.write_bytes(content := fault(whole, rng))
        try:
            found = values(read(path, model, **given))
        except ReseatError as error:
            assert "\n" not in str(error)
            continue
        try:
            known = second(content)
        except Exception:
            known = None
        n_read += 1
        if found != known:
            wrong.append(f"{number} ({fault.__name__}): {found} instead of {known}")
    assert not wrong, "\n".join(wrong)
    assert n_read >= 7
