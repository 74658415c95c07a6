"""Names and the entities they refer to, read from GUM, MEANTIME and LitBank."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from derive import Origins, csv_table

HEADER = (
    "corpus doc_id genre partition mention_id sent start end text name head etype mention_type "
    "entity_id"
).split()
BRACKET = re.compile(
    r"\([^()]*\)?|[^()]+\)"
)  # GUM: "(7-..." opens, "7)" closes, "(7-...)" does both
MEANTIME = "Data, experiments, analyses/MeanTime_Annotated"
REPEATED = "260_Airbus_launches"  # the same text as 3307_Airbus_launches...
KINDS = {"NAM": "NAM", "PRE.NAM": "PRE", "": "CAP"}
SMALL_WORDS = set("of the and for de & a an".split())
PRONOUNS = set(
    "i me my mine you your yours he him his she her hers it its we us our ours they them their "
    "theirs".split()
)


def gum(origins: Origins) -> bytes:
    """Return mentions whose minimal span has only proper nouns, by document and position."""
    repository, rows = origins.repository("amir-zeldes/gum"), []
    partition = partitions(repository.read("splits.md").decode())
    for path in repository.names("dep"):
        document = re.search(r"([^/]+)\.conllu$", path)[1]
        genre = document.split("_")[1]
        if genre == "reddit":  # its words are withheld
            continue
        words, mentions = tokens_and_mentions(repository.read(path).decode())
        for number, (start, end, group, etype, minimal) in enumerate(mentions):
            span = words[start : end + 1]
            places = [int(place) - 1 for place in minimal.split(",")]
            tags = {span[place][1] for place in places if re.search(r"[A-Za-z]", span[place][0])}
            if tags and tags <= {"NNP", "NNPS"}:
                forms = [form for form, _, _ in span]
                name = forms[min(places) : max(places) + 1]
                about = ["gum", document, genre, partition[document], f"m{number}"]
                texts = [" ".join(forms), " ".join(name), name[-1]]
                label = [etype, "NAM", f"{document}#{group}"]
                rows.append([*about, span[0][2], start, end, *texts, *label])
    return csv_table(HEADER, rows)


def partitions(text: str) -> dict[str, str]:
    """Return the partition of each document of GUM."""
    found, partition = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            partition = line[3:].strip()
        elif line.strip().startswith("* "):
            found[line.strip()[2:]] = partition
    return found


def tokens_and_mentions(text: str) -> tuple[list, list]:
    """Return (form, tag, sentence) of each token, and (start, end, group, type, span) of mentions.

    Mentions come in the order in which they begin, the outer before the inner.
    """
    words, mentions, unfinished, sentence = [], [], {}, -1
    for line in text.splitlines():
        sentence += line.startswith("# sent_id")
        cells = line.split("\t")
        if not cells[0].isdigit():
            continue
        place = len(words)
        words.append((cells[1], cells[4], sentence))
        entity = re.search(r"(?:^|\|)Entity=([^|]*)", cells[9])
        for bracket in BRACKET.findall(entity[1]) if entity else ():
            if bracket.startswith("("):
                group, etype, _, _, _, minimal = bracket.strip("()").split("-")[:6]
                unfinished.setdefault(group, []).append(len(mentions))
                mentions.append([place, None, group, etype, minimal])
            if bracket.endswith(")"):
                group = bracket.strip("()").split("-")[0]
                mentions[unfinished[group].pop()][1] = place
    return words, mentions


def litbank(origins: Origins) -> bytes:
    """Return proper-noun mentions; one without a chain has that of its apposition or copula."""
    repository, rows = origins.repository("dbamman/litbank"), []
    for path in repository.names("coref/tsv"):
        if not path.endswith(".ann"):
            continue
        document = re.search(r"([^/]+)_brat\.ann$", path)[1]
        text = repository.read(path.removesuffix("ann") + "txt").decode()
        first = [0]  # the number of the first token of each sentence
        for line in text.splitlines():
            first.append(first[-1] + len(line.split(" ")))
        lines = [line.split("\t") for line in repository.read(path).decode().splitlines()]
        chain = {line[1]: line[2] for line in lines if line[0] == "COREF"}
        partner = {}
        for kind, *pair in lines:
            if kind in ("APPOS", "COP"):
                for one, two in (pair, pair[::-1]):
                    if two in chain:
                        partner.setdefault(one, chain[two])
        found = []
        for kind, *cells in lines:
            if kind != "MENTION" or cells[-1] != "PROP":
                continue
            mention, sentence, start, last_sentence, end, name, etype, _ = cells
            begin = first[int(sentence)] + int(start)
            until = first[int(last_sentence)] + int(end)
            entity = chain.get(mention) or partner.get(mention) or f"_single_{mention}"
            about = ["litbank", document, "fiction", "", mention, sentence, begin, until]
            label = [name, name, name.split(" ")[-1], etype, "NAM", f"{document}#{entity}"]
            found.append([*about, *label])
        rows += sorted(found, key=lambda row: (row[6], -row[7]))  # the outer before the inner
    return csv_table(HEADER, rows)


def meantime(origins: Origins) -> bytes:
    """Return mentions typed as names and untyped ones of capitalised words, by document."""
    repository, documents = origins.repository("newsreader/eso-and-ceo"), []
    for path in repository.names(MEANTIME):
        topic, name = re.search(r"CAT_XML_(\w+?)_std.*/(.*)$", path).groups()
        if name.endswith(".xml") and not name.startswith(REPEATED):
            document = ElementTree.fromstring(repository.read(path))
            documents.append(
                (document.get("doc_name").removesuffix(".txt"), topic.lower(), document)
            )
    rows = []
    for name, topic, document in sorted(documents, key=lambda item: item[0]):
        rows += sorted(names_of(name, topic, document), key=lambda row: (row[6], -row[7]))
    return csv_table(HEADER, rows)


def names_of(document: str, topic: str, tree: ElementTree.Element) -> list[list]:
    """Return the mentions of one document that are linked to an entity."""
    tokens = {token.get("t_id"): token for token in tree.iter("token")}
    types = {entity.get("m_id"): entity.get("ent_type") for entity in tree.iter("ENTITY")}
    entities: dict[str, str] = {}
    for link in tree.iter("REFERS_TO"):
        for source in link.iter("source"):
            number = source.get("m_id")
            targets = [target.get("m_id") for target in link.iter("target")]
            known = [*targets, *filter(None, [entities.get(number)])]
            if known:
                entities[number] = min(known, key=int)
    rows = []
    for mention in tree.iter("ENTITY_MENTION"):
        number = mention.get("m_id")
        span = [tokens[anchor.get("t_id")] for anchor in mention.iter("token_anchor")]
        words = [token.text for token in span]
        kind = KINDS.get(mention.get("syntactic_type"))
        if kind == "CAP" and not capitalised(words):
            continue
        if kind is None or types.get(entities.get(number)) is None:
            continue
        begin, end = (int(token.get("number")) for token in (span[0], span[-1]))
        text = " ".join(words)
        head = mention.get("head") or re.sub(r"^(?:the|a|an) ", "", text, flags=re.IGNORECASE)
        about = ["meantime", document, topic, "", number, span[0].get("sentence"), begin, end]
        entity = entities[number]
        label = [types[entity], kind, f"{document}#{entity}"]
        rows.append([*about, text, head, head.split()[-1], *label])
    return rows


def capitalised(words: list[str]) -> bool:
    """Return whether all words but small ones begin with a capital, and they are not a pronoun."""
    large = [word for word in words if re.search("[A-Za-z]", word)]
    large = [word for word in large if word.lower() not in SMALL_WORDS]
    pronoun = " ".join(words).lower() in PRONOUNS
    return bool(large) and not pronoun and all(word[0].isupper() for word in large)


TABLES = {
    "gum_mentions.csv.gz": gum,
    "litbank_mentions.csv.gz": litbank,
    "meantime_mentions.csv.gz": meantime,
}
