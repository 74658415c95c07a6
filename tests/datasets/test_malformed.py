"""Files with faults, for every parser: the right value, or one sentence that names the data set.

Every file is read a second time without the code of the parsers (`specimens`): what a parser
accepts must be what the file says.
"""

import hashlib

import numpy as np
import pytest
from given_files import put
from malformed import FAULTS, HARMLESS, LONG, cut, other_byte
from specimens import SPECIMENS, archived

from reseat.datasets import DataSettings, Registry, build
from reseat.datasets.parsers import PARSERS
from reseat.datasets.registry import DataFile, Dataset, FileForm
from reseat.errors import ReseatError

pytestmark = pytest.mark.usefixtures("matlab_in_forks")

#: Changed files of each specimen of text and of bytes, and damaged archives of each in an archive.
N_FILES, N_BYTES, N_OUTSIDE = 30, 10, 6
TEXTS = {"title": "t", "about": "a", "licence": "l", "citation": "c", "status": "faithful"}
NAMES = [f"{place}-{specimen.parser}" for place, specimen in enumerate(SPECIMENS)]


def read(specimen, files, folder, archive=None):
    """Return what a data set of these files says; a given `archive` is used as it is."""
    contents = {role: content for role, content in files.items() if ":" not in role}
    paths = {}
    roles = {role.partition(":")[0] for role in files if ":" in role}
    if "archive" in roles:
        contents["archive"] = archived(files) if archive is None else archive
    if "user" in roles:
        paths["mine"] = folder / "own"
        for name, content in files.items():
            put(paths["mine"] / name.partition(":")[2], content)
    forms = {}
    for role, content in contents.items():
        name = f"{role}{specimen.suffix.get(role, '.dat')}"
        put(folder / "mirror" / name, content)
        form = FileForm(name, hashlib.sha256(content).hexdigest(), len(content))
        forms[role] = DataFile((form,), "a test")
    entry = Dataset(
        name="mine", family="shared", parser=specimen.parser, options=specimen.options, files=forms,
        user_path="a folder" if paths else "", **TEXTS,
    )  # fmt: skip
    settings = DataSettings(mirrors=(folder / "mirror",), raw=folder / "raw", paths=paths)
    options = {"features": specimen.features} if specimen.features else {}
    return specimen.found(build(Registry({"mine": entry}), "mine", settings, **options))


def expected(specimen, files):
    """Return what the files say, or None if the plain second reading fails."""
    try:
        with np.errstate(all="ignore"):
            return specimen.second(files)
    except Exception:
        return None


def same(specimen, found, files):
    """Return whether what was found is what the files say."""
    second = expected(specimen, files)
    if specimen.parser == "digit_images" and second is not None:
        # Images are drawn at random: each must be one of the file, with its digit.
        rows = {name: (digit, pixels) for name, digit, pixels in second}
        digits = {}
        return all(
            rows[name][1] == pixels and digits.setdefault(entity, rows[name][0]) == rows[name][0]
            for name, entity, pixels in found
        )
    return found == second


def changed(specimen, rng):
    """Yield the files with a fault in one of them, and the function that caused the fault."""
    roles = sorted(specimen.files)
    for number in range(N_BYTES if specimen.binary else N_FILES):
        role = roles[rng.integers(len(roles))]
        fault = FAULTS[(number + rng.integers(2)) % len(FAULTS)]
        yield {**specimen.files, role: fault(specimen.files[role], rng)}, fault


def judged(specimen, files, folder, archive=None):
    """Return whether these files are read, and what is wrong with it or an empty text."""
    try:
        found = read(specimen, files, folder, archive)
    except ReseatError as error:
        said = str(error)
        names = "\n" not in said and said.startswith("data set 'mine'")
        return False, "" if names else f"not one sentence that names the data set: {said!r}"
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"
    known = expected(specimen, files)
    return True, "" if same(specimen, found, files) else f"{found} instead of {known}"


def test_every_parser_of_files_has_specimens():
    made = {name for name in PARSERS if name.startswith(("generated", "bundled"))}
    assert {specimen.parser for specimen in SPECIMENS} == set(PARSERS) - made
    assert sum(N_BYTES if one.binary else N_FILES for one in SPECIMENS) >= 600


@pytest.mark.parametrize("specimen", SPECIMENS, ids=NAMES)
def test_a_whole_file_is_read_as_it_is_written(specimen, tmp_path):
    found = read(specimen, specimen.files, tmp_path)
    assert found and same(specimen, found, specimen.files)


#: Parsers of two files, which in a folder of the user's own are named after their roles.
IN_FOLDERS = ("record_recipe", "name_references")


def has_one_file(specimen):
    roles = {role.partition(":")[0] for role in specimen.files}
    return len(roles) == 1 and "user" not in roles


@pytest.mark.parametrize(
    "specimen",
    [s for s in SPECIMENS if s.parser in IN_FOLDERS or has_one_file(s)],
    ids=lambda specimen: specimen.parser,
)
def test_the_users_own_files_are_read_as_those_of_the_registry(specimen, tmp_path):
    role = next(iter(specimen.files)).partition(":")[0]
    own = tmp_path / f"mine{specimen.suffix.get(role, '')}"
    if specimen.parser in IN_FOLDERS:
        own.mkdir()
        for role, content in specimen.files.items():
            (own / f"{role}{'.json' if role == 'sizes' else '.csv'}").write_bytes(content)
    else:
        own.write_bytes(archived(specimen.files) if role == "archive" else specimen.files[role])
    entry = Dataset(
        name="mine", family="shared", parser=specimen.parser, options=specimen.options,
        user_path="what they are", **TEXTS,
    )  # fmt: skip
    settings = DataSettings(mirrors=(), raw=tmp_path / "raw", paths={"mine": own})
    features = {"token_pattern": "[a-z]{2,}", **specimen.features}
    options = {"features": features} if specimen.features else {}
    made = build(Registry({"mine": entry}), "mine", settings, **options)
    assert same(specimen, specimen.found(made), specimen.files)


@pytest.mark.parametrize("place", range(len(SPECIMENS)), ids=NAMES)
def test_a_file_with_a_fault_is_refused_or_read_as_it_is_written(place, tmp_path, monkeypatch):
    # A lower limit, so that a cell above it need not have millions of letters.
    monkeypatch.setattr("reseat.reading.tables.MAX_TEXT_LETTERS", LONG - 1)
    monkeypatch.setattr("reseat.datasets.parsers.sequence_files.MAX_TEXT_LETTERS", LONG - 1)
    specimen, rng = SPECIMENS[place], np.random.default_rng([2008, place])
    wrong, n_read = [], 0
    for number, (files, fault) in enumerate(changed(specimen, rng)):
        was_read, said = judged(specimen, files, tmp_path / str(number))
        n_read += was_read
        if said:
            wrong.append(f"{number} ({fault.__name__}): {said[:1500]}")
    assert not wrong, "\n".join(wrong)
    # A parser that refuses whatever is not quite as usual is no use either.
    assert n_read >= (1 if specimen.binary else 4)


@pytest.mark.parametrize("place", range(len(SPECIMENS)), ids=NAMES)
def test_what_any_reader_of_text_passes_over_changes_nothing(place, tmp_path):
    specimen, rng = SPECIMENS[place], np.random.default_rng(place)
    if specimen.binary:
        return
    for role in specimen.files:
        for change in HARMLESS:
            if change.__name__ == "packed" and ":" in role:
                continue
            files = {**specimen.files, role: change(specimen.files[role], rng)}
            found = read(specimen, files, tmp_path / f"{role.replace('/', '-')}{change.__name__}")
            assert same(specimen, found, files), (role, change.__name__)


@pytest.mark.parametrize(
    "place", [n for n, s in enumerate(SPECIMENS) if any("archive" in role for role in s.files)]
)
def test_an_archive_that_is_damaged_is_refused_or_read_as_it_was(place, tmp_path):
    specimen, rng = SPECIMENS[place], np.random.default_rng([1, place])
    whole = archived(specimen.files)
    for number in range(N_OUTSIDE):
        archive = (cut, other_byte)[number % 2](whole, rng)
        _, said = judged(specimen, specimen.files, tmp_path / str(number), archive)
        assert not said
