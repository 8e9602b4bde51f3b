"""`wordline cite` names Wordline and the works that a run used, as BibTeX."""

import re
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.cite import bibtex, works_of


@pytest.mark.parametrize(
    ("keys", "presets", "workloads", "formats", "expected"),
    [
        ({"read.retry": "pso+pnar2"}, [], [], [], {"park2021reducing", "shim2019exploiting"}),
        ({"read.retry": "ideal", "erase.scheme": "aero"}, [], [], [], {"cho2024aero"}),
        ({}, ["mqsim"], ["msrc/hm_0"], [], {"tavakkol2018mqsim", "narayanan2008write"}),
        ({}, [], [], ["fiu"], {"koller2010io"}),
        ({}, ["datacenter-tlc"], ["fio/random-read"], [], set()),
    ],
)
def test_what_was_used_is_cited(
    keys: dict[str, str], presets: list[str], workloads: list[str], formats: list[str], expected: set[str]
) -> None:
    assert {work.key for work in works_of(keys, presets, workloads, formats)} == expected | {"wordline"}


def test_every_condition_names_something_that_exists() -> None:
    from wordline.cite.works import _entries

    known = {each.name for each in wl.presets()}, {each.name for each in wl.workloads()}, set(wl.trace_formats())
    for key, entry in _entries().items():
        for condition, names in zip(("presets", "workloads", "formats"), known, strict=True):
            for pattern in entry.get(condition, ()):
                pieces = re.compile(re.escape(pattern).replace(r"\*", ".*"))
                assert any(pieces.fullmatch(name) for name in names), f"{key}: {pattern}"


def test_entries_are_bibtex() -> None:
    text = bibtex(works_of({"read.retry": "rif"}))
    assert text.count("@") == 2
    assert text.count("{") == text.count("}")


def test_a_trace_whose_format_is_detected_is_cited(tmp_path: Path) -> None:
    lines = "".join(f"{128166372003061629 + n * 10_000},hm,0,Read,{n * 4096},4096,100\n" for n in range(50))
    (tmp_path / "t.csv").write_text(lines)
    assert wl.trace(tmp_path / "t.csv").format == "msrc"
    assert wordline("run", "mqsim", "--trace", "t.csv", "--out", "run", cwd=tmp_path).code == 0
    assert "narayanan2008write" in wordline("cite", "run", cwd=tmp_path).out
    (tmp_path / "t.csv").unlink()
    answer = wordline("cite", "run", cwd=tmp_path)
    assert answer.code == 0
    assert "t.csv" in answer.err


def test_the_command_reads_a_saved_run(tmp_path: Path) -> None:
    settings = ("--set", "workload.requests=100", "--out", tmp_path / "run")
    assert wordline("run", "pnar2", "--workload", "ycsb/a", *settings).code == 0
    answer = wordline("cite", tmp_path / "run")
    assert answer.code == 0
    for key in ("@software{wordline", "park2021reducing", "cooper2010benchmarking"):
        assert key in answer.out
