"""Damaged files for the readers that are written in Python: MQSim's XML, points of the cache, sweeps, fio's jobs, and
configurations of FEMU, SimpleSSD and SSDsim.

.venv/bin/python tests/python/reader_fuzz.py                          # 10,000 files of each kind
.venv/bin/python tests/python/reader_fuzz.py --count 1000000 jobs     # so many of one kind
.venv/bin/python tests/python/reader_fuzz.py --first 4711 --count 1 mqsim --show

A file is made from its number alone: a sound one, of which a few bytes, words or lines are changed, lost, doubled, or
taken from another. Reading it gives a result, or one of the package's own errors; anything else is a fault.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import wordline as wl
from wordline import imports, mqsim
from wordline.errors import WordlineError
from wordline.sweeps.outcome import Values
from wordline.sweeps.spec import Spec
from wordline.sweeps.store import Store

ROOT = Path(__file__).resolve().parents[2]
# Numbers at the limits, and words that mean something somewhere.
WORDS = (
    *("0", "-1", "1", "1e308", "nan", "inf", "9223372036854775807", "18446744073709551616", "0x10", "1k", "99999999g"),
    *("", "true", "[]", "{}", '"', "'", "=", ":", "/", "%", ",", "\n", "\0", "\ufeff", "é", "<", ">", "&amp;", "]]>"),
)
DIGITS = re.compile(rb"[0-9]+")
KEY = "0123456789abcdef" * 4
# On a processor: the machine may be busy.
SECONDS_MAX = 10.0


def mqsim_files() -> list[str]:
    """A device and a workload in MQSim's XML, one behind the other."""
    from mqsim_files import DEVICE, FLASH, HOST, SYNTHETIC, TRACE

    def rows(values: dict[str, str]) -> str:
        return "".join(f"<{name}>{value}</{name}>\n" for name, value in values.items())

    def device(flash: str) -> str:
        inner = f"<Flash_Parameter_Set>\n{flash}</Flash_Parameter_Set>\n"
        return f"<Device_Parameter_Set>\n{rows(DEVICE)}{inner}</Device_Parameter_Set>\n"

    host = f"<Host_Parameter_Set>\n{rows(HOST)}</Host_Parameter_Set>\n"
    ssd = f"<Execution_Parameter_Set>\n{host}{device(rows(FLASH))}</Execution_Parameter_Set>\n"
    flows = [("IO_Flow_Parameter_Set_Synthetic", SYNTHETIC), ("IO_Flow_Parameter_Set_Trace_Based", TRACE)]
    scenarios = [f"<IO_Scenario>\n<{tag}>\n{rows(values)}</{tag}>\n</IO_Scenario>\n" for tag, values in flows]
    return [f"{ssd}\x1e<MQSim_IO_Scenarios>\n{scenario}</MQSim_IO_Scenarios>\n" for scenario in scenarios]


def seeds(kind: str, folder: Path) -> list[bytes]:
    """Sound files of a kind."""
    if kind == "mqsim":
        return [text.encode() for text in mqsim_files()]
    if kind == "cache":
        store = Store(folder / "whole")
        store.prepare()
        small = wl.config(ROOT / "examples" / "small-ssd.toml")
        result = wl.run(small.set("workload.requests", 20), wl.workload("fio/random-read"))
        store.put(KEY, result)
        other = KEY[::-1]
        store.put(other, Values({"a": 1.5, "b": [1, 2]}))
        return [store.path(key).read_bytes() for key in (KEY, other)]
    if kind == "sweeps":
        return [(ROOT / "examples" / "retries.toml").read_bytes()]
    if kind == "imports":
        from test_imports import FEMU, SIMPLESSD, SSDSIM

        texts = (FEMU.format(transfer=10_000, mode=1), SIMPLESSD.format(cell=2), SSDSIM.format(chips=2))
        return [text.encode() for text in texts]
    return [(ROOT / "examples" / "steady.fio").read_bytes()]


def chance_of(kind: str, number: int) -> random.Random:
    """What decides on the damage of a file."""
    return random.Random(f"{kind} {number}")  # noqa: S311 - nothing secret


def damaged(sound: list[bytes], chance: random.Random) -> bytes:
    """One of the files, with a few changes."""
    data = bytearray(chance.choice(sound))
    # Half of the files keep their form: only numbers and lines of them change.
    kinds = (4, 4, 5) if chance.random() < 0.5 else range(7)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 1, 2, 8, 40)))
        what = chance.choice(kinds)
        if what == 0:
            data[at:end] = bytes(chance.randrange(256) for _ in range(end - at))
        elif what == 1:
            data[at:end] = b""
        elif what == 2:
            data[at:at] = data[at:end] * chance.choice((1, 2, 50))
        elif what == 3:
            data[at:end] = chance.choice(WORDS).encode()
        elif what == 4:
            _change_number(data, chance)
        elif what == 5:
            lines = bytes(data).split(b"\n")
            lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
            data = bytearray(b"\n".join(lines))
        else:
            del data[at:]
    return bytes(data)


def _change_number(data: bytearray, chance: random.Random) -> None:
    """Puts a word in the place of a number."""
    number = DIGITS.search(data, chance.randrange(len(data) + 1)) or DIGITS.search(data)
    if number:
        data[number.start() : number.end()] = chance.choice(WORDS).encode()


def readers(folder: Path) -> dict[str, Callable[[bytes], object]]:
    """How a file of each kind is read."""
    config = wl.preset("mqsim")
    (folder / "missing.trace").write_text("0 0 8 8 1\n1000 0 64 8 0\n")
    store = Store(folder / "damaged")
    store.prepare()
    store.path(KEY).parent.mkdir(exist_ok=True)

    def read_mqsim(data: bytes) -> object:
        ssd, _, workload = data.partition(b"\x1e")
        (folder / "ssdconfig.xml").write_bytes(ssd)
        (folder / "workload.xml").write_bytes(workload)
        return mqsim.load(folder / "ssdconfig.xml", folder / "workload.xml")

    def read_point(data: bytes) -> object:
        store.path(KEY).write_bytes(data)
        return store.get(KEY)

    def read_sweep(data: bytes) -> object:
        (folder / "sweep.toml").write_bytes(data)
        return Spec.read(folder / "sweep.toml").points()

    def read_jobs(data: bytes) -> object:
        (folder / "jobs.fio").write_bytes(data)
        return wl.fio(folder / "jobs.fio").flows(config)

    def read_import(data: bytes) -> object:
        (folder / "foreign").write_bytes(data)
        return imports.read(folder / "foreign")

    return {
        "mqsim": read_mqsim,
        "cache": read_point,
        "sweeps": read_sweep,
        "jobs": read_jobs,
        "imports": read_import,
    }


KINDS = ("mqsim", "cache", "sweeps", "jobs", "imports")


@contextlib.contextmanager
def a_folder() -> Iterator[Path]:
    """A folder in memory, where there is one."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


def hunt(kind: str, first: int, count: int) -> dict[str, int]:
    """Reads so many damaged files; counts those that were read and those that were refused.

    Raises:
        AssertionError: A reader did something else; says which file it was.
    """
    done = {"read": 0, "refused": 0}
    with a_folder() as folder:
        sound, read = seeds(kind, folder), readers(folder)[kind]
        for number in range(first, first + count):
            data = damaged(sound, chance_of(kind, number))
            began, lines = time.process_time(), 1
            try:
                read(data)
                done["read"] += 1
            except WordlineError as error:
                done["refused"] += 1
                lines = str(error).strip().count("\n") + 1
            except Exception as fault:
                raise AssertionError(f"{kind} {number}: {type(fault).__name__}: {fault}") from fault
            assert lines == 1, f"{kind} {number}: an error of several lines"
            took = time.process_time() - began
            assert took < SECONDS_MAX, f"{kind} {number}: {took:.1f} s"
    return done


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description="Read damaged files.")
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS], default=[], metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--count", type=int, default=10_000, help="files of each kind")
    parser.add_argument("--show", action="store_true", help="print the first file and read nothing")
    arguments = parser.parse_args()
    for kind in arguments.kinds or KINDS:
        if arguments.show:
            with a_folder() as folder:
                sys.stdout.buffer.write(damaged(seeds(kind, folder), chance_of(kind, arguments.first)))
            continue
        done = hunt(kind, arguments.first, arguments.count)
        print(json.dumps({"kind": kind, "first": arguments.first, "count": arguments.count, **done}), flush=True)


if __name__ == "__main__":
    main()
