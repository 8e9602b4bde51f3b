"""`wordline lifetime`: TBW, DWPD and years of the drive of a saved run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk
from .errors import BadInputError
from .paths import READS

if TYPE_CHECKING:
    from rich.console import Console

    from ..result import Result
    from ..stats import Interval
    from ..stats.lifetime import Lifetime, Rating

BOUND = (
    "an upper bound: all blocks wear alike (--unevenness), wear alone ends the drive, and it is written as in the run "
    "all the time; docs/not-modelled.md says what is not in it"
)

FAR = 1.5
"""Drive writes a day that differ by this factor from those that a drive is sold for need a word."""
OF_AGING = (
    "of aging: the write amplification at which the drive was level before the run; it is taken where the run's own is "
    "neither steady nor known within 10 %, and has no interval of 95 %"
)


def lifetime(
    folder: Annotated[
        str, typer.Argument(metavar="DIR[:N]", help="A folder that --out wrote, or the Nth row of its table."), READS
    ],
    pec: Annotated[
        float | None,
        typer.Option(
            "--pec", metavar="N", help="P/E cycles that a block endures, instead of what the preset says (rated_pec)."
        ),
    ] = None,
    years: Annotated[
        float, typer.Option("--years", metavar="Y", help="Length of the warranty, for drive writes a day.")
    ] = 5.0,
    unevenness: Annotated[
        float,
        typer.Option(
            "--unevenness", metavar="X", help="P/E cycles of the most worn blocks over the mean, 1 for even wear."
        ),
    ] = 1.0,
    json: opt.Json = False,
) -> None:
    """Say how much a host may write to a run's drive (TBW, DWPD), and how many years it lasts under this load.

    The write amplification is that of the run if it is steady, else that of the equilibrium that --steady reached.
    """
    from ..record.changes import rows_of
    from ..stats.lifetime import rating

    rows = []
    for settings, result in rows_of(folder):
        rated = rating(result.config)
        rows.append((settings, result, rated, life_of(result, rated, pec, years, unevenness)))
    if json:
        from ..output.json_document import text

        talk.data(text({"rows": [document(*row, years) for row in rows]}))
        return
    talk.warnings(line for _, result, _, _ in rows for line in warnings(result))
    talk.show(lambda console: draw(rows, years, console))


Row = tuple[Mapping[str, Any], "Result", "Rating", "Lifetime"]


def life_of(result: Result, rated: Rating, pec: float | None, years: float, unevenness: float) -> Lifetime:
    """Returns the life of a run's drive.

    Raises:
        BadInputError: Nobody says what a block endures, an option is out of its range, or the run wrote nothing.
    """
    from ..stats.lifetime import lifetime_of

    if pec is None and rated.pec is None:
        name = result.config.layers[0].name if result.config.layers else "the base"
        raise BadInputError(f"{name} has no rated_pec", "say what a block endures, as in --pec 3000")
    cycles = pec if pec is not None else rated.pec.value if rated.pec is not None else 0.0
    try:
        return lifetime_of(result.document, result.config, cycles, warranty_years=years, wear_unevenness=unevenness)
    except ValueError as error:
        raise BadInputError(str(error), "see `wordline lifetime --help`; the run must write") from None


def warnings(result: Result) -> list[str]:
    """Returns why the write amplification of a run may not be that of years."""
    from ..stats.lifetime import is_confirmed, steadier, why_not_of_run
    from ..stats.run import dig

    if result.document.get("partial"):
        return ["the run was stopped early (Ctrl-C): its write amplification is that of a part; run it to its end"]
    whose = steadier(result.document)
    is_steady = dig(result.document, "steady.write_amplification.verdict") == "steady"
    if whose == "run" and is_steady:
        return []
    reason = why_not_of_run(result.document) if is_steady else dig(result.document, "steady.write_amplification.reason")
    reason = reason or "nothing is known of its trend"
    if whose == "aging":
        told = f"write amplification of the run is not that of years ({reason}), so that of aging is taken"
        return [f"{told}; the rate of writes, of which the years are, is that of the run"]
    if is_confirmed(result.document):
        return []
    is_aged = bool(dig(result.document, "precondition.steady"))
    fix = 'run on, as with --until "wa ±3%"' if is_aged else "run with --steady, which begins with a used drive"
    return [f"write amplification may not be that of years: {reason}; {fix}"]


def document(
    settings: Mapping[str, Any], result: Result, rated: Rating, life: Lifetime, years: float
) -> dict[str, Any]:
    """Returns a row in the form of `--json`."""
    from ..stats.lifetime import aged_amplification

    stated = {"rated_pec": rated.pec, "rated_dwpd": rated.dwpd}
    return {
        "set": dict(settings),
        "workload": result.workload["name"],
        "tbw_tb": life.tbw_tb,
        "tbw_tb_interval": ends(life.tbw_interval),
        "dwpd": life.dwpd,
        "dwpd_interval": ends(life.dwpd_interval),
        "warranty_years": years,
        "years": life.years,
        "years_interval": ends(life.years_interval),
        "pec": life.pec,
        "write_amplification": life.write_amplification,
        "write_amplification_of": life.amplification_of,
        "write_amplification_of_run": result.write_amplification,
        "write_amplification_of_aging": aged_amplification(result.document),
        "wear_unevenness": life.wear_unevenness,
        **{
            name: None if each is None else {"value": each.value, "source": each.source}
            for name, each in stated.items()
        },
        "warnings": warnings(result),
    }


def ends(interval: Interval | None) -> dict[str, float | None] | None:
    """Returns an interval in the form of `--json`."""
    return None if interval is None else {"low": interval.low, "high": interval.high}


def draw(rows: Sequence[Row], years: float, console: Console) -> None:
    """Prints a row a run, and where the numbers come from."""
    from rich.text import Text

    from ..output.compare_table import setting_text
    from ..output.console import grid
    from ..output.numbers import measure
    from ..stats.lifetime import aged_amplification

    keys = list(rows[0][0])
    aged = [aged_amplification(result.document) for _, result, _, _ in rows]
    heads = ["WA"] if not any(aged) else ["WA of the run", "of aging", "taken"]
    table = grid(*keys, "workload", *heads, "TBW", f"DWPD ({years:g} years)", "years under this load")
    for each in table.columns[: len(keys) + 1]:
        each.justify = "left"
    for (settings, result, _, life), of_aging in zip(rows, aged, strict=True):
        both = (measure(result.write_amplification), measure(of_aging), life.amplification_of)
        table.add_row(
            *(setting_text(key, settings.get(key, "")) for key in keys),
            result.workload["name"],
            *both[: len(heads)],
            span(life.tbw_tb, life.tbw_interval, " TB"),
            span(life.dwpd, life.dwpd_interval),
            "-" if life.years is None else span(life.years, life.years_interval),
        )
    console.print(table)
    for line in sources(rows, years):
        console.print(Text(line, style="dim"))


def sources(rows: Sequence[Row], years: float) -> list[str]:
    """Returns where the numbers of a table come from, and what they leave out."""
    *_, rated, life = rows[0]
    given = rated.pec is not None and rated.pec.value == life.pec
    source = rated.pec.source if given and rated.pec is not None else "given"
    lines = [f"a block endures {life.pec:,.0f} P/E cycles ({source})"]
    if rated.dwpd is not None:
        lines.append(f"for comparison: the drive is sold for {rated.dwpd.value:g} DWPD ({rated.dwpd.source})")
        lines += cycles_of_rating(rated.dwpd.value, [row for *_, row in rows], years)
    intervals = [each for *_, row in rows for each in (row.tbw_interval, row.years_interval) if each is not None]
    if any(each.low is not None or each.high is not None for each in intervals):
        lines.append("in parentheses: 95 % interval, from those of write amplification and of the rate of writes")
    if any(each.low is None or each.high is None for each in intervals):
        lines.append("without an interval, or with one end of it: the run is too short, or its numbers still change")
    if any(row.amplification_of == "aging" for *_, row in rows):
        lines.append(OF_AGING)
    if any(row.years is None for *_, row in rows):
        lines.append("years: not known, as the writes of the run took no time, so that it has no rate of them")
    return [*lines, BOUND]


def cycles_of_rating(rated_dwpd: float, lives: Sequence[Lifetime], years: float) -> list[str]:
    """Returns the P/E cycles that the rating would need over some years, where it is far off."""
    far = [each for each in lives if not 1 / FAR <= each.dwpd / rated_dwpd <= FAR]
    return [
        f"the rating would need about {each.pec * rated_dwpd / each.dwpd:,.0f} cycles at a WA of "
        f"{each.write_amplification:.3g}, over {years:g} years"
        for each in far
    ]


def span(value: float, interval: Interval | None, unit: str = "") -> str:
    """Returns a number with the ends of its interval that are known."""
    text = f"{plain(value)}{unit}"
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    if low is not None and high is not None:
        return f"{text} ({plain(low)} to {plain(high)})"
    if low is not None or high is not None:
        return f"{text} (from {plain(low)})" if low is not None else f"{text} (to {plain(high or 0.0)})"
    return text


def plain(value: float) -> str:
    """Returns a number without an exponent."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
