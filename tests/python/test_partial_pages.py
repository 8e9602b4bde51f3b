"""Writes of less than a page: what flash programs for them, and what a run says of it."""

from __future__ import annotations

import pytest

import wordline as wl
from cli_runner import wordline

# One die, and sequential writes of 4 KiB.
SMALL = {"ssd.channels": 1, "ssd.chips_per_channel": 1, "ssd.dies_per_chip": 1, "ssd.blocks_per_plane": 128}
PAGES = {"ssd.pages_per_block": 192}


def written(preset: str, apart_us: float, **settings: object) -> wl.Result:
    config = wl.preset(preset, **settings).set_all({**SMALL, **PAGES})
    blocks = {"read_block_bytes": 4096, "write_block_bytes": 4096}
    writes = wl.workload("fio/sequential-write", requests=2000, inter_arrival_us=apart_us, **blocks)
    return wl.run(config, wl.Flow("writes", writes, mode="open"))


@pytest.mark.parametrize(
    ("preset", "settings", "bytes_a_byte"),
    [
        ("datacenter-tlc", {}, 1.0),
        ("datacenter-qlc", {}, 1.0),
        ("datacenter-tlc", {"ftl__unit_bytes": 16384}, 1.0),
        ("datacenter-tlc", {"ftl__unit_bytes": 16384, "cache__fill_wait_us": 0.0, "program__unit": "page"}, 4.0),
        ("mqsim", {"cache__mode": "write"}, 2.0),
        ("mqsim", {"cache__mode": "write", "cache__fill_wait_us": 2000.0}, 1.0),
    ],
)
def test_the_eager_cache_fills_a_page_first(preset: str, settings: dict[str, object], bytes_a_byte: float) -> None:
    # A die is done with a program before the next write comes, so nothing but the cache joins them.
    result = written(preset, 1500.0 if bytes_a_byte > 1 else 200.0, **settings)
    assert result.write_amplification == pytest.approx(bytes_a_byte, rel=0.01)


# A page has four units; a wordline has three pages in each of two planes.
@pytest.mark.parametrize(("unit", "others"), [("page", 3), ("wordline", 23)])
def test_parts_that_come_too_late_are_padded(unit: str, others: int) -> None:
    settings = {"ftl__unit_wait_us": 1000.0, "program__unit": unit}
    bytes_of = written("datacenter-tlc", 2000.0, **settings).document["written_bytes"]
    assert bytes_of["by_cause"]["host"] == bytes_of["host"]
    assert bytes_of["by_cause"]["padding"] == pytest.approx(others * bytes_of["host"], rel=0.01)


def test_a_protected_buffer_waits_for_a_whole_wordline() -> None:
    bytes_of = written("datacenter-tlc", 2000.0).document["written_bytes"]
    assert bytes_of["by_cause"]["padding"] == 0


@pytest.mark.parametrize(
    ("apart", "settings", "is_told"), [(1500, (), True), (200, ("cache.fill_wait_us=2000",), False)]
)
def test_the_table_says_why(apart: int, settings: tuple[str, ...], is_told: bool) -> None:
    load = ("workload.requests=500", f"workload.inter_arrival_us={apart}", "workload.read_block_bytes=4096")
    ssd = ("cache.mode=write", "host.mode=open", *(f"{key}={value}" for key, value in SMALL.items()))
    options = [word for pair in (*ssd, *load, *settings) for word in ("--set", pair)]
    done = wordline("run", "mqsim", "--workload", "fio/sequential-write", *options)
    told = "in bytes (2.00 without GC: a part of a page is programmed as a whole one)"
    assert done.code == 0, done.err
    assert (told in " ".join(done.out.split())) == is_told, done.out
