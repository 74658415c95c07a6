"""Counts of adjectives with nouns, and of nouns with verbs, in English treebanks.

The Japanese counts need MeCab and the texts of Aozora Bunko; README.md says how they were made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from derive import Origins

# Repository -> pattern of the files with its trees; for EWT and GUM, those that have all words.
TREEBANKS = {
    "UniversalDependencies/UD_English-EWT": r"not-to-release/sources/.*\.conllu$",
    "amir-zeldes/gum": r"dep/.*\.conllu$",
    "UniversalDependencies/UD_English-PUD": r"[^/]*\.conllu$",
    "UniversalDependencies/UD_English-ParTUT": r"[^/]*\.conllu$",
    "UniversalDependencies/UD_English-LinES": r"[^/]*\.conllu$",
}
WORD = re.compile(r"[^\W\d_][\w'’\-]*")  # begins with a letter


def sentences(origins: Origins) -> Iterator[dict[str, list[str]]]:
    """Yield each sentence as a dictionary from the number of each word to its ten columns."""
    for name, pattern in TREEBANKS.items():
        repository = origins.repository(name)
        paths = [path for path in repository.names(".") if re.match(pattern, path)]
        for trees in repository.read_all(paths):
            for block in trees.decode().split("\n\n"):
                words = [line.split("\t") for line in block.split("\n") if line]
                yield {word[0]: word for word in words if word[0].isdigit()}


def counts(origins: Origins, columns: str, dependent: str, relation: str, head: str) -> bytes:
    """Count the pairs of lemmas of two words, the first of which depends on the second.

    They are tab-separated, the most frequent pair first, then by code point.
    """
    found: Counter = Counter()
    for words in sentences(origins):
        for word in words.values():
            above = words.get(word[6])
            if above is None or (word[3], above[3]) != (dependent, head):
                continue
            if re.fullmatch(relation, word[7]):
                lemmas = word[2].lower(), above[2].lower()
                if all(WORD.fullmatch(lemma) and "_" not in lemma for lemma in lemmas):
                    found[lemmas] += 1
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"{columns} count".split(), *([*lemmas, str(n)] for lemmas, n in ordered)]
    return "".join("\t".join(line) + "\n" for line in lines).encode()


TABLES = {
    "en-ud/en_all.adj_noun.tsv.xz": partial(
        counts, columns="adjective noun", dependent="ADJ", relation="amod(:.*)?", head="NOUN"
    ),
    "en-ud/en_all.subj_verb.tsv.xz": partial(
        counts, columns="noun verb", dependent="NOUN", relation="nsubj", head="VERB"
    ),
    "en-ud/en_all.obj_verb.tsv.xz": partial(
        counts, columns="noun verb", dependent="NOUN", relation="obj", head="VERB"
    ),
}
