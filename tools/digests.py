"""Rewrite stored digests, transcripts or lists, and say what has changed.

    python tools/digests.py                   tests/digests/draws.json, of many short chains
    python tools/digests.py --tables FOLDER   tests/digests/tables.json, of the demo in FOLDER
    python tools/digests.py --data            tests/digests/datasets.json, of the data sets here
    python tools/digests.py --transcripts     tests/digests/transcripts.json, of calls of `reseat`
    python tools/digests.py --jobs FILE       tests/digests/jobs.json, of what the workflow runs
    python tools/digests.py --names FOLDER    tests/digests/names.json, of the site in FOLDER

FILE gets the whole list of jobs, so that those before and after a change can be compared.

Every change that it lists must be named in CHANGELOG.md.
"""

import argparse
import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "command")]

import data_digests  # noqa: E402
import digest_files  # noqa: E402
import draws  # noqa: E402
import real_data  # noqa: E402
import stored_lists  # noqa: E402
import table_digests  # noqa: E402
import transcripts  # noqa: E402


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--tables", type=Path, metavar="FOLDER", help="folder in which the whole demo has been run"
    )
    parser.add_argument(
        "--data", action="store_true", help="record every data set that is available"
    )
    parser.add_argument(
        "--transcripts", action="store_true", help="record what `reseat` prints and writes"
    )
    parser.add_argument("--jobs", type=Path, metavar="FILE", help="file for the list of all jobs")
    parser.add_argument("--names", type=Path, metavar="FOLDER", help="folder of the built site")
    given = parser.parse_args(arguments)
    folder = given.tables
    if given.data:
        path, differences = data_digests.DIGESTS, data_digests.differing
        stored = digest_files.read(path) if path.exists() else {}
        # Digests of data sets that are not available here are kept.
        found = {n: v for n, v in stored.items() if n in data_digests.REGISTRY}
        found |= data_digests.digests(real_data.available(mirrors=data_digests.MIRRORS))
    elif given.transcripts:
        path, differences = transcripts.STORED, transcripts.differences
        with tempfile.TemporaryDirectory() as place:
            found = transcripts.collect(Path(place))
    elif given.jobs is not None:
        path, differences = stored_lists.JOBS, stored_lists.changed_jobs
        with tempfile.TemporaryDirectory() as place:
            planned = {s: stored_lists.jobs(s, Path(place, s)) for s in stored_lists.SCALES}
        given.jobs.write_text(json.dumps(planned, indent=1, sort_keys=True), encoding="utf-8")
        found = stored_lists.digests(planned)
    elif given.names is not None:
        path, differences = stored_lists.NAMES, stored_lists.changed_names
        found = stored_lists.names(given.names)
    elif folder is None:
        path, differences = draws.DIGESTS, draws.differences
        with contextlib.redirect_stderr(io.StringIO()):  # hide the progress of the chains
            found = draws.collect()
    else:
        path, differences = table_digests.DIGESTS, table_digests.differing
        found = table_digests.digests(folder)
        if not found:
            parser.error(
                f"{table_digests.report_folder(folder)} contains no tables; run the demo there"
            )
    changed = differences(digest_files.read(path) if path.exists() else {}, found)
    path.parent.mkdir(exist_ok=True)
    digest_files.write(found, path)
    print("\n".join(changed) or "Nothing has changed.")
    print(f"{path.name}: {len(found)} digests, {len(changed)} of them changed.")


if __name__ == "__main__":
    main()
