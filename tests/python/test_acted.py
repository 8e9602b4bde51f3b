"""A key that was set and did not act in a run is named, with the reason and the fix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.config import Config
from wordline.stats.acted import reason_of

SMALL = ("ssd.channels=1", "ssd.chips_per_channel=1", "ssd.dies_per_chip=1", "ssd.blocks_per_plane=64")
FEW = "workload.requests=500"
ROOT = Path(__file__).resolve().parents[2]


def warnings(config: Config, workload: str = "fio/random-read") -> list[str]:
    result = wl.run(config, wl.workload(workload, requests=500))
    return [line for line in result.warnings if "had no effect" in line]


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("gc.policy=fifo", "no block was collected"),
        ("ssd.overprovisioning=0.3", "no block was collected"),
        ("wear.static_threshold=7", "no block was levelled"),
        ("refresh.policy=age", "no data was due"),
        ("reliability.pec=3000", "no chip whose cells wear"),
        ("reliability.retention_months=12", "no chip whose data ages"),
        ("read.retry=baseline", "no read can fail"),
        ("host.time_scale=0.5", "closed loop"),
        ("host.arbitration=weighted", "no queue waits"),
        ("host.device_queue_depth=40000", "no queue waits"),
        ("nand.erase_us=1000", "no block was erased"),
        ("coding.policy=ida", "no data was due for a refresh"),
        ("channel.program_command_ns=1", "no page was programmed"),
        ("nand.resume_us=1", "nothing was suspended"),
        ("nand.set_feature_us=2", "no feature was set"),
        ("reliability.retry_steps=4", "no read was done again"),
        ("metrics.lost_reads=skip", "every read was decoded"),
        ("schedule.policy=fifo", "all work on flash was of one kind"),
        ("ecc.engine=serial", "decoding took no time"),
        ("ecc.code=ldpc", "no read can fail"),
        ("controller.cores=2", "the controller takes no time"),
        ("host.cores=2", "jobs take no time of a processor"),
        ("host.link_request_ns=1", "no request wrote"),
        ("host.duration_s=9", "the requests ended before"),
        ("power.protected=true", "power was not lost"),
        ("journal.mode=on", "no unit of the journal was written"),
        ("ftl.streams=2", "a single flow"),
        ("gc.pacing=in-step", "no block was collected"),
        ("ftl.open_timeout_ms=1000", "no open group waited for so long"),
    ],
)
def test_a_key_that_did_not_act_is_named(setting: str, reason: str) -> None:
    (line,) = warnings(wl.preset("mqsim").assign(setting))
    assert f"`{setting.partition('=')[0]}` had no effect" in line
    assert reason in line
    assert ";" in line.partition(reason)[2], "the fix is missing"


def test_an_slc_cache_that_is_switched_off_is_not_named() -> None:
    lines = warnings(wl.preset("consumer-tlc").assign("ssd.scale=1/64", "slc.policy=off"), "fio/random-write")
    assert not [line for line in lines if "slc.policy" in line]


def test_a_flush_that_never_came_is_named() -> None:
    settings = ("ssd.scale=1/64", "journal.mode=on", "journal.timeout_ms=0.001", "journal.on_flush=true")
    (line,) = warnings(wl.preset("consumer-tlc").assign(*settings), "fio/random-write")
    assert "`journal.on_flush` had no effect" in line
    assert "the host flushed nothing" in line


def test_a_group_that_the_host_asked_to_close_is_none_that_waited() -> None:
    ssd = wl.preset("consumer-tlc").assign("ssd.scale=1/64", "ftl.open_timeout_ms=1000")
    result = wl.run(ssd, wl.trace(ROOT / "examples" / "close-open-groups.csv"), log_requests=True)
    counters, requests = result.document["counters"]["ftl"], result.document["requests"]
    assert counters["closed_groups"] == counters["closed_on_request"] > 0
    assert (requests["close"], requests["other"]) == (1, 1)
    assert sorted(result.requests()["op"].to_pylist()) == ["close", "write", "write"]
    assert any("`ftl.open_timeout_ms` had no effect" in line for line in result.warnings)


def test_a_trim_is_no_flush(tmp_path: Path) -> None:
    ssd = wl.preset("consumer-tlc").assign(
        "ssd.scale=1/64", "journal.mode=on", "journal.timeout_ms=0.001", "journal.on_flush=true"
    )
    columns = "time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=us,offset-unit=sectors,size-unit=sectors"
    for last, is_idle in (("T", True), ("F", False)):
        trace = tmp_path / f"{last}.csv"
        rows = [f"{number},W,{8 * number},8" for number in range(9)]
        trace.write_text("\n".join(["time,op,sector,sectors", *rows, f"20,{last},0,{8 if is_idle else 0}"]) + "\n")
        result = wl.run(ssd, wl.trace(trace, csv_columns=columns))
        requests = result.document["requests"]
        assert (requests["other"], requests["flush"]) == (1, 0 if is_idle else 1)
        assert any("the host flushed nothing" in line for line in result.warnings) == is_idle


def test_a_program_time_that_no_program_takes_is_named() -> None:
    config = wl.preset("datacenter-tlc").assign(*SMALL, "nand.program_us=[450]")
    (line,) = warnings(config, "fio/random-write")
    assert "`nand.program_us` had no effect: programs are of whole wordlines; set nand.program_wordline_us" in line


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ((), "used drive: --steady, or precondition.fill=1 and precondition.overwrite=1"),
        (("precondition.fill=1",), "used drive: precondition.overwrite=1"),
        (("precondition.fill=0.5", "precondition.overwrite=1"), "used drive: precondition.fill=1"),
        (("precondition.fill=1", "precondition.overwrite=steady"), "no block was collected; write more"),
    ],
)
def test_what_is_set_already_is_not_advised(settings: tuple[str, ...], advice: str) -> None:
    fresh = wl.run(wl.preset("mqsim").assign(*SMALL), wl.workload("fio/random-read", requests=100))
    config = wl.preset("mqsim").assign(*SMALL, *settings)
    assert reason_of("gc.policy", config, fresh.document).endswith(advice)


@pytest.mark.parametrize(
    ("settings", "workload"),
    [
        (("gc.policy=fifo", "precondition.fill=1", "precondition.overwrite=1", *SMALL), "fio/random-write"),
        (("reliability.pec=3000", "cells.chip=tlc-48l"), "fio/random-read"),
        (("host.queue_depth=3",), "fio/random-read"),
        (("host.arbitration=weighted", "host.device_queue_depth=2"), "fio/random-read"),
        (("ssd.channels=2",), "fio/random-read"),
    ],
)
def test_a_key_that_acted_is_not_named(settings: tuple[str, ...], workload: str) -> None:
    assert warnings(wl.preset("mqsim").assign(*settings), workload) == []


def test_a_depth_is_idle_where_requests_come_at_their_times(tmp_path: Path) -> None:
    trace = tmp_path / "three.trace"
    trace.write_text("0 0 0 8 1\n1000 0 64 8 1\n2000 0 128 8 1\n")
    result = wl.run(
        wl.preset("mqsim").assign("host.queue_depth=3", "workload.read_ratio=0.5"), wl.trace(trace, format="mqsim")
    )
    text = "\n".join(result.warnings)
    assert "`host.queue_depth` had no effect: no flow sends its requests by this depth" in text
    assert "`workload.read_ratio` had no effect: the requests come from a trace" in text


def test_pacing_that_holds_nothing_back_is_named() -> None:
    """GC that goes before the host's writes stays ahead of them."""
    used = wl.preset("mqsim").assign(
        "ssd.channels=4",
        "ssd.chips_per_channel=2",
        "ssd.dies_per_chip=1",
        "ssd.blocks_per_plane=256",
        "ssd.overprovisioning=0.15",
        "gc.preemptible=true",
        "precondition.fill=1",
        "precondition.overwrite=1",
        "gc.pacing=in-step",
    )

    def named(config: Config) -> list[str]:
        result = wl.run(config, wl.workload("fio/random-write", requests=20_000))
        return [line for line in result.warnings if "gc.pacing" in line]

    assert not named(used)
    (line,) = named(used.assign("gc.preemptible=false"))
    assert "no write had to wait for it" in line


def test_an_axis_whose_rows_are_equal_is_named() -> None:
    answer = wordline(
        "compare", "mqsim", "--workload", "fio/random-write", "--set", FEW, "--set", "gc.policy=greedy,fifo",
        "--set", "ssd.channels=4,8",
    )  # fmt: skip
    assert answer.code == 0
    lines = [line for line in answer.err.splitlines() if "all its values" in line]
    assert len(lines) == 1
    assert "--set gc.policy: all its values give the same numbers: no block was collected" in lines[0]


def two(first: dict[str, Any], second: dict[str, Any]) -> list[wl.Flow]:
    reads = wl.workload("fio/random-read", requests=300)
    return [
        wl.Flow("a", reads, mode="closed", queue_depth=8, **first),
        wl.Flow("b", reads, mode="closed", queue_depth=8, **second),
    ]


@pytest.mark.parametrize(
    ("settings", "first", "second", "reason"),
    [
        ((), {"weight": 3}, {}, "weight of a had no effect: the device takes requests of all flows in turn"),
        (("host.arbitration=weighted",), {"weight": 3}, {}, "had no effect: the device takes all outstanding requests"),
        (("host.arbitration=weighted", "host.device_queue_depth=4"), {"weight": 3}, {"weight": 3}, "have the same"),
        (("host.arbitration=weighted", "host.device_queue_depth=4"), {"weight": 3}, {}, ""),
        ((), {"priority": "urgent"}, {"priority": "low"}, "priority of the flows had no effect"),
        (("schedule.policy=mqsim-priority-out-of-order",), {"priority": "urgent"}, {"priority": "low"}, ""),
    ],
)
def test_a_setting_of_a_flow_that_did_not_act_is_named(
    settings: tuple[str, ...], first: dict[str, Any], second: dict[str, Any], reason: str
) -> None:
    result = wl.run(wl.preset("mqsim").assign(*settings), two(first, second))
    idle = [line for line in result.warnings if "had no effect: " in line and line.startswith(("weight", "priority"))]
    assert [reason in line for line in idle] == [True] * bool(reason)


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        # The same response times; the last programs end at other times.
        ("datacenter-tlc", "all its values give the same numbers: no block was collected"),
        # Other addresses, and so other times.
        ("mqsim", "what differs is chance, since no block was collected"),
    ],
)
def test_an_axis_that_acted_in_no_row_is_named(preset: str, said: str) -> None:
    answer = wordline(
        "compare", preset, "--workload", "fio/random-write", "--set", "workload.requests=5000",
        "--set", "ssd.overprovisioning=0.1,0.3",
    )  # fmt: skip
    assert f"--set ssd.overprovisioning: {said}" in answer.err
