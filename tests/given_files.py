"""What many tests give to the code: files, archives, addresses, and made-up data by name."""

import contextlib
import io
import tarfile
import threading
from http.server import ThreadingHTTPServer

from reseat.datasets import DatasetIdentity

TINY = DatasetIdentity(
    name="tiny",
    title="Tiny",
    status="generated",
    stands_for="nothing",
    note="naïve ≠ plain",
    sha256={"a": "0" * 64},
    preprocessing={"parser": "none", "top_words": None},
)


def put(path, content=""):
    """Write a text or bytes to a file, in a folder that is made if need be, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write(folder, **texts):
    """Write CSV files by name; in a text, blanks separate the cells and ~ stands for a blank."""
    for name, text in texts.items():
        lines = [",".join(line.split()).replace("~", " ") for line in text.strip().splitlines()]
        put(folder / f"{name}.csv", "\n".join(lines) + "\n")
    return folder


def packed(members, mode="w:gz", **fields):
    """Return a tar archive of files by name, or of links: names with (target, type of link)."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, content in members.items():
            member, data = tarfile.TarInfo(name), b""
            if isinstance(content, tuple):
                member.linkname, member.type = content
            else:
                data = content.encode() if isinstance(content, str) else content
            member.size = len(data)
            for key, value in fields.items():
                setattr(member, key, value)
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


@contextlib.contextmanager
def serving(handler):
    """Yield a running server, with its address as ``url``, that answers with a handler."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()
