"""fio's job files: the requests that fio itself makes, and clear errors for what cannot be run."""

from __future__ import annotations

import collections
import json
from pathlib import Path

import pytest

import wordline as wl
from api_helpers import small
from cli_runner import wordline
from fio_programs import assert_alike, fios, needs_fio, ours, period, requests
from wordline.errors import FioError

# Jobs whose places follow from their options: all requests have to be the same.
EXACT = {
    "read": "rw=read\nbs=4k\nsize=4m",
    "write-64k": "rw=write\nbs=64k\nsize=8m",
    "offset": "rw=read\nbs=16k\nsize=2m\noffset=1m",
    "io-size": "rw=write\nbs=4k\nsize=1m\nio_size=3m",
    "loops": "rw=read\nbs=4k\nsize=256k\nloops=3",
    "trimwrite": "rw=trimwrite\nbs=64k\nsize=4m",
    "trimwrite-io-size": "rw=trimwrite\nbs=64k\nsize=1m\nio_size=3m",
    "trimwrite-count": "rw=trimwrite\nbs=4k\nsize=1m\nnumber_ios=30",
    "step": "rw=read:8k\nbs=4k\nsize=1m",
    "step-around-the-end": "rw=read:4k\nbs=4k\nsize=1m",
    "step-with-an-offset": "rw=read:4k\nbs=4k\nsize=1m\noffset=256k",
    "step-io-size": "rw=read:8k\nbs=4k\nsize=256k\nio_size=640k",
    "step-loops": "rw=read:8k\nbs=4k\nsize=256k\nloops=3",
    "step-write": "rw=write:112k\nbs=16k\nsize=8m",
    "back": "rw=read:-8k\nbs=4k\nsize=1m",
    "back-write": "rw=write:-128k\nbs=128k\nsize=8m",
    "back-with-an-offset": "rw=write:-8k\nbs=4k\nsize=1m\noffset=512k",
    "back-behind-an-offset": "rw=read:-8k\nbs=4k\nsize=64k\noffset=64k",
    "back-by-a-block": "rw=read:-4k\nbs=4k\nsize=256k",
    "count": "rw=read\nbs=4k\nsize=1m\nnumber_ios=100",
    "count-loops": "rw=read\nbs=4k\nsize=1m\nnumber_ios=100\nloops=3",
    "count-in-k": "rw=read\nbs=512\nsize=4m\nnumber_ios=2k",
    "filesize": "rw=read\nbs=4k\nfilesize=1m",
    "filesize-and-size": "rw=read\nbs=4k\nfilesize=1m\nsize=256k",
    "filesize-below-size": "rw=read\nbs=4k\nfilesize=1m\nsize=4m",
    "filesize-and-offset": "rw=read\nbs=4k\nfilesize=1m\noffset=256k",
    "filesize-io-size": "rw=read\nbs=4k\nfilesize=256k\nio_size=640k",
    "not-a-multiple": "rw=read\nbs=8k\nsize=20k\nio_size=40k",
    "fsync": "rw=write\nbs=4k\nsize=400k\nfsync=10",
    "fsync-and-fdatasync": "rw=write\nbs=4k\nsize=400k\nfsync=10\nfdatasync=4",
    "end-fsync": "rw=write\nbs=4k\nsize=400k\nend_fsync=1",
    "end-fsync-loops": "rw=write\nbs=4k\nsize=400k\nfsync_on_close=1\nloops=3",
    "hexadecimal": "rw=read\nbs=0x1000\nsize=0x100000",
}
# Jobs with chance in them: counts, sizes, shares and distributions have to be alike.
RANDOM = {
    "randread": "rw=randread\nbs=4k\nsize=16m",
    "randwrite": "rw=randwrite\nbs=8k\nsize=16m",
    "norandommap": "rw=randread\nbs=4k\nsize=16m\nnorandommap",
    "mix-70": "rw=randrw\nrwmixread=70\nbs=4k\nsize=16m\nnorandommap",
    "mix-write-20": "rw=randrw\nrwmixwrite=20\nbs=4k\nsize=16m\nnorandommap",
    "sequential-mix": "rw=rw\nrwmixread=50\nbs=4k\nsize=16m",
    "split": "rw=randread\nbssplit=4k/50:16k/30:64k/20\nsize=256m\nnorandommap",
    "split-directions": "rw=randrw\nbssplit=4k/100,8k/50:32k/50\nsize=64m\nnorandommap",
    "split-open": "rw=randread\nbssplit=4k/60:8k/:32k/\nsize=128m\nnorandommap",
    "range": "rw=randread\nbsrange=4k-64k\nsize=64m\nnorandommap",
    "zipf": "rw=randread\nbs=4k\nsize=16m\nio_size=64m\nrandom_distribution=zipf:1.2",
    "zipf-2.2": "rw=randread\nbs=4k\nsize=16m\nio_size=64m\nrandom_distribution=zipf:2.2",
    "zipf-0.8": "rw=randread\nbs=4k\nsize=16m\nio_size=64m\nrandom_distribution=zipf:0.8",
    "pareto": "rw=randread\nbs=4k\nsize=16m\nio_size=64m\nrandom_distribution=pareto:0.2",
    "normal": "rw=randread\nbs=4k\nsize=16m\nio_size=64m\nrandom_distribution=normal:10",
    "zoned": "rw=randread\nbs=4k\nsize=16m\nio_size=64m\nrandom_distribution=zoned:60/10:30/20:8/30:2/40",
    "zoned-open": "rw=randread\nbs=4k\nsize=16m\nio_size=64m\nrandom_distribution=zoned:50/5:30/15:20/",
    "lfsr": "rw=randread\nbs=4k\nsize=16m\nrandom_generator=lfsr\nnorandommap",
    "blockalign": "rw=randread\nbs=16k\nsize=16m\nba=4k\nio_size=64m",
    "directions": "rw=randrw\nbs=4k\nsize=16m\npercentage_random=100,100\nrwmixread=30",
    "eight-in-a-row": "rw=randread:8\nbs=4k\nsize=16m",
    "again-and-again": "rw=randread:8\nbs=4k\nsize=64m\nrw_sequencer=identical\nnorandommap",
    "fsync-in-a-mix": "rw=randrw\nbs=4k\nsize=16m\nfsync=4\nnorandommap",
    "trims": "rw=randtrimwrite\nbs=4k\nsize=16m",
    "percentage": "rw=randread\nbs=4k\nsize=16m\npercentage_random=30\nnorandommap",
}


# Jobs of several passes over a few blocks: whether, and after how many requests, they come again in the same order.
PASSES = {
    "map": "rw=randwrite\nloops=3",
    "map-anew": "rw=randwrite\nloops=3\nrandrepeat=0",
    "map-with-a-seed": "rw=randwrite\nloops=3\nrandseed=7",
    "no-map": "rw=randwrite\nloops=3\nnorandommap",
    "io-size": "rw=randread\nio_size=192k",
    "io-size-no-map": "rw=randread\nio_size=192k\nnorandommap",
    "mix": "rw=randrw\nloops=3",
    "mix-no-map": "rw=randrw\nloops=3\nnorandommap",
    "mix-in-order": "rw=rw\nloops=2",
    "time-based": "rw=randwrite\ntime_based\nruntime=1\nrate_iops=200",
    "zipf": "rw=randwrite\nloops=3\nrandom_distribution=zipf:1.1",
    "zoned": "rw=randwrite\nloops=3\nrandom_distribution=zoned:60/25:40/75",
    "normal": "rw=randwrite\nloops=3\nrandom_distribution=normal:30",
    "lfsr": "rw=randwrite\nloops=3\nrandom_generator=lfsr",
    "count": "rw=randwrite\nloops=3\nnumber_ios=20",
    "trims": "rw=randtrim\nloops=3",
    "trims-and-writes": "rw=randtrimwrite\nloops=2",
    "flush-at-the-end": "rw=randwrite\nloops=3\nend_fsync=1",
    "two-passes-of-io-size": "rw=randwrite\nloops=2\nio_size=96k",
}


@needs_fio
@pytest.mark.parametrize("engine", ["null", "vsync"])
@pytest.mark.parametrize("name", PASSES)
def test_passes_repeat_the_order_where_fios_do(name: str, engine: str, tmp_path: Path) -> None:
    if engine == "vsync" and "trim" in name:
        pytest.skip("fio trims no plain file")
    # `null` completes a request at once, `vsync` queues it: with the latter a pass ends with its bytes.
    job = f"{PASSES[name]}\nbs=4k\nsize=64k\nioengine={engine}\nfilename={tmp_path}/data"
    mine, theirs = ours(job, tmp_path), fios(job, tmp_path)
    if "time_based" not in job:
        assert len(mine) == len(theirs)
    assert period(mine) == period(theirs)


@needs_fio
def test_each_job_of_a_file_has_an_order_of_its_own(tmp_path: Path) -> None:
    job = "rw=randwrite\nbs=4k\nsize=256k\nloops=2\nnumjobs=2\nfilename=data"
    for found in (ours(job, tmp_path), fios(job, tmp_path)):
        orders = collections.Counter(place for _, place, _ in found)
        assert set(orders.values()) == {4}
        # Two clones, each with one order: four passes in the same order would have a period.
        assert period(found) is None


@needs_fio
@pytest.mark.parametrize("name", EXACT)
def test_places_that_follow_from_the_options_are_fios(name: str, tmp_path: Path) -> None:
    assert ours(EXACT[name], tmp_path) == fios(EXACT[name], tmp_path)


@pytest.mark.parametrize(("sizes", "count"), [("size=4m", 64), ("size=1m\nio_size=3m", 32), ("size=1m\nloops=3", 48)])
def test_a_trim_before_a_write_does_not_count_towards_the_size(sizes: str, count: int, tmp_path: Path) -> None:
    found = collections.Counter(what for what, _, _ in ours(f"rw=trimwrite\nbs=64k\n{sizes}", tmp_path))
    assert found == {"trim": count, "write": count}


def test_clones_share_the_log_of_their_job(tmp_path: Path) -> None:
    path = tmp_path / "clones.fio"
    job = "rw=read\nbs=4k\nsize=64k\nnumjobs=3\noffset_increment=8m\nrate_iops=1000"
    path.write_text(f"[job]\n{job}\nwrite_iolog=clones.log\n")
    assert wl.fio(path).logs(wl.preset("mqsim")) == [str(tmp_path / "clones.log")]
    wl.run(wl.preset("mqsim"), wl.fio(path))
    lines = (tmp_path / "clones.log").read_text().splitlines()
    times = [int(line.split()[0]) for line in lines[1:]]
    assert times == sorted(times)
    assert [line.split()[-1] for line in (*lines[1:3], lines[-1])] == ["add", "open", "close"]
    assert len(requests(tmp_path / "clones.log")) == 3 * 16
    assert wl.trace(tmp_path / "clones.log", format="fio-iolog").stat()["requests"] == 3 * 16


# Jobs that end by their time: what they submit until then is in the log, whatever they would have gone on to.
BY_TIME = {
    "time-based": "size=64k\ntime_based\nruntime=1\nrate_iops=40",
    "runtime": "size=64m\nruntime=1\nrate_iops=40",
    "runtime-in-a-loop": "size=64k\nloops=9\nruntime=1\nrate_iops=40",
    "ramp": "size=64m\nruntime=1\nramp_time=1\nthinktime=25ms",
}


@needs_fio
@pytest.mark.parametrize("name", BY_TIME)
def test_a_log_has_what_the_run_submitted(name: str, tmp_path: Path) -> None:
    job = f"rw=randwrite\nbs=4k\n{BY_TIME[name]}"
    mine, theirs = ours(job, tmp_path), fios(job, tmp_path)
    # fio sleeps and wakes by the clock of a machine that has other work: it makes fewer, but never many more.
    assert 0.5 * len(mine) < len(theirs)
    # In a ramp it pauses less than it is asked to.
    assert name == "ramp" or len(theirs) <= len(mine) + 2
    assert wl.trace(tmp_path / "ours.log").stat()["duration_s"] == pytest.approx(len(mine) / 40, abs=0.05)


def test_rate_iops_takes_k(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[j]\nrw=randread\nsize=1m\nrate_iops=2k\n")
    (flow,) = wl.fio(tmp_path / "job.fio").flows(wl.preset("mqsim"))
    # 2,048 as in fio, whose k is 1024.
    assert json.loads(flow.workload.text)["gap_ns"] == round(1e9 / 2048)


def test_a_log_without_end_is_not_begun(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[j]\nrw=randwrite\nsize=64k\ntime_based\nruntime=1\nwrite_iolog=t.log\n")
    job = wl.fio(tmp_path / "job.fio")
    assert job.logs(wl.preset("mqsim")) == [str(tmp_path / "t.log")]
    assert not (tmp_path / "t.log").exists()
    result = wl.run(wl.preset("mqsim").set("host.duration_s", 0.01), job)
    assert len(requests(tmp_path / "t.log")) == result.document["requests"]["all"]


def test_several_runs_write_no_log(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[j]\nrw=randwrite\nbs=4k\nsize=64k\nwrite_iolog=s.log\n")
    answer = wordline("run", "mqsim", tmp_path / "job.fio", "--seeds", "2")
    assert answer.code == 0, answer.err
    assert "of several runs no log is written" in answer.err
    assert not (tmp_path / "s.log").exists()


LOGGED = "[j]\nrw=write\nbs=4k\nsize=64k\nwrite_iolog="


@pytest.mark.parametrize(
    "name", ["../mine", "../../mine", "sub/mine", "/mine", "..", ".", "sub\\mine", "C:mine", "none/mine"]
)
def test_a_log_goes_to_the_folder_of_the_job_alone(name: str, tmp_path: Path) -> None:
    job = tmp_path / "jobs" / "job.fio"
    (job.parent / "sub").mkdir(parents=True)
    (tmp_path / "mine").write_text("mine")
    job.write_text(f"{LOGGED}{name}\n")
    answer = wordline("run", "mqsim", job)
    assert answer.code == 2
    assert "job.fio:5: write_iolog: " in answer.err
    assert "write a plain name" in answer.err
    assert (tmp_path / "mine").read_text() == "mine"
    assert sorted(path.name for path in job.parent.rglob("*")) == ["job.fio", "sub"]


def test_a_log_replaces_no_file_unless_told(tmp_path: Path) -> None:
    job, log = tmp_path / "job.fio", tmp_path / "s.log"
    job.write_text(f"{LOGGED}s.log\n")
    log.write_text("mine")
    refused = wordline("run", "mqsim", job)
    assert refused.code == 2
    assert "s.log: is there already; name another one, or replace it with --replace-iologs" in refused.err
    assert log.read_text() == "mine"
    replaced = wordline("run", "mqsim", job, "--replace-iologs")
    assert replaced.code == 0, replaced.err
    assert wl.trace(log, format="fio-iolog").stat()["requests"] == 16
    # Not even then through a link, and not over what the command reads.
    log.unlink()
    (tmp_path / "mine").write_text("mine")
    log.symlink_to("mine")
    assert wordline("run", "mqsim", job, "--replace-iologs").code == 2
    log.unlink()
    job.write_text(f"{LOGGED}job.fio\n")
    assert "is" in wordline("run", "mqsim", job, "--replace-iologs").err
    assert job.read_text() == f"{LOGGED}job.fio\n"
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_record_writes_no_log(tmp_path: Path) -> None:
    job, log = tmp_path / "job.fio", tmp_path / "s.log"
    job.write_text(f"{LOGGED}s.log\n")
    assert wordline("run", "mqsim", job, "--out", tmp_path / "out").code == 0
    before = log.read_bytes()
    log.write_text("mine")
    for words in (("rerun", tmp_path / "out"), ("run", tmp_path / "out")):
        answer = wordline(*words)
        assert answer.code == 0, answer.err
        assert log.read_text() == "mine"
    # A record that somebody has changed names files that are written no more than another.
    record = tmp_path / "out" / "run.toml"
    record.write_text(record.read_text().replace("s.log", "other.log"))
    assert wordline("run", tmp_path / "out").code == 0
    assert not (tmp_path / "other.log").exists()
    assert before.startswith(b"fio version 3 iolog")


@needs_fio
@pytest.mark.parametrize("name", RANDOM)
def test_random_requests_are_distributed_as_fios(name: str, tmp_path: Path) -> None:
    assert_alike(ours(RANDOM[name], tmp_path), fios(RANDOM[name], tmp_path), places_of(name))


def places_of(name: str) -> str:
    """How the places of a random job are compared."""
    is_skewed = "zipf" in name or name in {"pareto", "normal", "again-and-again"}
    return "popularity" if is_skewed else "sequential" if name in {"percentage", "eight-in-a-row"} else "all"


def test_a_random_map_covers_every_block_once(tmp_path: Path) -> None:
    found = ours("rw=randwrite\nbs=4k\nsize=4m", tmp_path)
    assert sorted(offset for _, offset, _ in found) == list(range(0, 4 << 20, 4096))
    assert [offset for _, offset, _ in found] != sorted(offset for _, offset, _ in found)


def test_sections_become_flows(tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("""
; a comment
[global]
bs=4k
size=8m
iodepth=4
ioengine=libaio
[one]
rw=randread
numjobs=2
[two]
stonewall
rw=write
rate_iops=1000
[three]
rw=randread
thinktime=100us
thinktime_blocks=8
runtime=20ms
time_based
""")
    flows = wl.fio(job).flows(wl.preset("mqsim"))
    assert [flow.name for flow in flows] == ["one.0", "one.1", "two", "three"]
    assert [flow.group for flow in flows] == [0, 0, 1, 1]
    assert [flow.mode for flow in flows] == ["closed", "closed", "paced", "paced"]
    assert [flow.rest for flow in flows] == [None, None, None, (8, 100_000)]
    # Each job and clone has a file of its own.
    assert len({flow.first_sector for flow in flows}) == 4
    result = wl.run(wl.preset("mqsim"), wl.fio(job), check=True)
    counts = {name: summary.count for name, summary in result.flows.items()}
    assert counts["one.0"] == counts["one.1"] == counts["two"] == 2048
    # 2,048 writes at 1,000 a second take two seconds, after the reads of the first group.
    assert 2.047 < result.simulated_s < 2.2
    assert 0 < counts["three"] < 2048


def test_requests_of_the_ramp_are_not_counted(tmp_path: Path) -> None:
    job = "[reads]\nrw=randread\nbs=4k\nsize=256m\nioengine=libaio\niodepth=4\ntime_based\nruntime=20ms\n"
    (tmp_path / "a.fio").write_text(job)
    (tmp_path / "b.fio").write_text(f"{job}ramp_time=5ms\n")
    ssd = wl.preset("mqsim")
    plain, ramped = (wl.run(ssd, wl.fio(tmp_path / name), log_requests=True) for name in ("a.fio", "b.fio"))
    assert plain.document["requests"]["warmup"] == 0
    early = int((plain.arrays("requests")["arrival_ns"] < 5_000_000).sum())
    assert ramped.document["requests"]["warmup"] == early > 100
    arrivals = ramped.arrays("requests")["arrival_ns"]
    # As in fio, the runtime is counted from the end of the ramp.
    assert 5_000_000 <= arrivals.min() < 6_000_000
    assert 24_000_000 < arrivals.max() < 25_000_000
    assert ramped.iops == pytest.approx(plain.iops, rel=0.05)


def test_jobs_share_a_named_file(tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[global]\nfilename=/dev/nvme0n1\nrw=read\nbs=4k\nsize=1m\n[a]\n[b]\noffset=1m\n")
    first, second = wl.fio(job).flows(wl.preset("mqsim"))
    assert first.first_sector == second.first_sector == 0
    assert (first.sectors, second.sectors) == (2048, 4096)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("bs=4k\n", 1, "before any section"),
        ("[a\n", 1, "no section"),
        ("[a]\nrw=sideways\nsize=1m\n", 2, "sideways"),
        ("[a]\nrw=read\n", 1, "size"),
        ("[a]\nrw=read\nsize=1m\nbs=4000\n", 4, "multiples of 512"),
        ("[a]\nsize=1m\nbssplit=4k/70:8k/70\n", 3, "add up to 140"),
        ("[a]\nsize=1m\nrandom_distribution=zipf:1\n", 3, "zipf"),
        ("[a]\nsize=1m\nrandom_distribution=zoned:50/50\n", 3, "100 %"),
        ("[a]\nsize=1m\ntime_based\n", 3, "runtime"),
        ("[a]\nsize=1m\nio_size=130%\n", 3, "no more than 100%"),
        ("[a]\nsize=1m\niodepth=0\n", 3, "1 to 65535"),
        ("[a]\nsize=1m\nnumjobs=5000\n", 3, "4096"),
        ("[a]\nsize=900t\n", 2, "not within the SSD's"),
        ("[a]\nsize=300g\n[b]\nsize=300g\n", 4, "the SSD has"),
        ("include other.fio\n", 1, "not included"),
        ("", None, "no job"),
    ],
)
def test_a_mistake_names_its_line(text: str, line: int | None, said: str, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text(text)
    with pytest.raises(FioError) as raised:
        wl.fio(job).flows(wl.preset("mqsim"))
    assert raised.value.line == line
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("distribution", "is_told"), [("zipf:1.2:0.25", True), ("normal:10:0.5", True), ("zipf:1.2", False)]
)
def test_a_center_of_a_distribution_is_named(distribution: str, is_told: bool, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text(f"[a]\nrw=randwrite\nsize=1m\nrandom_distribution={distribution}\n")
    said = wl.fio(job).warnings(wl.preset("mqsim"))
    assert any("its center changes nothing" in line for line in said) == is_told


def test_the_command_names_what_has_no_meaning(tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[a]\nioengine=libaio\ndirect=1\nrw=randread\nbs=4k\nsize=1m\niodepth_low=2\niodepth=4\n")
    answer = wordline("run", "mqsim", job, "--check")
    assert answer.code == 0
    assert f"{job}:7: iodepth_low = 2: is simplified: " in answer.err
    assert all(word not in answer.err for word in ("bs", "ioengine", "direct"))


@pytest.mark.parametrize(
    ("options", "line", "what"),
    [
        ("", 1, "no direct=1"),
        ("direct=0\n", 5, "direct = 0"),
        ("buffered=1\nioengine=io_uring\n", 5, "buffered = 1"),
        ("direct=1\n", None, ""),
        ("direct\n", None, ""),
        ("buffered=0\n", None, ""),
        ("ioengine=io_uring_cmd\n", None, ""),
    ],
)
def test_a_job_that_goes_through_the_page_cache_is_told_once(
    options: str, line: int | None, what: str, tmp_path: Path
) -> None:
    job = tmp_path / "job.fio"
    job.write_text(f"[a]\nrw=randread\nbs=4k\nsize=1m\n{options}numjobs=2\n[b]\nsize=1m\n{options}")
    told = [text for text in wl.fio(job).warnings(wl.preset("mqsim")) if "page cache" in text]
    assert [text.partition(": in fio")[0] for text in told] == ([] if line is None else [f"{job}:{line}: {what}"])


@pytest.mark.parametrize(
    ("options", "depth"),
    [
        ("", 1),
        ("ioengine=psync\n", 1),
        ("ioengine=sync\n", 1),
        ("ioengine=libaio\n", 16),
        ("ioengine=io_uring\n", 16),
        ("ioengine=null\n", 16),
        ("ioengine=psync\nio_submit_mode=offload\n", 16),
    ],
)
def test_an_engine_without_a_queue_has_one_request_outstanding_as_in_fio(
    options: str, depth: int, tmp_path: Path
) -> None:
    job = tmp_path / "job.fio"
    job.write_text(f"[a]\nrw=randread\nbs=4k\nsize=1m\ndirect=1\niodepth=16\n{options}")
    jobs, ssd = wl.fio(job), wl.preset("mqsim")
    assert [flow.queue_depth for flow in jobs.flows(ssd)] == [depth]
    told = [text for text in jobs.warnings(ssd) if "iodepth = 16: acts as 1" in text]
    assert len(told) == (1 if depth == 1 else 0)
    assert wl.run(ssd, jobs).document["workload"]["flows"][0]["queue_depth"] == depth


def test_a_saved_run_of_a_job_file_repeats(tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[a]\nrw=randrw\nbs=4k\nsize=1m\nthinktime=10us\n[b]\nstonewall\nrw=read\nsize=1m\n")
    assert wordline("run", "mqsim", job, "--out", tmp_path / "out").code == 0
    answer = wordline("rerun", tmp_path / "out")
    assert answer.code == 0, answer.err


def test_synchronous_writes_wait_for_flash_and_flushes_for_what_is_written(tmp_path: Path) -> None:
    """`sync`, `writefua` and `fsync` on a drive without backup power, and on one that loses nothing."""

    def run(preset: str, options: str) -> wl.Result:
        job = tmp_path / "job.fio"
        job.write_text(f"[writes]\nrw=randwrite\nbs=4k\nsize=64m\nnumber_ios=200\n{options}\n", encoding="utf-8")
        result = wl.run(wl.preset(preset, **{"ssd.scale": 1 / 256}), wl.fio(job))
        assert result.write.count == 200
        return result

    program_us = wl.preset("consumer-tlc")["slc.program_us"]
    plain = run("consumer-tlc", "")
    assert plain.write.mean < 30
    synchronous = [run("consumer-tlc", option) for option in ("sync=1", "sync=dsync", "writefua=1")]
    assert len({result.write.mean for result in synchronous}) == 1
    assert synchronous[0].write.mean > plain.write.mean + program_us
    assert [result.document["requests"]["flush"] for result in (plain, *synchronous)] == [0, 0, 0, 0]
    # A flush comes before the next write, or each fourth next one, which waits for it.
    flushed, seldom = run("consumer-tlc", "fsync=1"), run("consumer-tlc", "fdatasync=4")
    assert [result.document["requests"]["flush"] for result in (flushed, seldom)] == [199, 49]
    assert flushed.write.mean == pytest.approx(plain.write.mean, rel=0.05)
    assert flushed.simulated_s - plain.simulated_s > 199 * program_us * 1e-6
    assert flushed.simulated_s - plain.simulated_s > 3 * (seldom.simulated_s - plain.simulated_s)
    # With backup power what is acknowledged is safe: nothing waits for flash.
    safe = [run("datacenter-tlc", option) for option in ("", "sync=1", "writefua=1", "fsync=1")]
    assert all(result.write.mean == pytest.approx(safe[0].write.mean, rel=0.05) for result in safe)
    assert safe[3].document["requests"]["flush"] == 199
    assert safe[3].simulated_s < 3 * safe[0].simulated_s


@pytest.mark.parametrize("kind", ["fio", "synthetic"])
def test_a_zipf_law_beyond_one_has_its_frequencies(kind: str, tmp_path: Path) -> None:
    config = small()
    if kind == "fio":
        job = tmp_path / "job.fio"
        job.write_text("[a]\nfilename=/dev/nvme0n1\nrw=randread\nnumber_ios=4000\nrandom_distribution=zipf:2.2\n")
        load: wl.FioFile | wl.Workload = wl.fio(job)
    else:
        load = wl.workload(read_ratio=1.0, pattern="zipf", zipf_theta=2.2, requests=4000)
    sectors = wl.run(config, load, log_requests=True).arrays("requests")["sector"].tolist()
    first, second = (count / 4000 for _, count in collections.Counter(sectors).most_common(2))
    # 1 / zeta(2.2), and that over 2 ** 2.2.
    assert first == pytest.approx(0.671, abs=0.03)
    assert second == pytest.approx(0.146, abs=0.025)


DELAYED = "[global]\nfilename=/dev/sda\nrw=write\nbs=128k\nsize=1m\n[fill]\n[again]\noffset=1m\nstartdelay=2\n"


def test_a_delay_behind_a_stonewall_is_refused_with_what_works_instead(tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text(f"{DELAYED}stonewall\n")
    with pytest.raises(FioError, match=r"startdelay=60 .* thinktime=3s with thinktime_blocks=N") as raised:
        wl.fio(job).flows(small())
    assert raised.value.key == "startdelay"
    job.write_text(DELAYED)
    delayed = wl.run(small(), wl.fio(job))
    job.write_text("[write]\nfilename=/dev/sda\nrw=write\nbs=128k\nsize=2m\nthinktime=2s\nthinktime_blocks=8\n")
    paused = wl.run(small(), wl.fio(job))
    for result in (delayed, paused):
        assert 2.0 < result.document["simulated_s"] < 4.1
