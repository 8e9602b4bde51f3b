"""Which keys may differ on a drive from a state: each one works, or is refused by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import small
from wordline.config import parameters
from wordline.errors import ConfigError, StateError

HOW_IT_IS_USED = {"host", "metrics", "precondition", "power", "read", "schedule"}
HOW_IT_WORKS = {"ecc", "channel", "controller", "dram", "gc", "journal", "nand"}
TIMES = {
    "program.suspend",
    "program.suspend_every_us",
    "program.suspend_loaded",
    "slc.read_us",
    "slc.program_us",
    "slc.erase_us",
}
JOURNALED: dict[str, Any] = {
    "ssd.overprovisioning": 0.25,
    "ftl.unit_bytes": 4096,
    "cache.mode": "write",
    "cache.capacity_bytes": 2**20,
    "precondition.fill": 0.8,
    "journal.mode": "on",
}
KEPT = {"journal.mode", "journal.entry_bytes", "journal.share", "gc.frontier", "gc.pacing", "nand.multiplane"}
CUT = {"power.cut_at_s": 0.05}
LOAD = wl.workload("fio/random-write", requests=4_000)


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A drive with a journal whose host has written."""
    path = tmp_path_factory.mktemp("drive") / "state"
    wl.run(small().set_all(JOURNALED), wl.workload("fio/random-write", requests=6_000), save_state=path, check=True)
    return path


def others(domain: Any, now: Any) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """Some other values of a key."""
    kind, what = (domain, None) if isinstance(domain, str) else next(iter(domain.items()))
    if kind == "truth":
        yield not now
    elif kind == "word":
        yield from (choice["name"] for choice in what if choice["name"] != now)
    elif kind == "joined":
        yield from (choice["name"] for choices in what for choice in choices if choice["name"] != now)
    elif kind == "either":
        for each in what:
            yield from others(each, now)
    elif kind == "list":
        yield from ([value] * len(now) for value in others(what["item"], now[0]))
    elif kind in ("whole", "number") and isinstance(now, int | float):
        above = what["low"] + (1 if kind == "whole" else 0.5)
        yield from (value for value in {2 * now, above} if what["low"] < value <= what["high"] and value != now)


def other_settings() -> list[tuple[str, Any]]:
    ssd = small().set_all(JOURNALED)
    return [
        (key, value)
        for key, row in parameters().items()
        if key.partition(".")[0] in HOW_IT_IS_USED | HOW_IT_WORKS or key in TIMES
        for value in others(row["domain"], ssd[key])
        # Of a policy of the calling program there is none here.
        if value != "external"
    ]


def test_every_key_works_or_is_refused_by_its_name(drive: Path) -> None:
    refused, worked = set(), set()
    for key, value in other_settings():
        try:
            ssd = small().set_all(JOURNALED | CUT | {key: value})
        except ConfigError:
            continue
        try:
            wl.run(ssd, LOAD, load_state=drive, check=True)
        except StateError as error:
            refused.add(key if f"holds another SSD: {key} was " in str(error) else f"{key} = {value}: {error}")
        else:
            worked.add(key)
    assert refused == KEPT
    assert worked >= {"journal.load", "journal.on_flush", "journal.timeout_ms", "power.protected", "gc.policy"} | TIMES
    times = {key for key in parameters() if key.startswith("nand.")}
    assert worked >= times
    assert len(worked) > 60


@pytest.mark.parametrize(
    ("key", "why"), [("gc.frontier", "open blocks"), ("gc.pacing", "an account"), ("nand.multiplane", "the order")]
)
def test_a_refusal_says_why(key: str, why: str, drive: Path) -> None:
    value = {"gc.frontier": "shared", "gc.pacing": "in-step", "nand.multiplane": "overtaking"}[key]
    with pytest.raises(StateError, match=f'{key} was .* and is "{value}", .*{why}.*; set it as it was'):
        wl.run(small().set_all(JOURNALED | {key: value}), LOAD, load_state=drive)


def test_what_may_change_acts(drive: Path) -> None:
    def of(settings: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        document = wl.run(small().set_all(JOURNALED | CUT | settings), LOAD, load_state=drive, check=True).document
        power: Any = document["power"]
        return power["cut"]["lost_cache_pages"], document["counters"]["ftl"]["journal_writes"]

    lost, written = of({})
    assert lost > 100
    assert of({"power.protected": True})[0] == 0
    assert of({"journal.timeout_ms": 1.0})[1] > written


def test_one_drive_serves_several_times_of_the_flash(drive: Path) -> None:
    """As a fit asks for them: what is stored stays, what takes time takes another."""

    def of(**nand: object) -> wl.Result:
        times = {"host.queue_depth": 1} | {f"nand.{key}": value for key, value in nand.items()}
        reads = wl.workload("fio/random-read", requests=2_000)
        return wl.run(small().set_all(JOURNALED | times), reads, load_state=drive)

    slow, fast = of(read_us=[300.0] * 8), of(read_us=[30.0] * 8)
    assert slow.read.p50 - fast.read.p50 == pytest.approx(270.0, rel=0.02)


def test_a_drive_that_was_switched_off_reads_its_table_as_it_is_told(tmp_path: Path) -> None:
    off = small().set_all(JOURNALED | {"power.shutdown_at_s": 0.05})
    wl.run(off, LOAD, save_state=tmp_path / "state")
    replayed = {}
    for load in ("changed", "whole"):
        ssd = small().set_all(JOURNALED | {"power.cut_at_s": 0.01, "journal.load": load})
        document = wl.run(ssd, wl.workload("fio/random-read", requests=4_000), load_state=tmp_path / "state").document
        power: Any = document["power"]
        replayed[load] = power["power_up"]["replay_reads"]
    assert 0 < replayed["changed"] < replayed["whole"]


def test_a_drive_with_backup_power_may_go_on_without_it(tmp_path: Path) -> None:
    protected = JOURNALED | {"power.protected": True}
    wl.run(small().set_all(protected), LOAD, save_state=tmp_path / "state")
    result = wl.run(small().set_all(JOURNALED | CUT), LOAD, load_state=tmp_path / "state", check=True)
    cut: Any = result.document["power"]
    assert cut["cut"]["lost_cache_pages"] > 100
