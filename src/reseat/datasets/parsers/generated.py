"""Made-up messages, for trying everything out without any data."""

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from reseat.checks import check_whole
from reseat.datasets.raw import RawDocuments, index_labels
from reseat.datasets.uniforms import Uniforms

# Words on every common stop list, so that stop-word removal has an effect.
FUNCTION_WORDS = (
    "the of and to a in that is was he for it with as his on be at by had not are but from "
    "or have an they which you were her all she there would their we him been has when who "
    "will more no if out so what up its about than into them can only other some could these"
).split()
ONSETS = "b br c ch d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t tr v w z".split()
VOWELS = "a e i o u ai ea oo".split()
CODAS = ("", "", "", "l", "m", "n", "r", "s", "t", "nd", "rk")
LINE, SENTENCE = 72, 12  # characters, words


def parse_generated(
    paths: Mapping[str, Path],
    seed: int,
    n_documents: int,
    n_classes: int,
    n_words: int = 2000,
    length: int = 60,
    skew: float = 0.0,
    topicality: float = 0.35,
    class_words: int = 120,
    n_empty: int = 2,
) -> RawDocuments:
    """Draw messages, half of whose words are function words, with headers that name classes.

    `n_words`: number of made-up words, with probabilities proportional to 1 / (rank + 2).
    `length`: median number of them in a message; lengths vary by up to four times either way.
    `skew`: class sizes, of at least 1, are proportional to 1 / rank ** skew.
    `topicality`: share of a message's made-up words that come from the class's topic.
    `class_words`: size of a topic, a third of which is that of the next class, too.
    `n_empty`: number of messages of function words only, which have no features.
    """
    check_whole("the option 'n_classes'", n_classes, 1, n_documents, ", the number of documents")
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    words = _lexicon(draw, n_words)
    names = [f"topic.{words[index]}" for index in range(n_classes)]
    classes = _class_of_each(draw, n_documents, n_classes, skew)
    background = np.cumsum(1.0 / (np.arange(n_words) + 2.0))
    topics = _topics(draw, n_words, n_classes, min(class_words, n_words))
    topic_weights = np.cumsum(1.0 / (np.arange(topics.shape[1]) + 2.0))
    empty = set(draw.order(n_documents)[:n_empty].tolist())
    texts = []
    for document, label in enumerate(classes):
        size = max(1, round(length * 4.0 ** float(draw.below(2001, 1)[0] / 1000 - 1)))
        size = 0 if document in empty else size
        topical = draw.chance(topicality, size)
        common = draw.choose(background, size)
        own = topics[label][draw.choose(topic_weights, size)]
        chosen = [words[index] for index in np.where(topical, own, common)]
        texts.append(_message(draw, names[label], chosen, document))
    labels, label_names = index_labels([names[label] for label in classes])
    ids = [f"{names[label]}/{document + 1}" for document, label in enumerate(classes)]
    return RawDocuments(texts, labels, label_names, ids, has_headers=True)


def _lexicon(draw: Uniforms, n_words: int) -> list[str]:
    """Draw distinct pronounceable words, none of them a function word."""
    taken, words = set(FUNCTION_WORDS), []
    while len(words) < n_words:
        syllables = 2 + int(draw.below(2, 1)[0])
        parts = [
            kinds[draw.below(len(kinds), 1)[0]]
            for _ in range(syllables)
            for kinds in (ONSETS, VOWELS)
        ]
        word = "".join(parts) + CODAS[draw.below(len(CODAS), 1)[0]]
        if word not in taken:
            taken.add(word)
            words.append(word)
    return words


def _class_of_each(draw: Uniforms, n_documents: int, n_classes: int, skew: float) -> np.ndarray:
    """Return classes in random order, none empty, with sizes by the largest-remainder method."""
    weights = 1.0 / (np.arange(n_classes) + 1.0) ** skew
    spare = n_documents - n_classes
    shares = spare * weights / weights.sum()
    sizes = np.floor(shares).astype(int)
    first = np.argsort(sizes - shares, kind="stable")[: spare - sizes.sum()]
    sizes[first] += 1
    return np.repeat(np.arange(n_classes), sizes + 1)[draw.order(n_documents)]


def _topics(draw: Uniforms, n_words: int, n_classes: int, size: int) -> np.ndarray:
    """Draw the word numbers of each topic, shape (n_classes, size); a third is the next topic's."""
    topics = np.stack([draw.order(n_words)[:size] for _ in range(n_classes)])
    shared = size // 3
    if n_classes > 1 and shared:
        topics[:, -shared:] = np.roll(topics, -1, axis=0)[:, :shared]
    return topics


def _message(draw: Uniforms, name: str, words: Sequence[str], document: int) -> str:
    """Return a message: headers, a blank line, and sentences broken into lines."""
    n_function = max(len(words), 4)
    function = [FUNCTION_WORDS[i] for i in draw.below(len(FUNCTION_WORDS), n_function)]
    mixed = [*words, *function]
    mixed = [mixed[index] for index in draw.order(len(mixed))]
    sentences = [
        " ".join(mixed[start : start + SENTENCE]).capitalize() + "."
        for start in range(0, len(mixed), SENTENCE)
    ]
    body = textwrap.fill(" ".join(sentences), LINE)
    subject = " ".join(words[:3]) or "none"
    headers = f"From: writer{document + 1}\nNewsgroups: {name}\nSubject: {subject}\n"
    return f"{headers}\n{body}\n"
