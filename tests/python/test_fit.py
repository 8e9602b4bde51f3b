"""`wordline fit`: drives whose parameters are known are found again, and what cannot be told is said."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wordline as wl
from cli_runner import wordline
from fit_drives import TRUTH, base, drawn, is_inside, loads_of
from wordline.agreement import Length, Simulator
from wordline.agreement.flows import window_of
from wordline.agreement.memo import Memo
from wordline.cli import hosts
from wordline.cli.fit import kept, note_hosts
from wordline.errors import WorkloadError
from wordline.fit import fit
from wordline.fit.base import bases_by_cost
from wordline.fit.drive import link_of, usable
from wordline.fit.folds import folds
from wordline.fit.intervals import Known, _moved_most, _Profile, unbounded
from wordline.fit.job import JOB
from wordline.fit.model import Model, Parameter, for_all_codings, sense_times
from wordline.fit.residuals import repeatability, residuals_of
from wordline.fit.search import Solution
from wordline.fit.slopes import Slopes
from wordline.fit.start import limited_by_flash, model_of, with_dies
from wordline.fit.written import described
from wordline.measured import Load, Numbers, Point

ROOT = Path(__file__).resolve().parents[2]
READS = [(1, 1), (1, 4), (16, 1), (16, 4)]


def measured(
    values: dict[str, float], loads: list[Load], seed: int = 1, requests: int = 10_000, drive: Model | None = None
) -> list[Point]:
    """The points of a drive whose parameters are known."""
    truth = (drive or Model(base(), ())).config(values).set("seed", 1000 + seed)
    rate = Numbers(iops=20_000.0)
    points = [Point(load.name(), (), (load,), load.ops[0], rate) for load in loads]
    guess = Simulator(Length(2000)).numbers(truth, points)
    points = [replace(point, numbers=each) for point, each in zip(points, guess, strict=True)]
    numbers = Simulator(Length(requests)).numbers(truth, points)
    return [replace(point, numbers=each) for point, each in zip(points, numbers, strict=True)]


def point(op: str = "read", depth: int = 1, jobs: int = 1, **numbers: float) -> Point:
    (load,) = loads_of(op, [(depth, jobs)])
    return Point("here", (), (load,), load.ops[0], Numbers(**numbers))


def test_parameters_of_a_drive_are_found_again() -> None:
    points = measured(TRUTH, [*loads_of("read", READS[::3]), *loads_of("write", READS[:1])], requests=5000)
    free = ["path_us", "command_read_us"]
    truth = Model(base(), ()).config({name: TRUTH[name] for name in TRUTH if name not in free})
    done = fit(truth, points, free=free, dies=[64], requests=1000)
    for name in free:
        assert done.known[name].value == pytest.approx(TRUTH[name], rel=0.12), name
        assert is_inside(done, name, TRUTH), (name, done.known[name])
    assert done.seen.median("iops") == pytest.approx(0.0, abs=0.03)
    assert done.unbounded == []
    assert done.runs < 150


def test_closed_forms_begin_near_the_truth() -> None:
    points = measured(TRUTH, [*loads_of("read", READS[::3]), *loads_of("write", READS[::3])], requests=2000)
    starts = {each.name: each.start for each in model_of(base(), points).parameters}
    assert starts["job_us"] == pytest.approx(TRUTH["job_us"], rel=0.15)
    assert starts["read_2_us"] == pytest.approx(TRUTH["read_2_us"], rel=0.2)
    assert starts["read_3_us"] == pytest.approx(TRUTH["read_3_us"], rel=0.2)
    assert set(TRUTH) <= set(starts)


def test_what_no_point_bounds_stays_at_the_base() -> None:
    # A single write at depth 1 keeps no program busy.
    points = measured(TRUTH, [*loads_of("read", READS[:1]), *loads_of("write", READS[:1])], requests=1000)
    done = fit(base(), points, free=["job_us", "program_us"], requests=500, with_intervals=False)
    assert done.unbounded == ["program_us"]
    assert done.config["nand.program_wordline_us"] == base()["nand.program_wordline_us"]


def linear(slopes: list[list[float]], low: float) -> Solution:
    """The end of a search where residuals go with the logarithms of parameters."""
    names = [f"read_{number}_us" for number in range(1, len(slopes[0]) + 1)]
    parameters = tuple(Parameter(each, each, (), 1.0, low, 1e3, deviation=1e6) for each in names)
    points = residuals_of([point(iops=1.0)] * len(slopes))
    return Solution(Model(base(), parameters), dict.fromkeys(names, 1.0), [], 0.0, np.array(slopes), points)


def test_where_one_parameter_meets_its_bound_the_others_follow_for_it() -> None:
    # Two residuals know the sum of all three, and the last one.
    solution = linear([[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]], low=0.9)
    way = _Profile(solution).followed(2, 0.5) - solution.logs
    assert way == pytest.approx([np.log(0.9), np.log(0.9), 0.5], abs=1e-6)
    solution = linear([[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]], low=0.8)
    way = _Profile(solution).followed(2, 0.3) - solution.logs
    assert sum(way) == pytest.approx(0.0, abs=1e-6)


def test_a_profile_is_corrected_by_what_was_simulated() -> None:
    solution = linear([[1.0, 1.0], [0.0, 1.0]], low=1e-3)
    x = solution.logs + np.array([0.0, 0.2])
    better, rise = _Profile(solution).corrected(1, x, np.array([0.5, 0.2, 0.0, 0.0]))
    assert better - x == pytest.approx([-0.5, 0.0], abs=1e-6)
    assert rise == pytest.approx(0.04, rel=0.01)


def test_an_end_of_an_interval_runs_the_points_that_it_moves() -> None:
    solution = linear([[1.0, 0.0], [0.0, 1.0], [0.0, 0.05]], low=1e-3)
    assert len(_moved_most(solution, np.array([0.1, 0.0]))) == 1
    # Ways that make up for each other move a point as well.
    solution = linear([[1.0, 1.0], [1.0, 0.0], [0.1, 0.0]], low=1e-3)
    assert len(_moved_most(solution, np.array([0.1, -0.1]))) == 2


def test_a_read_time_is_not_dropped() -> None:
    solution = linear([[1.0, 1.0]], low=1e-3)
    assert unbounded(solution) == []


def test_points_that_say_nothing_of_the_drive_are_left_out() -> None:
    sata = base().set_all({"host.link": "sata"})
    points = [point(iops=1e4), point(depth=64, iops=6e4), replace(point(iops=1e4), doubt="jobs ended")]
    used, left_out = usable(sata, points)
    assert len(used) == 1
    assert [why for _, why in left_out] == ["SATA takes 32 commands: the rest is the host's queue", "jobs ended"]


def test_sata_is_known_by_the_column_host() -> None:
    ours = replace(point(iops=1e4), labels=(("host", "an HBA, SATA 6 Gb/s"),))
    assert link_of(base(), [ours, ours]) == (("host.link", "sata"), ("host.device_queue_depth", 32))
    assert link_of(base(), [ours, point(iops=1e4)]) == ()
    assert link_of(base().set_all({"host.link": "sata"}), [ours]) == ()


@pytest.mark.parametrize("preset", ["samsung-pm883-480gb", "datacenter-tlc"])
def test_the_nearest_preset_is_the_base(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordline.fit.base.BASES", ("consumer-qlc", "samsung-pm883-480gb", "datacenter-tlc"))
    loads = [*loads_of("read", READS[::3]), *loads_of("write", READS[:1])]
    points = measured({}, loads, requests=500, drive=Model(wl.preset(preset).set("ssd.scale", "1/64"), ()))
    ordered = bases_by_cost(wl.preset, points, Simulator(Length(500)))
    assert ordered[0].name == preset
    assert ordered[0].cost < 0.5 * ordered[1].cost


def test_a_base_that_programs_in_two_steps_keeps_their_times() -> None:
    points = [point("write", 16, iops=60_000.0)]
    model = model_of(wl.preset("datacenter-qlc"), points)
    assert "program_us" not in {each.name for each in model.parameters}
    assert model.config({each.name: each.start for each in model.parameters})


def test_a_base_with_the_read_times_of_its_own_coding_alone_is_fitted() -> None:
    """A fit writes three times with `tlc-2-3-2`, and tries the coding that needs four."""
    points = [point(iops=1e4, p50_us=90.0), point(depth=4, iops=3e4, p50_us=110.0), point(depth=16, iops=1e5)]
    own = base().set_all({"coding.scheme": "tlc-2-3-2", "nand.read_us": [45.0, 55.0, 60.0]})
    done = fit(own, points, free=["drive"], dies=[64], requests=300, with_intervals=False)
    assert set(done.choices.costs["coding.scheme"]) == {"tlc-2-3-2", "tlc-1-2-4"}
    assert for_all_codings(own)["nand.read_us"] == [45.0, 55.0, 60.0, 60.0]


def test_too_few_points_are_refused() -> None:
    with pytest.raises(WorkloadError, match="1 points are too few"):
        fit(base(), [point(iops=1e4, mean_us=100.0)])


def test_points_of_several_drives_are_refused() -> None:
    points = [replace(point(iops=1e4), labels=(("drive", name),)) for name in ("a", "b")]
    with pytest.raises(WorkloadError, match=r"2 drives \(a, b\); take one with --only drive=a"):
        fit(base(), points)


def test_where_all_points_are_left_out_the_reason_is_said() -> None:
    with pytest.raises(WorkloadError, match="no point says anything of the drive; here: jobs ended"):
        fit(base(), [replace(point(iops=1e4), doubt="jobs ended")])


def test_a_program_is_at_the_ceiling_of_large_blocks_and_the_bases_behind_a_slow_controller() -> None:
    def start(points: list[Point]) -> float:
        return next(each.start for each in model_of(base(), points).parameters if each.name == "program_us")

    (large,) = loads_of("write", [(16, 1)], 131_072)
    small = point("write", 16, iops=60_000.0)
    assert start([small]) == base()["nand.program_wordline_us"]
    numbers = Numbers(iops=10_000.0)
    ceiling_us = 64 * 2 * 16_384 * 3 / (10_000 * 131_072) * 1e6
    assert start([small, replace(small, loads=(large,), numbers=numbers)]) == pytest.approx(ceiling_us)


def test_writes_that_are_taken_together_are_known_by_the_rate_of_a_few() -> None:
    """A batch of 24 us and 17 us for each write; without the batch, four outstanding ones are near the highest rate."""

    def writes(batch_us: float) -> list[Point]:
        busy = [point("write", depth, iops=1e6 / (17 + batch_us / depth)) for depth in (4, 16, 32)]
        return [point("write", iops=15_000.0), *busy]

    names = {each.name: each.start for each in model_of(base(), writes(24.0)).parameters}
    assert names["batch_write_us"] == pytest.approx(24.0)
    assert "batch_write_us" not in {each.name for each in model_of(base(), writes(2.0)).parameters}
    # A drive with time of its own beside: twice as many outstanding do twice as much.
    free = [point("write", depth, iops=min(depth * 15_000.0, 200_000.0)) for depth in (1, 4, 16)]
    assert "batch_write_us" not in {each.name for each in model_of(base(), free).parameters}


def test_more_dies_program_for_longer_at_the_same_rate() -> None:
    first = model_of(base(), [point("write", 16, iops=60_000.0)])
    other = with_dies(first, 32)
    starts = [next(each.start for each in model.parameters if each.name == "program_us") for model in (first, other)]
    assert starts[1] == pytest.approx(starts[0] / 2)


def test_writes_that_never_fill_the_buffer_need_no_long_warm_up() -> None:
    drive = base().set_all({"cache.mode": "write", "cache.capacity_bytes": 256 << 20})
    length = Length(1000)
    quick, slow = (window_of(point("write", 16, iops=iops), drive, length) for iops in (4e4, 8e5))
    assert quick.begin_s * 4e4 * 4096 < 26e6
    assert slow.begin_s * 8e5 * 4096 == pytest.approx(1.5 * (256 << 20))


def test_replicates_say_how_well_a_number_repeats() -> None:
    points = [point(depth=16, iops=100.0), point(depth=4, jobs=4, iops=110.0), point(iops=50.0)]
    spread = repeatability(points)
    assert spread["read", "iops"] == pytest.approx(0.0674, abs=1e-3)


def test_splits_of_a_load_are_in_one_fold_and_the_ends_in_every_fit() -> None:
    points = (
        point(),
        point(depth=4),
        point(depth=2, jobs=2),
        point(depth=16),
        point(depth=64),
        point("write", depth=4),
    )
    first, *inner, last, write = folds(points)
    assert (first, last, write) == (-1, -1, -1)
    assert inner[0] == inner[1] != inner[2]


def test_steps_keep_derivatives_up_to_date() -> None:
    slope = np.array([[1.0, 2.0], [3.0, -1.0]])
    taken = []

    def differences(x: np.ndarray) -> np.ndarray:
        taken.append(x)
        return 1.3 * slope

    known = Slopes(lambda x: slope @ x, differences)
    for place in ([0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.5, 0.505]):
        gave = known.at(np.array(place))
    # Two steps in two directions say all; the last one is too short to count.
    assert gave == pytest.approx(slope)
    assert len(taken) == 1


def test_derivatives_that_a_step_shows_to_be_wrong_are_taken_anew() -> None:
    slopes = iter([np.array([[5.0]]), np.array([[1.0]])])
    known = Slopes(lambda x: x, lambda _: next(slopes))
    known.at(np.array([0.0]))
    assert known.at(np.array([1.0])) == pytest.approx(1.0)
    with pytest.raises(StopIteration):
        next(slopes)


def test_the_number_of_dies_is_found_again() -> None:
    few = with_dies(Model(base(), ()), 16)
    assert few.config({}).host_bytes == pytest.approx(base().host_bytes, rel=0.02)
    points = measured(TRUTH, loads_of("read", [(1, 1), (16, 1), (64, 1)]), requests=1000, drive=few)
    done = fit(base(), points, free=["command_read_us"], dies=[16, 64], requests=500, with_intervals=False)
    assert done.choices.best["dies"] == "16"
    assert done.config["ssd.channels"] * done.config["ssd.chips_per_channel"] == 16
    assert done.choices.costs["dies"]["16"] < done.choices.costs["dies"]["64"]


def test_programs_that_differ_from_place_to_place_are_told_by_writes_that_the_flash_limits() -> None:
    large = [load for block in (16_384, 131_072) for load in loads_of("write", [(16, 1)], block)]
    drive = Model(base(), (), (("nand.program_spread", 0.1),))
    points = measured({}, [*loads_of("write", [(16, 1)]), *large], requests=1000, drive=drive)
    done = fit(base(), points, free=["drive"], dies=[64], requests=300, with_intervals=False)
    assert 0.07 <= done.config["nand.program_spread"] <= 0.2, "within a step of what is enumerated"
    assert done.choices.costs["nand.program_spread"]["0.1"] < 0.5 * done.choices.costs["nand.program_spread"]["0.0"]
    # Behind a slow controller nothing tells it.
    assert not limited_by_flash([point("write", depth, iops=60_000.0) for depth in (4, 16)])


def test_read_times_behind_a_queue_begin_at_the_base() -> None:
    deep = point(depth=16, iops=40_000.0, mean_us=400.0, p50_us=390.0, p95_us=500.0)
    starts = {each.name: each.start for each in model_of(base(), [deep]).parameters}
    assert starts["read_3_us"] == 60.0


def test_two_levels_that_no_coding_has_are_addresses_without_data() -> None:
    half_empty = [point(iops=15_490.0, mean_us=58.4, p50_us=38.1, p95_us=105.0, p99_us=138.2)]
    model = model_of(base(), half_empty)
    starts = {each.name: each.start for each in model.parameters}
    assert starts["mapped_share"] == pytest.approx((58.4 - 38.1) / (105.0 - 38.1), rel=0.05)
    assert starts["path_us"] < 38.1
    config = model.config({"mapped_share": 0.25})
    assert (config["ftl.unmapped_read"], config["precondition.fill"]) == ("zero", 0.25)
    full = model_of(base(), [point(iops=10_000.0, mean_us=99.0, p50_us=90.0, p95_us=140.0, p99_us=150.0)])
    assert "mapped_share" not in {each.name for each in full.parameters}
    assert full.fixed == ()


def test_an_executor_gives_the_same() -> None:
    points = [point(iops=20_000.0), point(depth=4, iops=60_000.0)]
    with ThreadPoolExecutor(1) as executor:
        there = Simulator(Length(500), executor=executor)
        assert there.numbers(base(), points) == Simulator(Length(500)).numbers(base(), points)
    assert there.runs == 2


def test_read_times_follow_the_coding() -> None:
    assert sense_times([50.0, 40.0, 70.0], "tlc-1-2-4") == [40.0, 50.0, 70.0, 70.0]
    assert sense_times([50.0, 60.0], "tlc-2-3-2") == [50.0, 50.0, 60.0]


def test_a_fit_that_was_stopped_goes_on(tmp_path: Path) -> None:
    points = measured(TRUTH, loads_of("read", READS[:2]), requests=1000)
    memo = tmp_path / "memo.jsonl"
    first = fit(base(), points, free=["job_us"], requests=500, memo=Memo(memo))
    kept = memo.read_text().splitlines()
    # As if it was killed within a line.
    memo.write_text("\n".join(kept[: len(kept) // 2]) + "\n" + kept[-1][:20])
    second = fit(base(), points, free=["job_us"], requests=500, memo=Memo(memo))
    assert 0 < second.runs < first.runs
    assert second.known == first.known


def test_a_value_without_a_unit_is_written_without_a_gap() -> None:
    share, path = (Parameter(name, "", (), 1.0, 0.1, 2.0) for name in ("mapped_share", "path_us"))
    assert described(share, Known(0.1429, 0.1335, 0.153)) == "0.1429 (0.1335 to 0.153)"
    assert described(path, Known(3.5, None, None)) == "3.5 us"


def test_the_job_is_one_that_wordline_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIVE", "/dev/nvme0n1")
    path = tmp_path / "measure.fio"
    path.write_text(JOB)
    flows = wl.fio(path).flows(base())
    assert sum(flow.group != before.group for flow, before in zip(flows[1:], flows, strict=False)) > 30
    seconds = {flow.group: flow.lasts_s or 0.0 for flow in flows}
    assert sum(seconds.values()) < 20 * 60


def test_the_command_writes_a_drive_and_its_host(tmp_path: Path) -> None:
    rows = [
        f"randread,4k,{depth},1,{iops},{1e6 * depth / iops - 2},{1e6 * depth / iops - 4},{1e6 * depth / iops + 5}\n"
        for depth, iops in ((1, 11_000), (4, 43_000), (16, 160_000))
    ]
    table = tmp_path / "points.csv"
    table.write_text("workload,bs,iodepth,numjobs,iops,lat_mean_us,clat_p50_us,clat_p95_us\n" + "".join(rows))
    target = tmp_path / "mine.toml"
    arguments = ("fit", table, "--base", "datacenter-tlc", "--free", "job_us", "--requests", "500", "--jobs", "1")
    answer = wordline(*arguments, "--out", target, "--cache", tmp_path / "cache", "--json")
    assert answer.code == 0, answer.err
    document = json.loads(answer.out)
    value = document["parameters"]["job_us"]["value"]
    assert wl.config(target)["host.job_ns"] == round(1000 * value)
    assert wl.config(target)["ssd.channels"] == wl.preset("datacenter-tlc")["ssd.channels"]
    text = target.read_text()
    assert 'preset = "datacenter-tlc"' in text
    assert "points.csv" in text
    assert "Error on points that the fit did not see" in text
    known = wordline(
        "fit", table, "--host", "sas2008-hba", "--dies", "64", "--requests", "500", "--no-intervals", "--json"
    )
    assert {each["of"] for each in json.loads(known.out)["parameters"].values()} == {"drive"}, known.err
    assert not any(what.startswith("host.") for what in json.loads(known.out)["enumerated"])
    host = wordline("run", "mqsim", "--host", tmp_path / "mine.host.toml", "--json", "--set", "workload.requests=100")
    assert host.code == 0, host.err
    again = wordline(*arguments, "--cache", tmp_path / "cache", "--json")
    assert json.loads(again.out)["simulations"] == 0
    assert json.loads(again.out)["base"] == "datacenter-tlc"
    assert f"base: {json.loads(known.out)['base']}, the preset nearest to the points" in known.err


@pytest.mark.parametrize("host", hosts.names())
def test_a_host_that_comes_with_wordline_is_one(host: str) -> None:
    settings = hosts.settings(host)
    assert all(each.startswith("host.") for each in settings)
    config = base().assign(*settings)
    assert config["host.link"] == "sata"
    assert len(hosts.names()) == len(list((ROOT / "presets" / "hosts").glob("*.toml")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit",), "there is nothing to fit to"),
        (("fit", "x.json", "--job"), "--job prints a job"),
        (("fit", "x.json"), "No such file"),
        (("fit", "POINTS"), "1 points are too few"),
        (("fit", "POINTS", "--free", "speed"), "there is no parameter `speed`"),
        (("fit", "POINTS", "--dies", "many"), "these are no numbers of dies"),
        (("fit", "POINTS", "--host", "nobody"), "unknown host"),
        (("fit", "POINTS", "--dask", "nonsense://x"), "no scheduler answers"),
        (("run", "mqsim", "--host", "nobody"), "unknown host"),
        (("run", "mqsim", "--host", "POINTS"), "a host is a TOML file"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("workload,bs,iodepth,numjobs,iops\nrandread,4k,1,1,100\n")
    answer = wordline(*(str(table) if each == "POINTS" else each for each in arguments), cwd=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err


def test_ctrl_c_says_that_nothing_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), kept():
        raise KeyboardInterrupt
    assert "the same command goes on from here" in capsys.readouterr().err


def test_several_hosts_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    points = [replace(point(iops=1e4), labels=(("host", name),)) for name in ("an HBA", "AHCI", "AHCI")]
    note_hosts(points)
    assert "the points are of 2 hosts (an HBA; AHCI)" in capsys.readouterr().err
    note_hosts(points[1:])
    assert capsys.readouterr().err == ""


@pytest.mark.verify
@pytest.mark.timeout(4 * 3600)
def test_identifiable_parameters_lie_in_their_intervals() -> None:
    """Of 20 drives, each parameter that is reported lies in its interval in 18 at least."""
    inside: dict[str, int] = dict.fromkeys(TRUTH, 0)
    reported: dict[str, int] = dict.fromkeys(TRUTH, 0)
    loads = [*loads_of("read", [*READS, (4, 1), (64, 1)]), *loads_of("write", [*READS, (64, 1)])]
    for seed in range(20):
        values = drawn(seed)
        done = fit(base(), measured(values, loads, seed), dies=[64], jobs=2)
        for name in TRUTH:
            if name in done.known:
                reported[name] += 1
                inside[name] += is_inside(done, name, values)
    assert all(inside[name] >= 0.9 * reported[name] for name in TRUTH), (inside, reported)
