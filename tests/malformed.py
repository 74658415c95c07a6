"""Faults that files of users have, drawn by a seeded generator."""

import gzip
import re
import unicodedata

CELL = re.compile(rb"[^,;\t\r\n]+")
NUMBER = re.compile(rb"\d+(?:\.\d+)?")
DELIMITERS = rb"[,;\t]"
WORDS = ("nan", "NULL", "N/A", "None", "-", "?", "inf", "5%", "1,5", "0x1F", "1e5", "-9", "  ", "")
LONG = 200_000


def _replaced(pattern, content, by, rng):
    """Replace a random match of a pattern, or append the replacement if nothing matches."""
    places = list(re.finditer(pattern, content))
    if not places:
        return content + by
    place = places[rng.integers(len(places))]
    return content[: place.start()] + by + content[place.end() :]


def _lines(content, change):
    lines = content.split(b"\n")
    change(lines)
    return b"\n".join(lines)


def _text(content, change):
    """Return the content with its text changed, or reversed if it is not UTF-8."""
    try:
        return change(content.decode())
    except UnicodeDecodeError:
        return content[::-1]


def cut(content, rng):
    return content[: rng.integers(len(content))]


def latin_1(content, rng):
    return _text(content, lambda text: text.encode("latin-1", "replace"))


def utf_16(content, rng):
    return _text(content, lambda text: text.encode(str(rng.choice(["utf-16", "utf-16-le"]))))


def decomposed(content, rng):
    return _text(content, lambda text: unicodedata.normalize("NFD", text).encode())


def zero_byte(content, rng):
    place = rng.integers(len(content))
    return content[:place] + b"\0" + content[place:]


def other_byte(content, rng):
    place = rng.integers(len(content))
    return content[:place] + bytes([rng.integers(256)]) + content[place + 1 :]


def swapped_delimiters(content, rng):
    by = bytes(rng.choice([b",", b";", b"\t"]))
    return re.sub(DELIMITERS, by, content)


def one_swapped_delimiter(content, rng):
    return _replaced(DELIMITERS, content, bytes(rng.choice([b",", b";", b"\t", b" "])), rng)


def huge_number(content, rng):
    by = rng.choice([400 * b"9", b"1e999", b"1e-999", b"99999999999999999999", b"1e39", b"1e-41"])
    return _replaced(NUMBER, content, bytes(by), rng)


def other_number(content, rng):
    by = rng.choice([b"-1", b"2.7", b"0", b"00", b"1_0", b"1 0", "\u0663".encode(), b"+3", b"1."])
    return _replaced(NUMBER, content, bytes(by), rng)


def other_cell(content, rng):
    return _replaced(CELL, content, str(rng.choice(WORDS)).encode(), rng)


def lacking_delimiter(content, rng):
    return _replaced(DELIMITERS, content, b"", rng)


def cell_too_many(content, rng):
    return _replaced(rb"\n", content, bytes(rng.choice([b",x\n", b"\tx\n", b";\n"])), rng)


def empty(content, rng):
    return bytes(rng.choice([b"", b"\n", b"\n\n\n", b" ", b",,,\n,,,\n"]))


def noise(content, rng):
    return rng.bytes(rng.integers(1, 400))


def twice(content, rng):
    def change(lines):
        lines.insert(rng.integers(len(lines)), lines[rng.integers(len(lines))])

    return _lines(content, change)


def lacking_line(content, rng):
    return _lines(content, lambda lines: lines.pop(rng.integers(len(lines))))


def exchanged_lines(content, rng):
    def change(lines):
        one, other = rng.integers(len(lines), size=2)
        lines[one], lines[other] = lines[other], lines[one]

    return _lines(content, change)


def open_quote(content, rng):
    place = rng.integers(len(content))
    return content[:place] + bytes(rng.choice([b'"', b"'"])) + content[place:]


def long_cell(content, rng):
    return _replaced(CELL, content, LONG * b"x", rng)


def packed_and_cut(content, rng):
    return cut(gzip.compress(content), rng)


def byte_order_mark(content, rng):
    return b"\xef\xbb\xbf" + content


def windows_lines(content, rng):
    return content.replace(b"\n", b"\r\n")


def blanks_at_ends(content, rng):
    return content.replace(b"\n", b"  \n")


def packed(content, rng):
    return gzip.compress(content)


def blank_lines(content, rng):
    return content.replace(b"\n", b"\n\n")


#: Changes that may alter what a file says.
FAULTS = (
    *(cut, latin_1, utf_16, decomposed, zero_byte, other_byte, swapped_delimiters),
    *(one_swapped_delimiter, huge_number, other_number, other_cell, other_cell),
    *(lacking_delimiter, cell_too_many, empty, noise, twice, lacking_line, exchanged_lines),
    *(open_quote, long_cell, packed_and_cut),
)
#: Changes that any reader of text should ignore.
HARMLESS = (byte_order_mark, windows_lines, blanks_at_ends, packed, blank_lines, decomposed)
