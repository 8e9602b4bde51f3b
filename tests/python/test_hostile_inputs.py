"""Files that anybody may have made: whatever is in them, a command ends with one line and exit code 2."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mqsim_files import flow_xml, scenario_xml, ssd_xml
from wordline.cli import main
from wordline.files import BYTES_MAX, parse_toml
from wordline.mqsim.document import parse

FEW = ("--set", "workload.requests=10")
READERS: dict[str, tuple[str, ...]] = {
    "configuration": ("run", "{}", *FEW),
    "study": ("sweep", "{}"),
    "job": ("run", "mqsim", "{}"),
    "device of MQSim": ("run", "--mqsim", "{}", "work.xml"),
    "workload of MQSim": ("run", "--mqsim", "ssd.xml", "{}"),
    "import": ("import", "{}"),
    "record": ("rerun", "{}"),
    "chip": ("run", "pnar2", *FEW, "--set", "cells.chip={}"),
    "chip lab": ("characterize", "{}", "--only", "m-err", "--json"),
    "table": ("run", "pnar2", *FEW, "--set", "cells.retry_table={}"),
    "state": ("run", "mqsim", *FEW, "--load-state", "{}"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a pair of MQSim's files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ssd.xml").write_text(ssd_xml())
    (tmp_path / "work.xml").write_text(scenario_xml(flow_xml()))
    return tmp_path


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def written(text: str | bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text.encode() if isinstance(text, str) else text)


BINARY = bytes(range(256)) * 40
HOSTILE = {
    "a named pipe": pipe,
    "an endless device": device,
    "a folder": lambda path: path.mkdir(),
    "nothing": written(""),
    "binary": written(BINARY),
    "too long": written("#" + "x" * (20 << 20)),
    "deep lists": written("a = " + "[" * 100_000),
    "deep tables": written("a = " + "{ a = " * 50_000),
    "deep keys": written('ssd = "mqsim"\n' + "a." * 100_000 + "b = 1\n"),
    "a deep section": written("[" + "a." * 100_000 + "b]\n"),
    "a long integer": written('ssd = "mqsim"\nseeds = ' + "1" * 6000 + "\n"),
    "a foreign encoding": written('<?xml version="1.0" encoding="utf-7"?><a/>'),
    "an unknown encoding": written('<?xml version="1.0" encoding="x-none"?><a/>'),
    "deep elements": written("<a>" * 200_000),
    "entities": written('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
    "many sections": written("[global]\n" + "".join(f"x{n}=1\n" for n in range(1100)) + "[j]\n" * 5000),
}
# An SSD with every default is one; a list of requests that is too long to be one is not looked at by these.
FINE = {("configuration", "nothing")}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_give_one_line(what: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    HOSTILE[what](here / "file.toml")
    for reader, words in READERS.items():
        if (reader, what) in FINE:
            continue
        code = main([word.format("file.toml") for word in words])
        said = capsys.readouterr().err
        assert code == 2, (reader, said)
        assert said.startswith("wordline: error: "), (reader, said)
        assert "fault of Wordline" not in said, reader
        assert "Traceback" not in said, reader
        # A hint has a line of its own.
        assert len([line for line in said.splitlines() if not line.startswith("  hint: ")]) == 1, (reader, said)
        assert len(said) < 2000, reader


def test_a_result_of_hostile_json_gives_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "out").mkdir()
    for text in ("[" * 100_000, '{"a":' * 100_000, "null", "1" * 5000, "{}"):
        (here / "out" / "result.json").write_text(text)
        for words in (("diff", "out", "out"), ("cite", "out")):
            assert main([*words]) == 2
            said = capsys.readouterr().err
            assert said.count("\n") == 1, said
            assert "fault of Wordline" not in said


def test_what_a_shell_gives_is_read(here: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b'preset = "mqsim"\n[workload]\nrequests = 10\n')
    os.close(writer)
    try:
        assert main(["run", f"/dev/fd/{reader}", "--json"]) == 0
    finally:
        os.close(reader)
    assert here.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[j]\n" * 5000, "job.fio:4097: there are too many sections"),
        (
            "[global]\n" + "".join(f"x{n}=1\n" for n in range(1100)),
            "job.fio:1002: x1000: has too many options before it",
        ),
    ],
)
def test_a_job_file_has_so_many_sections_and_options(
    text: str, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "job.fio").write_text(text)
    assert main(["run", "mqsim", "job.fio"]) == 2
    assert said in capsys.readouterr().err


def cpu_s(work: Callable[[], object]) -> float:
    """The least processor time of three tries, s."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def test_the_time_for_a_text_grows_with_its_length(tmp_path: Path) -> None:
    def of_length(lines: int) -> float:
        # Each line of a text comes from the parser alone.
        path = tmp_path / str(lines)
        path.write_text("<a>" + "&lt;x\n" * lines + "</a>")
        return cpu_s(lambda: parse(path).text)

    assert of_length(BYTES_MAX // 8) < 9 * of_length(BYTES_MAX // 32)


@pytest.mark.parametrize("text", ["x = '" + "x" * BYTES_MAX + "'", "x." * 31 + "x = 1", 'a = "' + "x." * 20 + '"'])
def test_what_has_few_parts_is_taken_for_what_it_is(text: str) -> None:
    assert len(parse_toml(text)) == 1
