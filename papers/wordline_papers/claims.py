"""The claims of the papers, and whether they hold here."""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from wordline.errors import StudyError
from wordline.stats.interval import Interval

__all__ = [
    "TITLES",
    "Claim",
    "Measured",
    "Measurement",
    "Verdict",
    "all_claims",
    "judge",
    "judged",
    "number",
    "parse",
    "said",
]

FILE = Path(__file__).with_name("claims.toml")
KINDS = ("exact", "calibration", "setting", "emergent")
# The papers, and what their parts of the pages are called.
TITLES = {"pnar2": "PR2 and AR2", "ida": "IDA coding", "ofwar": "OFWAR", "rif": "RiF", "aero": "AERO"}
# Kinds of claims about whole SSDs, which need a workload.
OF_SYSTEMS = ("setting", "emergent")
OPS = ("=", "<=", ">=", "order")
UNITS = ("", "fraction", "x", "us", "ms", "s", "days", "count", "steps", "bits", "pec")
FIELDS = {"id", "section", "about", "kind", "op", "value", "tol", "unit", "bound", "version"}
STALE = "not run at this commit: what the claim asks has changed since the run"
"""The note of a claim whose stored measurement answers another question."""
# Added to the tolerance: rounding errors of a float.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Claim:
    """One number, text or ordering that a paper reports; `claims.toml` describes the fields."""

    id: str
    section: str
    about: str
    kind: Literal["exact", "calibration", "setting", "emergent"]
    op: Literal["=", "<=", ">=", "order"]
    value: float | str
    tol: float = 0.0
    unit: str = ""
    bound: str = ""
    version: int = 1

    @property
    def paper(self) -> str:
        """The paper of the claim."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Measured:
    """A study's measurement for a claim.

    Attributes:
        value: A number in the claim's unit, a text if the claim's value is a text, None if it could not be measured.
        holds: Whether an ordering holds; for any other claim the numbers decide.
        synthetic: Whether synthetic requests replace the paper's traces; None if the claim has no workload.
            Left out: for a claim about a system whether any run of the figure had made-up requests, else None.
        note: Information for the reader, above all the likely reason if the claim does not hold.
    """

    value: float | str | None
    holds: bool | None = None
    synthetic: bool | Literal["auto"] | None = "auto"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Estimated(Measured):
    """A number with an interval of its own, such as a percentile over resampled reads.

    Attributes:
        interval: The interval; over several seeds that of their mean stands for it.
    """

    interval: Interval | None = None


Measurement = Measured | float | str | bool | None
"""A figure's value for a claim: a number or text, a bool for an ordering, or a `Measured` with more details."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim with its measurement.

    Attributes:
        claim: The paper's claim.
        measured: Our value, in the same unit; None if nothing was measured.
        holds: Whether the claim holds; None if nothing was measured.
        synthetic: See `Measured.synthetic`.
        note: See `Measured.note`.
        study: The study that measured it; empty if there is none.
        interval: Of a mean over several seeds, or of an `Estimated`; None if there is neither.
    """

    claim: Claim
    measured: float | str | None = None
    holds: bool | None = None
    synthetic: bool | None = None
    note: str = ""
    study: str = ""
    interval: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the verdict for JSON."""
        c, interval = self.claim, self.interval
        return {
            "id": c.id,
            "paper": c.paper,
            "section": c.section,
            "about": c.about,
            "kind": c.kind,
            "op": c.op,
            "expected": c.value,
            "tol": c.tol,
            "unit": c.unit,
            "measured": self.measured,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "seeds": 1 if interval is None else interval.count,
            "holds": self.holds,
            "synthetic": self.synthetic,
            "note": self.note,
            "study": self.study,
        }


@functools.cache
def all_claims() -> Mapping[str, Claim]:
    """Returns every claim by its id, in the file's order."""
    return parse(FILE.read_text(encoding="utf-8"), str(FILE))


def parse(text: str, file: str) -> dict[str, Claim]:
    """Parses the claims of a TOML text.

    Raises:
        StudyError: It is not TOML, or a claim breaks the rules at the top of the file; the message names it.
    """
    try:
        entries = tomllib.loads(text).get("claim", [])
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{file}: {error}", file=file) from None
    by_id: dict[str, Claim] = {}
    for entry in entries:
        name = entry.get("id", "a claim without id")
        wrong = _mistake(entry) or ("the id comes twice" if name in by_id else "")
        if wrong:
            raise StudyError(f"{file}: {name}: {wrong}", file=file)
        by_id[name] = Claim(**entry)
    return by_id


def _mistake(entry: Mapping[str, Any]) -> str:
    missing = {"id", "section", "about", "kind", "op", "value"} - entry.keys()
    if missing:
        return f"no `{min(missing)}`"
    if entry.keys() - FIELDS:
        return f"unknown field `{min(entry.keys() - FIELDS)}`"
    for field, choices in (("kind", KINDS), ("op", OPS), ("unit", UNITS)):
        if entry.get(field, "") not in choices and field in entry:
            return f"{field} = {entry[field]!r} is none of {', '.join(filter(None, choices))}"
    if not isinstance(entry.get("version", 1), int):
        return "version is a whole number"
    value, tol = entry["value"], entry.get("tol", 0.0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, str) and not is_number:
        return "value is a number or a text"
    if (entry["op"] == "order") > isinstance(value, str):
        return "the value of an ordering is a text that says what must hold"
    if entry["op"] in ("<=", ">=") and not is_number:
        return "the value of a bound is a number"
    if not isinstance(tol, int | float) or tol < 0 or (tol and not is_number):
        return "tol is a number from 0 on, and goes with a value that is one"
    return ""


def judge(claim: Claim, measured: Measured) -> bool | None:
    """Returns whether a claim holds; None if nothing was measured.

    Raises:
        StudyError: A measurement does not fit the claim, such as a text for a number.
    """
    value = measured.value
    if claim.op == "order":
        if value is None and measured.holds is None:
            return None
        if measured.holds is None:
            raise StudyError(f"{claim.id} is an ordering; say whether it holds: Measured(…, holds=…), or a bool")
        return measured.holds
    if value is None:
        return None
    if isinstance(claim.value, str) or isinstance(value, str):
        if not (isinstance(claim.value, str) and isinstance(value, str)):
            raise StudyError(f"{claim.id}: {value!r} was measured, the claim's value is {claim.value!r}")
        return value == claim.value
    slack = claim.tol + ROUNDING * max(1.0, abs(claim.value))
    if math.isnan(value):
        return False
    if claim.op == "<=":
        return value <= claim.value + slack
    if claim.op == ">=":
        return value >= claim.value - slack
    return abs(value - claim.value) <= slack


def number(given: Measurement) -> float | None:
    """Returns the measured number, if it is one."""
    value = given.value if isinstance(given, Measured) else given
    return value if isinstance(value, int | float) else None


def said(name: str, given: Measurement, synthetic: bool | None) -> Measured:
    """Returns a complete measurement.

    Args:
        name: The claim's id.
        given: The measurement.
        synthetic: Whether requests were generated; `given` takes precedence.

    Raises:
        StudyError: The claim does not exist, or the measurement does not fit it.
    """
    claim = all_claims().get(name)
    if claim is None:
        raise StudyError(f"there is no claim `{name}` in claims.toml")
    if isinstance(given, bool):
        if claim.op != "order":
            raise StudyError(f"{claim.id}: a truth was measured, the claim's value is {claim.value!r}")
        given = Measured("holds" if given else "does not hold", holds=given)
    value = given if isinstance(given, Measured) else Measured(given)
    if value.synthetic != "auto":
        return value
    return replace(value, synthetic=synthetic if claim.kind in OF_SYSTEMS else None)


def judged(measured: Mapping[str, Measurement], study: str, papers: Iterable[str]) -> list[Verdict]:
    """Returns a verdict on every measured claim and on all other claims of some papers, in the file's order.

    Args:
        measured: Measurements by claim id.
        study: The study that measured.
        papers: Papers whose claims are included even if nothing was measured.

    Raises:
        StudyError: A claim does not exist, or a measurement does not fit it.
    """
    wanted, by_name = set(papers), {name: said(name, given, None) for name, given in measured.items()}
    return [
        _verdict(claim, by_name[name], study) if name in by_name else Verdict(claim)
        for name, claim in all_claims().items()
        if name in by_name or claim.paper in wanted
    ]


def _verdict(claim: Claim, measured: Measured, study: str) -> Verdict:
    value = measured.value
    if isinstance(value, float) and not math.isfinite(value):
        # JSON does not have NaN and infinity.
        value = str(value)
    synthetic = None if measured.synthetic == "auto" else measured.synthetic
    interval = measured.interval if isinstance(measured, Estimated) else None
    return Verdict(claim, value, judge(claim, measured), synthetic, measured.note, study, interval)
