"""Downloads from a server that misbehaves: each ends in a good file or in one sentence."""

import hashlib
import http.server
import os
import re
import tarfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from given_files import packed, put, serving
from places import ROOT

from reseat.datasets import DataSettings, Registry, check_available, missing
from reseat.datasets import download as getting
from reseat.datasets.download import DownloadError, absent, download, folder_of, plain_tar
from reseat.datasets.registry import Archive, DataFile, Dataset, FileForm

GOOD = bytes(range(256)) * 1000
LENGTH = {"Content_Length": str(len(GOOD))}
FORM = FileForm("a.bin", hashlib.sha256(GOOD).hexdigest(), len(GOOD))


class Handler(http.server.BaseHTTPRequestHandler):
    """Give the answers of a test in turn, and the last one again and again."""

    def do_GET(self):
        answers, asked = self.server.answers, self.server.asked
        asked.append(dict(self.headers))
        try:
            answers[min(len(asked), len(answers)) - 1](self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


def whole(body=GOOD, status=200, **headers):
    def answer(handler):
        handler.send_response(status)
        headers.setdefault("Content_Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def rest(handler):
    """Answer with the part of the file that ``Range`` asks for."""
    start = int(handler.headers["Range"].removeprefix("bytes=").rstrip("-"))
    whole(GOOD[start:], 206)(handler)


def endless(handler):
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(GOOD)


@pytest.fixture
def server():
    with serving(Handler) as running:
        running.answers, running.asked = [], []
        running.url += "/a.bin"
        yield running


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """The pauses, recorded instead of slept through."""
    found = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", found.append)
    return found


def fetched(server, path, *answers):
    server.answers = list(answers)
    return download(server.url, path, FORM)


def test_a_fault_that_passes_is_waited_for(server, tmp_path, waits):
    path = tmp_path / "raw" / "a.bin"
    busy = whole(b"", 503)
    assert fetched(server, path, busy, busy, whole()) is None
    assert path.read_bytes() == GOOD and waits == [4.0]
    assert os.listdir(path.parent) == ["a.bin"]


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("7", [7]), ("0", []), ("Wed, 21 Oct 2015 07:28:00 GMT", []), ("soon", [])],
)
def test_the_wait_that_the_server_asks_for_is_kept(server, tmp_path, waits, asked, waited):
    late = whole(b"", 503, Retry_After=asked)
    assert fetched(server, tmp_path / "a.bin", late, whole()) is None and waits == waited


@pytest.mark.parametrize(
    ("answer", "words", "n_asked"),
    [
        (whole(b"", 429, Retry_After="86400"), ("429", "more than 120 seconds, so try again"), 1),
        (whole(b"", 500), ("500", "tried 3 times"), 3),
        (whole(b"", 404), ("404",), 1),
        (whole(GOOD[:1000], **LENGTH), ("was cut after 1,000 bytes; tried 3 times",), 3),
        (endless, ("it sent more than the expected 256,000 bytes",), 1),
        (whole(GOOD + b"!"), ("it sent more than the expected 256,000 bytes",), 1),
    ],
)
def test_what_does_not_pass_is_one_sentence(server, tmp_path, answer, words, n_asked):
    said = fetched(server, tmp_path / "a.bin", answer)
    assert all(word in said for word in words), said
    assert len(server.asked) == n_asked and os.listdir(tmp_path) == []


@pytest.mark.parametrize("answers", [(rest,), (whole(b"", 416), whole()), (whole(),)])
def test_a_cut_in_the_middle_is_gone_on_from_or_begun_again(server, tmp_path, answers):
    path = tmp_path / "a.bin"
    cut = whole(GOOD[:100_000], **LENGTH)
    assert fetched(server, path, cut, *answers) is None and path.read_bytes() == GOOD
    assert server.asked[1]["Range"] == "bytes=100000-"


def test_a_slow_server_is_given_up_however_little_it_sends(server, tmp_path, monkeypatch):
    gone = threading.Event()

    def slow(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(GOOD)))
        handler.end_headers()
        for number in range(2000):
            handler.wfile.write(GOOD[number : number + 1])
            handler.wfile.flush()
            gone.wait(0.005)

    monkeypatch.setattr(getting, "MAX_SECONDS", 0.0)
    said = fetched(server, tmp_path / "a.bin", slow)
    gone.set()
    assert "it took more than 0 seconds" in said and len(server.asked) == 1


def test_a_silent_server_is_told_from_one_that_is_not_there(server, tmp_path, monkeypatch):
    done = threading.Event()
    monkeypatch.setattr(getting, "MAX_SILENCE", 0.05)
    said = fetched(server, tmp_path / "a.bin", lambda _: done.wait(20))
    done.set()
    assert "no answer for 0.05 seconds" in said and len(server.asked) == getting.TRIES
    nobody = "http://127.0.0.1:9/a.bin"  # the discard port
    assert "no connection to the host" in download(nobody, tmp_path / "a.bin", FORM)


def test_proxy_and_certificate_and_name_are_told_apart(server, tmp_path, monkeypatch):
    def said(url):
        return download(url, tmp_path / "a.bin", FORM)

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server.answers = [whole()]
    assert "certificate" in said(server.url.replace("http:", "https:"))
    assert "its name cannot be resolved" in said("http://no-such-host.invalid/a.bin")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY")
    assert "the proxy refuses the connection" in said("http://example.invalid/a.bin")


@pytest.mark.parametrize(
    ("body", "what"), [(GOOD[:50], "a truncated file (50 of"), (b"x" + GOOD[1:], "another file (")]
)
def test_a_wrong_file_goes_aside_and_a_good_one_stays(server, tmp_path, body, what):
    path = tmp_path / "a.bin"
    path.write_bytes(GOOD)  # as another process might, while this one waits for its answer
    said = fetched(server, path, whole(body))
    aside = f"a.bin.corrupt-{hashlib.sha256(body).hexdigest()[:8]}"
    assert what in said and aside in said
    assert path.read_bytes() == GOOD and (tmp_path / aside).read_bytes() == body
    assert sorted(os.listdir(tmp_path)) == ["a.bin", aside]


def test_two_at_once_one_of_them_wrong(server, tmp_path):
    path, both = tmp_path / "a.bin", threading.Barrier(2)

    def with_other(body):
        def answer(handler):
            both.wait(20)
            whole(body)(handler)

        return answer

    server.answers = [with_other(GOOD), with_other(b"wrong")]
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(download, server.url, path, FORM) for _ in "12"]
        said = [one.result() for one in done]
    assert sum(one is None for one in said) == 1
    assert path.read_bytes() == GOOD and len(os.listdir(tmp_path)) == 2


def test_what_killed_processes_left_is_swept_and_what_others_write_is_not(server, tmp_path):
    old, new = tmp_path / ".a.bin.1234.part", tmp_path / ".a.bin.5678.part"
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (1, 1))
    assert fetched(server, tmp_path / "a.bin", whole()) is None
    assert sorted(os.listdir(tmp_path)) == [new.name, "a.bin"]


def test_a_full_disk_is_said(server, tmp_path, monkeypatch):
    def full(*_arguments, **_names):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reseat.datasets.download.new_file_beside", full)
    said = fetched(server, tmp_path / "a.bin", whole())
    assert "cannot be saved" in said and "No space left on device" in said


FILES = {"n-c/texts/b": "two", "n-c/texts/a/1": "one", "n-c/other": "no"}
BACKWARDS = dict(reversed(FILES.items()))
CONTENT = plain_tar({"top/a/1": b"one", "top/b": b"two"})
OF_COMMIT = FileForm("t.tar", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
WANTED = Archive(("unused",), "*/texts", "top", 10_000)


@pytest.mark.parametrize(
    "body", [packed(FILES), packed(BACKWARDS, "w:bz2"), packed(FILES, "w:xz", mtime=99, uid=7)]
)
def test_a_folder_is_accepted_however_the_commit_is_packed(server, tmp_path, body):
    path = tmp_path / "t.tar"
    server.answers = [whole(body)]
    said = download(server.url, path, OF_COMMIT, WANTED)
    assert said is None and path.read_bytes() == CONTENT
    with tarfile.open(path) as archive:
        assert archive.getnames() == ["top/a/1", "top/b"]
    assert os.listdir(tmp_path) == ["t.tar"]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (packed(FILES | {"n-c/texts/b": "too"}), "files that differ from those in the registry"),
        (packed(FILES | {"n-c/texts/c": "more"}), "files that differ from those in the registry"),
        (packed({"n-c/other": "no"}), "it has no files below \\*/texts"),
        (packed({"n-c/texts/b": bytes(30_000)}), "its folder \\*/texts contains more than"),
        (packed(FILES)[:60], "it is not a complete archive"),
        (b"<html>", r"it is not a complete archive: file could not be opened successfully\)$"),
        (packed({f"n-c/texts/{'b' * 101}": "two"}), "file top/b+ cannot be packed: name is too"),
        (bytes(20_000), "it sent more than the expected 10,000 bytes"),
    ],
    # Fixed names, because a packed archive contains the time at which it was made.
    ids=["another", "more", "none", "too-large", "cut", "no-archive", "long-name", "too-long"],
)
def test_another_folder_is_one_sentence(server, tmp_path, body, sentence):
    server.answers = [whole(body)]
    path = tmp_path / "t.tar"
    said = download(server.url, path, OF_COMMIT, WANTED)
    assert not path.exists()
    assert re.search(sentence, said), said


def test_links_and_names_that_lead_elsewhere_are_not_followed(tmp_path):
    kinds = {"n/t/link": tarfile.SYMTYPE, "n/t/hard": tarfile.LNKTYPE}
    links = {name: ("/etc/passwd", kind) for name, kind in kinds.items()}
    archive = put(tmp_path / "a.tar", packed(links, "w"))
    with pytest.raises(DownloadError, match="it has no files below"):
        folder_of(archive, "*/t", "t", 1000)


def test_a_table_is_derived_from_the_folder_of_a_commit(server, tmp_path):
    """The AMiner table of names, with a made-up publication in place of the real ones."""
    xml = (
        b"<person><publication><title>T</title><year>2001</year><authors>A. Lee,Bo Ek</authors>"
        b"<jconf>null</jconf><id>7</id><label>3</label></publication></person>"
    )
    table = "author-aminer/aminer_name_refs.csv.gz"
    source = "sanlunainiu/Adaptive-Hyperparameter-Optimization-for-Author-Name-Disambiguation"
    archive = replace(
        WANTED, folder="*/raw", into="PHNet/raw-data", derive=table, repository=source
    )
    content = (
        b"ref_id,block,mention,first_name,last_name,year,venue,coauthors,title,entity_id,pub_id\n"
        b"0,A Lee,A. Lee,A.,Lee,2001,,Bo Ek,T,A Lee#3,7\n"
    )
    form = FileForm("t.csv", hashlib.sha256(content).hexdigest(), len(content))
    server.answers = [whole(packed({"x/raw/A Lee.xml": xml}))]
    path = tmp_path / "t.csv"
    said = download(server.url, path, form, archive, ROOT)
    assert said is None and path.read_bytes() == content


@pytest.fixture
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (404, "the host no longer has the file: 404 Not Found"),
        (410, "the host no longer has the file: 410 Gone"),
        (401, "the host refuses the file: 401 Unauthorized"),
        (403, "the host refuses the file: 403 Forbidden"),
        *((status, None) for status in (200, 405, 501, 429, 503)),
    ],
)
def test_an_address_is_absent_if_its_host_says_so(server, no_proxy, status, why):
    server.answers = [whole(b"", status)]
    assert absent({server.url}) == ({server.url: why} if why else {})
    server.asked.clear()
    server.answers = [whole(b"", 403), whole()]  # it refuses to be asked first
    assert absent({server.url}) == {}


def test_an_address_is_absent_if_its_host_does_not_answer(server, no_proxy):
    nobody, nowhere = "http://127.0.0.1:9/a.bin", "http://no-such-host.invalid/a.bin"
    without_tls = server.url.replace("http:", "https:")
    found = absent({nobody, nowhere, without_tls})
    assert found[nobody] == "no connection to the host"
    assert found[nowhere].startswith("no connection to the host")
    assert found[without_tls] == "the certificate of the host is not accepted"


def test_a_file_that_its_host_no_longer_has_is_left_out_before_the_run(server, tmp_path, no_proxy):
    """The host still has one of the files, and answers that the other is gone."""

    def by_name(handler):
        return whole(b"", 200 if "kept" in handler.path else 404)(handler)

    server.answers = [by_name]
    urls = {name: f"{server.url}-{name}" for name in ("kept", "gone")}
    entries = {
        name: Dataset(
            name, name, "a", "documents", "l", "c", "faithful",
            files={"text": DataFile((replace(FORM, path=name, urls=(url,)),), "o")},
        )
        for name, url in urls.items()
    }  # fmt: skip
    registry = Registry(entries)
    settings = DataSettings(mirrors=(), raw=tmp_path, missing="skip")
    asked = (registry, list(urls), settings, None, True, "demo")
    probed = missing.without_unreachable(*asked)
    assert probed.unreachable and not list(tmp_path.glob("unreachable*"))
    missing.remember_unreachable(probed, "demo")
    for probe in (True, False):  # the jobs of the run read what the probe has found
        known = missing.without_unreachable(registry, list(urls), settings, None, probe, "demo")
        found = check_available(registry, list(urls), known)
        assert (found.names, found.skipped) == (("kept",), ("gone",))
        assert f"{urls['gone']} cannot be downloaded (the host no longer has the file: 404" in (
            found.missing[0].reason
        )
