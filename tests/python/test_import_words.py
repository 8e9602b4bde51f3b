"""Every feature of Wordline has a word of every simulator whose files are read, and what is set is said to be set."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from api_helpers import ROOT
from test_imports import FEMU, SIMPLESSD, SSDSIM
from wordline.imports import read
from wordline.imports.words import SET, SIMULATORS, word

FILES = {
    "FEMU": FEMU.format(transfer=0, mode=1),
    "SimpleSSD": SIMPLESSD.format(cell=1),
    "SSDsim": SSDSIM.format(chips=2),
}
# Keys of the shape, the times and the thresholds of any SSD: no features.
SHAPE = frozenset({"ssd.page_bytes", "ssd.spare_bytes", "coding.cell", "coding.scheme", "ftl.allocation", "gc.policy",
                   "schedule.policy"})  # fmt: skip


def features() -> Iterator[str]:
    """Keys that turn something on: choices, switches, and numbers that are 0 by default."""
    sections = json.loads((ROOT / "schemas" / "config.json").read_text())["properties"]
    for section, table in sections.items():
        for name, schema in table.get("properties", {}).items():
            text = json.dumps(schema)
            if '"enum"' in text or '"boolean"' in text or schema.get("default") == 0:
                yield f"{section}.{name}"


def test_every_feature_has_a_word_of_every_importer() -> None:
    asked = [key for key in features() if key not in SHAPE]
    assert len(asked) > 80
    assert [(simulator, key) for simulator in SIMULATORS for key in asked if word(simulator, key) is None] == []
    # The test can fail: a feature that nobody knows has no word.
    assert word("FEMU", "ftl.new_feature") is None


@pytest.mark.parametrize("simulator", FILES)
def test_what_an_importer_sets_is_not_said_to_be_missing(simulator: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(FILES[simulator])
    given = {f"{table}.{key}" for table, keys in tomllib.loads(read(path).toml).items() for key in keys}
    said = {key: word(simulator, key) for key in given if key in set(features()) - SHAPE}
    free = {"precondition.fill", "precondition.overwrite"}
    assert {
        key: said[key] for key in said if said[key] != SET and key not in free and not key.startswith("channel.")
    } == {}
