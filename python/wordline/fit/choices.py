"""What is enumerated: numbers of dies and planes, multi-plane commands, coding, the host's processors, the queue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..config import Config
from ..errors import WordlineError
from ..measured import Point
from .model import Model, scheme_of
from .search import Search, Solution
from .start import limited_by_flash, with_dies, with_planes

__all__ = ["WORTH", "Choices", "chosen"]

FIRST_STEPS, STEPS = 6, 3
WORTH = 4.0
"""Another value than the base's must lower the cost by so much, two deviations: else no point tells it."""
DIES_MAX, PLANES_MAX = 1024, 4
CODINGS = ("tlc-1-2-4", "tlc-2-3-2")
MULTIPLANE = ("off", "same-page", "any")
QUEUES = (32, 64, 128, 256)
CORES = (1, 2, 4)
SPREADS = (0.0, 0.03, 0.05, 0.07, 0.1, 0.2)
"""With one time for all programs, dies that fill together end together, and writes wait for all of them."""
DEEP = 16
"""Outstanding reads at which planes begin to be shared."""
Build = Callable[[Config], Model]
Moves = Callable[[Any, Any, Point], bool]
Values = list[tuple[object, Model]]


@dataclass
class Choices:
    """What was tried of each thing that is enumerated.

    Attributes:
        costs: The cost of each value, by what was tried, such as `dies`; the base's value is the first one. Of a value
            that promises nothing it is the one after the next step by the derivatives.
        best: The value that was taken.
    """

    costs: dict[str, dict[str, float]] = field(default_factory=dict)
    best: dict[str, str] = field(default_factory=dict)

    def add(self, what: str, value: object, cost: float) -> None:
        """Notes what a value costs."""
        self.costs.setdefault(what, {})[str(value)] = cost

    def as_base(self) -> Choices:
        """Returns the same costs, with the base's values taken."""
        return Choices(self.costs, {what: next(iter(costs)) for what, costs in self.costs.items()})


@dataclass(frozen=True)
class _Thing:
    """Something that is enumerated: its value in a drive, drives with the others, and the points that a value moves."""

    what: str
    own: Callable[[Config], object]
    others: Callable[[Model], Values]
    moves: Moves


def chosen(
    look: Search, model: Model, dies: Sequence[int], build: Build, *, of_drive: bool, of_host: bool
) -> tuple[Solution, Choices]:
    """Returns the search with the values of what is enumerated that cost least, one thing after the other.

    Args:
        look: The search on some of the points.
        model: What is searched, with the base's values of what is enumerated.
        dies: Numbers of dies to try; empty: half and twice as many, and on while the cost falls.
        build: Returns the model of a base: another coding has other page types.
        of_drive: Whether the whole drive is searched; else only the given dies are tried.
        of_host: Whether the whole host is searched.
    """
    gave = Choices()
    best = look.solve(model, steps=FIRST_STEPS)
    if dies:
        best = _given_dies(look, best, dies, gave)
    elif of_drive:
        best = _walked(look, best, gave)
    things = [
        *(_of_drive(look, model.base, build) if of_drive else ()),
        *(_of_host(look, model.base) if of_host else ()),
    ]
    for thing in things:
        best = _best(look, best, thing, gave)
    return best, gave


def dies_of(config: Config) -> int:
    """Returns the number of dies of a drive."""
    return int(config["ssd.channels"] * config["ssd.chips_per_channel"] * config["ssd.dies_per_chip"])


def _given_dies(look: Search, first: Solution, dies: Sequence[int], gave: Choices) -> Solution:
    """Returns the search with the number of dies that costs least, of those that are given."""
    own = dies_of(first.model.base)
    tried = {each: first if each == own else _with(look, first, with_dies(first.as_start(), each)) for each in dies}
    known = {each: solution for each, solution in tried.items() if solution is not None}
    if not known:
        return first
    best = min(known, key=lambda each: known[each].whole_cost)
    gave.best["dies"] = str(best)
    for each, solution in known.items():
        gave.add("dies", each, solution.whole_cost)
    return known[best]


def _walked(look: Search, first: Solution, gave: Choices) -> Solution:
    """Returns the search with fewer or more dies than the base has, by factors of two while the cost falls."""
    own = dies_of(first.model.base)
    gave.add("dies", own, first.whole_cost)
    best, best_dies = first, own
    for factor in (0.5, 2.0):
        near, dies = first, own
        while 1 <= (dies := int(dies * factor)) <= DIES_MAX:
            there = _with(look, near, with_dies(near.as_start(), dies))
            if there is None:
                break
            gave.add("dies", dies, there.whole_cost)
            falls = there.whole_cost < near.whole_cost
            if there.whole_cost < min(best.whole_cost, first.whole_cost - WORTH):
                best, best_dies = there, dies
            if not falls:
                break
            near = there
    gave.best["dies"] = str(best_dies)
    return best


def _of_drive(look: Search, base: Config, build: Build) -> Iterator[_Thing]:
    """Returns what is enumerated of a drive besides its dies, where the points could tell it."""
    reads = [each for each in look.points if each.op == "read"]
    deep = max((each.outstanding for each in look.points), default=1)
    if limited_by_flash(look.points):
        yield _key("nand.program_spread", SPREADS, _moved_by_programs)
    if base["coding.cell"] == "tlc" and any(each.outstanding == 1 for each in reads):
        yield _Thing("coding.scheme", scheme_of, lambda model: _codings(model, build), _moves_any)
    if reads and deep >= DEEP:
        if len(reads) == len(look.points):
            # Programs of more planes are indistinguishable from shorter ones.
            yield _Thing("planes", lambda config: config["ssd.planes_per_die"], _planes, _moves_any)
        yield _key("nand.multiplane", MULTIPLANE)


def _of_host(look: Search, base: Config) -> Iterator[_Thing]:
    """Returns what is enumerated of a host, where the points could tell it."""
    deep = max((each.outstanding for each in look.points), default=1)
    if base["host.link"] != "sata" and deep > QUEUES[0]:
        queues = [each for each in QUEUES if each < deep]
        yield _key("host.device_queue_depth", queues, _moved_by_queue)
    if any(each.loads[0].jobs > 1 for each in look.points):
        yield _key("host.cores", CORES, _moved_by_cores)


def _moved_by_programs(value: float, own: float, point: Point) -> bool:
    """Returns whether a point writes."""
    del value, own
    return any("write" in each.ops for each in point.loads)


def _moved_by_queue(value: int, own: int, point: Point) -> bool:
    """Returns whether a point has more outstanding than one of two queues takes."""
    return sum(each.outstanding for each in point.loads) > min(value, own)


def _moved_by_cores(value: int, own: int, point: Point) -> bool:
    """Returns whether the jobs of a point share one of some processors, or of the base's; 0: each has its own."""
    return sum(each.jobs for each in point.loads) > min(each for each in (value, own) if each)


def _moves_any(value: object, own: object, point: Point) -> bool:
    """Returns that a value may change what any point measures."""
    del value, own, point
    return True


def _key(key: str, values: Sequence[object], moves: Moves = _moves_any) -> _Thing:
    return _Thing(
        key,
        lambda config: config[key],
        lambda model: [(each, model.with_settings(((key, each),))) for each in values],
        moves,
    )


def _codings(model: Model, build: Build) -> Values:
    coded = [(each, model.with_settings((("coding.scheme", each),))) for each in CODINGS]
    return [(each, Model(model.base, build(other.config({})).parameters, other.fixed)) for each, other in coded]


def _planes(model: Model) -> Values:
    own = int(model.config({})["ssd.planes_per_die"])
    return [(each, with_planes(model, each)) for each in (own // 2, own * 2) if 1 <= each <= PLANES_MAX]


def _best(look: Search, first: Solution, thing: _Thing, gave: Choices) -> Solution:
    """Returns the search with the value of one thing that costs least."""
    own = thing.own(first.model.config({}))
    gave.add(thing.what, own, first.whole_cost)
    best, best_value = first, own
    stays = look.promised(first.as_start(), first, [])
    for value, model in thing.others(first.model):
        if value == own:
            continue
        begins = model.starting_at(first.values)
        if _are_alike(begins, first.model):
            moved = [point for point in look.points if thing.moves(value, own, point)]
            promised = _promised(look, first, begins, moved)
            if promised is not None and promised > stays - WORTH / 2:
                gave.add(thing.what, value, promised)
                continue
        there = _with(look, first, begins)
        if there is None:
            continue
        gave.add(thing.what, value, there.whole_cost)
        if there.whole_cost < min(best.whole_cost, first.whole_cost - WORTH):
            best, best_value = there, value
    gave.best[thing.what] = str(best_value)
    return best


def _with(look: Search, near: Solution, model: Model) -> Solution | None:
    """Returns the search with another value of what is enumerated; None where the drive cannot be so."""
    try:
        if not _are_alike(model, near.model):
            return look.solve(model, steps=FIRST_STEPS, slopes=look.carried(model, near), renewals=0)
        return look.solve(model, steps=STEPS, slopes=near.jacobian, renewals=0)
    except WordlineError:
        return None


def _promised(look: Search, near: Solution, model: Model, moved: Sequence[Point]) -> float | None:
    """Returns the cost that another value of what is enumerated promises; None where the drive cannot be so."""
    try:
        return look.promised(model, near, moved)
    except WordlineError:
        return None


def _are_alike(one: Model, other: Model) -> bool:
    """Returns whether the same parameters are searched in two models."""
    return [each.name for each in one.parameters] == [each.name for each in other.parameters]
