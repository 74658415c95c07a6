"""Headless Chromium, driven over a pair of pipes: nothing but the browser has to be installed."""

import contextlib
import fcntl
import itertools
import json
import os
import re
import select
import shutil
import subprocess
import time
from urllib.parse import unquote

#: Seconds to wait for an answer.
PATIENCE = 60

#: Widths in pixels at which every page is looked at.
WIDTHS = (1280, 390)

#: Links of the navigation that something else covers, or of which a part is cut off.
HIDDEN = """[...document.querySelectorAll('nav.bar a')].filter(link => {
  link.scrollIntoView({block: 'nearest', inline: 'center'})
  const {x, y, width, height} = link.getBoundingClientRect()
  return [1, height / 2, height - 1].some(at =>
    document.elementFromPoint(x + width / 2, y + at) !== link)
}).map(link => link.textContent)"""

#: What is wrong with the page, or with an SVG file, as it is shown now.
FAULTS = """(() => {
  const found = [], root = document.documentElement, box = at => at.getBoundingClientRect()
  const say = (what, at) => found.push(`${what}: ${
    (at.textContent || at.getAttribute('src') || at.className).replace(/\\s+/g, ' ').slice(0, 70)}`)
  if (root.scrollWidth > WIDTH) found.push(`${root.scrollWidth} pixels wide`)
  for (const image of document.images || [])
    if (image.complete && !image.naturalWidth) say('no picture', image)
  for (const text of HIDDEN) found.push(`hidden link: ${text}`)
  for (const table of document.querySelectorAll('table'))
    for (let at = table.parentElement; at; at = at.parentElement) {
      const flow = getComputedStyle(at).overflowX
      if (flow === 'auto' || flow === 'scroll') break
      if (flow === 'visible' || box(table).right <= box(at).right + 1) continue
      say('cut table', table)
      break
    }
  for (const drawing of document.querySelectorAll('svg')) {
    // The boxes of formulas, which consist of several parts, say little.
    const texts = [...drawing.querySelectorAll('text:not(:has(*))')].map(text => [text, box(text)])
    texts.forEach(([one, a], place) => texts.slice(place + 1).forEach(([other, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      // Boxes of letters have some space above and below.
      if (across > 2 && down > 0.4 * Math.min(a.height, b.height))
        found.push(`texts overlap: ${one.textContent} / ${other.textContent}`)
    }))
  }
  return found
})()""".replace("HIDDEN", HIDDEN)

#: The address to which a page sends its reader at once.
REFRESH = re.compile('http-equiv="refresh" content="0; url=([^"#]+)')

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


#: Whether the page is dark within two seconds, since a page may follow the scheme by a script.
DARKENS = r"""new Promise(done => {
  let tries = 0
  const look = () => {
    const ground = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)
    const dark = Math.max(...ground.slice(0, 3)) <= 60
    if (dark || ++tries > 100) done(dark)
    else setTimeout(look, 20)
  }
  look()
})"""


def find_browser():
    """Return the path of an installed Chromium, or None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a headless browser.

    `messages` are errors of the page that was opened last, errors and warnings of its console, and
    failed requests.
    """

    def __init__(self, profile):
        read_end, self._write = os.pipe()
        self._read, write_end = os.pipe()

        def connect():
            # The browser reads from file descriptor 3 and writes to 4. The ends are duplicated to
            # higher numbers first, because one of them may itself be 3 or 4.
            copies = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (read_end, write_end)]
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
        self._process = subprocess.Popen(
            [
                *(find_browser(), *options, "--remote-debugging-pipe", "--no-first-run"),
                *(f"--user-data-dir={profile}", "--hide-scrollbars", "about:blank"),
            ],
            preexec_fn=connect,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_end)
        os.close(write_end)
        self._numbers, self._buffer, self._loaded = itertools.count(1), b"", set()
        self.messages, self._session = [], None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        found = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self):
        """Stop the browser."""
        with contextlib.suppress(OSError):
            os.close(self._write)
        self._process.terminate()
        self._process.wait(timeout=20)
        os.close(self._read)

    def send(self, method, **parameters):
        """Call a method of the DevTools protocol and return its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _receive(self):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], PATIENCE)
            part = os.read(self._read, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser has ended, or is silent")
            self._buffer += part
        text, _zero, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, event):
        name, found = event.get("method"), event.get("params", {})
        if name == "Page.lifecycleEvent" and found["name"] == "load":
            self._loaded.add(found["loaderId"])
        elif name == "Runtime.exceptionThrown":
            self.messages.append(found["exceptionDetails"]["text"])
        elif name == "Runtime.consoleAPICalled" and found["type"] in ("error", "warning"):
            self.messages.append(str([argument.get("value") for argument in found["args"]]))
        elif name == "Log.entryAdded" and found["entry"]["level"] in ("error", "warning"):
            self.messages.append(found["entry"]["text"])
        elif name == "Network.loadingFailed" and not found.get("canceled"):
            self.messages.append(f"{found.get('type')} not loaded: {found['errorText']}")

    def view(self, width, height=800, dark=False):
        """Set the window size in pixels and the colour scheme, and switch off animations."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.send("Emulation.setDeviceMetricsOverride", **size, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.send("Emulation.setEmulatedMedia", features=[scheme, still])

    def open(self, url):
        """Open a page and wait until it has loaded."""
        self.messages.clear()
        loader = self.send("Page.navigate", url=url).get("loaderId")
        if loader is None:
            return  # an anchor on the same page
        limit = time.monotonic() + PATIENCE
        while loader not in self._loaded:  # the page before may have been late to load
            if time.monotonic() > limit:
                raise RuntimeError(f"{url} has not loaded")
            self._note(self._receive())

    def run(self, script):
        """Return the value of a JavaScript expression, waiting for it if it is a promise."""
        answer = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def unfold(self):
        """Open everything that is folded, and load every picture."""
        self.run("document.querySelectorAll('details').forEach(part => { part.open = true })")
        self.run("[...document.images].forEach(image => { image.loading = 'eager' })")
        self.run("Promise.all([...document.images].map(i => i.decode().catch(() => 0)))")

    def faults(self, path):
        """Open a file once, look at it at all widths and in both schemes, and return its faults.

        These are what `FAULTS` finds, texts and grounds that are not dark in a dark scheme, links
        to files that do not exist, and messages of the console.
        """
        found, is_page = [], path.suffix == ".html"
        moved = REFRESH.search(path.read_text(encoding="utf-8")) if is_page else None
        if moved:  # there is nothing to see before it has left
            is_there = (path.parent / moved[1]).exists()
            return [] if is_there else [f"dead link: {moved[1]}"]
        self.view(WIDTHS[0])
        self.open(path.as_uri())
        if is_page:
            self.unfold()
        for width in WIDTHS if is_page else WIDTHS[:1]:
            self.view(width, dark=width != WIDTHS[0])
            faults = self.run(FAULTS.replace("WIDTH", str(width)))
            found += [f"at {width} pixels, {fault}" for fault in faults]
        if is_page:
            if not self.run(DARKENS):
                found.append("not dark in the dark scheme")
            links = self.run("[...new Set([...document.links].map(a => a.href.split('#')[0]))]")
            local = [unquote(link[7:]) for link in links if link.startswith("file://")]
            found += [f"dead link: {link}" for link in local if not os.path.exists(link)]
        return found + self.messages

    def press(self, key, code):
        """Press and release a key, such as Tab with the code 9."""
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
            self.send("Input.dispatchKeyEvent", **event)
