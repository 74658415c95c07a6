"""Dissimilarities in the formats of other programs: each must give the same matrix."""

import numpy as np
import pytest

from reseat.dissimilarities import read_named_dissimilarities
from reseat.errors import DataError

GOOD = [[0, 1, 4, 9], [1, 0, 2, 7], [4, 2, 0, 3], [9, 7, 3, 0]]
NAMES = ["a", "b", "c", "d"]
MEGA = "#mega\n!Title pairs;\n!Format DataType=Distance\n  DataFormat=%s;\n\n#a\n#b\n[3] #c\n#d\n\n"

FORMS = {
    "lower.csv": "0\n1,0\n4,2,0\n9,7,3,0\n",
    "bare.csv": "1\n4,2\n9,7,3\n",
    "padded.csv": "0,,,\n1,0,,\n4,2,0,\n9,7,3,0\n",
    "of R.csv": "0,NA,NA,NA\n1,0,NA,NA\n4,2,0,NA\n9,7,3,0\n",
    "named.csv": "a\nb,1\nc,4,2\nd,9,7,3\n",
    "headed.csv": ",a,b,c,d\na,0\nb,1,0\nc,4,2,0\nd,9,7,3,0\n",
    "corner.csv": ",a,b,c,d\na,,,,\nb,1,,,\nc,4,2,,\nd,9,7,3,\n",
    "above.csv": "a,b,c,d\n0\n1,0\n4,2,0\n9,7,3,0\n",
    "pairs.csv": "one,other,distance\na,b,1\na,c,4\na,d,9\nb,c,2\nb,d,7\nd,c,3\n",
    "both.tsv": "a\tb\t1\na\tc\t4\na\td\t9\nb\tc\t2\nb\td\t7\nc\td\t3\nd\tc\t3\na\ta\t0\n",
    "square.phy": "4\na 0 1 4 9\nb 1 0 2 7\nc 4 2 0 3\nd 9 7 3 0\n",
    "wrapped.phy": "   4\na     0 1\n  4 9\nb     1 0\n  2 7\nc     4 2\n  0 3\nd     9 7\n  3 0\n",
    "lower.phy": "4\na\nb 1\nc 4 2\nd 9 7 3\n",
    "diagonal.dist": "4\na 0\nb 1 0\nc 4 2 0\nd 9 7 3 0\n",
    "tabs.txt": "4\na\t0\t1\t4\t9\nb\t1\t0\t2\t7\nc\t4\t2\t0\t3\nd\t9\t7\t3\t0\n",
    "lower.meg": MEGA % "LowerLeft" + "[1]\n[2] 1\n[3] 4 2\n[4] 9 7 3\n",
    "upper.meg": MEGA % "UpperRight" + "1 4 9\n2 7\n3\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_format_gives_the_same_matrix(tmp_path, name):
    path = tmp_path / name
    path.write_text(FORMS[name])
    found, names = read_named_dissimilarities(path)
    np.testing.assert_array_equal(found, GOOD)
    assert names == (None if name in ("lower.csv", "bare.csv", "padded.csv", "of R.csv") else NAMES)


def test_names_may_have_blanks_or_be_numbers(tmp_path):
    path = tmp_path / "d.phy"
    path.write_text("3\nhomo sapiens\npan 1\nfelis x. 4 2\n")
    assert read_named_dissimilarities(path)[1] == ["homo sapiens", "pan", "felis x."]
    path.write_text("3\n7 0 1 4\n8 1 0 2\n9 4 2 0\n")
    found, names = read_named_dissimilarities(path)
    assert names == ["7", "8", "9"] and found.tolist() == [[0, 1, 4], [1, 0, 2], [4, 2, 0]]
    rows = [f"{i},{j},{(i - j) ** 2}" for i in range(1, 5) for j in range(1, i)]
    path = tmp_path / "d.csv"
    path.write_text("\n".join(rows))
    found, names = read_named_dissimilarities(path)
    assert names == ["2", "1", "3", "4"] and found[0].tolist() == [0, 1, 1, 4]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("d.csv", "0\n1,0\n4,2,0\n9,7\n", "line 4: 2 cells, but the line above has 3, and"),
        ("d.csv", "0\n1,0\n4,x,0\n", "line 3, cell 2: 'x' is not a number"),
        ("d.csv", ",a,b\na,0\nc,1,0\n", "different names for rows and columns"),
        ("d.csv", "a,b,1\nb,c,2\nb,a,3\n", "line 3: 'b' and 'a' have another distance above"),
        ("d.csv", "a,b,1\nb,c,2\n", "lists 2 of the 3 pairs .* that of 'a' and 'c' is missing"),
        ("d.csv", "0,NA,4\nNA,0,2\n4,2,0\n", "line 1, cell 2: 'NA' is not a number; correct it or"),
        ("d.csv", "1,NA,2\n", "line 1, cell 2: 'NA' is not a number; correct it or"),
        (
            "d.csv",
            "1,2,3,4\n",
            "4 numbers in condensed form, but 3 objects have 3 pairs and 4 have 6",
        ),
        ("d.csv", "0,1,4\n1,zero,2\n4,2,0\n", "line 2, cell 2: 'zero' is not a number"),
        ("d.csv", "0,1,4\n1,,2\n4,2,0\n", "line 2, cell 2: an empty cell is not a number"),
        ("d.csv", "0,1,4\n1,0,2,3\n4,2,0\n", "d.csv, line 2"),
        ("d.csv", ",a,b,c\na,0,1,4\nc,1,0,2\nb,4,2,0\n", "different names for rows and columns"),
        ("d.csv", "", "is empty"),
        ("d.phy", "3\na 0 1\nb 1 0\n", "has 2 objects, but its first line says 3"),
        ("d.phy", "3\na 0 1 2\nb 1\nc 2 2 0\n", "neither a square matrix nor a lower triangle"),
        ("d.phy", "2\na 0 1\nb 1 x\n", "object 'b', cell 2: 'x' is not a number"),
        ("d.meg", MEGA % "LowerLeft" + "1\n4 2\n", "names 4 objects and has 3 distances"),
        ("d.meg", MEGA % "LowerLeft" + "1\n4 2\n9 ? 3\n", "'[?]' is not a number"),
    ],
)
def test_what_is_cut_or_mistyped_is_refused(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=words):
        read_named_dissimilarities(path)
