"""Fits presets of real drives again, and keeps what is nearer to the points that it was fitted to.

python3 tools/refit_real_drives.py PRESET[,PRESET] real_drives.csv real_interference.csv --cache FOLDER

The preset is the base, so that what no point shows stays. The rule: a new fit is kept where its cost on the fitted
points, the mean over four seeds, is lower than the preset's by `WORTH`, which is two standard deviations. The error on
points that the fit did not see is printed for both, and decides nothing. Then run `tools/real_drives_page.py`.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import re
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

import numpy as np
from fit_cost import cost
from real_drives_page import GROUPS, ROOT, Group, path_of

import wordline as wl
from wordline.agreement import Length, Simulator
from wordline.agreement.memo import Memo
from wordline.config import toml_value
from wordline.fit import Fit, fit
from wordline.fit.choices import WORTH
from wordline.fit.drive import part_of, usable
from wordline.fit.residuals import residuals_of
from wordline.fit.search import cost_of
from wordline.fit.written import error_lines, reasons
from wordline.measured import Point, read

REQUESTS = 8000
"""With 2,500, the number that a fit takes else, chance decided between drives whose writes the flash limits."""
SEEDS = (1, 2, 3, 4)
HOSTS = {"intel-d3-s4610-480gb": "sas2008-hba", "samsung-860-pro": "sas2008-hba"}
"""Drives whose host is known from another drive: theirs alone is searched."""
DRIVES = {"intel-d3-s4610-480gb-new": "intel-d3-s4610-480gb"}
"""Drives that are known from the same one on another host: this host alone is searched, and how much has data."""
DRIVE_KEYS = ("nand.read_us", "controller.command_write_ns", "controller.batch_write_ns")
HOST_FILES = {"intel-d3-s4610-480gb-new": "microserver-ahci"}
"""Presets that give the file of a host its values."""
FREE = {
    "samsung-pm883-480gb": ("drive", "path_us", "job_us", "reap_us"),
    "intel-d3-s4610-480gb-new": ("host", "mapped_share"),
}
"""The handshake of SATA stays: the PM883's points allow one that is too long for the rate of the 860 PRO's reads."""
UNSEEN = re.compile(r"^# Error on points that the fit did not see.*\n", re.MULTILINE)
LACKS = re.compile(r"^# Lacks: ", re.MULTILINE)
UNBOUNDED = re.compile(r"^# No point bounds .*\n", re.MULTILINE)


def main() -> None:
    """Fits the presets that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("presets", help="names, separated by commas")
    parser.add_argument("files", nargs=2, help="points that ran alone, and points beside others")
    parser.add_argument("--cache", type=Path, required=True, help="folder in which simulations are kept")
    parser.add_argument("--jobs", type=int, default=2, help="simulations at a time")
    intervals = argparse.BooleanOptionalAction
    parser.add_argument("--intervals", action=intervals, default=True, help="also find how well each value is known")
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    memo = Memo(asked.cache / "fit.jsonl")
    for preset in asked.presets.split(","):
        renew(preset, points_of(preset, asked.files), memo, asked.jobs, with_intervals=asked.intervals)


def points_of(preset: str, files: list[str]) -> list[Point]:
    """Returns the points that a preset is fitted to: those of its rows on the page that a fit may see."""
    groups = [each for each in GROUPS if each.preset == preset and each.is_fitted]
    return [point for group in groups for point in points_of_group(group, files[group.file])]


def points_of_group(group: Group, file: str) -> list[Point]:
    """Returns the points of a row of the page."""
    return [each for each in read(file, group.rows).points if each.outstanding <= group.outstanding]


def renew(preset: str, points: list[Point], memo: Memo, jobs: int, *, with_intervals: bool) -> None:
    """Fits a preset again, says what came of it, and writes it where it is nearer; its errors in any case."""
    own = wl.config(path_of(preset))
    known = {**host_keys(preset), **drive_keys(preset)}
    base = own.set_all({key: value for key, (value, _) in known.items()})
    began, began_cpu = time.monotonic(), time.process_time()
    done = fit(
        base,
        points,
        free=("drive",) if preset in HOSTS else FREE.get(preset, ()),
        requests=REQUESTS,
        jobs=jobs,
        memo=memo,
        say=say,
        with_intervals=with_intervals,
    )
    took_s, cpu_s = time.monotonic() - began, time.process_time() - began_cpu
    used, _ = usable(base, points)
    simulator = Simulator(Length(REQUESTS), jobs, memo)
    old, new = (mean_cost(simulator, each, used) for each in (own, done.config))
    kept = new < old - WORTH
    print(f"\n{preset}: {len(used)} points, {done.spent} simulations, {took_s:.0f} s, {cpu_s:.0f} s of processor time")
    print(f"  cost on the fitted points: {old:.1f} before, {new:.1f} now: {'kept' if kept else 'the old one stays'}")
    print(f"  cost on points that the fit did not see: {cost(used, done.unseen.rows):.1f}")
    print(*(f"  {line}" for line in error_lines(done)), sep="\n")
    print("  the preset's head:", *UNSEEN.findall(base_text(preset)), sep="\n  ")
    keys = {**known, **reasons(done)}
    for key, (value, why) in keys.items():
        print(f"  {key} = {value} # {why}")
    text = with_errors(base_text(preset), done)
    path_of(preset).write_text(with_keys(text, keys) if kept else text, encoding="utf-8", newline="\n")
    if kept and preset in HOST_FILES:
        renew_host(HOST_FILES[preset], keys)


def renew_host(name: str, keys: Mapping[str, tuple[object, str]]) -> None:
    """Writes the keys of a host that were found into its file."""
    path = host_path(name)
    of_host = {key: (value, why.removeprefix("of the host: ")) for key, (value, why) in keys.items() if "host." in key}
    path.write_text(with_keys(path.read_text(encoding="utf-8"), of_host), encoding="utf-8", newline="\n")


def host_path(name: str) -> Path:
    """Returns the file of a host."""
    return ROOT / "presets" / "hosts" / f"{name}.toml"


def mean_cost(simulator: Simulator, config: wl.Config, used: list[Point]) -> float:
    """Returns the cost of a drive, the mean over some seeds: a search fits the chance of one."""
    residuals = residuals_of(used)
    drives = [part_of(config.set("seed", seed)) for seed in SEEDS]
    return fmean(cost_of(np.array(residuals.of(simulator.numbers(each, used)))) for each in drives)


def say(what: str, runs: int) -> None:
    """Shows that the fit goes on."""
    print(f"\r{what}: {runs} simulations", end="", flush=True)


def base_text(preset: str) -> str:
    """Returns the text of a preset."""
    return path_of(preset).read_text(encoding="utf-8")


def host_keys(preset: str) -> dict[str, tuple[object, str]]:
    """Returns the keys of the host of a drive, if it is known from another one, each with its value and why."""
    name = HOSTS.get(preset)
    if name is None:
        return {}
    table = tomllib.loads(host_path(name).read_text(encoding="utf-8"))["host"]
    fitted = ("complete_ns", "sata_handshake_ns", "job_ns", "reap_ns")
    return {f"host.{key}": (table[key], f"the host {name}: fitted on the PM883") for key in fitted if key in table}


def drive_keys(preset: str) -> dict[str, tuple[object, str]]:
    """Returns the keys of a drive that is known from another preset, each with its value and why."""
    name = DRIVES.get(preset)
    if name is None:
        return {}
    drive = wl.config(path_of(name))
    return {key: (drive[key], f"fitted on the other host: the preset {name}") for key in DRIVE_KEYS}


def with_errors(text: str, done: Fit) -> str:
    """Returns a preset with the errors on points that the fit did not see, and with what no point bounds, in its head.

    These are of the search as it is now, also where the preset stays as it was.
    """
    unseen = "".join(f"# {line}\n" for line in error_lines(done) if "did not see" in line)
    loose = "".join(f"# No point bounds {name}: the base's value stays.\n" for name in done.unbounded)
    text, places = UNSEEN.subn(lambda _: unseen + loose, UNBOUNDED.sub("", text))
    return text if places else LACKS.sub(lambda line: unseen + loose + line[0], text, count=1)


def with_keys(text: str, keys: Mapping[str, tuple[object, str]]) -> str:
    """Returns a preset with other values of some keys; one that it does not have is added to its section."""
    for key, (value, why) in keys.items():
        section, _, name = key.partition(".")
        head, found, body = text.partition(f"[{section}]\n")
        if not found:
            head, body = f"{text.rstrip()}\n\n", ""
        own, end, rest = body.partition("\n\n")
        line = f"{name} = {toml_value(key, value)} # {why}"
        lines = own.splitlines()
        place = next((at for at, each in enumerate(lines) if each.startswith(f"{name} = ")), len(lines))
        lines[place : place + 1] = [line]
        own = "\n".join(lines)
        text = f"{head}[{section}]\n{own}{end}{rest}"
    return text.rstrip() + "\n"


if __name__ == "__main__":
    main()
