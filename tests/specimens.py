"""Sample files for every parser, with two readings: the processed data set and a plain one.

The plain second readings share no code with the parsers.  They are less careful: any error that
they raise counts as "this cannot be read".
"""

import csv
import gzip
import io
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.io
from given_files import packed

MISSING = {"", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL",
           "null", "None"}  # fmt: skip


@dataclass(frozen=True)
class Specimen:
    """Files that a parser reads."""

    parser: str
    #: By role. The name of a file in an archive follows the role: ``archive:top/a/1``.
    files: dict[str, bytes]
    #: Turns the processed data set into plain values.
    found: Callable
    #: Reads the same values from the files.
    second: Callable
    options: dict = field(default_factory=dict)
    features: dict = field(default_factory=dict)
    #: File name endings, by role.
    suffix: dict = field(default_factory=dict)
    #: Whether the files are not text, so that harmless changes of text do not apply to them.
    binary: bool = False


# ---- plain readings ----------------------------------------------------------------------


def text_of(content, encoding="utf-8-sig"):
    content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    return unicodedata.normalize("NFC", content.decode(encoding))


def lines_of(content):
    return re.split("\r\n|\r|\n", text_of(content))


def table(content, delimiter=None):
    """Return the rows of a table as mappings."""
    text = text_of(content)
    if delimiter is None:
        first = text.split("\n")[0]
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count),
                          skipinitialspace=True, strict=True)  # fmt: skip
    else:
        rows = (line.split(delimiter) for line in lines_of(content))
    header, *body = [
        [cell.strip() for cell in row] for row in rows if delimiter is None and row or any(row)
    ]
    body = [row for row in body if delimiter is None or any(row)]
    assert len(set(header)) == len(header) and all(len(row) == len(header) for row in body)
    return [dict(zip(header, row, strict=True)) for row in body]


def alike(names):
    """Number names by first appearance, which tells which are equal, whatever they are called."""
    first = {}
    return [first.setdefault(name, len(first)) for name in names]


def given(text):
    return None if text in MISSING else text


def number(text):
    return None if text in MISSING else float(text)


def archived(files):
    """Return a compressed archive of the files in it."""
    return packed(members({name: files[name] for name in files if name.startswith("archive:")}))


def members(files):
    return {name.partition(":")[2]: content for name, content in files.items()}


# ---- documents ---------------------------------------------------------------------------


def corpus(made):
    dense, words = made.counts.toarray(), made.vocabulary
    return [
        (name, made.label_names[label], {words[n]: int(row[n]) for n in np.flatnonzero(row)})
        for name, label, row in zip(made.document_ids, made.labels, dense, strict=True)
    ]


def body(text):
    lines = text.split("\n")
    ends = [n for n, line in enumerate(lines) if line in ("", "\r")]
    # A newline ends a line, so an empty last piece is no empty line.
    ends = [n for n in ends if n < len(lines) - 1]
    head = lines[: ends[0]] if ends else lines[:-1] if lines[-1] == "" else lines
    if not all(re.match(r"[!-9;-~]+:|[ \t]|>?From ", line) for line in head):
        return text
    return "\n".join(lines[ends[0] + 1 :]) if ends else ""


def words(text, letters="[a-z]"):
    return dict(Counter(re.findall(letters + "{2,}", text.lower())))


def natural(name):
    return (0, int(name), name) if re.fullmatch(r"\d{1,999}", name) else (1, 0, name)


def messages(files, depth, encoding="latin-1", letters="[a-z]"):
    found = []
    for name, content in members(files).items():
        parts = name.split("/")
        if len(parts) == depth:
            text = body(text_of(content, encoding) if encoding == "utf-8-sig" else
                        content.decode(encoding))  # fmt: skip
            found.append((parts[-2], parts[-1], words(text, letters)))
    found.sort(key=lambda item: (item[0], natural(item[1])))
    return [(f"{topic}/{name}", topic, counts) for topic, name, counts in found]


def stories(files):
    items = []
    for _, content in sorted(members(files).items()):
        sgml = content.decode("latin-1")
        for item in re.finditer(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", sgml, re.DOTALL):
            keys = dict(re.findall(r'([A-Z]+)="([^"]*)"', item[1]))
            if keys.get("TOPICS") != "YES" or keys.get("LEWISSPLIT") not in ("TRAIN", "TEST"):
                continue
            listed = re.search(r"<TOPICS>(.*?)</TOPICS>", item[2], re.DOTALL)
            topics = re.findall(r"<D>(.*?)</D>", listed[1], re.DOTALL) if listed else []
            text = re.search(r"<TEXT\b[^>]*>(.*?)</TEXT>", item[2], re.DOTALL)
            parts = [re.search(f"<{tag}>(.*?)</{tag}>", text[1] if text else "", re.DOTALL)
                     for tag in ("TITLE", "BODY")]  # fmt: skip
            said = "\n".join(part[1] for part in parts if part)
            if len(topics) == 1:
                items.append((int(keys["NEWID"]), keys["LEWISSPLIT"], topics[0], said))
    both = {t for _, s, t, _ in items if s == "TRAIN"} & {t for _, s, t, _ in items if s == "TEST"}
    return [(str(n), t, words(said)) for n, _, t, said in sorted(items) if t in both]


def pages(files):
    names, rows = [], []
    for line in map(str.strip, lines_of(files["arff"])):
        if line.startswith("@attribute"):
            names.append(line.split()[1])
        elif line.startswith("{"):
            pairs = [cell.split() for cell in line[1:-1].split(",") if cell.strip()]
            assert line.endswith("}") and all(value in ("0", "1") for _, value in pairs)
            rows.append([names[int(index)] for index, value in pairs if value == "1"])
    tags = [[name for name in row if name in ("TAG_a", "TAG_b")] for row in rows]
    return [
        (str(n), tag[0][4:], {name: 1 for name in row if not name.startswith("TAG_")})
        for n, (row, tag) in enumerate(zip(rows, tags, strict=True), start=1)
        if len(tag) == 1
    ]


# ---- records -----------------------------------------------------------------------------


def records(made):
    cells = [
        [None if code < 0 else levels[code] for code in codes]
        for codes, levels in zip(made.codes.T, made.levels, strict=True)
    ]
    return [made.record_ids.tolist(), alike(made.entities.tolist()), cells]


def people(files):
    rows = table(files["table"])
    fields = [[given(row[key]) for row in rows] for key in ("town", "year")]
    return [[row["id"] for row in rows], alike([row["who"] for row in rows]), fields]


def febrl(files):
    rows = table(files["a"])
    owners = [re.fullmatch(r"rec-(\d+)-(org|dup-\d+)", row["rec_id"])[1] for row in rows]
    fields = [[given(row[key]) for row in rows] for key in ("town", "year")]
    return [[row["rec_id"] for row in rows], alike(owners), fields]


def arff(files):
    names, rows, below = [], [], False
    for line in map(str.strip, lines_of(files["arff"])):
        if line.lower().startswith("@attribute"):
            names.append(line.split()[1].split("{")[0].strip("'\""))
        elif line.lower().split()[:1] == ["@data"]:
            below = True
        elif below and line and not line.startswith("%"):
            assert not line.startswith("{")
            (row,) = csv.reader([line], quotechar="'", skipinitialspace=True)
            rows.append([cell.strip().strip('"') for cell in row])
            assert len(row) == len(names)
    rows = [dict(zip(names, row, strict=True)) for row in rows]
    fields = [[None if row[key] == "?" else given(row[key]) for row in rows]
              for key in ("town", "year")]  # fmt: skip
    ids = [str(n) for n in range(1, len(rows) + 1)]
    return [ids, alike([row["class"] for row in rows]), fields]


def recipe(made):
    shares = [np.round(marginal, 12).tolist() for marginal in made.marginals]
    return [list(made.fields), [list(names) for names in made.levels], shares, made.sizes.tolist()]


def counted(files):
    rows = table(files["marginals"])
    fields = list(dict.fromkeys(row["field"] for row in rows))
    levels, shares = [], []
    for name in fields:
        own = [row for row in rows if row["field"] == name]
        counts = np.array([float(int(row["count"])) for row in own])
        levels.append([row["level"] for row in own])
        shares.append(np.round(counts / counts.sum(), 12).tolist())
    sizes = json.loads(text_of(files["sizes"]))["d"]["clusters_by_size"]
    assert all(isinstance(n, int) for n in sizes.values())
    by_size = {int(size): n for size, n in sizes.items()}
    assert max(by_size) < 10**6
    return [fields, levels, shares, [by_size.get(n + 1, 0) for n in range(max(by_size))]]


# ---- sequences, matrices, relations ------------------------------------------------------


def sequences(made):
    return [list(part) for part in (made.names, made.sequences, made.labels, made.groups)]


def fasta(files):
    found = [[], [], [], []]
    for line in lines_of(files["fasta"]):
        if line.startswith(">"):
            label = re.search("class=(.)", line)
            for part, value in zip(found, (line[1:].split()[0], "", label[1] if label else "", ""),
                                   strict=True):  # fmt: skip
                part.append(value)
        elif line.strip():
            found[1][-1] += line.strip().rstrip("*").upper()
    return found


def sequence_rows(files):
    one, two = table(files["known"]), table(files["new"])
    rows = [(r["name"], r["sequence"].upper(), given(r["class"]) or "", "") for r in one]
    rows += [(r["name"], r["sequence"].upper(), "", given(r["truth"]) or "") for r in two]
    return [list(part) for part in zip(*rows, strict=True)]


def dissimilarities(made):
    names = [made.class_names[c] if c >= 0 else "" for c in made.classes]
    largest = float(made.values.max())
    return [list(made.item_ids), names, np.round(made.values / largest, 5).tolist(), largest]


def symmetric(values, names, classes):
    values = np.array(values, dtype=float)
    values = (values + values.T) / 2
    np.fill_diagonal(values, 0)
    largest = values.max()
    rounded = np.round(np.float32(values) / np.float32(largest), 5).tolist()
    return [names, classes, rounded, float(np.float32(largest))]


def distances(files):
    text = text_of(files["matrix"])
    sign = max(",;\t", key=text.split("\n")[0].count)
    header, *rows = [row for row in csv.reader(io.StringIO(text), delimiter=sign) if any(row)]
    names = [cell.strip() for cell in header[1:]]
    assert [row[0].strip() for row in rows] == names
    label_of = dict(list(row.values())[:2] for row in table(files["labels"]))
    classes = [given(label_of.get(name, "")) or "" for name in names]
    return symmetric([[float(cell) for cell in row[1:]] for row in rows], names, classes)


def array(files):
    content = files["matrix"]
    assert content[:128] == ARRAY[:128] and len(content) == len(ARRAY)
    values = np.frombuffer(content[128:], "<f8").reshape(4, 4)
    return symmetric(values, ["1", "2", "3", "4"], [""] * 4)


def relations(made):
    (found,) = made.relations
    names = [made.entities[kind] for kind in found.types]
    return {
        tuple(kinds[place] for kinds, place in zip(names, cell, strict=True)): int(count)
        for cell, count in zip(found.coordinates.tolist(), found.counts, strict=True)
    }


def pairs(files):
    found = Counter()
    for row in table(files["pairs"], "\t"):
        assert re.fullmatch("[0-9]+", row["count"]) and row["word"] and row["noun"]
        found[row["word"], row["noun"]] += int(row["count"])
    return {cell: count for cell, count in found.items() if count}


def links(files):
    values = scipy.io.loadmat(io.BytesIO(members(files)["a/r.mat"]))["R"]
    assert values.shape == (3, 3)
    return {(f"t {a + 1}", f"t {b + 1}"): int(values[a, b]) for a in range(3) for b in range(3)
            if values[a, b]}  # fmt: skip


# ---- mentions ----------------------------------------------------------------------------


def mentions(*keys, sides=True):
    def found(made):
        columns = [made.columns[key] for key in keys]
        values = [
            [None if math.isnan(v) else v for v in part.tolist()] if isinstance(part, np.ndarray)
            else list(part)
            for part in columns
        ]  # fmt: skip
        side = made.test.tolist() if sides else None
        return [list(made.item_ids), alike(made.entities.tolist()), side, values]

    return found


def items(files):
    rows = table(files["items"])
    assert all(given(row["entity"]) and row["split"] in ("train", "test") for row in rows)
    known = [row["size"] for row in rows if given(row["size"])]
    numeric = [text for text in known if re.fullmatch(NUMBER, text)]
    assert len(numeric) == len(known) or 2 * len(numeric) <= len(known)
    if known and len(numeric) == len(known):
        sizes = [number(row["size"]) for row in rows]
    else:
        sizes = [given(row["size"]) or "" for row in rows]
    texts = [given(row["text"]) or "" for row in rows]
    sides = [row["split"] == "test" for row in rows]
    return [[r["id"] for r in rows], alike([r["entity"] for r in rows]), sides, [texts, sizes]]


NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"


def pair_matrix(made):
    return [list(made.item_ids), alike(made.entities.tolist()), made.test.tolist(),
            made.columns["near"].tolist()]  # fmt: skip


def item_pairs(files):
    rows = table(files["user:items.csv"])
    names = [row["id"] for row in rows]
    matrix = np.full((len(rows), len(rows)), np.nan)
    np.fill_diagonal(matrix, 0)
    for row in table(files["user:pairs.csv"]):
        a, b = names.index(row["id1"]), names.index(row["id2"])
        assert np.isnan(matrix[a, b])
        matrix[a, b] = matrix[b, a] = float(row["near"])
    assert np.isfinite(matrix).all()
    sides = [row["split"] == "test" for row in rows]
    return [names, alike([row["entity"] for row in rows]), sides, matrix.tolist()]


def references(files):
    rows = table(files["references"])
    side = {row["ref_id"]: row["split"] == "test" for row in table(files["split"])}
    rows = [row for row in rows if row["ref_id"] in side]
    assert all(given(row["entity_id"]) for row in rows)
    texts = [[row[key] for row in rows] for key in ("first_name", "last_name", "venue")]
    # An entity on both sides counts as two.
    entities = [(row["entity_id"], side[row["ref_id"]]) for row in rows]
    return [[row["ref_id"] for row in rows], alike(entities),
            [side[row["ref_id"]] for row in rows],
            [*texts, [number(row["year"]) for row in rows]]]  # fmt: skip


def author_lines(files):
    lines = enumerate(text_of(files["lines"]).splitlines(), start=1)
    rows = [[n, *map(str.strip, line.split(" | ", 7))] for n, line in lines if line.strip()]
    assert all(len(row) == 9 and given(row[2]) for row in rows)
    names = [row[3].partition("_") for row in rows]
    first, last = [name[2].replace("_", " ") for name in names], [name[0] for name in names]
    return [[f"line {row[0]}" for row in rows], alike([row[2] for row in rows]), None,
            [first, last]]  # fmt: skip


def names_in_documents(files):
    rows = table(files["mentions"])
    assert all(given(row["entity_id"]) for row in rows)
    rows = [row for row in rows if row["partition"] in ("old", "new")]
    return [[f"{r['doc_id']}:{r['mention_id']}" for r in rows],
            alike([(r["doc_id"], r["entity_id"]) for r in rows]),
            [r["partition"] == "new" for r in rows],
            [[r["name"] for r in rows], [r["head"] for r in rows]]]  # fmt: skip


def citations(files):
    rows = table(files["references"])
    owners = [row["work"] for row in rows]
    assert all(map(given, owners))
    marked = {o: [r["part"] == "new" for r in rows if r["work"] == o] for o in owners}
    sides = [sum(marked[o]) > len(marked[o]) / 2 for o in owners]
    years = [re.search(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)", row["year"]) for row in rows]
    return [[row["ref"] for row in rows], alike(owners), sides,
            [[row["title"] for row in rows], [row["author"] for row in rows],
             [float(year[0]) if year else None for year in years]]]  # fmt: skip


def images(made):
    """Return name, digit and pixels of each; digits are numbered by first appearance."""
    return [[name.partition(":")[2], int(label), np.round(row, 9).tolist()] for name, label, row in
            zip(made.item_ids, made.entities, made.columns["pixels"], strict=True)]  # fmt: skip


def pixel_rows(files):
    lines = [line.split() for line in lines_of(files["a"])]
    rows = [[float(cell) for cell in line] for line in lines if line]
    assert all(len(row) == 257 for row in rows)
    found = []
    for place, (digit, *pixels) in enumerate(rows, start=1):
        assert digit in range(10)
        square = np.array(pixels).reshape(8, 2, 8, 2).mean(axis=(1, 3)).ravel()
        found.append([str(place), int(digit), np.round(square, 9).tolist()])
    return found


# ---- the files ---------------------------------------------------------------------------


def lines(*rows):
    return ("\n".join(rows) + "\n").encode()


def _array():
    file = io.BytesIO()
    np.save(file, np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0))))
    return file.getvalue()


def _matlab():
    file = io.BytesIO()
    scipy.io.savemat(file, {"R": np.array([[0.0, 1, 0], [1, 0, 1], [1, 1, 0]])})
    # The first 116 bytes are text that contains the time, so they are replaced.
    return b"MATLAB 5.0 MAT-file".ljust(116) + file.getvalue()[116:]


ARRAY = _array()
MESSAGE = "From: somebody\nSubject: a matter\n\nThe {0} report of {0} number {1} caf\xe9\nand {1}\n"
NEWS = {
    f"archive:top/{group}/{n}": MESSAGE.format(group, word).encode("latin-1")
    for group in ("sci", "alt")
    for n, word in ((2, "zwei"), (10, "zehn"), (7, "sieben"))
}
MAIL = {name.replace("top/", "top/me/"): text for name, text in NEWS.items()}
OWN = {
    name.replace("archive:top", "user:"[:-1] + ":"): MESSAGE.format("Größe", "Übung").encode()
    for name in NEWS
}
OWN = {name.replace(":/", ":"): text for name, text in OWN.items()}
STORY = (
    '<REUTERS TOPICS="YES" LEWISSPLIT="{0}" NEWID="{1}">\n<TOPICS><D>{2}</D></TOPICS>\n'
    "<TEXT>&#2;\n<TITLE>{2} rise</TITLE><BODY>shares of {2} rose by {1} percent</BODY></TEXT>\n"
    "</REUTERS>\n"
)
STORIES = "".join(
    STORY.format(split, number, topic)
    for number, (split, topic) in enumerate(
        [(s, t) for t in ("grain", "gold") for s in ("TRAIN", "TEST", "TRAIN")], start=1
    )
)
MULAN = lines(
    "@relation r", "", *(f"@attribute {name} {{0,1}}" for name in
    ("apple", "zebra", "tree", "TAG_a", "TAG_b", "TAG_c")), "@data",
    "{0 1,3 1}", "{1 1,4 1,5 1}", "{0 1,1 1,3 1}", "{2 1,4 1}", "{2 1,3 1,4 1}",
)  # fmt: skip
TOWNS = ("Ulm", "Köln", "Aalen", "São Paulo")
RECORDS = [(f"r{n}", f"e{n // 2}", TOWNS[n * 7 % 4], str(1950 + n % 5)) for n in range(10)]
PEOPLE = lines("id,who,town,year", *(",".join(row) for row in RECORDS))
FEBRL = lines(
    "rec_id,town,year",
    *(f"rec-{n // 2}-{'dup-0' if n % 2 else 'org'},{row[2]},{row[3]}"
      for n, row in enumerate(RECORDS)),
)  # fmt: skip
ARFF = lines(
    "@relation r", "@attribute town string", "@attribute year {1950, 1951}",
    "@attribute class {0,1}", "@data", *(f"'{r[2]}',{r[3]},{r[1]}" for r in RECORDS),
)  # fmt: skip
SIZES = b'{"d": {"clusters_by_size": {"1": 5, "2": 4, "4": 1}, "N": 17, "K": 10}}'
MARGINALS = lines("field,level,count", "town,Ulm,3", "town,K\u00f6ln,7", "sex,f,5", "sex,m,6")
FASTA = lines(*(f">s{n} class={'ab'[n % 2]} x\n{'MKVLLA'[n:] or 'MK'}\nVLSP*" for n in range(5)))
KNOWN = lines("name,sequence,class", *(f"k{n},MKVL{'LAS'[n]},{'ab'[n % 2]}" for n in range(3)))
NEW = lines("name,sequence,truth", *(f"n{n},MKVLA,{'xyz'[n]}" for n in range(3)))
MATRIX = lines(",Ulm,K\u00f6ln,c,d", "Ulm,0,1,2,3.5", "K\u00f6ln,1,0,1.25,2", "c,2,1.25,0,1",
               "d,3.5,2,1,0")  # fmt: skip
LABELS = lines("object,class", "K\u00f6ln,x", "c,y", "d,NA")
PAIRS = lines("word\tnoun\tcount", *(f"{a}\t{b}\t{n + 2}" for n, (a, b) in enumerate(
    [("groß", "Haus"), ("groß", "Baum"), ("klein", "Haus"), ("alt", "Baum"), ("alt", "Tür")]
)))  # fmt: skip
ITEMS = lines("id,split,entity,text,size", *(
    f"i{n},{'test' if n > 5 else 'train'},e{n // 2},{TOWNS[n % 4]},{n}.5" for n in range(10)
))  # fmt: skip
NEAR = lines("id1,id2,near", *(f"i{a},i{b},{a + b}.25" for a in range(10) for b in range(a)))
REFERENCES = lines(
    "ref_id,block,mention,first_name,last_name,year,venue,coauthors,entity_id,pub_id",
    *(f"{n},b{n % 2},J. M{n},J{n},Müller,{1990 + n},ICML,A. B,e{n // 2},p{n}" for n in range(8)),
)  # fmt: skip
SPLIT = lines("ref_id,split", *(f"{n},{'test' if n > 4 else 'train'}" for n in range(8)))
AUTHORS = lines(*(f"{n} | e{n // 2} | müller{n // 2}_j_{n} | J. Müller | 1 | p{n} | c | A title {n}"
                  for n in range(12)))  # fmt: skip
MENTIONS = lines("doc_id,mention_id,name,head,entity_id,partition", *(
    f"d{n // 3},{n},Herr {TOWNS[n % 4]},{TOWNS[n % 4]},x{n % 2},{'new' if n > 5 else 'old'}"
    for n in range(12)))  # fmt: skip
CITATIONS = lines("ref,work,part,title,author,year,venue", *(
    f"c{n},w{n // 2},{'new' if n > 5 else 'old'},On learning {n},P. Müller,({1980 + n}),JAIR"
    for n in range(10)))  # fmt: skip
IMAGES = lines(*(" ".join([str(n % 3), *(f"{(n * 31 + p) % 7 / 4}" for p in range(256))])
                 for n in range(9)))  # fmt: skip

ALL_WORDS = {"stop_list": "none", "top_words": None}
IMAGE_OPTIONS = {"train_digits": [0, 1], "test_digits": [2], "test_sizes": [3],
                 "train_sizes": [3, 3], "seed": 1}  # fmt: skip

SPECIMENS = [
    Specimen("newsgroups", NEWS, corpus, lambda f: messages(f, 3), features=ALL_WORDS),
    Specimen("mail_folders", MAIL, corpus, lambda f: messages(f, 4), {"user": "me"}, ALL_WORDS),
    Specimen(
        "topic_mail", OWN, corpus, lambda f: messages(f, 2, "utf-8-sig", r"[^\W\d_]"),
        features={**ALL_WORDS, "token_pattern": r"[^\W\d_]{2,}"},
    ),
    Specimen("reuters", {"archive:r/1.sgm": STORIES.encode()}, corpus, stories,
             features=ALL_WORDS),
    Specimen("mulan", {"arff": MULAN}, corpus, pages, {"tags": "a b"}),
    Specimen("record_table", {"table": PEOPLE}, records, people,
             {"entity": "who", "record": "id"}),
    Specimen("febrl", {"a": FEBRL}, records, febrl, {"fields": ["town", "year"]}),
    Specimen("record_arff", {"arff": ARFF}, records, arff, {"fields": ["town", "year"]}),
    Specimen("record_recipe", {"marginals": MARGINALS, "sizes": SIZES}, recipe, counted,
             {"dataset": "d"}),
    Specimen("sequence_fasta", {"fasta": FASTA}, sequences, fasta, {"label": "class=(.)"}),
    Specimen("sequence_tables", {"known": KNOWN, "new": NEW}, sequences, sequence_rows,
             {"tables": {"known": {"label": "class"}, "new": {"group": "truth"}}}),
    Specimen("dissimilarity_matrix", {"matrix": MATRIX, "labels": LABELS}, dissimilarities,
             distances, suffix={"matrix": ".csv"}),
    Specimen("dissimilarity_matrix", {"matrix": ARRAY}, dissimilarities, array,
             suffix={"matrix": ".npy"}, binary=True),
    Specimen("count_tables", {"pairs": PAIRS}, relations, pairs,
             {"relations": {"pairs": {"columns": {"word": "word", "noun": "noun"}}}}),
    Specimen("matlab_relation", {"archive:a/r.mat": _matlab()}, relations, links,
             {"member": "r.mat", "variable": "R", "relation": "r", "types": ["t", "t"]},
             binary=True),
    Specimen("labelled_items", {"items": ITEMS}, mentions("text", "size"), items),
    Specimen("item_pairs", {"user:items.csv": ITEMS, "user:pairs.csv": NEAR}, pair_matrix,
             item_pairs),
    Specimen("name_references", {"references": REFERENCES, "split": SPLIT},
             mentions("first_name", "last_name", "venue", "year"), references),
    Specimen("author_lines", {"lines": AUTHORS}, mentions("first_name", "last_name", sides=False),
             author_lines),
    Specimen("proper_names", {"mentions": MENTIONS}, mentions("name", "head"),
             names_in_documents, {"partitions": {"train": ["old"], "test": ["new"]}}),
    Specimen("citation_table", {"references": CITATIONS}, mentions("title", "authors", "year"),
             citations, {"item": "ref", "entity": "work", "test": {"part": "new"}}),
    Specimen("digit_images", {"a": IMAGES}, images, pixel_rows, IMAGE_OPTIONS),
]  # fmt: skip
