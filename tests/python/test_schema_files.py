"""Editors find the schema of every TOML file that comes with Wordline, and the files fit it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from cli_runner import wordline
from wordline.config_schema import schema
from wordline.sweeps.entries import ENTRIES
from wordline.sweeps.schema import sweep_schema

ROOT = Path(__file__).resolve().parents[2]
# A chip's file describes cells, not a configuration; it has no schema.
FILES = [
    path
    for pattern in ("presets/ssd/*.toml", "presets/base/*.toml", "presets/workloads/*/*.toml", "examples/*.toml")
    for path in sorted(ROOT.glob(pattern))
]
DIRECTIVE = "#:schema "


def schema_of(path: Path) -> dict[str, Any]:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(DIRECTIVE), f"{path}: the first line names no schema"
    place = (path.parent / first.removeprefix(DIRECTIVE)).resolve()
    assert place.parent == ROOT / "schemas"
    read: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return read


REGISTRY: Registry[Any] = Registry().with_resource("config.json", Resource.from_contents(schema()))


def mistakes(schema: dict[str, Any], text: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema, registry=REGISTRY)
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(tomllib.loads(text))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_file_fits_the_schema_that_it_names(path: Path) -> None:
    assert mistakes(schema_of(path), path.read_text(encoding="utf-8")) == []


def test_there_are_files_of_each_kind() -> None:
    titles = {schema_of(path)["title"] for path in FILES}
    assert titles == {"Wordline configuration", "Wordline workload", "Wordline sweep", "Wordline flows"}


def test_the_command_prints_it() -> None:
    answer = wordline("schema", "sweep")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out) == sweep_schema()
    jsonschema.Draft202012Validator.check_schema(sweep_schema())


@pytest.mark.parametrize(
    "text",
    [
        'ssd = "mqsim"\nseeds = [1, 5]\ncheck = true\n[set]\nqueue_depth = 4\n"gc.policy" = "fifo"',
        'trace = { path = "t.csv", wrap = true, format = "msrc" }\n[grid]\nssd = ["mqsim"]\nrequests = [1, 2]',
        'ssd = "mqsim"\n[grid]\nread.retry = ["baseline", "pso+pnar2"]\ngc.policy = ["d-choices", "d_choices"]',
        'ssd = "mqsim"\n[[zip]]\nnand.read_us = [[40.0], [50.0]]\nseed = [1, 2]',
        'ssd = "mqsim"\n[zip]\nhost.queue_depth = [1]',
        'ssd = "mqsim"\nrequests = "10k"\nscale = "1/64"\nsteady = true\n[set]\nssd.page_bytes = "16k"',
    ],
)
def test_good_files_fit(text: str) -> None:
    assert mistakes(sweep_schema(), text) == []


@pytest.mark.parametrize(
    "text",
    [
        "ssd = 3",
        "seeds = 0",
        'seeds = "two"',
        "check = 1",
        "gird = 1",
        "grid = 3",
        "zip = 3",
        'trace = { file = "t.csv" }',
        'trace = { path = "t.csv", wrapp = true }',
        "[grid]\nhost.queue_depth = 1",
        "[grid]\nhost.queue_depth = []",
        "[grid]\nhost.queue_depth = [-1]",
        "[grid]\nhost.queue_dept = [1]",
        '[grid]\n"gc.policy" = ["fast"]',
        "[grid]\nrequests = [0]",
        'requests = "10x"',
        'steady = "yes"',
        '[set]\nssd.page_bytes = "16us"',
        "[set]\nhost.queue_depth = [1]",
        '[set]\nssd.channels = "many"',
    ],
)
def test_mistakes_are_found_in_both_ways(text: str, tmp_path: Path) -> None:
    """What the schema refuses, the command refuses, too."""
    assert mistakes(sweep_schema(), text)
    (tmp_path / "s.toml").write_text(text if text.startswith("ssd") else f'ssd = "mqsim"\n{text}')
    assert wordline("sweep", "s.toml", "--jobs", "1", cwd=tmp_path).code == 2


def test_each_entry_is_checked_by_its_declaration() -> None:
    assert set(sweep_schema()["properties"]) == set(ENTRIES)
    assert not ENTRIES["requests"].fits(0)
    assert not ENTRIES["requests"].fits(True)
    assert ENTRIES["trace"].fits({"path": "t"})
