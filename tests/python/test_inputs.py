"""No function of Python writes over a file that it has read, by whatever name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

import api_helpers
import wordline as wl
from test_paths import snapshot
from wordline import report
from wordline.errors import ConfigError, StateError, TraceTargetError, WordlineError
from wordline.inputs import clash
from wordline.lab.characterize.write import characterize
from wordline.output import manifest
from wordline.report.entry import Entry

MODULES = ("", ".drive_table", ".imports", ".kv_cache", ".measured", ".mqsim", ".record", ".report", ".sweeps")
READS = {
    "Result.against", "against", "config", "diff", "fio", "flows", "kv", "load", "open", "read", "read_traces", "rerun",
    "sweep", "trace",
}  # fmt: skip
"""Functions whose paths are all read."""


def functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """The public functions, and methods of public classes, that take a path."""
    for name in MODULES:
        module = import_module(f"wordline{name}")
        for each in module.__all__:
            it = getattr(module, each)
            members = vars(it).items() if inspect.isclass(it) else ()
            yield from ((f"{each}.{key}", member) for key, member in members if is_public(key, member))
            if inspect.isfunction(it):
                yield each, it


def is_public(name: str, member: object) -> bool:
    return inspect.isfunction(member) and not name.startswith("_")


def takes_a_path(function: Callable[..., object]) -> bool:
    return any("Path" in str(each.annotation) for each in inspect.signature(function).parameters.values())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a result whose list names two inputs, which have other names, too."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / "ssd.toml").write_text(api_helpers.SMALL_SSD)
    api_helpers.write_trace(folder / "t.csv", 20)
    manifest.write(folder)
    (tmp_path / "hard").hardlink_to(folder / "ssd.toml")
    (tmp_path / "0.state").hardlink_to(folder / "ssd.toml")
    (tmp_path / "hard.csv").hardlink_to(folder / "t.csv")
    (tmp_path / "link").symlink_to("d")
    return tmp_path


def ssd() -> wl.Config:
    return wl.config("d/ssd.toml")


def result() -> wl.Result:
    return wl.run(ssd(), wl.trace("d/t.csv"))


def table(config: wl.Config) -> wl.DriveTable:
    return wl.DriveTable((), (), (), config)


WRITES: dict[str, list[Callable[[], object]]] = {
    "run": [
        lambda: wl.run(ssd(), wl.trace("d/t.csv"), save_state="hard"),
        lambda: wl.run(ssd(), wl.trace("d/t.csv"), save_state="hard.csv"),
        lambda: wl.run(ssd(), wl.trace("d/t.csv"), save_state="link/t.csv"),
    ],
    "Result.save": [lambda: result().save("d"), lambda: result().save("link")],
    "save": [lambda: wl.record.save(result(), "d")],
    "Drive.save": [lambda: wl.open(ssd()).save("hard")],
    "DriveArray.save": [lambda: wl.open([ssd(), ssd()]).save(".")],
    "DriveTable.write_csv": [lambda: table(ssd()).write_csv(Path("hard"))],
    "Trace.convert": [lambda: wl.trace("d/t.csv").convert("link/t.csv", force=True)],
    "Workload.write": [lambda: wl.workload("fio/random-read").write("hard", ssd(), force=True)],
    "serve": [
        lambda: wl.serve(ssd(), record="hard"),
        lambda: wl.serve(ssd(), store="hard"),
        lambda: wl.serve(ssd(), store="0"),
        lambda: wl.serve(ssd(), socket="link/ssd.toml"),
        lambda: wl.serve(ssd(), store="new", record="new.state"),
    ],
    "write": [lambda: report.write(Path("hard.csv"), "", [Entry(result(), {})])],
    "characterize": [lambda: characterize(ssd().set("cells.chip", "tlc-48l"), out=Path("link"))],
}
"""Each function that writes, with calls that would replace an input, or another file of the same call."""


def test_every_function_that_takes_a_path_is_known() -> None:
    known = {name for name, function in functions() if takes_a_path(function)}
    assert known == READS | WRITES.keys() - {"characterize"}


@pytest.mark.parametrize("name", WRITES)
def test_an_input_is_not_replaced(name: str, here: Path) -> None:
    before = snapshot(here)
    for call in WRITES[name]:
        with pytest.raises((WordlineError, OSError), match=r"would replace|holds|names|input"):
            call()
        assert snapshot(here) == before


def test_a_log_of_fio_replaces_no_input_also_where_it_may_replace_files(here: Path) -> None:
    (here / "job.fio").write_text("[job]\nrw=read\nbs=4k\nsize=64k\nwrite_iolog=hard\n")
    before = snapshot(here)
    with pytest.raises(TraceTargetError, match=r"hard: the log of fio's would replace d/ssd\.toml, which"):
        wl.run(ssd(), wl.fio("job.fio"), replace_iologs=True)
    assert snapshot(here) == before


def test_a_log_of_fio_does_not_replace_the_state_that_the_run_begins_with(here: Path) -> None:
    (here / "job.fio").write_text("[job]\nrw=read\nbs=4k\nsize=64k\nwrite_iolog=state\n")
    wl.run(ssd(), wl.trace("d/t.csv"), save_state="state")
    with pytest.raises(TraceTargetError, match="which load_state names"):
        wl.run(ssd(), wl.fio("job.fio"), load_state="state", replace_iologs=True)


def test_a_drive_of_an_array_has_a_name_that_leads_nowhere(here: Path) -> None:
    del here
    with pytest.raises(ConfigError, match="leave out /"):
        wl.open({"../x": ssd()})


def test_a_state_goes_over_the_one_that_the_drive_began_with(here: Path) -> None:
    wl.open(ssd()).save("state")
    drive = wl.open(ssd(), state="state")
    drive.save("state")
    assert clash(here / "new", [("d/t.csv", "the workload")]) is None
    with pytest.raises(StateError):
        drive.save("missing/state")
