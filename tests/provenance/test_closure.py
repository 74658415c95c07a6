"""The meaning of a source, and the sources that a script can reach."""

import importlib
from operator import attrgetter
from pathlib import Path

import pytest
from given_files import put
from places import ROOT

import reseat
from reseat.datasets.parsers import KINDS, parser_modules
from reseat.papers.catalogue import CATALOGUE
from reseat.priors import declared_prior
from reseat.provenance.closure import COMPILED, Library, fingerprint, read_source
from reseat.provenance.console import forecast

SCRIPTS = sorted((ROOT / "workflow" / "scripts").rglob("*.py"))
JOB = ROOT / "workflow" / "scripts" / "job.py"
LOG_JOINT_OF_TRUTH = ROOT / "workflow" / "scripts" / "distances" / "scores.py"
DECLARED = CATALOGUE.jobs | CATALOGUE.products

PYTHON = '''"""A module."""
import os

def f(x, y=[1, 2]):
    """Doc."""
    # A comment.
    return x + os.sep
'''
CYTHON = '''"""A kernel."""
from reseat.files.atomic cimport (a,
                        b)

cdef class C:
    """Doc."""
    cdef double f(self, double x) noexcept nogil:
        # A comment.
        return x * 2.0 if x > 0 else "#"

cdef extern from *:
    """
    /* Twice. */
    static double twice(double x) { return x + x; }
    """
    double twice(double x) noexcept nogil
'''
HEADER = "/* a */ #define N 2 // b\nint f(int x);\n"


def meaning(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return read_source(path)[0]


#: Names and texts of sources, and what is changed in them.
OF_NO_MEANING = [
    ("a.py", PYTHON, "# A comment.", "# Another."),
    ("a.py", PYTHON, "Doc.", "Other words\n\n    on more lines."),
    ("a.py", PYTHON, "[1, 2]", "[\n    1,\n    2,\n]"),
    ("a.pyx", CYTHON, "Doc.", "Other words."),
    ("a.pyx", CYTHON, "(a,\n                        b)", "(\n    a,\n    b,\n)"),
    ("a.pyx", CYTHON, "/* Twice. */", "/* Two times. */"),
    ("a.pyx", CYTHON, "    ", "  "),
    ("a.h", HEADER, "/* a */", "/* other\nwords */"),
]
OF_MEANING = [
    ("a.py", PYTHON, "x + os", "x - os"),
    ("a.py", PYTHON, "[1, 2]", "['1, 2']"),
    ("a.pyx", CYTHON, "2.0", "2.5"),
    ("a.pyx", CYTHON.replace("x * 2.0", "(x)"), "(x)", "(x,)"),
    ("a.pyx", CYTHON, '"#"', '"# "'),
    ("a.pyx", CYTHON, "        return", "    return"),
    ("a.h", HEADER, "N 2", "N 3"),
    ("a.css", "a { }\n", "{ }", "{  }"),
]


@pytest.mark.parametrize("change", [*OF_NO_MEANING, *OF_MEANING])
def test_comments_docstrings_and_formatting_do_not_count_and_all_else_does(tmp_path, change):
    name, text, before, after = change
    assert before in text
    changed = meaning(tmp_path, f"b{name}", text.replace(before, after))
    assert (meaning(tmp_path, name, text) != changed) is (change in OF_MEANING)


def write(folder, files):
    for name, text in files.items():
        put(folder / name, text)


@pytest.fixture(scope="module")
def library():
    """Return the library under test, each of whose sources is read only once."""
    return Library(Path(reseat.__file__).parent)


@pytest.fixture
def package(tmp_path):
    """Return a folder with a library of two packages, one of which loads its names lazily."""
    write(
        tmp_path,
        {
            "made/__init__.py": "",
            "made/lazy/__init__.py": "import lazy_loader\n__getattr__, __dir__, __all__ = "
            "lazy_loader.attach_stub(__name__, __file__)\n",
            "made/lazy/__init__.pyi": "from .one import One as One\nfrom .two import Two as Two\n",
            "made/lazy/one.py": "from made.eager import THREE\n",
            "made/lazy/two.py": "",
            "made/eager/__init__.py": "from made.eager._three import THREE\n"
            "from made.eager.four import FOUR\n",
            "made/eager/_three.pyx": "from made.eager._five cimport five\n"
            'cdef extern from "six.h":\n    int six()\n',
            "made/eager/_three.pxd": "cdef int three()\n",
            "made/eager/_five.pxd": "cdef int five()\n",
            "made/eager/_five.pyx": "cdef int five():\n    return 5\n",
            "made/eager/six.h": "int six(void);\n",
            "made/eager/four.py": "",
            "made/page.py": "import jinja2\n\ndef engine():\n"
            "    return jinja2.PackageLoader('made.page_parts')\n",
            "made/page_parts/__init__.py": "",
            "made/page_parts/templates/a.html.j2": "<p>",
            "made/types_only.py": "",
            "script.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
            "    from made.types_only import X\n\ndef f():\n    from made.lazy import One\n",
        },
    )
    return tmp_path


def test_names_are_followed_to_the_modules_they_come_from(package):
    library = Library(package / "made")
    assert set(library.closure(package / "script.py")) == {
        *("script", "lazy/one.py", "eager/_three.pyx", "eager/_three.pxd"),
        *("eager/_five.pyx", "eager/_five.pxd", "eager/six.h"),
    }
    more = library.closure(package / "script.py", ["made.page"])
    assert {"page.py", "page_parts/templates/a.html.j2"} <= more.keys()


def test_packages_that_show_their_modules_are_looked_through(package):
    looked_through = "from reseat.declarations import export_modules\n"
    looked_through += "__getattr__, __dir__, __all__ = export_modules(__name__, __file__)\n"
    every = '__all__ = ["ALL"]\nfrom reseat.declarations import import_modules\n'
    sources = {
        "made/open/__init__.py": looked_through,
        "made/open/one.py": '__all__ = ["ONE"]\n',
        "made/open/two.py": '__all__ = [\n    "TWO",\n    "both",\n]\nimport made.types_only\n',
        "made/open/all.py": f'{every}import_modules("made.open")\n',
        "script.py": "from made.open import both\n",
        "other.py": "from made.open import ALL\n",
    }
    write(package, sources)
    library = Library(package / "made")
    found = {"script", "open/two.py", "types_only.py"}
    assert library.closure(package / "script.py").keys() == found
    found |= {"open/__init__.py", "open/one.py", "open/all.py"}
    assert library.closure(package / "other.py").keys() == found


def test_a_fingerprint_follows_what_a_source_means_and_how_it_is_compiled(package):
    def now():
        library = Library(package / "made")
        with_kernels = library.closure(package / "script.py")
        return fingerprint(with_kernels), fingerprint(library.closure(package / "other.py"))

    write(package, {"other.py": "from made.lazy import Two\n"})
    before = now()[0]
    write(package, {"made/lazy/two.py": "X = 1\n", "made/eager/four.py": "X = 1\n"})
    write(package, {"made/eager/_five.pyx": "cdef int five():\n  return 5  # five\n"})
    assert now()[0] == before
    write(package, {"made/eager/six.h": "int six(int);\n"})
    assert now()[0] != before
    # How kernels are compiled counts where there are kernels.
    write(package, {f"made/{COMPILED}": "-3 -ffp-contract=off\n"})
    before = now()
    write(package, {f"made/{COMPILED}": "-3 -ffp-contract=off -march=native\n"})
    assert now()[0] != before[0] and now()[1] == before[1]
    build = (ROOT / "src" / "reseat" / "meson.build").read_text(encoding="utf-8")
    assert f"output: '{COMPILED}'" in build


def test_what_surrounds_every_job_is_no_part_of_it(package, library):
    note = "from made.notes import NOTE\n"
    text = f"from made.provenance.jobs import job\nfrom made.lazy import Two\n{note}"
    write(package, {"made/provenance/jobs.py": f"from made.records import record\n{note}"})
    write(package, {"made/records.py": "", "made/notes.py": "", "script.py": text})
    reached = Library(package / "made").closure(package / "script.py")
    assert reached.keys() == {"script", "lazy/two.py", "notes.py"}
    for script in SCRIPTS:
        assert "provenance/jobs.py" not in library.closure(script), script
    importlib.import_module("reseat.provenance.jobs")
    assert not {"reseat.provenance.jobs", "reseat.provenance.records"} & {*library.untracked({})}


def test_what_was_read_is_kept_until_a_file_changes(package, monkeypatch):
    cache = package / "cache.json"
    first = Library(package / "made", cache)
    expected = first.closure(package / "script.py")
    first.save()
    read = "reseat.provenance.closure.read_source"
    monkeypatch.setattr(read, lambda path: pytest.fail(f"{path} read again"))
    assert Library(package / "made", cache).closure(package / "script.py") == expected
    monkeypatch.undo()
    write(package, {"made/lazy/one.py": "from made.eager import FOUR\n"})
    found = Library(package / "made", cache).closure(package / "script.py")
    assert "eager/four.py" in found and "eager/_three.pyx" not in found
    cache.write_text("{")
    assert Library(package / "made", cache).closure(package / "script.py") == found


PRIORS = ("priors/nbnb.py", "priors/esc.py")
FOREIGN = {
    "documents": ("likelihoods/_categorical", "likelihoods/_wishart", "moves/_chaperones", *PRIORS),
    "records": ("likelihoods/_dirichlet_m", "likelihoods/_wishart", "variational/", *PRIORS),
    "distances": ("likelihoods/_dirichlet_m", "likelihoods/_categorical", *PRIORS),
    "supervised": ("likelihoods/_dirichlet_m", "likelihoods/_wishart"),
}


@pytest.mark.parametrize("family", FOREIGN)
def test_chains_of_a_family_reach_no_likelihood_of_another_and_no_prior_but_theirs(family, library):
    script = ROOT / "workflow" / "scripts" / family / "chains.py"
    reached = library.closure(script)
    assert not [name for name in reached if name.startswith(FOREIGN[family])]
    assert len(reached) > 30
    assert "priors/esc.py" in library.closure(script, (declared_prior("esc_d").module,))


def test_a_metric_is_no_part_of_what_makes_chains(library):
    making = {"chains", "fits", "gibbs", "em"}
    assert making <= {script.stem for script in SCRIPTS}
    made = [(script, ()) for script in SCRIPTS if script.stem in making]
    for name in ("records_growth", "supervised_enumeration", "distances_scaling"):
        made.append((JOB, CATALOGUE.jobs[name].modules))
    for script, modules in made:
        reached = {name for name in library.closure(script, modules) if "metrics/" in name}
        # These are needed, because error rates of pairs are in the traces.
        assert reached <= {f"metrics/{n}.py" for n in ("contingency", "pairs", "registry")}


def test_a_move_is_no_part_of_what_makes_no_chains(library):
    without = {"fits", "em", "scores", "references"}
    assert without <= {script.stem for script in SCRIPTS}
    # The scores of distances have the log joint of the true blocks, which a whole model gives.
    scripts = [script for script in SCRIPTS if script != LOG_JOINT_OF_TRUTH]
    made = [(script, ()) for script in scripts if script.stem in without]
    for name in ("relational_types", "relational_toy", "supervised_baselines"):
        made.append((JOB, CATALOGUE.jobs[name].modules))
    for script, modules in made:
        compiled = {name for name in library.closure(script, modules) if name.endswith(".pyx")}
        assert not [name for name in compiled if name.startswith("moves/")], (script, modules)


PARSERS = "newsgroups febrl generated_relations digit_images sequence_fasta".split()


def test_no_script_reaches_a_parser_that_it_finds_by_name(library):
    made = [(JOB, product.modules) for product in DECLARED.values()]
    for script, modules in [*made, *((script, ()) for script in SCRIPTS)]:
        reached = library.closure(script, modules).keys()
        assert not reached & {f"datasets/parsers/{name}.py" for name in PARSERS}, script


def test_an_artefact_reaches_what_makes_it_and_no_declaration(library):
    for product in CATALOGUE.products.values():
        reached = library.closure(JOB, product.modules)
        assert not [name for name in reached if name.endswith(("/paper.py", "/declare.py"))]
        module = product.draws.partition(":")[0].removeprefix("reseat.").replace(".", "/")
        pictures = {n for n in reached if n.startswith("plots/") or n.endswith("/figures.py")}
        assert {f"{module}.py"} <= pictures if product.draws else not pictures, product.name
        assert len(reached) < 110


@pytest.mark.parametrize(
    ("parser", "reached"),
    [
        ("newsgroups", {"corpus", "counting"}),
        ("mulan", {"corpus"}),
        ("record_table", {"records", "encoding"}),
        ("record_recipe", {"records", "recipes"}),
        ("generated_points", {"points"}),
        ("sequence_fasta", {"sequences"}),
        ("dissimilarity_matrix", {"dissimilarities"}),
        ("count_tables", {"relations"}),
        ("digit_images", {"mentions"}),
    ],
)
def test_a_data_set_reaches_its_own_parser_and_class_and_no_other(parser, reached, library):
    modules = parser_modules(parser)
    found = library.closure(ROOT / "workflow" / "scripts" / "data.py", modules)
    own = {module.removeprefix("reseat.").replace(".", "/") + ".py" for module in modules}
    assert own <= found.keys()
    of_kinds = {kind.result.split(".")[0] for kind in KINDS.values()}
    of_kinds |= {kind.finish.split(".")[0] for kind in KINDS.values() if kind.finish}
    assert {name for name in of_kinds if f"datasets/{name}.py" in found} == reached


def test_a_forecast_is_one_line_a_rule():
    reasons = [
        ("chains", "Missing output files: a.csv; Input files updated by another job: b"),
        ("chains", "Missing output files: c.csv"),
        ("scores", "Input files updated by another job: a.csv"),
        ("figure", "Params have changed since last execution: before: 1 now: 2"),
        ("page", "Forced execution"),
    ]
    jobs = [
        {"rule_name": rule, "reason": reason, "output": ["a.csv"], "params": {}}
        for rule, reason in reasons
    ]
    jobs.append({"rule_name": "all", "reason": "", "output": [], "params": {}})
    assert forecast(jobs, None) == [
        "chains    2 jobs  does not exist yet",
        "scores     1 job  its inputs are re-made",
        "figure     1 job  settings have changed",
        "page       1 job  forced",
    ]


def test_every_name_that_a_paper_declares_is_in_its_module():
    for reference in {name for product in DECLARED.values() for name in product.references}:
        module, _, name = reference.partition(":")
        attrgetter(name)(importlib.import_module(module))
