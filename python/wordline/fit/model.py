"""What is searched: the times and rates of a drive that its latencies and rates depend on, and the keys they set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..config import Config
from ..errors import WorkloadError

__all__ = ["Model", "Parameter", "Values"]

Values = Mapping[str, float]
Moves = Literal["read", "write", "all"]
GUESS_DEVIATION = 1.0
"""A closed form may be off by a factor of e: next to nothing beside points that bound a parameter."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that is searched, on a logarithmic scale.

    Attributes:
        name: Such as `read_1_us`.
        what: What it is, in a few words.
        keys: The keys that it decides.
        start: Where the search begins.
        low: Its least value.
        high: Its largest value.
        moves: The points that depend on it.
        of_host: Whether it belongs to the host, not to the drive.
        guess: What it is taken to be where points say little; None: where the search begins.
        deviation: Standard deviation of the logarithm of that guess.
    """

    name: str
    what: str
    keys: tuple[str, ...]
    start: float
    low: float
    high: float
    moves: Moves = "all"
    of_host: bool = False
    guess: float | None = None
    deviation: float = GUESS_DEVIATION


@dataclass(frozen=True)
class Model:
    """A drive with numbers to find.

    Attributes:
        base: What is not searched.
        parameters: What is.
        fixed: Settings of what is enumerated, such as the number of dies.
    """

    base: Config
    parameters: tuple[Parameter, ...]
    fixed: tuple[tuple[str, object], ...] = ()

    def settings(self, values: Values) -> dict[str, object]:
        """Returns the keys of some values; parameters that are not among them stay at the base's."""
        settings: dict[str, object] = dict(self.fixed)
        for name, value in values.items():
            if name in _KEYS:
                key, factor = _KEYS[name]
                settings[key] = round(value * factor) if key.endswith("_ns") else round(value * factor, 4)
        levels = levels_in(values)
        if levels:
            settings["nand.read_us"] = sense_times(levels, scheme_of(self.base.set_all(dict(self.fixed))))
        return settings

    def config(self, values: Values) -> Config:
        """Returns the drive with some values."""
        return self.base.set_all(self.settings(values))

    def with_settings(self, settings: tuple[tuple[str, object], ...]) -> Model:
        """Returns the model with other values of what is enumerated."""
        kept = tuple(each for each in self.fixed if each[0] not in dict(settings))
        return Model(self.base, self.parameters, (*kept, *settings))

    def starting_at(self, values: Values) -> Model:
        """Returns the model whose search begins at some values."""
        parameters = tuple(replace(each, start=values.get(each.name, each.start)) for each in self.parameters)
        return Model(self.base, parameters, self.fixed)

    def beginning(self, guesses: Values) -> Model:
        """Returns the model whose guesses, and where its search begins, are others; the rest is the base's."""
        base = self.base_values()
        parameters = tuple(
            replace(each, start=start, guess=start)
            for each in self.parameters
            for start in [guesses.get(each.name, base.get(each.name, each.guess or each.start))]
        )
        return Model(self.base, parameters, self.fixed)

    def base_values(self) -> dict[str, float]:
        """Returns the base's values of keys that a parameter sets alone, where there are any."""
        values = {name: self.base[key] for name, (key, _) in _KEYS.items()}
        known = {name: value for name, value in values.items() if isinstance(value, int | float) and value > 0}
        return {name: value / _KEYS[name][1] for name, value in known.items()}

    def own_values(self) -> dict[str, float]:
        """Returns what the base has for each parameter; the least value where it has none, such as a time of 0."""
        base = self.base.set_all(dict(self.fixed))
        times, senses = [float(each) for each in base["nand.read_us"]], _SENSES.get(scheme_of(base), (1,))
        levels = dict(zip(LEVELS, (times[min(count, len(times)) - 1] for count in senses), strict=False))
        commands = dict.fromkeys(("command_read_us", "command_write_us"), base["controller.command_ns"] / 1e3)
        known = {**commands, **self.base_values(), **levels}
        return {each.name: known.get(each.name) or each.low for each in self.parameters}

    def without(self, names: Sequence[str]) -> Model:
        """Returns the model in which some parameters stay at the base's value."""
        kept = tuple(each for each in self.parameters if each.name not in names)
        return Model(self.base, kept, self.fixed)


LEVELS = ("read_1_us", "read_2_us", "read_3_us", "read_4_us")
"""Times of a read by page type, from the fastest."""
# Parameter to key, with the factor from its unit to the key's.
_KEYS: dict[str, tuple[str, float]] = {
    "path_us": ("host.complete_ns", 1e3),
    "job_us": ("host.job_ns", 1e3),
    "reap_us": ("host.reap_ns", 1e3),
    "switch_us": ("host.switch_ns", 1e3),
    "handshake_us": ("host.sata_handshake_ns", 1e3),
    "link_mb_s": ("host.link_rate_mb_s", 1.0),
    "command_read_us": ("controller.command_read_ns", 1e3),
    "command_write_us": ("controller.command_write_ns", 1e3),
    "batch_write_us": ("controller.batch_write_ns", 1e3),
    "channel_mb_s": ("channel.rate_mb_s", 1.0),
    "program_us": ("nand.program_wordline_us", 1.0),
    "mapped_share": ("precondition.fill", 1.0),
}
_SENSES = {
    "slc": (1,),
    "mlc-1-2": (1, 2),
    "tlc-1-2-4": (1, 2, 4),
    "tlc-2-3-2": (2, 3),
    "qlc-1-2-4-8": (1, 2, 4, 8),
}
"""Numbers of senses of the page types of a coding, from the fewest."""


TIMES = ("nand.read_us", *(key for key, _ in _KEYS.values() if key != "precondition.fill"))
"""Keys of what is searched that move no data: drives that differ in these alone have one history."""
NAMES = ("host", "drive", *LEVELS, *_KEYS)
"""What `free` takes."""


def check_free(names: Sequence[str]) -> None:
    """Checks names of parameters.

    Raises:
        WorkloadError: There is no such parameter.
    """
    for name in names:
        if name not in NAMES:
            raise WorkloadError(f"there is no parameter `{name}`; there are {', '.join(NAMES)}")


def levels_in(values: Values) -> list[float]:
    """Returns the read times among values, by page type; one that is missing is not told apart from the next."""
    known = [(place, values[name]) for place, name in enumerate(LEVELS) if name in values]
    return [next(value for at, value in known if at >= place) for place in range(known[-1][0] + 1)] if known else []


def levels_of(config: Config) -> int:
    """Returns how many levels the reads of a drive can have: its page types of different numbers of senses."""
    return len(_SENSES.get(scheme_of(config), (1,)))


def scheme_of(config: Config) -> str:
    """Returns the coding scheme, also where the cell decides it."""
    scheme = str(config["coding.scheme"])
    usual = {"slc": "slc", "mlc": "mlc-1-2", "tlc": "tlc-1-2-4", "qlc": "qlc-1-2-4-8"}
    return usual[config["coding.cell"]] if scheme == "auto" else scheme


def for_all_codings(config: Config) -> Config:
    """Returns a drive whose read times are enough for each coding of its cells: `tlc-1-2-4` has one more."""
    times = list(config["nand.read_us"])
    most = max((senses[-1] for name, senses in _SENSES.items() if name.startswith(config["coding.cell"])), default=1)
    return config if len(times) >= most else config.set("nand.read_us", times + times[-1:] * (most - len(times)))


def sense_times(levels: Sequence[float], scheme: str) -> list[float]:
    """Returns `nand.read_us` of some levels: the time of each number of senses, from 1 on."""
    senses = _SENSES.get(scheme, tuple(2**place for place in range(len(levels))))
    ordered = sorted(levels)
    times = []
    for count in range(1, senses[-1] + 1):
        place = next(place for place, most in enumerate(senses) if count <= most)
        times.append(round(ordered[min(place, len(ordered) - 1)], 4))
    return times
