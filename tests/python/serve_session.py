"""A served SSD and the real programs that use it."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from cli_runner import command, environment

SMALL = (
    "--set=ssd.channels=4",
    "--set=ssd.chips_per_channel=1",
    "--set=ssd.dies_per_chip=1",
    "--set=ssd.planes_per_die=2",
    "--set=ssd.blocks_per_plane=64",
    "--set=ssd.pages_per_block=64",
    "--set=ssd.page_bytes=4096",
    "--set=ssd.overprovisioning=0.25",
)
"""An SSD of 96 MiB that collects garbage soon."""
BYTES = 4 * 2 * 64 * 64 * 4096 * 3 // 4
SMALL_TODAY = (*SMALL[:4], "--set=ssd.blocks_per_plane=64", "--set=ssd.pages_per_block=48", SMALL[7])
"""The same of a preset of a drive of today, whose pages and wordlines stay: 288 MiB."""
OF_TODAY = {
    "superblocks": ("datacenter-tlc", "--set=ftl.group=superblock"),
    "slc-cache": ("consumer-tlc", "--set=slc.static_blocks=0.05"),
    "slc-superblocks": ("consumer-tlc", "--set=ftl.group=superblock", "--set=slc.dynamic_share=0.5"),
}
"""Presets and settings of drives of today."""
PACKAGES = {
    "fusermount3": "fuse3",
    "nbdcopy": "libnbd-bin",
    "nbdfuse": "libnbd-bin",
    "nbdinfo": "libnbd-bin",
    "qemu-img": "qemu-utils",
    "qemu-io": "qemu-utils",
    "db_bench": "rocksdb-tools",
    "ldb": "rocksdb-tools",
    "mkfs.ext4": "e2fsprogs",
    "e2fsck": "e2fsprogs",
}


def needs(*programs: str) -> None:
    """Skips a test whose programs are not installed, and says so."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        packages = " ".join(sorted({PACKAGES.get(program, program) for program in missing}))
        pytest.skip(f"{', '.join(missing)} not installed (apt-get install {packages})")


def run(*arguments: str | Path, timeout_s: float = 120) -> str:
    """Runs a program that has to succeed; what it printed."""
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, check=False, timeout=timeout_s)
    assert done.returncode == 0, f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Session:
    """`wordline serve` in a process of its own, at a Unix socket in a new folder."""

    def __init__(self, *arguments: str | Path, ssd: str = "mqsim", slow_down: str = "0") -> None:
        # Names of sockets are short, those of pytest's folders may not be.
        self.folder = tempfile.TemporaryDirectory(prefix="wl-")
        self.socket = Path(self.folder.name) / "s"
        small = SMALL if ssd == "mqsim" else SMALL_TODAY
        words = command("serve", ssd, *small, "--socket", str(self.socket), "--slow-down", slow_down, "--json")
        self.process = subprocess.Popen(
            [*words, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self.said = ""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"listening at (\S+)", line):
                self.uri = found.group(1)
                break
        else:
            raise AssertionError(f"exit {self.process.wait()}: {self.said}")
        self.listener = threading.Thread(target=self._listen)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.listener.join()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self.folder.cleanup()

    def end(self, how: signal.Signals | None = signal.SIGINT) -> dict[str, Any]:
        """Ends the session, or lets it end by itself; its result."""
        if how is not None:
            self.process.send_signal(how)
        assert self.process.stdout is not None
        text = self.process.stdout.read()
        code = self.process.wait(timeout=60)
        self.listener.join()
        assert code == 0, f"exit {code}: {self.said}"
        document: dict[str, Any] = json.loads(text)
        return document
