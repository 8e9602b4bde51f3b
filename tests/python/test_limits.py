"""Limits in closed form: a simulation comes near the lowest one, and not above it."""

from __future__ import annotations

import json

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.limits import Limit, limits, lowest

# A filled drive of four dies, so that pages lie where a fill puts them.
SMALL = {
    "ssd.channels": 2,
    "ssd.chips_per_channel": 2,
    "ssd.dies_per_chip": 1,
    "ssd.scale": 1 / 32,
    "precondition.fill": 1.0,
    "host.queue_depth": 256,
    "host.warmup_requests": 4_000,
    "controller.command_ns": 0,
    "host.link_rate_mb_s": 0.0,
}
LOADS = {
    "random reads": ("fio/random-read", 40_000),
    "sequential reads": ("fio/sequential-read", 20_000),
    "sequential writes": ("fio/sequential-write", 20_000),
}
# What a load meets first on such a drive, and what keeps it from more where it is told to.
CASES: list[tuple[str, str, dict[str, object]]] = [
    ("random reads", "dies", {"nand.multiplane": "off"}),
    ("random reads", "channels", {"nand.multiplane": "off", "channel.rate_mb_s": 150.0}),
    ("random reads", "controller", {"controller.command_ns": 20_000}),
    ("random reads", "controller", {"controller.command_ns": 1_000, "controller.command_read_ns": 20_000}),
    ("random reads", "host processors", {"host.cores": 1, "host.job_ns": 12_000, "host.reap_ns": 8_000}),
    ("random reads", "host link", {"host.link_rate_mb_s": 100.0}),
    ("random reads", "host link", {"host.link": "sata", "host.sata_gbit_s": 1.5, "host.sata_handshake_ns": 0}),
    ("sequential reads", "channels", {}),
    ("sequential reads", "host link", {"host.link_rate_mb_s": 500.0}),
    ("sequential writes", "dies", {"precondition.fill": "lazy"}),
    ("sequential writes", "dies", {"precondition.fill": "lazy", "program.unit": "page"}),
    ("sequential writes", "power", {"precondition.fill": "lazy", "nand.max_programs": 2}),
    ("sequential writes", "channels", {"channel.rate_mb_s": 100.0, "precondition.fill": "lazy"}),
]


@pytest.mark.parametrize(("load", "part", "settings"), CASES, ids=[f"{load}-{part}" for load, part, _ in CASES])
def test_a_saturated_drive_meets_its_lowest_limit(load: str, part: str, settings: dict[str, object]) -> None:
    config = wl.preset("datacenter-tlc").set_all({**SMALL, **settings})
    limit = lowest(limits(config), load)
    assert limit is not None
    assert limit.part == part
    workload, requests = LOADS[load]
    iops = wl.run(config, wl.workload(workload, requests=requests)).document["iops"]["all"]
    assert 0.93 < iops / limit.requests_per_s < 1.03


def test_random_writes_divide_the_dies_by_what_gc_adds() -> None:
    dies = {
        amplification: limit.requests_per_s
        for amplification in (1.0, 4.0)
        for limit in limits(wl.preset("datacenter-tlc"), amplification)
        if (limit.load, limit.part) == ("random writes", "dies")
    }
    assert 4.0 < dies[1.0] / dies[4.0] < 4.5


def test_a_part_without_time_has_no_limit() -> None:
    config = wl.preset("datacenter-tlc").set_all({"controller.command_ns": 0, "host.link_rate_mb_s": 0.0})
    assert {limit.part for limit in limits(config)} == {"dies", "channels"}


def test_the_command_marks_the_lowest_limit_of_each_load() -> None:
    every = json.loads(wordline("explain", "limits", "datacenter-tlc", "--json").out)["limits"]
    first = Limit("random reads", "controller", 4096, 1e6)
    rows = [row for row in every if row["load"] == first.load]
    assert min(rows, key=lambda row: row["iops"])["part"] == first.part
    assert wordline("explain", "limits", "datacenter-tlc").out.count("the limit") == 4


def test_one_job_has_a_row_with_the_keys_that_set_it() -> None:
    answer = wordline("explain", "limits", "samsung-980-pro-1tb")
    (line,) = [each for each in answer.out.splitlines()[:9] if each.strip().startswith("one job")]
    assert line.split()[2] == f"{1e9 / (1495 + 1212):,.0f}"
    assert line.endswith("the limit of fewer than 3 jobs")
    assert "host.job_ns = 1,495 and host.reap_ns = 1,212" in answer.err
    assert "one job" not in wordline("explain", "limits", "datacenter-tlc").out


def test_one_job_comes_near_its_limit() -> None:
    config = wl.preset("datacenter-tlc").set_all({**SMALL, "host.job_ns": 12_000, "host.reap_ns": 8_000})
    (job,) = [each for each in limits(config) if each.is_of_job and each.load == "random reads"]
    iops = wl.run(config, wl.workload("fio/random-read", requests=10_000)).document["iops"]["all"]
    assert 0.93 < iops / job.requests_per_s < 1.03


def test_limits_of_a_drive_with_an_slc_cache_say_what_they_leave_out() -> None:
    told = "limits of the chip's own mode"
    assert told in wordline("explain", "limits", "consumer-tlc").err
    assert told not in wordline("explain", "limits", "datacenter-tlc").err


def test_parity_takes_programs_and_spare() -> None:
    settings = ["--set", "ftl.group=superblock", "--set", "ssd.overprovisioning=0.25", "--set", "ftl.parity=8"]
    told = wordline("explain", "limits", "datacenter-tlc", *settings).err
    assert "One page in 8 is parity: of over-provisioning of 25.0% 14.3%" in told
    spare = json.loads(wordline("explain", "limits", "datacenter-tlc", *settings, "--json").out)["spare_share"]
    assert spare == pytest.approx(1 - 0.75 / 0.875)
    config = wl.preset("datacenter-tlc").set("ftl.group", "superblock").set("ssd.overprovisioning", 0.25)
    dies = [
        limit.requests_per_s
        for each in (config, config.set("ftl.parity", 8))
        for limit in limits(each)
        if (limit.load, limit.part) == ("sequential writes", "dies")
    ]
    assert dies[1] / dies[0] == pytest.approx(7 / 8)
