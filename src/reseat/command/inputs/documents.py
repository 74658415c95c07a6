"""Read documents: texts, or word counts in one of the common formats."""

import os
import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reseat.command.inputs.loaded import LoadedInput, names_of_rows
from reseat.command.portraits import typical_columns
from reseat.counts import canonical_counts
from reseat.datasets import FeatureOptions, count_features, features
from reseat.errors import DataError
from reseat.files.texts import UTF8, decoded, first_twice, lines_of, read_content, read_text
from reseat.reading import mail
from reseat.reading.archives import files_below, natural_key
from reseat.reading.foreign import texts_of_objects
from reseat.reading.matrices import TABLES, UCI, form_of_counts, read_counts, read_svmlight
from reseat.reading.source import (
    FRAMES,
    MAX_TEXT_LETTERS,
    OBJECTS,
    Source,
    existing,
    long_cells,
    refuse_formats,
)
from reseat.reading.tables import column, csv_rows, read_frame, separator
from reseat.reading.values import may_mean_missing
from reseat.reading.warnings_on_data import remarks_on_names

FOR_TEXTS = ("stop_list", "token_pattern", "top_words")  # options that say how texts are read
LISTS = ("sklearn", "none")  # stop lists that need no file

TEXT_TABLES = (".csv", ".tsv", *OBJECTS)  # endings of tables of texts
MARKS = {",": "commas", ";": "semicolons", "\t": "tabs"}  # separators of cells, in words
MAX_LETTERS_SHOWN = 60  # number of characters of a line that a sentence shows


def read_documents(path: Source, arguments) -> LoadedInput:
    """Read a folder of texts, a file of one per line, a mailbox, a table, or a form of counts."""
    _check_text_options(path, arguments)
    vocabulary = _read_vocabulary(path, arguments.vocabulary)
    names = others = texts = None
    remarks = []
    if path.is_dir():
        names, texts, remarks = _read_folder(path.path, arguments)
    elif path.ending in TABLES:
        counts = read_counts(path)
    elif _is_table(path):
        text, name = arguments.text_column, arguments.id_column
        if path.ending in OBJECTS:
            texts, *found = texts_of_objects(path, text, *([name] if name else []))
            names = found[0] if found else None
        else:
            table = read_frame(path, MAX_TEXT_LETTERS)
            names = column(table, name, path).tolist() if name else None
            texts, others = column(table, text, path).tolist(), table.drop(columns=text)
        remarks = [*remarks_on_names(names or ()), *_remarks_on_texts(texts)]
    elif mail.is_mailbox(content := read_content(path)):
        texts = mail.texts_of_mailbox(content)
        remarks = [f"read as a mailbox: subject and body of {len(texts):,} messages."]
    else:
        lines = lines_of(decoded(content, path))
        if not any(line.strip() for line in lines):
            raise DataError(f"{path} is empty.")
        form = form_of_counts(lines, path)
        if form is None:
            # Blank lines are not documents; the others are named by their line numbers.
            names = [str(number) for number, line in enumerate(lines, start=1) if line.strip()]
            texts = [line for line in lines if line.strip()]
            remarks = _remarks_on_columns(texts, path)
        else:
            counts = form(lines, path)
            if form is read_svmlight:
                remarks = ["read as SVMlight; the labels at the start of the lines are not used."]
    if texts is None:
        words = vocabulary
        remarks += _idle(arguments, FOR_TEXTS, "the file contains counts")
    else:
        counts, words = _count(texts, path, arguments)
        remarks += _idle(arguments, ("vocabulary",), "the words are taken from the texts")
        pattern = arguments.token_pattern or "(?i"
        if "(?i" not in pattern and re.search(r"(?<!\\)[A-Z]", pattern):
            remarks.append(
                "texts are put in lower case before --token-pattern is matched, and it has "
                "capitals; write them in lower case."
            )
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
    remarks += features.remarks_on_words(words or ())
    if empty := int(np.count_nonzero(np.diff(counts.indptr) == 0)):
        one = "1 document contains no words; its cluster depends"
        many = f"{empty:,} documents contain no words; their clusters depend"
        remarks.append(f"{one if empty == 1 else many} on the prior alone.")
    words = words or [f"word {name}" for name in names_of_rows(n_words)]
    return LoadedInput(
        what=f"{n_documents:,} documents, {n_words:,} words, {int(counts.sum()):,} tokens",
        fit={"X": counts},
        items=names or names_of_rows(n_documents),
        portray=partial(typical_columns, counts, words),
        frame=others,
        warnings=remarks,
    )


def _is_table(path: Source) -> bool:
    return path.ending in (*TEXT_TABLES, *FRAMES)


def _check_text_options(path: Source, arguments) -> None:
    """Raise a DataError if a table has no column of texts, or columns are named for no table."""
    if _is_table(path) and not path.is_dir():
        if arguments.text_column is None:
            raise DataError(
                f"{path} is a table; name the column of texts with --text-column. If it is a text "
                "file with one document per line, rename it to *.txt."
            )
        return
    for name in ("text", "id"):
        if getattr(arguments, f"{name}_column") is not None:
            remedy = "add --format csv if it is one" if path.is_piped else "remove the option"
            raise DataError(
                f"--{name}-column names a column, but {path} is not a table "
                f"({', '.join(TEXT_TABLES)}); {remedy}."
            )


def _remarks_on_texts(texts: list[str]) -> list[str]:
    """Return a remark on texts that may mean a missing value."""
    texts = pd.Series(texts, dtype=object)
    found = texts[may_mean_missing(texts) & texts.str.contains(r"[^\W\d_]")]
    said = (
        f"texts that are {' or '.join(map(repr, found.unique()))}: {len(found):,}; they are read "
        "as words; leave them empty if they mean missing values."
    )
    return [] if found.empty else [said]


def _remarks_on_columns(lines: list[str], path: Source) -> list[str]:
    """Return a remark if the lines may be rows of a table, the first one with column names."""
    try:
        mark = separator(lines[0], path)
        with long_cells(MAX_TEXT_LETTERS):
            rows = csv_rows(iter(lines), mark, path)
            _, names = next(rows)
            rectangular = len(names) > 1 and all(len(row) == len(names) for _, row in rows)
    except DataError:  # such as an unclosed quotation mark, which has no meaning in a text
        return []
    if not rectangular:
        return []
    remedy = "rename the file so that its name ends in .csv"
    remedy = "add --format csv" if path.is_piped else remedy
    first = ", ".join(names)[:MAX_LETTERS_SHOWN]
    return [
        f"every line is read as a text, and all have {len(names)} parts with {MARKS[mark]} between "
        f"them, as the rows of a table have; if the first line ({first}) names columns, {remedy} "
        "and name the column of texts with --text-column."
    ]


def _idle(arguments, names: tuple[str, ...], why: str) -> list[str]:
    """Return a sentence on options that were given but have no effect."""
    given = [name for name in names if name in getattr(arguments, "given", ())]
    options = ["--" + name.replace("_", "-") for name in given]
    return [f"{' and '.join(options)} ignored: {why}."] if given else []


def _read_folder(folder: Path, arguments) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the files, their texts, and remarks on them."""
    found, stop_list = files_below(folder), arguments.stop_list
    own = stop_list not in LISTS and Path(stop_list).is_file()
    words = [file for file in found if own and file.samefile(stop_list)]
    files = [file.relative_to(folder) for file in found if file not in words]
    files.sort(key=lambda file: [natural_key(part) for part in file.parts])
    if not files:
        raise DataError(f"{folder} contains no files; specify a folder of text files.")
    for file in files:
        refuse_formats(folder / file, texts=True, in_folder=True)
    remarks = [f"{file} is the stop list, and therefore not one of the texts." for file in words]
    # Bytes that are not UTF-8 are written as ``\xe9``.
    names = [os.fsencode(file).decode("utf-8", "backslashreplace") for file in files]
    contents = [read_content(folder / file) for file in files]
    encoded = any(map(mail.is_encoded, contents))
    messages = [encoded and mail.is_message(content) for content in contents]
    texts = [
        mail.text_of_message(content)
        if is_mail
        else decoded(content, folder / file, arguments.encoding or UTF8)
        for file, content, is_mail in zip(files, contents, messages, strict=True)
    ]
    if encoded:
        remarks.append(f"messages of which subject and body are read: {sum(messages):,}.")
    tables = [file for file in names if _is_table(Source.of(Path(file)))]
    if tables:
        remarks.append(
            f"files that are tables by their names: {len(tables):,} (the first is {tables[0]}); "
            "each is read as one document. If their rows are the documents, name one table instead "
            "of the folder, with --text-column."
        )
    return names, texts, remarks


def _read_vocabulary(path: Source, given: Path | None) -> list[str] | None:
    if given is None and path.inner.startswith(UCI):
        beside = path.path.with_name(path.inner.replace(UCI, "vocab.", 1))
        given = beside if beside.is_file() else None
    if given is None:
        return None
    words = lines_of(read_text(existing(given)))
    if (twice := first_twice(words)) is not None:
        raise DataError(
            f"{given} contains the word {twice!r} twice; each column needs a unique name."
        )
    return words


def _count(texts: list[str], path: Source, arguments) -> tuple[sp.csr_array, list[str]]:
    stop_list, pattern = arguments.stop_list, arguments.token_pattern
    own = None if stop_list in LISTS else Path(stop_list)
    if own is not None and not own.is_file():
        raise DataError(
            f"--stop-list: file {stop_list!r} not found; use {' or '.join(LISTS)}, or a file with "
            "one word per line."
        )
    options = FeatureOptions(
        headers="all",
        token_pattern=features.ANY_LETTERS if pattern is None else pattern,
        stop_list=stop_list if own is None else features.OWN,
        top_words=arguments.top_words or None,
    )
    stopped = features.read_stop_list(options.stop_list, own)
    try:
        counts, words = count_features(texts, options, stopped)
    except features.NoWordsError as error:
        said = "that matches --token-pattern and is not on the stop list."
        if pattern is None:
            said = (
                "of two or more letters (of any alphabet) that is not on the stop list; use "
                "--stop-list none to keep stop words. Texts in languages written without spaces "
                "must be split into words first."
            )
        raise DataError(f"{path}: no document contains a word {said}") from error
    except DataError as error:
        raise DataError(f"{path}: {error}.") from error
    return counts, words.tolist()
