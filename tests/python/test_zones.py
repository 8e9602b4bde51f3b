"""Drives of zones: from Python, from fio's job files and from traces."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import wordline as wl
from api_helpers import reproducible
from cli_runner import wordline
from wordline.output.losses import refused

KIB = 1024
#: Bytes of a zone: a block of 64 pages of 8 KiB on each of two dies.
ZONE = 2 * 64 * 8 * KIB


def measured() -> ModuleType:
    """The points of the validation page."""
    name, path = "zns_page", Path(__file__).resolve().parents[2] / "tools" / "zns_page.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look themselves up, and it imports a neighbour.
    sys.modules[name] = module
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path.parent)
        spec.loader.exec_module(module)
    return module


def small(**more: object) -> wl.Config:
    """A drive of 15 zones."""
    keys = {
        "ssd.channels": 2,
        "ssd.chips_per_channel": 1,
        "ssd.dies_per_chip": 1,
        "ssd.planes_per_die": 1,
        "ssd.blocks_per_plane": 16,
        "ssd.pages_per_block": 64,
        "ssd.overprovisioning": 0.06,
        "ftl.group": "superblock",
        "ftl.unmapped_read": "zero",
        "zones.mode": "on",
        "zones.max_open": 4,
        "zones.max_active": 6,
    }
    return wl.preset("mqsim").set_all(keys | {key.replace("__", "."): value for key, value in more.items()})


def job(tmp_path: Path, text: str) -> wl.FioFile:
    path = tmp_path / "job.fio"
    path.write_text(f"[global]\nfilename=/dev/nvme0n1\nioengine=libaio\nzonemode=zbd\n{text}", encoding="utf-8")
    return wl.fio(path)


def test_an_append_says_where_and_a_reset_empties() -> None:
    drive = wl.open(small(), check=True)
    assert small().zones == (15, ZONE, ZONE, 8 * KIB, 4)
    drive.submit(
        0, [("append", ZONE, 16 * KIB), ("append", ZONE, 8 * KIB), ("write", 0, 8 * KIB), ("write", 0, 8 * KIB)]
    )
    done = {job: (status, offset) for job, _, status, offset in drive.advance(offsets=True)}
    assert done == {
        0: ("success", ZONE),
        1: ("success", ZONE + 16 * KIB),
        2: ("success", 0),
        3: ("zone_invalid_write", 0),
    }
    assert drive.zones()[1] == ("implicitly-opened", ZONE, 24 * KIB, 24 * KIB)
    drive.submit(drive.now_ns, [("zone-reset", ZONE, 0)])
    assert [status for _, _, status in drive.advance()] == ["success"]
    assert [zone.state for zone in drive.zones()[:3]] == ["implicitly-opened", "empty", "empty"]
    result = drive.result()
    assert result["zones.by_state.implicitly_opened"] == 1
    assert result["zones.reset_us.count"] == 1
    assert (result["requests.by_status.zone_invalid_write"], result["requests.write"]) == (1, 3)


def test_a_fork_and_a_state_have_the_zones_that_there_were(tmp_path: Path) -> None:
    drive = wl.open(small(), check=True)
    drive.submit(0, [("append", 0, 40 * KIB), ("append", ZONE, ZONE)])
    drive.advance()
    drive.save(tmp_path / "state")
    for other in (drive.fork(), wl.open(small(), state=tmp_path / "state")):
        assert [zone.pointer for zone in other.zones()[:3]] == [40 * KIB, ZONE, 0]
        other.submit(other.now_ns, [("append", 0, 8 * KIB), ("append", ZONE, 8 * KIB)])
        assert [row[2:] for row in other.advance(offsets=True)] == [("success", 40 * KIB), ("zone_is_full", ZONE)]


def test_a_drive_without_zones_says_so() -> None:
    drive = wl.open("mqsim")
    with pytest.raises(wl.errors.RequestError, match="has no zones"):
        drive.zones()
    with pytest.raises(wl.errors.RequestError, match="a zone-reset has length 0"):
        drive.submit(0, [("zone-reset", 0, 4096)])
    drive.submit(0, [("zone-reset", 0, 0)])
    assert drive.advance()[0][2] == "invalid_opcode"
    assert wl.preset("mqsim").zones is None


def test_a_sequential_job_fills_zones_and_resets_those_that_are_full(tmp_path: Path) -> None:
    jobs = job(tmp_path, "[w]\nrw=write\nbs=64k\nsize=4z\nloops=2\niodepth=1\n")
    result = wl.run(small(), jobs, check=True)
    assert (result["requests.write"], result["zones.reset_us.count"]) == (2 * 4 * ZONE // (64 * KIB), 4)
    assert result["zones.by_state.full"] == 4
    assert result["requests.by_status.success"] == result["requests.all"]
    # Seven zones and a half are written before: the job resets the full one that it comes to.
    result = wl.run(
        small(precondition__fill=0.5), job(tmp_path, "[w]\nrw=write\nbs=64k\noffset=6z\nsize=4z\n"), check=True
    )
    assert (result["zones.reset_us.count"], result["requests.by_status.zone_is_full"]) == (1, 0)


def test_random_jobs_keep_to_pointers_and_limits(tmp_path: Path) -> None:
    jobs = job(
        tmp_path,
        "[w]\nrw=randrw\nbs=16k\nsize=8z\nio_size=12m\nmax_open_zones=2\niodepth=1\nzone_reset_frequency=0.02\n"
        "zone_reset_threshold=0.3\n[r]\nstonewall\nrw=randread\nbs=8k\nsize=15z\nio_size=1m\n",
    )
    result = wl.run(small(precondition__fill=0.1), jobs, check=True)
    assert result["requests.by_status.success"] == result["requests.all"]
    assert result["zones.reset_us.count"] > 0
    assert result.write_amplification == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[w]\nrw=write\nzonesize=64k\n", "zonesize: 65,536 bytes are not the 1,048,576 of the SSD"),
        ("[w]\nrw=write\nbs=4k\n", "4096 bytes are no whole logical blocks; write a multiple of 8192"),
        ("[w]\nrw=randtrim\n", "trims zones, which fio does by resets"),
        ("[w]\nrw=write\nbs=8k\nsize=64k\n", "there is no whole zone"),
        ("[w]\nrw=write\nbssplit=8k/50:16k/50\n", "several sizes are not simulated on zones"),
        ("[w]\nrw=write\nbs=8k\nzone_reset_threshold=2\n", "2.0 is out of range"),
        ("[w]\nrw=write\nbs=8k\nsize=2z\nnumjobs=2\n", "zones that job `w` writes"),
        (
            "[w]\nrw=write\nbs=8k\nsize=2z\n[x]\nstonewall\nrw=randwrite\nbs=8k\noffset=1z\nsize=2z\n",
            "offset: begins in",
        ),
    ],
)
def test_what_a_job_asks_for_in_vain_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(wl.errors.FioError, match=words):
        job(tmp_path, text).flows(small())


def test_a_job_that_finds_nothing_to_read_says_so(tmp_path: Path) -> None:
    jobs = job(tmp_path, "[r]\nrw=randread\nbs=8k\nsize=2z\nnumber_ios=10\n")
    (told,) = [each for each in jobs.warnings(small()) if "[r]" in each]
    assert "set precondition.fill" in told
    assert wl.run(small(), jobs)["requests.all"] == 0
    filled = small(precondition__fill=0.5)
    assert not any("[r]" in each for each in jobs.warnings(filled))
    assert wl.run(filled, jobs)["requests.read"] == 10


def test_requests_that_the_drive_refuses_are_in_the_table(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    # The second write is not at the write pointer.
    trace.write_text("time_ns,op,sector,sectors\n0,W,0,16\n0,W,512,16\n")
    result = wl.run(small(), wl.trace(trace), check=True)
    (told,) = [text for label, text in refused(result.document) if label == "refused"]
    assert told.startswith("1 (zone invalid write)")
    # A new drive of zones has no garbage collection that could have begun.
    assert not any("factory-fresh" in each for each in result.document["warnings"])
    assert result.document["steady"]["write_amplification"] is None


def test_a_job_on_zones_needs_a_drive_of_zones(tmp_path: Path) -> None:
    job(tmp_path, "[w]\nrw=write\nsize=1g\n")
    result = wordline("run", "mqsim", str(tmp_path / "job.fio"))
    assert result.code == 2
    assert "this SSD has none" in result.err
    assert "wd-zn540-1tb" in result.err


def test_a_trace_has_zones(tmp_path: Path) -> None:
    path = tmp_path / "zones.csv"
    start = ZONE // 512
    path.write_text(
        f"time_ns,op,sector,sectors\n0,A,{start},16\n1000000,A,{start},16\n2000000,ZF,{start},0\n90000000,ZR,{start},0\n"
        f"200000000,ZO,0,0\n200000100,ZC,0,0\n200001000,ZP,0,0\n",
        encoding="utf-8",
    )
    result = wl.run(small(), wl.trace(path), check=True)
    assert result["requests.by_status.success"] == 7
    assert (result["zones.finish_us.count"], result["zones.by_state.closed"]) == (1, 1)
    for source, target in [("zones.csv", "again.native"), ("again.native", "again.csv")]:
        written = wordline("trace", "convert", str(tmp_path / source), str(tmp_path / target))
        assert written.code == 0, written.err
    rows = path.read_text(encoding="utf-8").splitlines()[1:]
    again = (tmp_path / "again.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert again == [f"{row},0" for row in rows]
    refused = wordline("trace", "convert", str(path), str(tmp_path / "again.iolog"))
    assert refused.code == 2
    assert "fio-iolog has no requests to zones; native and csv have" in refused.err


def test_a_log_takes_requests_scale_and_seed_as_a_run() -> None:
    writes = wl.workload(requests=6000, read_ratio=0.0, write_block_bytes=8 * KIB)
    ssd = wl.preset("wd-zn540-1tb").set("zones.capacity_bytes", 16384 * KIB)
    log = wl.run_log(ssd, writes, requests="1k", scale="1/64", seed=3, spare=0.5, warmup_requests=500)
    assert log.requests == 1000
    same = ssd.set_all({"ssd.scale": "1/64", "seed": 3})
    as_set = wl.run_log(
        same, wl.workload(requests=1500, read_ratio=0.0, write_block_bytes=8 * KIB), spare=0.5, warmup_requests=500
    )
    assert reproducible(log.result) == reproducible(as_set.result)
    assert log.response_us == as_set.response_us


def test_a_log_begins_on_a_steady_drive_where_its_writes_need_not_be_known() -> None:
    plain = wl.preset("datacenter-tlc", **{"ssd.scale": "1/512", "precondition.shape": "random", "gc.policy": "greedy"})
    writes = wl.workload(requests=500, read_ratio=0.0)
    steady, fresh = (wl.run_log(plain, writes, steady=steady, fill=False) for steady in (True, False))
    assert (steady.result.config["precondition.overwrite"], fresh.result.config["precondition.overwrite"]) == (
        "steady",
        0,
    )
    assert steady.result["write_amplification"] > fresh.result["write_amplification"]
    with pytest.raises(wl.WordlineError, match="take random"):
        wl.run_log(plain.set("precondition.shape", "workload"), writes, steady=True)


def test_a_log_on_zones_leaves_the_drive_nothing_to_move() -> None:
    writes = wl.workload(requests=6000, read_ratio=0.0, write_block_bytes=8 * KIB)
    log = wl.run_log(small(ssd__blocks_per_plane=32), writes, spare=0.3, warmup_requests=2000, check=True)
    assert log.failed == 0
    assert log.host_write_amplification is not None
    assert log.host_write_amplification > 1.3
    assert log.device_write_amplification == pytest.approx(1.0, abs=0.02)
    assert log.requests == 4000
    assert log.result["zones.reset_us.count"] == log.cleared > 0
    assert log.response_us["write"]["count"] == log.response_us["all"]["count"] == 4000
    with pytest.raises(wl.errors.WorkloadError, match="raise the spare share"):
        wl.run_log(small(), writes, spare=0.05)
    with pytest.raises(wl.errors.WorkloadError, match="free_segments = 0"):
        wl.run_log(small(), writes, free_segments=0)
    with pytest.raises(wl.errors.WorkloadError, match="above 0 and below 1"):
        wl.run_log(small(), writes, spare=1.0)


def test_the_command_of_the_log_prints_what_its_user_waits_for(tmp_path: Path) -> None:
    (tmp_path / "zoned.toml").write_text(small(ssd__blocks_per_plane=32).to_toml(), encoding="utf-8")
    asked = ("log", str(tmp_path / "zoned.toml"), "-w", "fio/random-mix", "-n", "2000", "--warmup", "500")
    answer = wordline(*asked, "--spare", "0.4", "--json")
    assert answer.code == 0, answer.err
    document = json.loads(answer.out)
    assert document["requests"] == 2000
    times = document["response_us"]
    assert times["read"]["count"] + times["write"]["count"] == 2000
    assert times["read"]["p50"] <= times["read"]["p99"] <= times["read"]["max"]
    assert document["drive"]["requests"]["read"] >= times["read"]["count"]
    table = wordline(*asked, "--spare", "0.4").out
    assert "write amplification" in table
    for words, told in (
        (("--spare", "1.5"), "spare = 1.5"),
        (("--segment", "4 furlongs"), "--segment 4 furlongs"),
        (("-w", "fio/random-read"), "one flow, and there are 2"),
        (("--free-segments", "50", "--spare", "0.4"), "50 are free; raise the"),
    ):
        refused = wordline(*asked, *words)
        assert refused.code == 2
        assert told in refused.err


def test_a_log_flushes_a_volatile_drive_before_it_clears_a_segment() -> None:
    drive = wl.config().set_all(
        {"ssd.channels": 1, "ssd.chips_per_channel": 1, "ssd.blocks_per_plane": 64, "ssd.pages_per_block": 32}
    )
    cached = drive.set_all({"cache.mode": "write", "cache.capacity_bytes": 1 << 20})
    writes = wl.workload(requests=3000, read_ratio=0.0)
    volatile, protected = (
        wl.run_log(config, writes, spare=0.4, segment_bytes=512 * KIB)
        for config in (cached.set("power.protected", False), cached.set("power.protected", True))
    )
    assert volatile.cleared > 0
    assert volatile.flushes >= volatile.cleared
    assert protected.flushes == 0


def test_the_preset_of_a_real_drive_is_near_what_was_measured() -> None:
    page = measured()
    rows = [*page.commands(), *page.finishes(), page.loss_by_resets(), page.most_appends()]
    off = {row.what: row.simulated / row.measured - 1 for row in rows}
    far = {what: share for what, share in off.items() if abs(share) > 0.1}
    # The first command to a zone takes as long as any other.
    assert set(far) <= {"first write of a zone", "finish of an empty zone"}, far
    assert sum(not row.fitted for row in rows) >= 8
