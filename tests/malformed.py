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


def replacing(name, pattern, *texts):
    """Return a fault of this name that replaces a random match of a pattern by one of the texts."""

    def fault(content, rng):
        return _replaced(pattern, content, texts[rng.integers(len(texts))], rng)

    fault.__name__ = name
    return fault


HUGE = (400 * b"9", b"1e999", b"1e-999", b"99999999999999999999", b"1e39", b"1e-41")
NUMBERS = (b"-1", b"2.7", b"0", b"00", b"1_0", b"1 0", "\u0663".encode(), b"+3", b"1.")
OTHER_CELL = replacing("other_cell", CELL, *(word.encode() for word in WORDS))

#: Changes that may alter what a file says.
FAULTS = (
    *(cut, latin_1, utf_16, decomposed, zero_byte, other_byte, swapped_delimiters),
    replacing("one_swapped_delimiter", DELIMITERS, b",", b";", b"\t", b" "),
    replacing("huge_number", NUMBER, *HUGE),
    replacing("other_number", NUMBER, *NUMBERS),
    *(OTHER_CELL, OTHER_CELL),
    replacing("lacking_delimiter", DELIMITERS, b""),
    replacing("cell_too_many", rb"\n", b",x\n", b"\tx\n", b";\n"),
    *(empty, noise, twice, lacking_line, exchanged_lines, open_quote),
    replacing("long_cell", CELL, LONG * b"x"),
    packed_and_cut,
)
#: Changes that any reader of text should ignore.
HARMLESS = (byte_order_mark, windows_lines, blanks_at_ends, packed, blank_lines, decomposed)
