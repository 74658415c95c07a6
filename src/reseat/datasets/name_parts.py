"""Parts of names: abbreviations, and the single authors in a list of authors."""

import re
import unicodedata

WORD = re.compile(r"[^\W_][\w.&'-]*")
LETTERS = re.compile(r"[^\W\d_][\w'-]*")
BETWEEN = re.compile(r";|&|\band\b")
#: Marks, and perhaps a year, that may end a name.
END = r"[\s.:()\d]*$"
INITIALS = re.compile(rf"\s*[^\W\d_](?:[.\s-]+[^\W\d_])*{END}")
#: Given names of which the last are initials, as in "Schapire, Robert E."
GIVEN = re.compile(rf"\s*[^\W\d_][\w'-]+(?:[.\s-]+[^\W\d_])+{END}")
#: Initials without points, as in "Schapire RE".
JOINED = re.compile(r"(?<=[a-z] )(?!I+\b|JR\b)([A-Z]{2,3})(?=\s*(?:[,;&.:(]|and\b|$))")
NO_AUTHOR = re.compile(r"\bet\.? al\b|\b(?:eds?|editors?|jr|iii?)\b")


def without_accents(text: str) -> str:
    """Return a text in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def abbreviation(name: str) -> str:
    """Return the initials of a name, as in GWB for George W. Bush.

    A single word in capitals, such as IBM or U.S., is kept without its points.
    """
    words = WORD.findall(name)
    bare = words[0].replace(".", "") if len(words) == 1 else ""
    if bare.isupper():
        return bare
    capital = [word for word in words if word[0].isupper() or word[0].isdigit()]
    return "".join(word[0] for word in capital or words).upper()


def split_authors(text: str) -> list[str]:
    """Return the authors of a reference, each as first initial and last name.

    ``"Auer, P., & Schapire, R. E."``, ``"Auer P, Schapire RE"`` and ``"P. Auer and Rob Schapire"``
    all give ``["p auer", "r schapire"]``.  Given names after a last name count as initials if the
    last of them is one, as in "Schapire, Robert E.", or if semicolons separate the names.
    """
    names, apart = [], ";" in text
    text = JOINED.sub(lambda found: " ".join(found[0]), text)
    for part in BETWEEN.split(NO_AUTHOR.sub(" ", without_accents(text))):
        own: list[str] = []
        for piece in part.split(","):
            if own and _is_given(piece, own[-1], apart):
                own[-1] += "".join(f" {word[0]}" for word in LETTERS.findall(piece))
            elif LETTERS.search(piece):
                own.append(piece)
        names += filter(None, map(_short, own))
    return names


def _is_given(piece: str, before: str, apart: bool) -> bool:
    """Return whether what follows a comma are initials or given names of the name before it."""
    names = bool(LETTERS.search(piece)) and (apart or bool(GIVEN.match(piece)))
    return bool(INITIALS.match(piece)) or (names and len(LETTERS.findall(before)) == 1)


def _short(name: str) -> str:
    """Return the first initial and the last name, or an empty text if there is no last name."""
    words = LETTERS.findall(name)
    lasts = [word for word in words if len(word) > 1]
    if not lasts:
        return ""
    turned = len(words[0]) > 1 and all(len(word) == 1 for word in words[1:])
    last, given = (words[0], words[1:]) if turned else (lasts[-1], words[:-1])
    return f"{given[0][0]} {last}" if given else last
