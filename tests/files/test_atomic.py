"""Atomic files and batch jobs."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from snakemake.iocontainers import Params

from reseat.errors import ConfigError, DataError
from reseat.files.atomic import (
    SETTINGS,
    atomic_folder,
    atomic_path,
    keep_if_same,
    new_file_beside,
    remove_leftovers,
    write_arrays,
    write_table,
    write_text,
)
from reseat.files.locking import file_lock
from reseat.provenance.jobs import job
from reseat.reading.tables import separator


def test_file_appears_whole_with_ordinary_permissions(tmp_path):
    path = tmp_path / "new" / "a.csv"
    with atomic_path(path) as temporary:
        temporary.write_text("x")
        assert not path.exists()
        assert temporary.parent == path.parent and temporary.suffix == ".csv"
    assert path.read_text() == "x"
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    assert [p.name for p in path.parent.iterdir()] == ["a.csv"]


def test_the_permissions_of_the_process_are_left_alone(tmp_path, monkeypatch):
    """All threads of the process share them."""
    monkeypatch.setattr(os, "umask", None)
    write_text(tmp_path / "a.csv", "x")
    with atomic_folder(tmp_path / "b"):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "b"}


def test_tables_have_twelve_digits_and_arrays_their_names(tmp_path):
    write_table(pd.DataFrame({"a": [1 / 3, 2], "b": ["x", None]}), tmp_path / "new" / "a.csv")
    assert (tmp_path / "new" / "a.csv").read_bytes() == b"a,b\n0.333333333333,x\n2,\n"
    arrays = {"one": np.arange(3), "two": np.eye(2)}
    write_arrays(arrays, tmp_path / "a.npz")
    with open(tmp_path / "b.npz", "wb") as file:
        np.savez_compressed(file, **arrays)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize(
    ("line", "name", "mark"),
    [
        *[("name", "t.csv", ","), ("a,b", "t.csv", ","), ("a;b", "t.csv", ";")],
        *[("a, b;c", "t.csv", ";"), ('"a;b;c",d', "t.csv", ","), ("a,b", "t.tsv", ",")],
        *[("a, b\tc", "t.txt", "\t"), ("a, b, c\td", "t.csv", ",")],
        *[("a, b, c\td", "t.TSV", "\t"), ("a, b, c\td", "t.tsv.gz", "\t")],
    ],
)
def test_the_first_line_and_the_ending_show_the_separator(line, name, mark):
    assert separator(line, Path(name)) == mark


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    for text in ("old", "new"):
        with atomic_folder(tmp_path / "a") as temporary:
            (temporary / text).write_text(text)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(RuntimeError), atomic_path(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


FILL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
from reseat.files.atomic import atomic_path
with atomic_path(sys.argv[1]) as temporary:
    with open(temporary, "wb") as file:
        file.write(b"x" * 1_000_000)
"""


def test_no_room_leaves_no_half_file(tmp_path):
    """The operating system refuses to write the bytes, as on a full disk."""
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(tmp_path / "a.bin")], capture_output=True, text=True
    )
    assert done.returncode != 0 and "OSError" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_user_error_is_one_sentence_on_the_console_and_in_the_log(tmp_path, capsys):
    with pytest.raises(SystemExit), job(tmp_path / "logs" / "a.log"):
        print("working")
        raise DataError("row 3 of x.csv is empty; remove it.")
    console = capsys.readouterr().err
    assert console.strip() == "row 3 of x.csv is empty; remove it."
    log = (tmp_path / "logs" / "a.log").read_text()
    assert log.splitlines() == ["working", "row 3 of x.csv is empty; remove it."]


def test_other_errors_keep_their_traceback_in_the_log(tmp_path, capsys):
    with pytest.raises(SystemExit), job(tmp_path / "a.log"):
        raise KeyError("oops")
    assert "Traceback" not in capsys.readouterr().err
    assert "Traceback" in (tmp_path / "a.log").read_text()


def test_a_full_disk_is_one_sentence(tmp_path, capsys):
    with pytest.raises(SystemExit), job(tmp_path / "a.log"):
        raise OSError(errno.ENOSPC, "No space left on device", "x.nc")
    assert capsys.readouterr().err.strip() == (
        "x.nc cannot be written (No space left on device); free some space, then re-run the "
        "command to resume."
    )


STOPPED = """
import sys
from reseat.provenance.jobs import job
with job(sys.argv[1], stoppable=sys.argv[2] == "stoppable") as stop:
    print("ready", file=sys.__stdout__, flush=True)
    print("in time" if stop.wait(30) else "too late")
"""


@pytest.mark.parametrize(
    ("block", "code", "said"), [("stoppable", 0, "in time\n"), ("any other", 143, "")]
)
def test_sigterm_is_a_wish_to_stop_and_ends_what_cannot(tmp_path, block, code, said):
    command = [sys.executable, "-c", STOPPED, str(tmp_path / "a.log"), block]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=25) == code
    assert (tmp_path / "a.log").read_text() == said


def become_a_job(monkeypatch, log, **given):
    """Make this process a job of Snakemake, of which no record is written."""
    given = {"rule": "chains", "output": [], "log": [log], "params": {}, "config": {}} | given
    main, record = sys.modules["__main__"], SimpleNamespace(finish=str)
    monkeypatch.setattr(main, "snakemake", SimpleNamespace(**given), raising=False)
    monkeypatch.setattr("reseat.provenance.jobs._begin_record", lambda _task: record)


@pytest.mark.parametrize("kept", ["rerun", "keep"])
def test_a_job_does_not_go_on_with_what_other_code_has_begun(tmp_path, monkeypatch, kept):
    monkeypatch.chdir(tmp_path)
    log, scratch = "logs/demo/a/chains.log", tmp_path / "unfinished"

    def attempt(code, finishes):
        params = Params(fromdict={"scratch": str(scratch), "code": "of a result, if it is kept"})
        become_a_job(monkeypatch, log, params=params, config={"code": kept})
        monkeypatch.setattr("reseat.provenance.jobs._running_code", lambda _task: code)
        with job(log):
            found = sorted(path.name for path in scratch.glob("*"))
            (scratch / "chain-0.npz").parent.mkdir(exist_ok=True)
            (scratch / "chain-0.npz").write_text("")
            if not finishes:
                raise DataError("stopped.")
        return found

    with pytest.raises(SystemExit):
        attempt("one", finishes=False)
    assert attempt("one", finishes=True) == ["chain-0.npz"]
    shutil.rmtree(scratch)
    with pytest.raises(SystemExit):
        attempt("one", finishes=False)
    assert attempt("other", finishes=True) == []
    assert "starts again" in Path(log).read_text(encoding="utf-8")
    assert not list(Path("results").rglob("*.code"))


COUNTER = """
import sys, time
from pathlib import Path
from reseat.files.locking import file_lock
for _ in range(20):
    with file_lock(sys.argv[1]):
        count = Path(sys.argv[2])
        number = int(count.read_text())
        time.sleep(0.002)
        count.write_text(str(number + 1))
"""


def test_a_lock_is_held_by_one_process_at_a_time_and_leaves_no_file(tmp_path):
    count = tmp_path / "count"
    count.write_text("0")
    command = [sys.executable, "-c", COUNTER, str(tmp_path / "new" / "a.lock"), str(count)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]
    assert count.read_text() == "60"
    assert list((tmp_path / "new").iterdir()) == []


def test_a_job_waits_for_a_copy_of_itself_although_its_log_was_deleted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log, said = "logs/demo/a/chains.log", []
    become_a_job(monkeypatch, log)

    def copy():
        with file_lock("results/demo/provenance/a/chains.lock"):
            said.append("copy")

    with job(log):
        other = threading.Thread(target=copy)
        other.start()
        Path(log).unlink()
        other.join(timeout=0.3)
        said.append("job")
    other.join(timeout=30)
    assert said == ["job", "copy"]
    assert list(Path("results/demo/provenance/a").iterdir()) == []


def test_leftovers_are_removed_and_nothing_else(tmp_path):
    made = "0123456789abcdef"
    kept = {"table.csv", "table.csv.gz", f".table2.csv.{made}.csv", ".table.csv.swp"}
    # These belong to other files, whose names may begin with that of this file.
    kept |= {f".table.csv.gz.{made}.csv.gz", f".table.csv.{made[1:]}", "[ab].csv", f".a.csv.{made}"}
    for name in (*kept, f".table.csv.{made}.csv", f".[ab].csv.{made}.csv"):
        (tmp_path / name).write_text("")
    (tmp_path / f".table.csv.{made[::-1]}" / "deep").mkdir(parents=True)
    for name in ("table.csv", "[ab].csv", "missing/table.csv"):
        remove_leftovers(tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == kept
    new_file_beside(tmp_path / "table.csv", ".csv")
    remove_leftovers(tmp_path / "table.csv")
    assert {path.name for path in tmp_path.iterdir()} == kept


@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_a_link_gives_way_to_a_folder_and_what_it_led_to_stays(tmp_path, target):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "old").write_text("")
    (tmp_path / "a").symlink_to(tmp_path / target)
    with atomic_folder(tmp_path / "a") as temporary:
        (temporary / "new").write_text("")
    assert not (tmp_path / "a").is_symlink() and (tmp_path / "a" / "new").is_file()
    assert (tmp_path / "elsewhere" / "old").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {"a", "elsewhere"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interruption_between_two_renames_leaves_the_older_folder(tmp_path, monkeypatch, error):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "old").write_text("")
    rename = os.replace

    def interrupted(source, target):
        rename(source, target)
        if source == tmp_path / "a":
            raise error

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(error), atomic_folder(tmp_path / "a"):
        pass
    assert (tmp_path / "a" / "old").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_unfinished_work_is_kept_with_the_same_settings_only(tmp_path):
    folder = tmp_path / "unfinished"
    keep_if_same(folder, {"n": 1})
    (folder / "half").write_text("done")
    keep_if_same(folder, {"n": 1})
    assert (folder / "half").is_file()
    keep_if_same(folder, {"n": 2})
    assert [path.name for path in folder.iterdir()] == [SETTINGS]
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_of_something_else_is_not_taken_for_unfinished_work(tmp_path):
    mine = tmp_path / "thesis.tex"
    mine.write_text("years of work")
    with pytest.raises(ConfigError, match=r"holds thesis\.tex, which no earlier run has left"):
        keep_if_same(tmp_path, {"n": 1})
    assert list(tmp_path.iterdir()) == [mine]
