"""The files at the pinned addresses, from a local server with clones of the repositories.

``RESEAT_CLONES`` names the folder of the clones, as for ``data/derive.py --clones``; without it
the tests are skipped.
"""

import http.server
import io
import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest
from given_files import packed, serving
from workflow_runs import ARTEFACTS, CATALOGUE, ROOT, configuration

from reseat.datasets import Registry, build
from reseat.datasets.sources import Located, find
from reseat.papers.run_plan import plan_run, shortfall

CLONES = os.environ.get("RESEAT_CLONES", "")
pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not CLONES, reason="RESEAT_CLONES names no folder of clones"),
]

HOSTS = ("raw.githubusercontent.com", "codeload.github.com", "github.com")


def clone_of(owner, name):
    for folder in (f"{owner}/{name}", name, f"{owner}+{name}"):
        place = Path(CLONES, folder)
        if (place / "HEAD").is_file() or (place / ".git").exists():
            return place
    return None


def git(place, *arguments, **options):
    return subprocess.run(["git", "-C", place, *arguments], capture_output=True, **options)


def archive(place, name, commit):
    """Return a commit as its host would pack it, without blobs that a partial clone lacks."""
    listed = git(place, "ls-tree", "-r", "-z", commit, check=True).stdout.split(b"\0")
    entries = [line.split(b"\t", 1) for line in listed if line]
    blobs = [(about.split()[2], path.decode()) for about, path in entries]
    asked = b"".join(blob + b"\n" for blob, _path in blobs)
    answer = io.BytesIO(git(place, "cat-file", "--batch", input=asked, check=True).stdout)
    members = {}
    for _blob, path in blobs:
        *_, last = answer.readline().split()
        if last != b"missing":
            members[f"{name}-{commit}/{path}"] = answer.read(int(last))
            answer.read(1)
    return packed(members)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        host, owner, name, *rest = unquote(self.path.lstrip("/")).split("/")
        place, content = clone_of(owner, name), None
        if place is not None and host == "raw.githubusercontent.com":
            found = git(place, "cat-file", "blob", f"{rest[0]}:{'/'.join(rest[1:])}")
            content = found.stdout if found.returncode == 0 else None
        elif place is not None and host == "codeload.github.com":
            content = archive(place, name, rest[1])
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Yield the plan of a run of a copy of the project, with a local server as its network."""
    folder = tmp_path_factory.mktemp("pinned") / "project"
    folder.mkdir()
    for name in ("config", "workflow"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "data").symlink_to(ROOT / "data")
    path = folder / "config" / "datasets.yaml"
    text = path.read_text(encoding="utf-8")
    with serving(Handler) as running, pytest.MonkeyPatch.context() as patch:
        for host in HOSTS:
            text = text.replace(f" https://{host}/", f" {running.url}/{host}/")
        path.write_text(text, encoding="utf-8")
        patch.chdir(folder.parent)
        patch.setenv("NO_PROXY", "*")
        yield plan_run(configuration({"data": {"mirrors": ["data"]}}), folder, probe=True)


def test_with_the_addresses_every_artefact_can_be_made(plan):
    found = shortfall(plan, CATALOGUE.products)
    assert (found.n_artefacts, found.left_out, found.in_part) == (len(ARTEFACTS), {}, {})


@pytest.mark.parametrize(
    "name",
    [name for name in Registry.load(ROOT / "config" / "datasets.yaml") if not name[:5] == "demo_"],
)
def test_every_file_comes_from_its_address_if_it_is_not_here(plan, name):
    entry = plan.registry[name]
    if entry.user_path or not entry.obtainable or not entry.files:
        return
    found = find(plan.registry, name, plan.data, fetch=True)
    assert isinstance(found, Located), found
    if entry.parser is not None and not all(
        path.is_relative_to(ROOT / "data") for path in map(Path.resolve, found.paths.values())
    ):
        assert build(plan.registry, name, plan.data).digest()
