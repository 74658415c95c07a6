"""What parsers refuse, one row an input: through the checks of the registry and then the parser.

Each refusal is one sentence.  Options are refused before any file is read.
"""

import gzip
import io
import json
import lzma

import numpy as np
import pytest
import scipy.sparse as sp
from given_files import put
from scipy.io import savemat

from reseat.configuration import Place
from reseat.datasets.parsers import PARSERS, check_options
from reseat.errors import ConfigError, DataError

pytestmark = pytest.mark.usefixtures("matlab_in_forks")


def parse(name, paths, **options):
    check_options(name, options, Place("test"))
    return PARSERS[name](paths, **options)


def lines(*rows):
    """Return a table with a line for each text, in which blanks separate the cells."""
    return "".join(",".join(row.split()) + "\n" for row in rows)


def given(folder, files):
    """Write files, and return their paths by role; ``ROLE/NAME`` is in the folder of a role."""
    paths = {}
    for name, content in files.items():
        role = name.partition("/")[0]
        file = folder / (name if "." in name else f"{name}.csv" if role == name else name)
        put(file, content)
        paths[role.partition(".")[0]] = folder / role if "/" in name else file
    return paths


PAIRS = {"pairs": {"columns": {"a": "adjective", "n": "noun"}}}
ARRAY = {"member": "r.mat", "variable": "R", "relation": "r", "types": ["a", "a"]}
FAMILIES = {"seed": 3, "sizes": [12, 10, 9, 8], "n_new": 2}
DIGITS = {
    "train_digits": [1, 3], "test_digits": [0, 2], "test_sizes": [3, 5], "train_sizes": [2, 4],
}  # fmt: skip
NAMES = {"seed": 1, "kind": "names", "train": [2, 9], "test": [1, 4]}
CITED = {"item": "id", "entity": "key"}


def of(field):
    return {"fields": {"a": field}}


SET = {"seed": 1, "sizes": [3, 2], **of({"levels": 3, "shape": "even"})}

OPTIONS = [
    ("author_lines", {"train_share": 2}, "'train_share' is 2"),
    ("bundled_digits", {**DIGITS, "test_digits": [1, 2]}, "the digit 1 is in both"),
    ("bundled_digits", {**DIGITS, "test_sizes": [3]}, "1 test_sizes for 2 digits"),
    ("bundled_digits", {**DIGITS, "train_sizes": [4, 2]}, "'train_sizes' is"),
    ("bundled_digits", {**DIGITS, "test_sizes": [3, 500]}, "images of the digit [02], not 500"),
    ("citation_table", {**CITED, "test": {}}, "'test' must name one column and the value"),
    ("count_tables", {"relations": PAIRS, "keep": {"nuon": 2}}, "did you mean 'noun'"),
    ("count_tables", {"relations": PAIRS, "keep": {"noun": 0}}, "'keep.noun' is 0"),
    ("count_tables", {"relations": {"p": {"columns": {}, "colums": {}}}}, "did you mean 'columns'"),
    ("count_tables", {"relations": {"p": {"columns": {"a": "a"}}}}, "map two or more columns"),
    ("count_tables", {"relations": PAIRS}, "'relations.pairs' does not match any file"),
    ("dissimilarity_matrix", {"similarities": "yes"}, "it must be true or false"),
    ("febrl", {"fields": ["town"], "missing": [None]}, "'missing' lists None"),
    ("generated", {"seed": 1, "n_documents": 5, "n_classes": 6}, "'n_classes' is 6; it must be"),
    ("generated_families", {**FAMILIES, "sizes": []}, "'sizes'"),
    ("generated_families", {**FAMILIES, "length": 10}, "'length'"),
    ("generated_families", {**FAMILIES, "n_new": 4}, "'n_new'"),
    ("generated_families", {**FAMILIES, "substitution": 1.1}, "'substitution'"),
    ("generated_mentions", {**NAMES, "kind": "name"}, "'kind' is 'name'; did you mean 'names'"),
    ("generated_mentions", {**NAMES, "typos": 1}, "'typos' is 1"),
    ("generated_mentions", {**NAMES, "test": [9, 3]}, r"'test' is \[9, 3\]"),
    ("generated_records", {**SET, "sizes": [1, -1]}, "'sizes'"),
    ("generated_records", {**SET, **of({"levels": 3})}, "'fields.a' must have the keys levels and"),
    ("generated_records", {**SET, **of({"levels": 1, "shape": "even"})}, "'fields.a.levels'"),
    ("generated_records", {**SET, **of({"levels": 3, "shape": "hmp"})}, "did you mean 'hump'"),
    ("generated_records", {**SET, "missing": 1.0}, "'missing'"),
    ("generated_records", {**SET, "distortion": -0.1}, "'distortion'"),
    ("item_pairs", {"absent": -1}, "'absent' is -1"),
    ("labelled_items", {"kind": "item"}, "'kind' is 'item'; did you mean 'items'"),
    ("labelled_items", {"texts": "flat"}, "'texts' is 'flat'; it must be a list"),
    ("mail_folders", {"user": "me", "max_classes": 0}, "'max_classes' is 0"),
    ("matlab_relation", {**ARRAY, "names": {"b": "n"}}, "'names' names the unknown type 'b'"),
    ("matlab_relation", {**ARRAY, "classes": {"b": "n"}}, "'classes' names the unknown type 'b'"),
    ("name_references", {"seed": -1}, "'seed' is -1"),
    ("newsgroups", {"encoding": "utf-9"}, "unknown encoding 'utf-9'"),
    ("proper_names", {"types": "person"}, "'types' is 'person'; it must be a list"),
    ("proper_names", {"partitions": {"train": ["a"]}}, "'partitions' has the keys train; it must"),
    ("proper_names", {"partitions": {"train": "a", "test": ["b"]}}, "'partitions.train'"),
    ("record_arff", {"fields": "town"}, "'fields' is 'town'; it must be a list"),
    ("record_table", {"fields": []}, "'fields' is empty; name at least one field"),
    ("record_table", {"fields": ["town", "town"]}, "names a column twice, 'town'; remove one"),
    ("record_table", {"fields": {"town": {"patern": "(x)"}}}, "unknown key 'patern'; did you mean"),
    ("record_table", {"fields": {"town": {"pattern": "x"}}}, "town.pattern' is 'x', .*one group"),
    ("record_table", {"fields": {"town": "x"}}, "'fields.town' must be a mapping"),
    ("sequence_fasta", {"label": "a"}, "must contain exactly one group"),
    ("sequence_tables", {"tables": {"known": {"lable": "x"}}}, "'lable'; did you mean 'label'"),
    ("sequence_tables", {"tables": {"user": "x"}}, "'tables.user' must be a mapping"),
    ("sequence_tables", {"tables": {"user": {"pattern": "x"}}}, "pattern' is 'x', .*one group"),
    ("sequence_tables", {"tables": {"user": {"keep": 1}}}, "'tables.user.keep' must map columns"),
    ("sequence_tables", {"tables": {"knwn": None}}, "'tables.knwn' does not match any file"),
]


@pytest.mark.parametrize(("parser", "options", "words"), OPTIONS, ids=range(len(OPTIONS)))
def test_options_that_a_parser_cannot_use_are_refused(parser, options, words):
    with pytest.raises(ConfigError, match=words) as caught:
        parse(parser, {}, **options)
    assert "\n" not in str(caught.value)


ITEMS = lines("id split entity text size", "a train x Ulm 1", "b train y Rom NA", "c test z Ulm 2")
FAR = lines("id1 id2 near far", "a b 1 0.5", "c a 2 0", "b c 0 0.25")
DOCS = {"user/items.csv": lines("id doc text", "a 1 x", "b 1 y", "c 2 z")}
SIDES = ("id entity split", "c 2 test", "a 1 train")
GROUPED = {"user/labels.csv": lines(*SIDES, "b 0 train"), **DOCS}
SIZED = "id,split,entity,size\n" + "".join(
    f"i{n},{'train' if n % 2 else 'test'},e{n // 2},{n}.5\n" for n in range(8)
)
REFERENCES = lines(
    "ref_id block mention first_name last_name year venue coauthors title entity_id pub_id",
    "1 lee A.Lee A Lee 1990 ICML X t lee#1 7",
    "2 lee A.Lee A Lee 1991 COLT X t lee#2 8",
    "3 roy B.Roy B Roy 1990 ICML Z t roy#1 7",
)
MENTIONS = lines("doc_id mention_id name head etype entity_id partition", "a 1 Roy Roy person 1 x")
MATRIX = "0,1,4\n1,0,2\n4,2,0\n"
COUNTS = "a\tk\tn\tcount\nbig\ti\tsea\t3\nbig\tna\tsea\t4\nold\ti\tman\t2\n\nold\ti\tsea\t5\n"
COUNTED = {"relations": {"user": {"columns": {"a": "a", "n": "n"}, "summed_over": ["k"]}}}
SHORT = {"relations": {"user": {"columns": {"a": "a", "n": "n"}}}}
MULAN = "@relation r\n@attribute w {0,1}\n@attribute TAG_a {0,1}\n@data\n{0 1,1 1}\n"
ARFF = "@relation r\n@attribute 'full name' string\n@attribute town {Ulm, Aalen}\n@data\n"
TOWN = {"fields": ["town"], "entity": "town"}
WEIGHTS = "field,level,count\na,x,3\na,y,1\nb,u,2\nb,v,2\n"
PEOPLE = "id,who,town,age\nr1,x,Ulm,10\nr2, y ,Aalen, 9 \nr3,x,,10\nr4,z,Ulm,NA\n"
TRUTH = {"record": "id"}
IMAGE = "1" + 256 * " 0" + "\n"
STORY = '<REUTERS TOPICS="YES" LEWISSPLIT="{}"{}><TOPICS><D>a</D></TOPICS></REUTERS>'


def truth(*rows):
    return {"table": PEOPLE, "truth": lines(*rows)}


def recipe(counts=WEIGHTS, **entry):
    entry = {"clusters_by_size": {"1": 3, "4": 2}, "N": 11, "K": 5, **entry}
    return {"marginals": counts, "sizes": json.dumps({"Set": entry})}


def sizes(text):
    return {"marginals": WEIGHTS, "sizes": f'{{"Set": {{"clusters_by_size": {text}}}}}'}


def reuters(text):
    return {"archive/1.sgm": text}


def array(**variables):
    stored = io.BytesIO()
    savemat(stored, {"R": np.ones((2, 2)), **variables})
    return {"archive/r.mat": stored.getvalue()}


def npy(values):
    stored = io.BytesIO()
    np.save(stored, values)
    return {"matrix.npy": stored.getvalue()}


def sized(cell):
    return {"user": SIZED.replace("2.5", cell).replace("4.5", cell)}


def far(pairs):
    return {"user/items.csv": ITEMS, "user/pairs.csv": pairs}


def split(*rows):
    return {"references": REFERENCES, "split": lines("ref_id split", *rows)}


def topics(table, **texts):
    return {"user/topics.tsv": table, "user/a": "From: a\n\ntext", **texts}


FILES = [
    ("newsgroups", {}, [
        ({"archive/README": "x"}, "contains no files of the form <top>/<group>"),
        ({"archive/a/1": "x", "archive/a/deep/2": "x"}, "a/deep/2 is nested deeper"),
    ]),
    ("mail_folders", {"user": "you"}, [
        ({"archive/me/a/1": "x"}, "no mail of 'you'; its users are"),
        ({"archive/me/a/1": "x"}, "'me' has 1 folder", {"user": "me", "max_classes": 2}),
        ({"archive/me/a/1": "x", "archive/me/a/b/2": "x"}, "nested", {"user": "me"}),
    ]),
    ("topic_mail", {}, [
        ({"user/.hidden": "x"}, "neither a table topics.tsv nor one folder"),
        ({"user/gas/1.html": "x"}, "1.html is an HTML page, which cannot be read; save its text"),
        ({"user/gas/1.txt": "%PDF-1.4"}, "1.txt is a PDF file, which cannot be read"),
        ({"user/gas/1": "x", "user/topics.txt": "x"}, "rename it to topics.tsv"),
        ({"user/gas/1": b"\xff"}, r"1 is not UTF-8 text \(line 1"),
        ({"user/gas/1": "ab".encode("utf-16-le")}, "1 is not text: it contains zero bytes"),
        (topics("file\ttopic\na\tb\n"), "must begin with the line"),
        (topics("path\ttopic\na\n"), "line 2: the line must consist of a message"),
        (topics("path\ttopic\nabsent\tgas\n"), "line 2: message 'absent' not found"),
        (topics("path\ttopic\na\tgas\na\tb\n"), "line 3: the message 'a' is listed"),
        (topics("path\ttopic\n"), "lists no messages"),
        (topics("path\ttopic\n../b\tgas\n"), "line 2: .* is outside the folder"),
    ]),
    ("reuters", {}, [
        (reuters("nothing"), "no single-topic"),
        (reuters(STORY.format("TRAIN", "")), r"archive/1\.sgm: .* the NEWID ''"),
        (reuters(STORY.format("TEST", ' NEWID="x"')), "NEWID 'x', which is not a number"),
        (reuters("<REUTERS></REUTERS><REUTERS>"), "an item is not closed"),
        (reuters("</REUTERS>"), "closed without having been opened"),
    ]),
    ("mulan", {"tags": "a"}, [
        ({"arff": MULAN.replace("{0 1,1 1}", "1,1")}, "line 5: a sparse row must be enclosed"),
        ({"arff": MULAN.replace("0 1,", "1 2,")}, "'1 2' is not an index"),
        ({"arff": MULAN.replace("0 1,", "5 1,")}, "line 5: unknown attribute 5"),
        ({"arff": MULAN.replace("0 1,", "0 1,0 1,")}, "the attribute 0 occurs twice"),
        ({"arff": "nothing"}, "not an ARFF file"),
        ({"arff": "@attribute\n@data\n"}, "line 1: an attribute needs a name"),
        ({"arff": MULAN}, r"no tag 'b' \(options.tags\)", {"tags": "b"}),
        ({"arff": MULAN.split("{0 1")[0]}, "no page with exactly one of the 1 tags"),
        ({"arff": lzma.compress(MULAN.encode())[:-20]}, "cannot be read completely"),
    ]),
    ("record_table", {}, [
        (truth("r p", "r1 a", "r9 b"), "names record 'r9', which is not in .*table.csv", TRUTH),
        (truth("r p", "r1 a", "r2 b"), "record 'r3' of .* has no entity in .*truth.csv", TRUTH),
        (truth("r p", "r1 a", "r1 b"), "names record 'r1' twice", TRUTH),
        (truth("r p q", "r1 a b"), "truth.csv has 3 columns; .* two", TRUTH),
        (truth("r1 7", "r2 7"), "the first line, r1, 7, describes the item 'r1'", TRUTH),
        ({"table": PEOPLE}, "no column 'whom'; did you mean 'who'", {"entity": "whom"}),
        ({"table": PEOPLE}, "no column 'twon'; did you mean 'town'", {"fields": ["twon"]}),
        ({"table": PEOPLE}, "record 3 has no entity in the column", {"entity": "town"}),
        ({"table": PEOPLE + "r5,w\n"}, "table.csv, line 6: 2 cells, but the first line has 4"),
        ({"table": PEOPLE + 'r5,"w\n'}, "table.csv, line 6: .*fix the line"),
        ({"table": "a,b,a\n1,2,3\n"}, "table.csv has two columns 'a'"),
        ({"table": ""}, "table.csv is empty"),
        ({"table": "a,b\n"}, "no lines below the column names"),
        ({"table": "a,b\nx\0y,1\n"}, "line 2: a zero byte"),
        ({"table": b"a,b\n\xff,1\n"}, "table.csv is not UTF-8 text"),
        ({"table": gzip.compress(9999 * b"a,b\n")[:40]}, "cannot be read completely"),
        ({"table.html": "x"}, "table.html is an HTML page, which cannot be read"),
        ({"table.jsonl": '{"a": [1]}'}, r"line 1, key 'a': \[1\] is neither text"),
    ]),
    ("febrl", {"fields": ["x"]}, [
        ({"a": "rec_id,x\n7-copy,y\n"}, "the id '7-copy' is not of the form"),
    ]),
    ("record_arff", TOWN, [
        ({"arff": "name,class\n"}, "not an ARFF file"),
        ({"arff": ARFF + "{0 x, 1 Ulm}\n"}, "line 5: the row is sparse"),
        ({"arff": ARFF + "'x,Ulm\n"}, "line 5: a quotation mark is not closed"),
        ({"arff": ARFF + f"{(2**24 + 1) * 'x'},Ulm\n"}, "line 5: .* more than 16,777,216 letters"),
        ({"arff": ARFF + "x,Ulm,3\n"}, "3 cells in a line, but 2 columns"),
        ({"arff": ARFF + "x,Ulm\ny\n"}, "line 6: 1 cells, but the first line has 2"),
    ]),
    ("record_recipe", {"dataset": "Set"}, [
        (recipe(N=12), "11 records of 5 entities, but N is 12 and K is 5"),
        (recipe(), "no data set 'Sets'; did you mean 'Set'", {"dataset": "Sets"}),
        (recipe("field,level,count\na,x,-1\n"), "the count '-1' of the level 'x'"),
        (recipe(f"field,level,count\na,x,{'9' * 16}\n"), "at most 15 digits"),
        (sizes("null"), "clusters_by_size must map sizes of at least 1"),
        (sizes('{"1": 2.7}'), "2.7 entities of size '1'; sizes must be whole numbers"),
        (sizes('{"1": true}'), "True entities"),
        (sizes('{"0": 3}'), "of size '0'"),
        (sizes('{"1": 3, "1": 4}'), "the key '1' occurs twice"),
        (sizes('{"99999999999": 1}'), "at most 10,000,000 are allowed"),
        (sizes(100_000 * "["), "is not valid JSON"),
    ]),
    ("sequence_fasta", {}, [
        ({"fasta": "MKV\n>a\nM\n"}, "line 1: a title line"),
        ({"fasta": ""}, "contains no sequences"),
        ({"fasta": ">\nM\n"}, "line 1: the sequence has no name"),
        ({"fasta": gzip.compress(b">a\nMKV\n")[:-9]}, "cannot be read completely"),
    ]),
    ("sequence_tables", {"tables": {"known": {}}}, [
        ({"known": "a,b\n1,M\n"}, "no column 'name'"),
        ({"known": "name,sequence\n1,M\n"},
         "no sequences are left", {"tables": {"known": {"keep": {"name": 2}}}}),
    ]),
    ("dissimilarity_matrix", {}, [
        ({"matrix": MATRIX, "labels": "o,c\n1,a\n7,b\n"}, "object '7', which"),
        ({"matrix": MATRIX, "labels": "o,c\n1,a\n1,b\n"}, "object '1' twice"),
        ({"matrix": MATRIX, "labels": "o\n1\n"}, "one column; it must have"),
        ({"matrix": MATRIX, "labels": "1,a\n2,b\n3,a\n"},
         "the first line, 1, a, describes the item '1'"),
        ({"matrix": "5,1,0\n1,3,1\n"}, "2 x 3, not square", {"similarities": True}),
        ({"matrix": "0,1,4\n1,0,2\n4,3,0\n"}, "not symmetric"),
        ({"matrix": "a,b,c\na,0,1,1\nb,1,0,1\nc,1,1,0\n"}, "line of names has 3 cells"),
        ({"matrix": ";a;b\na;0;1,5\nb;1,5;0\n"}, "'1,5' is not a number; write decimal points"),
        ({"matrix": "a;0,0;1,5\nb;1,5;0,0\n"}, "line 1: .* decimal points"),
        ({"matrix": "0,1,1\n1,0,1_0\n1,1_0,0\n"}, "'1_0' is not a number"),
        ({"matrix": "0 1 4\n1 0 2\n4 2 0\n"}, "blanks separate the numbers"),
        (npy(1e20 * (1 - np.eye(4))), "largest entry is 1e.20, but it must be between 1e-18"),
        (npy(1e-20 * (1 - np.eye(4))), "largest entry is 1e-20, but it must be between 1e-18"),
    ]),
    ("count_tables", COUNTED, [
        ({"user": COUNTS.replace("\t2\n", "\t-2\n")}, "line 4: the count '-2'"),
        ({"user": COUNTS.replace("\t5\n", "\t2.5\n")}, "line 6: the count '2.5'"),
        ({"user": COUNTS.replace("\t4\n", f"\t{'1' * 16}\n")}, "at most 15 digits"),
        ({"user": COUNTS.replace("old\ti\tm", "\ti\tm")}, "line 4: the cell of 'a' is empty"),
        ({"user": COUNTS.partition("\n")[2]}, "line 1: there is no column 'a'"),
        ({"user": COUNTS.replace("\tn\t", "\tnn\t")}, "no column 'n'.*must name the columns"),
        ({"user": COUNTS.replace("sea\t5", "sea\t5\t1")},
         "line 6: 5 cells, but the first line has 4"),
        ({"user": COUNTS.replace("k", "n", 1)}, "two columns 'n'"),
        ({"user": COUNTS.replace("man", "\xe9").encode("latin-1")}, "UTF-8 text"),
        ({"user": COUNTS.partition("\n")[0]}, "no lines below"),
        ({"user": ""}, "is empty"),
        ({"user": lzma.compress(COUNTS.encode())[:-20]}, "cannot be read completely"),
        ({"user": "a,n,count\nx,y,1\n"}, r"'a' \(cells must be separated by tabs", SHORT),
        ({"user": "a\tn\tcount\nx\0y\tz\t1\n"}, "line 2: a zero byte", SHORT),
        ({"user": "\n \na\tn\tcount\nx\tz\tq\n"}, "line 4: the count 'q'", SHORT),
        ({"user": COUNTS + "new\ti\tman\t0\n"}, "the a 'new' has an empty row"),
        ({"user": "a\tn\tcount\n" + 18_448 * f"x\ty\t{'9' * 15}\n"},
         r"the counts add up to 1\.84e\+19", SHORT),
    ]),
    ("matlab_relation", ARRAY, [
        (array(), "no file 'q.mat'; did you mean", {"member": "q.mat"}),
        (array(), "variable 'Q' not found", {"variable": "Q"}),
        (array(), "must be numbers on 3 axes", {"types": ["a", "b", "c"]}),
        (array(R=np.ones((2, 3))), "R has two different numbers of 'a'"),
        (array(R=np.array(["x"], object)), "R must be numbers"),
        (array(R=sp.csc_array(np.eye(2))), "R is sparse, complex or a structure"),
        (array(), "R has 4 entries for 2 of 'a'", {"names": {"a": "R"}}),
        ({"archive/r.mat": "nothing"}, "r.mat: not a complete Matlab file"),
    ]),
    ("labelled_items", {}, [
        ({"user": ITEMS + "a,test,x,Ulm,1\n"}, "'a' as both train and test"),
        ({"user": ITEMS + "a,train,x,Ulm,1\n"}, "names item 'a' twice"),
        ({"user": ITEMS.replace("b,train", "b,dev")}, "item 'b' is marked 'dev'"),
        ({"user": ITEMS.replace("train,y", "train,NA")}, "item 'b' has no entity; every item"),
        ({"user": ITEMS.replace("train,y", "train,-9")}, "no entity", {"missing": [-9]}),
        ({"user": ITEMS.replace("entity", "person")}, "has no column 'entity'"),
        ({"user": "id,split,entity,text\n"}, "no lines below the column names"),
        ({"user": ITEMS}, "has no column 'sizes'", {"texts": ["sizes"]}),
        ({**GROUPED, "user/groups.csv": "doc\n1\n"},
         "items of '2', which is not listed in .*groups.csv", {"group": "doc"}),
        ({**DOCS, "user/labels.csv": lines(*SIDES, "b 0 train", "d 0 test")},
         "labels.csv names item 'd', which"),
        ({**DOCS, "user/labels.csv": lines(*SIDES)}, "names item 'b', which is not in"),
        ({**DOCS, "user/labels.csv": lines(*SIDES, "b 0 train", "a 1 test")},
         "labels.csv marks item 'a' as both train and test"),
        ({"user/items.csv": ITEMS, "user/label.csv": ""}, "label.csv would not be read; rename"),
        ({"user/items.csv": ITEMS, "user/labels.tsv": ""}, "rename it to labels.csv"),
        (sized("5%"), r"numbers, but not '5%' \(i2\), '5%' \(i4\)"),
        (sized('"1,5"'), r"but not '1,5' \(i2\), '1,5' \(i4\); fix them with a decimal point"),
        (sized("\u22125"), "of the column 'size' are numbers, but not '\u22125'"),
    ]),
    ("item_pairs", {}, [
        ({"user/items.csv": ITEMS}, "does not contain the table of distances pairs.csv"),
        (far(FAR + "a,d,1,1\n"), "pairs.csv names item 'd', which is not in .*items.csv"),
        (far(FAR + "c,c,1,1\n"), "the pair 'c', 'c' contains the same item twice"),
        (far(FAR + "b,a,1,1\n"), "the pair 'b', 'a' occurs twice"),
        (far(FAR.replace("b,c,0,0.25\n", "")), "lacks 1 pairs, such as 'b', 'c'; add them"),
        (far(FAR.replace("0.5", "-0.5")), "is '-0.5'; it must be a number of at least 0"),
        (far(FAR.replace("0.5", "far")), "'far' in the column 'far' is not a number"),
        (far(lines("id1 id2", "a b", "a c", "b c")), "no column of distances"),
    ]),
    ("name_references", {}, [
        (split("3 test", "1 train", "3 train"), "marks item '3' as both train and test"),
        (split("9 test"), "split.csv names item '9', which is not in .*references.csv"),
        (split("3 dev"), "item '3' is marked 'dev'; it must be train or test"),
        ({"references": REFERENCES, "split": "1,train\n2,test\n"},
         "split.csv: the first line, 1, train"),
        ({"references": REFERENCES.replace("1991", "'91"), "split": lines("ref_id split",
         "2 train")},
         "'91\" in the column 'year' is not a number"),
        ({"references": REFERENCES.replace("lee#1", "NA")}, "'1' has no entity_id"),
    ]),
    ("author_lines", {}, [
        ({"lines": "0 | 10 | li_m\n"}, "line 1: 3 fields; there must be 8"),
        ({"lines": "1 |  | a_b | f | 1 | p | c | t\n"}, "'line 1' has no entity_id"),
    ]),
    ("proper_names", {}, [
        ({"user": MENTIONS.replace("person,1", "person,NA")}, "has no entity_id"),
        ({"user": MENTIONS}, "'persn'; did you mean 'person'", {"types": ["persn"]}),
        ({"user": MENTIONS}, "'etype' is 'event'; there are", {"types": ["event"]}),
        ({"user": MENTIONS}, "no column 'mention_type'", {"mention_types": ["NAM"]}),
    ]),
    ("citation_table", CITED, [
        ({"references": lines("id key roy", "1 x 0")},
         "no publication has the value '2' in the column 'roy'", {"test": {"roy": "2"}}),
    ]),
    ("digit_images", DIGITS, [
        ({"train": "1 0.5 0.5\n", "test": "1 0.5 0.5\n"}, "train.csv: .* a digit and 256"),
        ({"train": IMAGE, "test.gz": gzip.compress(IMAGE.encode())[:-9]}, "test.gz cannot be read"),
    ]),
]  # fmt: skip


CASES = [
    (parser, files, {**options, **(others[0] if others else {})}, words)
    for parser, options, rows in FILES
    for files, words, *others in rows
]


@pytest.mark.parametrize(("parser", "files", "options", "words"), CASES, ids=range(len(CASES)))
def test_files_that_a_parser_cannot_read_are_refused(tmp_path, parser, files, options, words):
    with pytest.raises((ConfigError, DataError), match=words) as caught:
        parse(parser, given(tmp_path, files), **options)
    assert "\n" not in str(caught.value)
