"""Read documents: texts, or word counts in one of the common formats."""

from __future__ import annotations

import os
import re
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reseat.command.inputs.matrices import TABLES, read_counts
from reseat.command.inputs.opening import (
    TEXT_TABLES,
    LoadedInput,
    existing,
    names_of_rows,
    read_texts,
    refuse_formats,
)
from reseat.command.portraits import typical_columns
from reseat.counts import canonical_counts
from reseat.datasets import FeatureOptions, count_features
from reseat.datasets.features import ANY_LETTERS, NoWordsError, remarks_on_words
from reseat.datasets.marginals import first_twice
from reseat.datasets.parsers.archives import files_below, natural_key
from reseat.datasets.parsers.cells import LONGEST_TEXT, csv_rows, long_cells
from reseat.datasets.parsers.fields import may_mean_missing
from reseat.datasets.remarks import remarks_on_names
from reseat.datasets.stoplists import OWN, read_stop_list
from reseat.errors import DataError
from reseat.files.atomic import separator
from reseat.files.packed import check_shape
from reseat.files.texts import lines_of, read_text

__all__ = ["read_documents"]

OF_TEXTS = "the words are taken from the texts"
#: Options that say how texts are read.
FOR_TEXTS = ("stop_list", "token_pattern", "top_words")
#: Stop lists that need no file.
LISTS = ("sklearn", "none")

#: Separators of cells, in words.
MARKS = {",": "commas", ";": "semicolons", "\t": "tabs"}
#: Number of characters of a line that a sentence shows.
SHOWN = 60
#: Beginning of the file names of UCI's bags of words.
UCI = "docword."
DIGITS = 16
#: Number of lines by which the format of a file is recognised.
FIRST = 20
UCI_LINE = re.compile(r"\s*[0-9]{1,15}\s+[0-9]{1,15}\s+[0-9]{1,15}\s*")
LDA_C = re.compile(r"[0-9]+( [0-9]+:[0-9]+)*\s*$")


def read_documents(path: Path, arguments) -> LoadedInput:
    """Read documents.

    `path`: a folder of texts, one per file, without hidden files; a text file with one document per
        line; a table with a column of texts (``csv``, ``tsv``, ``jsonl``, ``ndjson``); a matrix
        (sparse as ``.npz`` or ``.mtx``, dense as ``.npy``); or the formats of UCI (``docword``:
        three lines of sizes, then document, word and count, numbered from 1) and of LDA-C (``n
        word:count …``, numbered from 0), which are recognised by their first lines.
    """
    existing(path, folders=True)
    _check_text_options(path, arguments)
    vocabulary = _read_vocabulary(arguments.input, path, arguments.vocabulary)
    names = others = None
    if path.is_dir():
        names, texts, remarks = _read_folder(path, arguments.stop_list)
        counts, words = _count(texts, path, arguments)
        remarks += _idle(arguments, ("vocabulary",), OF_TEXTS) + _remarks_on_tables(names)
        remarks += _remarks_on_capitals(arguments)
    elif path.name.lower().endswith(TABLES):
        counts, words = read_counts(path), vocabulary
        remarks = _idle(arguments, FOR_TEXTS, "the file contains counts")
    elif _is_table(path):
        names, texts, others = read_texts(path, arguments.text_column, arguments.id_column)
        counts, words = _count(texts, path, arguments)
        remarks = _idle(arguments, ("vocabulary",), OF_TEXTS)
        remarks += [*remarks_on_names(names or ()), *_remarks_on_texts(texts)]
        remarks += _remarks_on_capitals(arguments)
    else:
        lines = _read_lines(path)
        form = _read_uci if path.name.startswith(UCI) else _form(lines)
        if form is None:
            # Blank lines are not documents; the others are named by their line numbers.
            names = [str(number) for number, line in enumerate(lines, start=1) if line.strip()]
            texts = [line for line in lines if line.strip()]
            counts, words = _count(texts, path, arguments)
            remarks = _idle(arguments, ("vocabulary",), OF_TEXTS)
            remarks += _remarks_on_columns(texts, path, arguments)
            remarks += _remarks_on_capitals(arguments)
        else:
            counts, words = form(lines, path), vocabulary
            remarks = _idle(arguments, FOR_TEXTS, "the file contains counts")
    counts = canonical_counts(counts, f"{path}: ", copy=False, first=1)
    n_documents, n_words = counts.shape
    if n_documents < 2:
        raise DataError(f"{path} contains only one document; clustering needs at least two.")
    if not counts.nnz:
        raise DataError(f"{path}: no document contains any word.")
    if words is not None and len(words) != n_words:
        raise DataError(
            f"The vocabulary has {len(words)} words, but {path} has {n_words}; it must have one "
            "line per word."
        )
    remarks += remarks_on_words(words or ())
    empty = int(np.count_nonzero(np.diff(counts.indptr) == 0))
    said = (
        "1 document contains no words; its cluster depends on the prior alone."
        if empty == 1
        else f"{empty:,} documents contain no words; their clusters depend on the prior alone."
    )
    words = [f"word {number}" for number in range(1, n_words + 1)] if words is None else words
    return LoadedInput(
        what=f"{n_documents:,} documents, {n_words:,} words, {int(counts.sum()):,} tokens",
        fit={"X": counts},
        items=names or names_of_rows(n_documents),
        portray=partial(typical_columns, counts, words),
        frame=others,
        warnings=[*remarks, *([said] if empty else [])],
    )


def _is_table(path: Path) -> bool:
    return any(path.name.lower().endswith((ending, ending + ".gz")) for ending in TEXT_TABLES)


def _check_text_options(path: Path, arguments) -> None:
    """Raise a DataError if a table has no column of texts, or columns are named for no table."""
    if path.is_file() and _is_table(path):
        if arguments.text_column is None:
            raise DataError(
                f"{path} is a table; name the column of texts with --text-column. If it is a text "
                "file with one document per line, rename it to *.txt."
            )
        return
    for name in ("text_column", "id_column"):
        if getattr(arguments, name) is not None:
            option = "--" + name.replace("_", "-")
            stream = str(arguments.input) == "-"
            remedy = "add --format csv if it is one" if stream else "remove the option"
            raise DataError(
                f"{option} names a column, but {path} is not a table ({', '.join(TEXT_TABLES)}); "
                f"{remedy}."
            )


def _remarks_on_texts(texts: list[str]) -> list[str]:
    """Return a remark on texts that may mean a missing value."""
    texts = pd.Series(texts, dtype=object)
    found = texts[may_mean_missing(texts) & texts.str.contains(r"[^\W\d_]")]
    if found.empty:
        return []
    words = " or ".join(map(repr, found.unique()))
    return [
        f"texts that are {words}: {len(found):,}; they are read as words; leave them empty if they "
        "mean missing values."
    ]


def _remarks_on_capitals(arguments) -> list[str]:
    """Return a remark on a pattern of words with capitals, which no text has when it is matched."""
    pattern = arguments.token_pattern
    if pattern is None or "(?i" in pattern or not re.search(r"(?<!\\)[A-Z]", pattern):
        return []
    return [
        "texts are put in lower case before --token-pattern is matched, and it has capitals; write "
        "them in lower case."
    ]


def _remarks_on_tables(files: list[str]) -> list[str]:
    """Return a remark on files of a folder that are tables, whose rows may be the documents."""
    found = [file for file in files if _is_table(Path(file))]
    if not found:
        return []
    return [
        f"files that are tables by their names: {len(found):,} (the first is {found[0]}); each is "
        "read as one document. If their rows are the documents, name one table instead of the "
        "folder, with --text-column."
    ]


def _remarks_on_columns(lines: list[str], path: Path, arguments) -> list[str]:
    """Return a remark if the lines may be rows of a table, the first one with column names."""
    try:
        mark = separator(lines[0], path)
        with long_cells(LONGEST_TEXT):
            rows = csv_rows(iter(lines), mark, path)
            _, names = next(rows)
            rectangular = len(names) > 1 and all(len(row) == len(names) for _, row in rows)
    except DataError:  # such as an unclosed quotation mark, which has no meaning in a text
        return []
    if not rectangular:
        return []
    stream = str(arguments.input) == "-"
    remedy = "add --format csv" if stream else "rename the file so that its name ends in .csv"
    return [
        f"every line is read as a text, and all have {len(names)} parts with {MARKS[mark]} between "
        f"them, as the rows of a table have; if the first line ({', '.join(names)[:SHOWN]}) names "
        f"columns, {remedy} and name the column of texts with --text-column."
    ]


def _idle(arguments, names: tuple[str, ...], why: str) -> list[str]:
    """Return a sentence on options that were given but have no effect."""
    given = ["--" + name.replace("_", "-") for name in names
             if name in getattr(arguments, "given", ())]  # fmt: skip
    return [f"{' and '.join(given)} ignored: {why}."] if given else []


def _read_folder(folder: Path, stop_list: str) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the files, their texts, and a remark if one of them is the stop list."""
    found = [*files_below(folder)]
    own = stop_list not in LISTS and Path(stop_list).is_file()
    words = [file for file in found if own and file.samefile(stop_list)]
    files = [file.relative_to(folder) for file in found if file not in words]
    files.sort(key=lambda file: [natural_key(part) for part in file.parts])
    if not files:
        raise DataError(f"{folder} contains no files; specify a folder of text files.")
    for file in files:
        refuse_formats(folder / file, "documents")
    remarks = [f"{file} is the stop list, and therefore not one of the texts." for file in words]
    return [*map(_printable, files)], [read_text(folder / file) for file in files], remarks


def _printable(file: Path) -> str:
    """Return the name of a file, with bytes that are not UTF-8 written as ``\\xe9``."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _read_lines(path: Path) -> list[str]:
    lines = lines_of(read_text(path))
    if not any(line.strip() for line in lines):
        raise DataError(f"{path} is empty.")
    return lines


def _read_vocabulary(original: Path, path: Path, given: Path | None) -> list[str] | None:
    if given is None and path.name.startswith(UCI):
        # A compressed file is read from a copy elsewhere; its vocabulary is beside the original.
        beside = original.with_name(path.name.replace(UCI, "vocab.", 1))
        given = beside if beside.is_file() else None
    if given is None:
        return None
    words = lines_of(read_text(existing(given)))
    twice = first_twice(words)
    if twice is not None:
        raise DataError(
            f"{given} contains the word {twice!r} twice; each column needs a unique name."
        )
    return words


def _count(texts: list[str], path: Path, arguments) -> tuple[sp.csr_array, list[str]]:
    stop_list, pattern = arguments.stop_list, arguments.token_pattern
    own = None if stop_list in LISTS else Path(stop_list)
    if own is not None and not own.is_file():
        raise DataError(
            f"--stop-list: file {stop_list!r} not found; use {' or '.join(LISTS)}, or a file with "
            "one word per line."
        )
    options = FeatureOptions(
        headers="all",
        token_pattern=ANY_LETTERS if pattern is None else pattern,
        stop_list=stop_list if own is None else OWN,
        top_words=arguments.top_words or None,
    )
    stopped = read_stop_list(options.stop_list, own)
    try:
        counts, words = count_features(texts, options, stopped)
    except NoWordsError as error:
        if pattern is not None:
            raise DataError(
                f"{path}: no document contains a word that matches --token-pattern and is not on "
                "the stop list."
            ) from error
        raise DataError(
            f"{path}: no document contains a word of two or more letters (of any alphabet) that "
            "is not on the stop list; use --stop-list none to keep stop words. Texts in "
            "languages written without spaces must be split into words first."
        ) from error
    except DataError as error:
        raise DataError(f"{path}: {error}.") from error
    return counts, words.tolist()


def _form(lines: list[str]):
    """Return the reader of counts that the first lines call for, or None for texts."""
    start = list(islice((line.split() for line in lines), 4))
    if len(start) == 4 and [len(cells) for cells in start] == [1, 1, 1, 3]:
        if all(cell.isdecimal() for cells in start for cell in cells):
            return _read_uci
    # A damaged line does not turn counts into texts: the reader reports it.
    fitting = [line for line in lines[:FIRST] if LDA_C.match(line)]
    if 2 * len(fitting) > len(lines[:FIRST]) and any(":" in line for line in fitting):
        return _read_lda
    return None


def _read_uci(lines: list[str], path: Path) -> sp.coo_array:
    try:
        n_documents, n_words, n_cells = (_size(line) for line in lines[:3])
    except ValueError:
        raise DataError(
            f"{path} does not begin with three lines giving the numbers of documents, words and "
            "counts; fix these lines, or rename the file if it contains texts."
        ) from None
    check_shape((n_documents, n_words), len(lines) - 3, path)
    cells = np.empty((len(lines) - 3, 3), dtype=np.int64)
    for row, line in enumerate(lines[3:]):
        if not UCI_LINE.fullmatch(line):
            raise DataError(
                f"{path}, line {row + 4}: {line!r} must consist of a document number, a word "
                "number and a count."
            )
        cells[row] = line.split()
    if len(cells) != n_cells:
        raise DataError(
            f"{path} has {len(cells):,} counts, but its header says {n_cells:,}; the file may be "
            "truncated."
        )
    wrong = np.flatnonzero(((cells[:, :2] < 1) | (cells[:, :2] > (n_documents, n_words))).any(1))
    if wrong.size:
        raise DataError(
            f"{path}, line {wrong[0] + 4}: the document must be between 1 and {n_documents}, the "
            f"word between 1 and {n_words}."
        )
    places = (cells[:, 0] - 1, cells[:, 1] - 1)
    return sp.coo_array((cells[:, 2], places), shape=(n_documents, n_words))


def _size(text: str) -> int:
    """Parse a number of at least 0; a long one becomes a number too large for any array."""
    if not (text.isascii() and text.strip().isdecimal()):
        raise ValueError(f"{text!r} is not a number of at least 0")
    return int(text) if len(text.strip()) < DIGITS else 10**DIGITS


def _read_lda(lines: list[str], path: Path) -> sp.csr_array:
    words, counts, ends = [], [], [0]
    for number, line in enumerate(lines, start=1):
        if not LDA_C.match(line):
            raise DataError(
                f"{path}, line {number}: the line does not have the form 'n word:count …'."
            )
        length, *pairs = line.split()
        if length != str(len(pairs)):
            raise DataError(
                f"{path}, line {number}: {len(pairs)} words, but the line announces {length}."
            )
        for pair in pairs:
            word, count = map(_size, pair.split(":"))
            words.append(word)
            counts.append(count)
        ends.append(len(words))
    shape = (len(lines), max(words, default=0) + 1)
    check_shape(shape, len(words), path)
    return sp.csr_array((np.array(counts, dtype=np.int64), np.array(words), ends), shape=shape)
