"""`wordline reproduce device --refit` and `ida --refit`: fits settings again, and says which would move."""

from __future__ import annotations

import tempfile
from pathlib import Path

from wordline.cli import talk
from wordline.cli.errors import BadInputError

DAMAGE = "erase.damage_per_loop"
"""The constant that a table of erase work decides: AERO_CONS has to live as long as before."""


def refit(names: list[str]) -> None:
    """Fits the settings of a study again and prints them.

    Raises:
        BadInputError: This study has no settings to fit, or there is no checkout.
    """
    if names == ["device"]:
        fit_constants()
    elif names == ["ida"]:
        fit_loads()
    else:
        raise BadInputError(
            "only the device model's constants and the loads of `ida` are fitted",
            "run `wordline reproduce device --refit` or `wordline reproduce ida --refit`",
        )


def fit_constants() -> None:
    """Prints each calibrated constant of the device model with the number that determines it, and whether it moves."""
    from wordline.lab.refit import FITS, refit

    from ..checkout import ROOT

    path = ROOT / "presets" / "chips" / "tlc-48l.toml"
    if not path.is_file():
        raise BadInputError(f"there is no {path}", "run it in a checkout")
    refitted = refit(path.read_text(encoding="utf-8"), FITS, talk.note)
    for each in refitted:
        arrow = f"-> {each.fitted:g}" if each.moved else "stays"
        talk.data(
            f"{each.fit.key} = {each.was:g} {arrow}   {each.fit.source}: {each.measured:.4g} of {each.fit.target:g}\n"
        )
    moved = sum(each.moved for each in refitted)
    talk.note(f"{moved} of {len(refitted)} constants move; {path} is left as it is")
    fit_erase_work(path.read_text(encoding="utf-8"))


def fit_erase_work(text: str) -> None:
    """Prints the table of erase work, whether it moves, and each distribution of erases beside the data's."""
    from wordline.lab.refit import refit, work
    from wordline.lab.refit.chip_file import value
    from wordline.lab.refit.erases import ERASES

    with tempfile.TemporaryDirectory() as folder:
        lab = work.lab_in(Path(folder))
        start = work.with_knots(text, work.with_midpoints(work.knots(text)))
        moved = work.search(start, lab, talk.note)
        for key in work.SHARES:
            was, fitted = value(text, key), value(moved, key)
            talk.data(f"{key} = {was:g} {'stays' if fitted == was else f'-> {fitted:g}'}\n")
        for knot, after in zip(work.knots(start), work.knots(moved), strict=True):
            arrow = "stays" if after == knot else f"-> share {after.share}, pulses {after.pulses}"
            talk.data(f"erase.work: share {knot.share}, pulses {knot.pulses} {arrow}\n")
        damage = [fit for fit in ERASES if fit.key == DAMAGE]
        for each in refit(moved, damage, talk.note):
            arrow = f"-> {each.fitted:g}" if each.moved else "stays"
            talk.data(f"{each.fit.key} = {each.was:g} {arrow} with this table\n")
        talk.data(
            "scheme, P/E cycles: mean ms (data), standard deviation (data), whole last pulses (data), distance, "
            "last pulse ms (data)\n"
        )
        for row in work.compared(lab(text)):
            (mean, its_mean), (std, its_std), (full, its_full) = row.mean_ms, row.std_ms, row.full
            talk.data(
                f"{row.scheme}, {row.pec}: {mean:.2f} ({its_mean:.2f}), {std:.2f} ({its_std:.2f}), "
                f"{full:.0%} ({its_full:.0%}), {row.distance:.3f}"
                + ("\n" if row.last_ms is None else f", {row.last_ms[0]:.2f} ({row.last_ms[1]:.2f})\n")
            )
        talk.data("between the data's P/E counts: mean ms (smooth curve through the data)\n")
        for scheme, pec, ours, curve in work.between(lab(text)):
            talk.data(f"{scheme}, {pec}: {ours:.2f} ({curve:.2f})\n")


def fit_loads() -> None:
    """Prints the load of each workload of IDA, and whether it moves."""
    from ..ida import fit
    from ..ida.points import LOADS

    loads = fit.loads(talk.note)
    for name, load in loads.items():
        arrow = "stays" if load == LOADS[name] else f"-> {load:g}"
        talk.data(f"{name} = {LOADS[name]:g} {arrow}   IDA, Table V: {fit.wanted(name):.3f}\n")
    moved = sum(load != LOADS[name] for name, load in loads.items())
    talk.note(f"{moved} of {len(loads)} loads move; wordline_papers/ida/points.py is left as it is")
