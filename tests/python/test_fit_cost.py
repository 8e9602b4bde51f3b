"""How many simulations a fit takes: the simulator is a closed form, so that only the search is at work."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fit_drives import TRUTH, base, drawn, is_inside, loads_of
from wordline.agreement import Length, Simulator, simulate
from wordline.config import Config
from wordline.fit import drive, fit
from wordline.fit.choices import chosen
from wordline.fit.model import Model
from wordline.fit.search import Search, Solution, bend, bent, cost_of
from wordline.fit.start import model_of
from wordline.measured import Load, Numbers, Point

DEPTHS = [(1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (32, 1), (64, 1), (1, 2), (1, 4), (1, 8), (1, 16), (16, 4), (64, 4)]
BLOCKS = (16_384, 65_536, 131_072)
WORDLINE_PAGES = 3


def closed_form(config: Config, alike: Sequence[Point], *how: object) -> list[Numbers]:
    """What a drive with its slowest stage and little else would do, however it is run."""
    del how
    return [of_point(config, each) for each in alike]


def of_point(config: Config, point: Point) -> Numbers:
    load = point.loads[0]
    dies = config["ssd.channels"] * config["ssd.chips_per_channel"] * config["ssd.dies_per_chip"]
    job_us = config["host.job_ns"] / 1e3
    command_us = config[f"controller.command_{point.op}_ns"] / 1e3
    alone_us = job_us + command_us + (config["host.submit_ns"] + config["host.complete_ns"]) / 1e3
    levels = sorted(config["nand.read_us"])
    middle_us, wait_us = 0.0, 0.0
    caps = [1e6 / command_us, load.jobs * 1e6 / (job_us + 1e-3)]
    if point.op == "read":
        transfer_us = load.read_bytes / config["channel.rate_mb_s"]
        middle_us = levels[1]
        alone_us += sum((levels[0], levels[1], levels[-1])) / 3 + transfer_us
        wait_us = 0.4 * middle_us * (load.outstanding / dies) ** 0.7
        caps += [8e5 * dies / (middle_us + transfer_us), config["host.link_rate_mb_s"] * 1e6 / load.read_bytes]
    else:
        wordline_bytes = dies * config["ssd.planes_per_die"] * config["ssd.page_bytes"] * WORDLINE_PAGES
        caps.append(wordline_bytes / config["nand.program_wordline_us"] * 1e6 / load.write_bytes)
    cap = min(caps)
    free = load.outstanding * 1e6 / (alone_us + wait_us)
    iops = (free**-4 + cap**-4) ** -0.25
    mean_us = load.outstanding * 1e6 / iops
    spread_us = levels[-1] - middle_us if point.op == "read" else 0.0
    median_us = mean_us - job_us
    return Numbers(iops, mean_us, median_us, median_us + spread_us, median_us + spread_us + wait_us)


SPREAD = {"iops": 0.02, "mean_us": 0.02, "p50_us": 0.025, "p95_us": 0.035, "p99_us": 0.05}
"""Standard deviations of the logarithms of what is measured: those that a fit takes numbers to have at best."""


def noisy(seed: int) -> tuple[dict[str, float], list[Point]]:
    """A drive with parameters by chance, and what is measured of it, with chance on top."""
    draw = random.Random(1000 + seed)  # noqa: S311 - how far each number is off
    values = drawn(seed)
    truth = Model(base(), ()).config(values)
    splits = [(1, 1), (1, 4), (16, 1), (16, 4), (4, 1), (64, 1), (64, 4)]
    points = []
    for op in (1.0, 0.0):
        for depth, jobs in splits:
            load = Load(op, True, 4096, 4096, depth, jobs)
            point = Point(load.name(), (), (load,), load.ops[0], Numbers(iops=1.0))
            exact = of_point(truth, point).to_dict()
            numbers = {name: (exact[name] or 0.0) * math.exp(draw.gauss(0, spread)) for name, spread in SPREAD.items()}
            points.append(replace(point, numbers=Numbers(**numbers)))
    return values, points


@pytest.mark.verify
def test_parameters_and_sums_lie_in_their_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 20 drives, each parameter and sum that is reported lies in its interval in nine of ten at least."""
    monkeypatch.setattr(simulate, "simulated", closed_form)
    inside: dict[object, list[bool]] = defaultdict(list)
    for seed in range(20):
        values, points = noisy(seed)
        done = fit(base(), points, free=list(values), dies=[64])
        for name in done.known:
            inside[name].append(is_inside(done, name, values))
        for each in done.sums:
            inside[each.parts].append(each.low_us <= sum(values[name] for name in each.parts) <= each.high_us)
    assert set(TRUTH) <= set(inside)
    assert all(sum(each) >= 0.9 * len(each) for each in inside.values()), dict(inside)


def test_squares_of_bent_residuals_are_the_cost() -> None:
    residual = np.array([-40.0, -2.0, 0.0, 0.5, 3.0, 12.0])
    assert float(np.sum(bent(residual) ** 2)) == pytest.approx(cost_of(residual))
    slopes = (bent(residual + 1e-5) - bent(residual - 1e-5)) / 2e-5
    assert bend(residual) == pytest.approx(slopes, rel=1e-4)


def test_a_search_from_far_off_ends_at_the_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most residuals are beyond the deviation from which they count less."""
    monkeypatch.setattr(simulate, "simulated", closed_form)
    reads = loads_of("read", [(1, 1), (4, 1), (16, 1), (64, 1), (16, 4)])
    writes = loads_of("write", [(1, 1), (16, 1), (64, 1)])
    costs = []
    for seed in range(4):
        values = drawn(seed)
        truth = Model(base(), ()).config(values)
        points = [Point(load.name(), (), (load,), load.ops[0], Numbers(iops=1.0)) for load in (*reads, *writes)]
        search = Search([replace(each, numbers=of_point(truth, each)) for each in points], Simulator(Length(500)))
        model = model_of(base(), search.points, list(values))
        for factor in (0.8, 1.25):
            far = model.starting_at({name: factor * value for name, value in values.items()})
            costs.append(search.solve(far, steps=6).cost)
    assert max(costs) < 1.0, costs


def loads(op: float) -> list[Load]:
    small = [Load(op, True, 4096, 4096, depth, jobs) for depth, jobs in DEPTHS]
    return small + [Load(op, True, block, block, depth, 1) for block in BLOCKS for depth in (1, 4, 16, 64)]


def test_fifty_points_take_two_thousand_simulations_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "simulated", closed_form)
    known = {**TRUTH, "channel_mb_s": 900.0}
    truth = Model(base(), ()).config(known)
    points = [
        Point(load.name(), (), (load,), load.ops[0], Numbers(iops=1.0)) for op in (1.0, 0.0) for load in loads(op)
    ]
    points = [replace(each, numbers=of_point(truth, each)) for each in points]
    assert len(points) == 50
    done = fit(base(), points)
    for name, value in known.items():
        assert done.known[name].value == pytest.approx(value, rel=0.1), name
        assert is_inside(done, name, known), (name, done.known[name])
    assert done.runs <= 2000
    # Each fold is searched, too: it runs the points that it has at least once, and those that it has not.
    assert 4 * len(points) <= done.spent["folds"]
    assert done.unseen.median("iops") == pytest.approx(0.0, abs=0.02)
    assert done.runs == sum(done.spent.values())


def test_derivatives_with_which_a_search_began_are_kept_but_for_parameters_that_it_led_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(simulate, "simulated", closed_form)
    truth = Model(base(), ()).config(TRUTH)
    splits = [(1, 1), (4, 1), (16, 1), (64, 1)]
    points = [
        Point(load.name(), (), (load,), load.ops[0], Numbers(iops=1.0))
        for load in (*loads_of("read", splits), *loads_of("write", splits))
    ]
    search = Search([replace(each, numbers=of_point(truth, each)) for each in points], Simulator(Length(500)))
    model = model_of(base(), search.points, list(TRUTH)).starting_at(TRUTH)
    near = search.with_differences(search.solve(model, steps=3))
    assert near.differenced is not None
    before = search.simulator.runs
    again = search.with_differences(near)
    assert search.simulator.runs == before
    assert again.jacobian == pytest.approx(near.jacobian)
    # The search was led away from there by reads of the first page type alone: theirs are taken anew.
    place = [each.name for each in model.parameters].index("read_1_us")
    away = near.differenced[0].copy()
    away[place] -= 0.3
    anew = search.with_differences(replace(near, differenced=(away, 7.0 * near.differenced[1])))
    assert search.simulator.runs <= before + len(splits)
    kept = np.arange(len(model.parameters)) != place
    assert anew.jacobian[:, kept] == pytest.approx(7.0 * near.jacobian[:, kept])
    assert anew.jacobian[:, place] == pytest.approx(near.jacobian[:, place], rel=0.1, abs=0.2)


def test_a_value_that_promises_nothing_takes_the_points_that_it_moves_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors change nothing in the closed form: each number of them runs the points of several jobs."""
    monkeypatch.setattr(simulate, "simulated", closed_form)
    truth = Model(base(), ()).config(TRUTH)
    splits = [(1, 1), (16, 1), (1, 2), (4, 4)]
    points = [
        Point(load.name(), (), (load,), load.ops[0], Numbers(iops=1.0))
        for load in (*loads_of("read", splits), *loads_of("write", splits))
    ]
    search = Search([replace(each, numbers=of_point(truth, each)) for each in points], Simulator(Length(500)))
    model = model_of(truth, search.points, ["host"])
    _, without = chosen(search, model, [], lambda _: model, of_drive=False, of_host=False)
    before = search.simulator.runs
    _, gave = chosen(search, model, [], lambda _: model, of_drive=False, of_host=True)
    assert not without.costs
    assert set(gave.costs["host.cores"]) == {"0", "1", "2", "4"}
    # One processor is shared by two jobs and by four, two by four, four by none.
    assert search.simulator.runs == before + 2 * (2 + 1)


def test_a_base_without_a_time_has_the_least_one() -> None:
    points = [
        Point(load.name(), (), (load,), load.ops[0], Numbers(iops=1e4, p50_us=90.0))
        for load in loads_of("read", [(1, 1), (16, 1)])
    ]
    without = (
        Model(base(), ()).config({**TRUTH, "job_us": 0.0, "command_read_us": 0.0}).set("controller.command_ns", 700)
    )
    own = model_of(without, points).own_values()
    assert own["command_read_us"] == 0.7
    assert own["job_us"] == 0.05
    assert own["read_3_us"] == TRUTH["read_3_us"]


def test_a_fit_does_not_end_behind_its_base(monkeypatch: pytest.MonkeyPatch) -> None:
    """The base gives the numbers, and the searches on some of the points lead elsewhere."""
    monkeypatch.setattr(simulate, "simulated", closed_form)
    splits = [(1, 1), (4, 1), (16, 1), (64, 1), (1, 4), (1, 16), (16, 4), (64, 4)]
    near = Model(base(), ()).config(TRUTH)
    points = [
        Point(load.name(), (), (load,), load.ops[0], Numbers(iops=1.0))
        for load in (*loads_of("read", splits), *loads_of("write", splits))
    ]
    points = [replace(each, numbers=of_point(near, each)) for each in points]

    def elsewhere(look: Search, solution: Solution) -> Solution:
        return look.solve(solution.model, [1.5 * value for value in solution.values.values()], steps=1)

    monkeypatch.setattr(drive, "started", elsewhere)
    monkeypatch.setattr(drive, "SEARCH_STEPS", 1)
    done = fit(near, points, with_intervals=False)
    assert {name: done.known[name].value for name in TRUTH} == pytest.approx(TRUTH, rel=0.05)
    assert done.choices.best == {what: next(iter(costs)) for what, costs in done.choices.costs.items()}
