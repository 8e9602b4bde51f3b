"""A headless Chromium that tests talk to over a pipe (the DevTools protocol); nothing but the browser is needed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import psutil

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
WAIT_S = 60.0


class Browser:
    """One page in a browser of its own."""

    def __init__(self, profile: Path) -> None:
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()
        # The protocol's pipes are descriptors 3 and 4.
        script = f'exec "$0" "$@" 3<&{read_there} 4>&{write_there}'
        command = ["bash", "-c", script, str(CHROMIUM), *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            command,
            pass_fds=(read_there, write_there),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(read_there)
        os.close(write_there)
        self.read, self.write = read_here, write_here
        self.rest = b""
        self.number = 0
        self.session: str | None = None
        self.requested: list[str] = []
        self.problems: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Accessibility"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        """Ends the browser."""
        self.process.kill()
        self.process.wait()
        os.close(self.read)
        os.close(self.write)

    def send(self, method: str, **parameters: object) -> Any:  # noqa: ANN401 - JSON
        """Sends a command and waits for its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            piece = os.read(self.read, 1 << 16)
            assert piece, "the browser has ended"
            self.rest += piece
        text, _, self.rest = self.rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if message.get("method") == "Network.requestWillBeSent":
            self.requested.append(message["params"]["request"]["url"])
        if message.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(message["params"]["exceptionDetails"])[:2000])
        return message

    def js(self, expression: str) -> Any:  # noqa: ANN401 - JSON
        """The value of an expression in the page; a promise is waited for."""
        done = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def open(self, path: Path, wait_for: str) -> float:
        """Opens a file and waits until an expression is true; says how long it took, s."""
        begun = time.perf_counter()
        self.send("Page.navigate", url=path.as_uri())
        while not self.js(f"Boolean({wait_for})"):
            assert time.perf_counter() - begun < WAIT_S, f"{wait_for} does not come about: {self.problems}"
            time.sleep(0.02)
        return time.perf_counter() - begun

    def cpu_s(self) -> float:
        """Processor time that the browser's processes have taken so far, s."""
        times = [process.cpu_times() for process in psutil.Process(self.process.pid).children(recursive=True)]
        return sum(each.user + each.system for each in times)

    def press(self, key: str, code: int) -> None:
        """Presses a key, such as Tab (9) or Enter (13)."""
        text = {"Enter": "\r", " ": " "}.get(key)
        more = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more)
