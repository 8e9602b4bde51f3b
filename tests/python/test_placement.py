"""Placement handles from outside: `wordline compare --placement`, files of flows, and jobs of fio."""

import io
import json
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.errors import FioError, FlowError
from wordline.output import placement_table

DRIVE = """
[ssd]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 128
pages_per_block = 64
page_bytes = 4096
overprovisioning = 0.2
[precondition]
fill = 1.0
[fdp]
isolation = "initially"
handles = 3
"""
FLOWS = """
[[flow]]
name = "buckets"
size = "20%"
handle = 1
pattern = "random"
read_ratio = 0.2
requests = 12000
[[flow]]
name = "log"
offset = "20%"
handle = 2
pattern = "sequential"
read_ratio = 0.0
write_block_bytes = 65536
requests = 1800
"""

# A drive with hardly any spare.
FEW = ("--set", "ssd.overprovisioning=0.06", "--set", "gc.threshold=0.03")


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    path = tmp_path / "drive.toml"
    path.write_text(DRIVE)
    return path


@pytest.fixture
def flows(tmp_path: Path) -> Path:
    path = tmp_path / "flows.toml"
    path.write_text(FLOWS)
    return path


def test_placements_of_one_workload_are_compared(drive: Path, flows: Path, tmp_path: Path) -> None:
    figure, out = tmp_path / "figure.svg", tmp_path / "out"
    answer = wordline(
        "compare", drive, flows, "--placement", "plain,fdp-ii,fdp-pi", "--json", "--plot", figure, "--out", out
    )
    assert answer.code == 0, answer.err
    rows = json.loads(answer.out)["placements"]
    of = {(row["placement"], row["handle"]): row for row in rows}
    assert {handle for placement, handle in of if placement == "plain"} == {"all"}
    plain, initially, persistently = (of[name, "all"] for name in ("plain", "fdp-ii", "fdp-pi"))
    # A log in order dies in order: apart from random data it costs nothing, and they do not ride along.
    assert plain["write_amplification"] > initially["write_amplification"] > 1.0
    assert plain["write_amplification"] > persistently["write_amplification"]
    assert of["fdp-pi", "2"]["write_amplification"] < 1.05 < of["fdp-pi", "1"]["write_amplification"]
    assert of["fdp-ii", "mixed"]["gc_bytes"] > 0
    assert ("fdp-pi", "mixed") not in of
    for name in ("fdp-ii", "fdp-pi"):
        parts = [row for (placement, handle), row in of.items() if placement == name and handle != "all"]
        assert sum(row["media_bytes"] for row in parts) == of[name, "all"]["media_bytes"]
        assert sum(row["gc_caused_bytes"] for row in parts) == of[name, "all"]["gc_bytes"]
    assert figure.exists()
    assert json.loads((out / "placements.json").read_text())["placements"] == rows
    assert json.loads((out / "fdp-pi.json").read_text())["placement"]["isolation"] == "persistently"
    # As a script reads what nvme-cli prints.
    stats, status, usage = (
        json.loads((out / f"fdp-pi-{log}.json").read_text()) for log in ("stats", "status", "usage")
    )
    assert stats["mbmw"] / stats["hbmw"] == pytest.approx(persistently["write_amplification"], rel=0.02)
    assert stats["mbe"] % (64 * 4096) == 0
    assert status["nruhsd"] == usage["nruh"] == 3
    assert [handle["pid"] for handle in status["ruhss"]] == [0, 1, 2]
    assert all(0 <= handle["ruamw"] <= 64 * 8 for handle in status["ruhss"])
    assert [handle["ruha"] for handle in usage["ruhus"]] == [1, 1, 0]
    assert not (out / "plain-stats.json").exists()
    report = (out / "report.html").read_text(encoding="utf-8")
    part = report.partition('<section id="placements"')[2].partition("</section>")[0]
    assert part.count('<th scope="row">') == len(rows)
    assert 'data-run="2"' in report.partition('<section id="summary"')[2], "a row for each of three runs"
    table = wordline("compare", drive, flows, "--placement", "plain,hints").out
    assert all(word in table for word in ("borne", "caused", "hints", "P/E cycles a"))


def test_a_table_says_why_two_placements_are_alike_and_why_there_are_no_years(drive: Path, flows: Path) -> None:
    asked = ("compare", drive, flows, "--placement", "plain,hints,fdp-ii")
    lines = wordline(*asked).out.splitlines()
    assert placement_table.NO_CYCLES in lines
    assert max(map(len, lines)) <= 130, "a line is read where nothing wraps it, too"
    (line,) = (each for each in lines if each.startswith("fdp-ii: the numbers of hints, since "))
    assert line.endswith((placement_table.BOTH_SHARE, "garbage collection moved nothing"))
    assert placement_table.NO_CYCLES not in wordline(*asked, "--pec", "3000").out


def test_a_narrow_terminal_gets_fewer_columns_and_no_cut_cell(drive: Path, flows: Path) -> None:
    from rich.console import Console

    rows = json.loads(wordline("compare", drive, flows, "--placement", "plain,fdp-pi", "--json").out)["placements"]
    file = io.StringIO()
    placement_table.show(rows, Console(file=file, width=80, force_terminal=True, color_system=None))
    text = file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert "fdp-pi" in text
    assert f"{rows[0]['write_amplification']:.3f}" in text
    assert "no room for other" in text


def test_a_log_over_zones_has_the_flash_of_the_drive_and_pays_for_garbage_itself(drive: Path, flows: Path) -> None:
    page = drive.parent / "page.html"
    asked = ("--placement", "plain,zones-log", "--json", "--pec", "3000", "--report", page)
    answer = wordline("compare", drive, flows, *asked)
    assert answer.code == 0, answer.err
    assert "zones-log is in this table alone" in page.read_text(encoding="utf-8")
    plain, log = json.loads(answer.out)["placements"]
    assert log["placement"] == "zones-log"
    assert log["host_bytes"] == pytest.approx(plain["host_bytes"], rel=0.02)
    # The host moves what it writes again; the drive adds what ends zones and what their ends pad.
    added = log["other_moves_bytes"] + log["padding_bytes"]
    assert log["media_bytes"] == log["host_bytes"] + log["gc_bytes"] + added
    assert added < 0.02 * log["media_bytes"]
    assert log["write_amplification"] == pytest.approx(plain["write_amplification"], rel=0.25)
    assert 0 < log["read_p50_us"] <= log["read_p99_us"]
    for row in (plain, log):
        # 128 blocks of 64 pages, 80 % of them for the host: a drive write costs a block this many cycles.
        assert row["cycles_a_drive_write"] == pytest.approx(0.8 * row["write_amplification"], rel=0.01)
        assert row["years"] == pytest.approx(3000 / row["cycles_a_drive_write"] / 365)


def test_jobs_that_end_by_time_have_a_log_over_zones_too(drive: Path, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text(
        "[global]\nfilename=/dev/nvme0n1\nioengine=io_uring_cmd\ndataplacement=fdp\ntime_based\nruntime=1\nnorandommap\n"
        "[log]\nrw=write\nbs=64k\nsize=80%\nplids=0\n[buckets]\nrw=randrw\nrwmixread=20\nbs=4k\noffset=80%\nplids=1\n"
    )
    answer = wordline("compare", drive, job, "--placement", "plain,zones-log", "--json")
    assert answer.code == 0, answer.err
    plain, log = json.loads(answer.out)["placements"]
    # The same requests, of which the log counts whole units.
    assert log["host_bytes"] == pytest.approx(plain["host_bytes"], rel=0.02)
    one = tmp_path / "one.fio"
    one.write_text("[a]\nfilename=/dev/nvme0n1\nrw=randwrite\nbs=4k\nsize=1m\ntime_based\nruntime=1\n")
    refused = wordline("log", "wd-zn540-1tb", one, "--scale", "1/64")
    assert refused.code == 2
    assert "ends by time" in refused.err


def test_a_job_of_fio_may_name_handles_that_one_of_the_drives_lacks(drive: Path, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[a]\nfilename=/dev/nvme0n1\nrw=randwrite\nbs=4k\nnumber_ios=300\ndataplacement=fdp\nplids=1\n")
    answer = wordline("compare", drive, job, "--placement", "plain,fdp-ii", "--json")
    assert answer.code == 0, answer.err
    rows = json.loads(answer.out)["placements"]
    assert [row["handle"] for row in rows if row["placement"] == "fdp-ii"] == ["all", "2"]
    # Nothing was read: there is no time of a read.
    assert rows[0]["read_p50_us"] is None


def test_the_table_of_a_run_has_its_handles(drive: Path, flows: Path) -> None:
    told = next(line for line in wordline("run", drive, flows).out.splitlines() if line.startswith("handles"))
    assert "handle 1: WA 1." in told
    assert "handle 2: WA 1.0" in told
    stray = flows.with_name("stray.toml")
    stray.write_text(flows.read_text().replace("handle = 2", "handle = 9"))
    told = wordline("run", drive, stray).out
    assert "1,800 writes to handles that there are not" in " ".join(told.split())
    plain = wordline("run", drive, flows, "--set", "fdp.isolation=off").out
    assert not any(line.startswith("handles") for line in plain.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--placement", "plain,zones"), "there is no such placement"),
        (("--placement", "plain,plain"), "comes twice"),
        (("--placement", "plain", "--set", "gc.policy=greedy,fifo"), "does not go with --placement"),
        (("--placement", "plain", "--seeds", "2"), "does not go with --placement"),
        (("--placement", "plain", "--pec", "0"), "it is more than 0"),
        (("--pec", "3000", "--set", "gc.policy=greedy,fifo"), "--pec goes with --placement"),
        (("--placement", "zones-log", *FEW), "spare zones, and needs 5"),
    ],
)
def test_what_does_not_go_with_placements_is_said(drive: Path, arguments: tuple[str, ...], message: str) -> None:
    answer = wordline("compare", drive, *arguments)
    assert answer.code == 2
    assert message in answer.err


def handles_of(job: str, config: wl.Config, folder: Path) -> list[tuple[int, ...]]:
    path = folder / "job.fio"
    path.write_text(f"[job]\nfilename=/dev/nvme0n1\nrw=randwrite\nbs=4k\nsize=1m\nnumber_ios=9\n{job}\n")
    return [flow.handles for flow in wl.fio(path).flows(config)]


def test_jobs_of_fio_name_handles(drive: Path, tmp_path: Path) -> None:
    config = wl.config(str(drive))
    off = config.set("fdp.isolation", "off")
    hints = off.set_all({"ftl.placement": "handle", "ftl.streams": 5})
    assert handles_of("fdp=1", config, tmp_path) == [(1, 2, 3)]
    assert handles_of("dataplacement=fdp\nplids=2,0", config, tmp_path) == [(3, 1)]
    assert handles_of("fdp=1\nfdp_pli=1\nnumjobs=2", config, tmp_path) == [(2,), (2,)]
    assert handles_of("fdp=1\nplids=2,0-1", config, tmp_path) == [(3, 1, 2)]
    assert handles_of("dataplacement=streams\nplids=1", hints, tmp_path) == [(2,)]
    assert handles_of("write_hint=short", hints, tmp_path) == [(2,)]
    assert handles_of("write_hint=extreme", off, tmp_path) == [()]
    for job, drive_of, message in (
        ("fdp=1", off, "has no placement handles"),
        ("fdp=1\nplids=3", config, "no index into the 3 identifiers"),
        ("fdp=1\nplid_select=best", config, "is none of fio's ways"),
        ("fdp=1\nplids=1-3", config, "no index into the 3 identifiers"),
        ("fdp=1\nplids=2-1", config, "ends before it begins"),
        ("dataplacement=streams", hints, "streams have to be named"),
        ("fdp=1\nplid_select=scheme", config, "there is no scheme"),
        ("fdp=1\nplid_select=scheme\ndp_scheme=none.txt", config, "cannot be read"),
        ("dataplacement=zones", config, "is none of"),
        ("dataplacement=none\nfdp=1", config, "takes no `none` with fdp=1"),
        ("write_hint=eternal", config, "is no life time"),
    ):
        with pytest.raises(FioError, match=message):
            handles_of(job, drive_of, tmp_path)


def test_handles_at_random_get_equal_shares_that_the_seed_decides(drive: Path, tmp_path: Path) -> None:
    config = wl.config(str(drive))
    path = tmp_path / "random.fio"
    text = "[job]\nfilename=/dev/nvme0n1\nrw=write\nbs=4k\nsize=4m\nfdp=1\nplid_select=random\n"

    def bytes_of(config: wl.Config, more: str = "") -> list[int]:
        path.write_text(text + more)
        placement = wl.run(config, wl.fio(path), check=True).document["placement"]
        assert placement is not None
        return [each["written_bytes"]["host"] for each in placement["handles"]]

    first = bytes_of(config)
    assert sum(first) == 4 << 20
    # A third of 1,024 writes each, within five standard deviations, and not exactly in turn.
    assert all(abs(each / 4096 - 1024 / 3) < 5 * 15.1 for each in first)
    assert first == bytes_of(config)
    assert len({tuple(first), tuple(bytes_of(config, "randseed=7\n")), tuple(bytes_of(config.set("seed", 2)))}) == 3
    assert bytes_of(config, "plids=0,2\n")[1] == 0


def scheme(folder: Path, text: str) -> Path:
    (folder / "scheme.txt").write_text(text)
    path = folder / "scheme.fio"
    path.write_text(
        "[job]\nfilename=/dev/nvme0n1\nrw=write\nbs=64k\nsize=1m\nfdp=1\nplid_select=scheme\ndp_scheme=scheme.txt\n"
    )
    return path


def test_a_scheme_of_fio_gives_parts_of_the_file_handles(drive: Path, tmp_path: Path) -> None:
    config = wl.config(str(drive))
    # The first part that fits counts; what is in none goes to the default handle.
    path = scheme(tmp_path, "0, 262144, 2\n131072, 524288, 1\n\n")
    result = wl.run(config, wl.fio(path), check=True)
    placement = result.document["placement"]
    assert placement is not None
    assert [each["written_bytes"]["host"] // 65536 for each in placement["handles"]] == [8, 4, 4]
    (form,) = result.document["workload"]["flows"]
    assert wl.Flow.of(form).handle_ranges == ((0, 512, 3), (256, 1024, 2))
    # Aging writes as the job does: it ends within a pass, and within a unit of the third handle.
    aging = {"precondition.overwrite": 0.317, "precondition.shape": "workload"}
    new, aged = (wl.run(each, wl.fio(path)).document["placement"] for each in (config, config.set_all(aging)))
    assert new is not None
    assert aged is not None
    left = [[each["available_bytes"] for each in drive["handles"]] for drive in (new, aged)]
    assert left[0][2] != left[1][2]
    for text, message in (
        ("0, 5, 1", "line 1 of .*: 0 to 5 are no whole sectors"),
        ("0, 512, 1\n\n0, 512, 3", "line 3 of .*: 3 is no index into the 3"),
        ("0, 512", "no three numbers"),
        ("0, 512, 1\n" * 33, "33 lines"),
    ):
        with pytest.raises(FioError, match=message):
            wl.fio(scheme(tmp_path, text)).flows(config)


def test_a_hint_of_fio_acts(drive: Path, tmp_path: Path) -> None:
    config = wl.config(str(drive)).set_all({"fdp.isolation": "off", "ftl.placement": "handle", "ftl.streams": 5})
    path = tmp_path / "job.fio"
    path.write_text("[job]\nfilename=/dev/nvme0n1\nrw=randwrite\nbs=4k\nsize=1m\nnumber_ios=9\nwrite_hint=long\n")
    placement = wl.run(config, wl.fio(path)).document["placement"]
    assert placement is not None
    assert [each["written_bytes"]["host"] for each in placement["handles"]] == [0, 0, 0, 9 * 4096, 0]


def test_a_handle_of_a_flow_is_a_number_from_1(tmp_path: Path) -> None:
    path = tmp_path / "flows.toml"
    path.write_text('[[flow]]\nworkload = "fio/random-read"\nhandle = 0\n')
    with pytest.raises(FlowError, match="takes 1 to 1024"):
        wl.flows(path).flows(wl.preset("mqsim"))


def test_formats_of_others_say_that_they_have_no_handles(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("time_ns,op,sector,sectors,handle\n0,W,0,8,2\n")
    for name in ("fio-iolog", "mqsim"):
        answer = wordline("trace", "convert", trace, tmp_path / name, "--to", name)
        assert answer.code == 2
        assert f"{name} has no placement handles; native and csv have" in answer.err
        assert not (tmp_path / name).exists()


def test_bytes_by_handle_over_time_add_up_to_those_of_the_run(drive: Path, flows: Path) -> None:
    result = wl.run(wl.config(str(drive)).set("fdp.isolation", "persistently"), wl.flows(flows))
    placement = result.document["placement"]
    assert placement is not None
    parts = result.arrays("handle_intervals")
    of_run = [*(each["written_bytes"] for each in placement["handles"]), placement["mixed"]]
    for name, written in zip([*map(str, range(1, len(of_run))), "mixed"], of_run, strict=True):
        here = parts["handle"] == name
        for column, key in (("host_written_bytes", "host"), ("media_written_bytes", "media"), ("gc_bytes", "gc")):
            assert parts[column][here].sum() == written[key]
    assert len(set(parts["start_ns"].tolist())) > 5
    plain = wl.run(wl.config(str(drive)).set("fdp.isolation", "off"), wl.flows(flows))
    with pytest.raises(ValueError, match="no table `handle_intervals`"):
        plain.arrays("handle_intervals")


def test_a_report_draws_each_handle_over_bytes_written(drive: Path, flows: Path) -> None:
    from wordline.report.charts import charts
    from wordline.report.entry import Entry

    result = wl.run(wl.config(str(drive)).set("fdp.isolation", "persistently"), wl.flows(flows))
    (chart,) = (each for each in charts([Entry(result)]) if each["id"] == "time-handle-wa")
    # The third handle gets no writes.
    assert [each["part"] for each in chart["series"]] == ["1", "2"]
    written = result.document["written_bytes"]["host"]
    for each in chart["series"]:
        assert len(each["x"]) == len(each["written_gb"]) > 1
        assert each["written_gb"] == sorted(each["written_gb"])
        assert 0.5 * written < each["written_gb"][-1] * 1e9 < 1.01 * written
