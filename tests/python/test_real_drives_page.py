"""The page of real drives and the heads of their presets say the same."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`tools/real_drives_page.py`, which is no package."""
    monkeypatch.syspath_prepend(str(TOOLS))
    return import_module("real_drives_page")


def rows_of(page: str, heading: str) -> list[str]:
    """The rows of the table below a line of the page."""
    below = page[page.index(heading) :].partition("|---")[2].splitlines()[1:]
    return [row for row in below[: below.index("")] if row.startswith("|")]


def head_of(preset: str) -> str:
    return (ROOT / "presets" / "ssd" / f"{preset}.toml").read_text(encoding="utf-8")


def test_each_row_of_the_page_is_in_the_head_of_its_preset(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    lines: dict[str, str] = {}
    for row in rows_of(page, "| preset | points |"):
        preset, points, *errors = (each.strip() for each in row.strip("|").split("|"))
        lines[preset.strip("`")] = lines.get(preset.strip("`"), "") + tool.head_line(points, errors)
    assert {group.preset for group in tool.GROUPS} == set(lines)
    for preset, expected in lines.items():
        assert "".join(tool.ANY_ERROR_OF_FIT.findall(head_of(preset))) == expected, preset
    over_time = rows_of(page, "## Writes over time")
    assert tool.ANY_OVER_TIME.findall(head_of(tool.SLC_DRIVE)) == [tool.over_time_line(over_time)]


def test_a_host_that_a_preset_gives_its_values_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    refit = import_module("refit_real_drives")
    for preset, name in refit.HOST_FILES.items():
        host = tomllib.loads(refit.host_path(name).read_text(encoding="utf-8"))["host"]
        assert host == tomllib.loads(head_of(preset))["host"]


def test_errors_on_points_that_a_fit_did_not_see_are_those_of_the_heads(tool: ModuleType) -> None:
    rows = rows_of(tool.PAGE.read_text(encoding="utf-8"), "## Points that the fit did not see")
    presets = [re.findall("`(.*)`", row)[0] for row in rows]
    assert [tool.unseen_of(preset, head_of(preset)) for preset in presets] == [f"{row}\n" for row in rows]
