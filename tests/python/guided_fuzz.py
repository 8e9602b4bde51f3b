"""A coverage-guided hunt through the readers that are written in Python: fio's jobs and files of other simulators.

.venv/bin/python tests/python/guided_fuzz.py --seconds 3600 --out out/guided          # all kinds
.venv/bin/python tests/python/guided_fuzz.py --seconds 60 jobs                        # one of them
.venv/bin/python tests/python/guided_fuzz.py --again out/guided/found/jobs-0123456789ab   # what a fault came from

It watches which lines follow which in the reader's own modules. An input that takes a new turn joins the corpus, and
new inputs are made from those of the corpus: changed, cut, joined, or with a word that the reader's source knows.
Reading gives a result, or one of the package's own errors in one line; anything else is a fault, whose input is kept.
A fault is counted once for each place in which it is raised. With a fault the exit code is 1.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import reader_fuzz
from reader_fuzz import ROOT, SECONDS_MAX, WORDS, a_folder, damaged
from wordline.errors import WordlineError

# The modules of each reader, below python/wordline.
MODULES = {
    "jobs": ("fio_jobs",),
    "imports": ("imports",),
    "mqsim": ("mqsim",),
}
BYTES_MAX = 8192
SLICE_S = 20.0


class Turns:
    """The turns that a reader has taken: which line followed which in its modules."""

    def __init__(self, folders: tuple[str, ...]) -> None:
        self._folders = tuple(str(ROOT / "python" / "wordline" / folder) for folder in folders)
        self._mine: dict[CodeType, bool] = {}
        self._last: dict[FrameType, int] = {}
        self.seen: set[tuple[CodeType, int, int]] = set()
        self._now: set[tuple[CodeType, int, int]] = set()

    def of(self, read: Callable[[], object]) -> int:
        """Calls a reader; returns how many turns are new."""
        self._now, self._last = set(), {}
        sys.settrace(self._enter)
        try:
            read()
        finally:
            sys.settrace(None)
            new = self._now - self.seen
            self.seen |= new
        return len(new)

    def _enter(self, frame: FrameType, _event: str, _argument: object) -> Any:  # noqa: ANN401 - a trace function
        code = frame.f_code
        mine = self._mine.get(code)
        if mine is None:
            mine = self._mine[code] = code.co_filename.startswith(self._folders)
        return self._line if mine else None

    def _line(self, frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 - a trace function
        if event == "line":
            self._now.add((frame.f_code, self._last.get(frame, 0), frame.f_lineno))
            self._last[frame] = frame.f_lineno
        return self._line


@dataclass
class Hunt:
    """What is known of one kind of file."""

    kind: str
    read: Callable[[bytes], object]
    corpus: list[bytes]
    words: list[bytes]
    turns: Turns
    found: Path
    chance: random.Random
    inputs: int = 0
    seconds: float = 0.0
    faults: dict[str, str] = field(default_factory=dict)

    def one(self, data: bytes) -> None:
        """Reads an input, and keeps it if it took a new turn or was a fault."""
        self.inputs += 1
        began, fault = time.process_time(), ""
        before = len(self.turns.seen)
        try:
            self.turns.of(lambda: self.read(data))
        except WordlineError as error:
            if "\n" in str(error).strip():
                fault = f"an error of several lines: {type(error).__name__}"
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            fault = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
        if time.process_time() - began > SECONDS_MAX:
            fault = fault or f"more than {SECONDS_MAX:.0f} s"
        if len(self.turns.seen) > before:
            self.corpus.append(data)
        if fault and fault not in self.faults:
            name = f"{self.kind}-{hashlib.sha256(data).hexdigest()[:12]}"
            self.found.mkdir(parents=True, exist_ok=True)
            (self.found / name).write_bytes(data)
            self.faults[fault] = name
            print(f"{self.kind}: {fault}: {self.found / name}", flush=True)

    def another(self) -> bytes:
        """A new input, made from one of the corpus: those that joined last more often than the others."""
        chance = self.chance
        pool = self.corpus[-8:] if chance.random() < 0.3 else self.corpus
        data = bytearray(chance.choice(pool))
        for _ in range(chance.choice((0, 1, 1, 2, 4))):
            at = chance.randrange(len(data) + 1)
            end = min(len(data), at + chance.choice((0, 0, 1, 4, 12)))
            data[at:end] = chance.choice(self.words)
        if chance.random() < 0.2:
            other = chance.choice(self.corpus)
            data[chance.randrange(len(data) + 1) :] = other[chance.randrange(len(other) + 1) :]
        if chance.random() < 0.7:
            data = bytearray(damaged([bytes(data)], chance))
        return bytes(data[:BYTES_MAX])

    def report(self) -> dict[str, Any]:
        """What has been done."""
        return {
            "kind": self.kind,
            "inputs": self.inputs,
            "seconds": round(self.seconds, 1),
            "turns": len(self.turns.seen),
            "corpus": len(self.corpus),
            "faults": self.faults,
        }


def words_of(folders: tuple[str, ...]) -> Iterator[bytes]:
    """Short texts in the sources of a reader: names of keys and values, and what stands between them."""
    yield from (word.encode() for word in WORDS)
    for folder in folders:
        for path in sorted((ROOT / "python" / "wordline" / folder).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and 0 < len(node.value) <= 24:
                    yield node.value.encode()
                    yield f"\n{node.value}=".encode()


def hunt_of(kind: str, folder: Path, out: Path, seed: int) -> Hunt:
    """A hunt that begins with sound files and with what an earlier one has kept."""
    kept = out / "corpus" / kind
    earlier = [path.read_bytes() for path in sorted(kept.glob("*"))] if kept.is_dir() else []
    hunt = Hunt(
        kind,
        reader_fuzz.readers(folder)[kind],
        [],
        list(dict.fromkeys(words_of(MODULES[kind]))),
        Turns(MODULES[kind]),
        out / "found",
        random.Random(f"{kind} {seed}"),  # noqa: S311 - nothing secret
    )
    for data in [*reader_fuzz.seeds(kind, folder), *earlier]:
        hunt.one(data)
        if not hunt.corpus:
            hunt.corpus.append(data)
    return hunt


def keep(hunt: Hunt, out: Path) -> None:
    """Writes the corpus down."""
    folder = out / "corpus" / hunt.kind
    folder.mkdir(parents=True, exist_ok=True)
    for data in hunt.corpus:
        path = folder / hashlib.sha256(data).hexdigest()[:16]
        if not path.exists():
            path.write_bytes(data)


def again(path: Path) -> None:
    """Reads one input as it is, so that a fault shows its traceback."""
    with a_folder() as folder:
        try:
            reader_fuzz.readers(folder)[path.name.partition("-")[0]](path.read_bytes())
        except WordlineError as error:
            print(f"refused: {error}")
            sys.exit(1 if "\n" in str(error).strip() else 0)
    print("read")


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description="Hunt for faults of readers, guided by their coverage.")
    parser.add_argument("kinds", nargs="*", choices=[[], *MODULES], default=[], metavar="KIND", help=", ".join(MODULES))
    parser.add_argument("--seconds", type=float, default=60.0, help="how long [s]")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "guided", help="where corpus and faults are kept")
    parser.add_argument("--seed", type=int, default=1, help="of the inputs")
    parser.add_argument("--again", type=Path, metavar="FILE", help="read this input of a fault, and nothing else")
    arguments = parser.parse_args()
    if arguments.again:
        again(arguments.again)
        return
    end = time.monotonic() + arguments.seconds
    with a_folder() as folder:
        hunts = [hunt_of(kind, folder, arguments.out, arguments.seed) for kind in arguments.kinds or MODULES]
        while time.monotonic() < end:
            for hunt in hunts:
                began = at = time.monotonic()
                while at < min(end, began + SLICE_S):
                    hunt.one(hunt.another())
                    at = time.monotonic()
                hunt.seconds += at - began
                keep(hunt, arguments.out)
                (arguments.out / "guided.json").write_text(json.dumps([each.report() for each in hunts], indent=1))
    for hunt in hunts:
        print(json.dumps(hunt.report()), flush=True)
    sys.exit(1 if any(hunt.faults for hunt in hunts) else 0)


if __name__ == "__main__":
    main()
