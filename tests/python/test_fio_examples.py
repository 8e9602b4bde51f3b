"""fio's own options and examples: each option is classified, each example runs as in fio, or is refused by its option.

`tests/data/fio.toml` has fio's list of options and its examples with their verdicts. The examples themselves are in
fio's sources (github.com/axboe/fio); WORDLINE_FIO names a folder with them, and they are then run.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import ROOT
from fio_programs import Requests, assert_shares, fios, kolmogorov_smirnov, needs_fio, ours, popularity, sequential
from wordline.errors import FioError
from wordline.fio_jobs.document import JobSection, sections
from wordline.fio_jobs.options import (
    CHANGES_NOTHING,
    HONOURED,
    OF_OTHER_ENGINES,
    OF_THE_PAGE_CACHE,
    OF_ZONES,
    REFUSED,
    SIMPLIFIED,
    canonical,
)

TABLE: dict[str, Any] = tomllib.loads((ROOT / "tests" / "data" / "fio.toml").read_text(encoding="utf-8"))
EXAMPLES = Path(os.environ.get("WORDLINE_FIO", ROOT.parent / "shared" / "fio")) / "examples"
needs_examples = pytest.mark.skipif(
    not EXAMPLES.is_dir(), reason=f"fio's examples are not at {EXAMPLES} (WORDLINE_FIO names fio's sources)"
)
GROUPS = (
    HONOURED,
    *CHANGES_NOTHING.values(),
    frozenset(REFUSED),
    frozenset(SIMPLIFIED),
    OF_OTHER_ENGINES,
    OF_THE_PAGE_CACHE,
    OF_ZONES,
)
SSD = wl.preset("mqsim")
REQUESTS = 4000
# What decides when a job begins, ends and submits: the log of an engine that takes no time has nothing of it. With a
# queue, fio writes requests that had to wait into the log once more.
OF_TIME = {
    "directory", "filename", "filename_format", "iodepth", "loops", "name", "numjobs", "ramp_time", "rate", "rate_iops",
    "rate_process",
    "runtime", "startdelay", "stonewall", "thinktime", "thinktime_blocks", "time_based", "wait_for", "write_iolog",
    "number_ios",
}  # fmt: skip


@pytest.mark.parametrize("name", [*TABLE["options"], *TABLE["engine_options"]])
def test_each_option_of_fio_is_classified_once(name: str) -> None:
    assert sum(canonical(name) in group for group in GROUPS) == 1


@needs_fio
def test_the_list_of_options_is_fios() -> None:
    def listed(*arguments: str) -> list[str]:
        printed = subprocess.run(["fio", *arguments], capture_output=True, text=True, check=False).stdout
        return re.findall(r"^ *([\w-]+) *: ", printed, re.MULTILINE)

    assert listed("--cmdhelp=all") == TABLE["options"]
    engines = subprocess.run(["fio", "--enghelp"], capture_output=True, text=True, check=False).stdout.split()[3:]
    found = {name for engine in engines for name in listed(f"--enghelp={engine}")}
    assert found <= set(TABLE["engine_options"])


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_option_says_what_it_does_and_what_helps(name: str, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text(f"[a]\nrw=write\nsize=1m\n{name}=7\n")
    with pytest.raises(FioError) as raised:
        wl.fio(job).flows(SSD)
    assert raised.value.line == 4
    assert REFUSED[name].reason in str(raised.value)
    assert raised.value.fix
    job.write_text(f"[a]\nrw=write\nsize=1m\n{name}={min(REFUSED[name].neutral)}\n")
    assert len(wl.fio(job).flows(SSD)) == 1


@pytest.mark.parametrize("verdict", sorted({verdict for verdict in TABLE["examples"].values() if verdict != "runs"}))
def test_what_refuses_an_example_is_refused_alone(
    verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in TABLE["environment"].items():
        monkeypatch.setenv(name, value)
    job = tmp_path / "job.fio"
    # A verdict that is a section: its job has no size.
    is_section = verdict.startswith("[")
    job.write_text(f"{verdict}\nrw=write\n" if is_section else f"[a]\nrw=write\nfilename=/dev/sda\n{verdict}\n")
    with pytest.raises(FioError) as raised:
        wl.fio(job).flows(SSD)
    assert raised.value.key == ("size" if is_section else verdict.partition("=")[0])


@needs_examples
def test_the_table_names_every_example() -> None:
    assert sorted(path.name for path in EXAMPLES.glob("*.fio")) == sorted(TABLE["examples"])


@needs_examples
@pytest.mark.parametrize(("file", "verdict"), TABLE["examples"].items())
def test_an_example_has_its_verdict(file: str, verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in TABLE["environment"].items():
        monkeypatch.setenv(name, value)
    try:
        wl.fio(EXAMPLES / file).flows(SSD)
    except FioError as error:
        lines = (EXAMPLES / file).read_text(encoding="utf-8").splitlines()
        said = re.split("[;#]", lines[(error.line or 1) - 1])[0]
        assert re.sub(r"\s*=\s*", "=", said.strip()) == verdict
    else:
        assert verdict == "runs"


@needs_fio
@needs_examples
@pytest.mark.parametrize("file", [file for file, verdict in TABLE["examples"].items() if verdict == "runs"])
def test_an_example_makes_fios_requests(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in TABLE["environment"].items():
        monkeypatch.setenv(name, value)
    jobs = {job_text(section): None for section in sections(EXAMPLES / file)}
    for text, is_device in jobs:
        mine = ours(f"{text}\nfilename=/dev/nvme0n1" if is_device else text, tmp_path, SSD)
        theirs = fios(f"{text}\nsize={SSD.host_bytes}" if is_device else text, tmp_path)
        assert_equal(text, mine, theirs)


def job_text(section: JobSection) -> tuple[str, bool]:
    """The options of a job that decide about its requests, and whether its file is a device."""
    kept = {name: option.value for name, option in section.options.items() if name in HONOURED - OF_TIME}
    is_device = not kept.keys() & {"size", "filesize"} or "%" in kept.get("size", "")
    limit = section.text("number_ios", str(REQUESTS))
    lines = [*(f"{name}={value}" for name, value in kept.items()), f"number_ios={min(int(limit), REQUESTS)}"]
    return "\n".join(lines), is_device


def assert_equal(text: str, mine: Requests, theirs: Requests) -> None:
    """The same requests in order, or, where chance decides, as many, of the same shares, at places like these."""
    kind = re.search("^rw=(.*)$", text, re.MULTILINE)
    has_chance = bool(kind and re.match("rand|rw|readwrite", kind[1])) or "split" in text
    if not has_chance:
        assert mine == theirs, text
        return
    assert len(mine) == pytest.approx(len(theirs), rel=0.04), text
    # Four and a half standard errors of the difference of two shares.
    assert_shares(mine, theirs, apart=4.5 * math.sqrt(0.5 / len(theirs)))
    if "zipf" in text or "pareto" in text:
        assert popularity(mine) == pytest.approx(popularity(theirs), abs=0.03), text
    elif kind and kind[1].startswith("rand"):
        assert kolmogorov_smirnov([each[1] for each in mine], [each[1] for each in theirs]) < 1, text
    else:
        assert sequential(mine) == pytest.approx(sequential(theirs), abs=0.05), text
