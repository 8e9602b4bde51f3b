"""`wordline examples` writes what the documentation's commands use, so that they run without a checkout."""

from __future__ import annotations

import json
import re
from pathlib import Path

from cli_runner import wordline

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"^\$ wordline .*?(examples/[\w-]+\.(?:toml|fio|csv))", re.MULTILINE)


def test_every_file_that_a_command_of_the_pages_names_is_written(tmp_path: Path) -> None:
    answer = wordline("examples", cwd=tmp_path)
    assert answer.code == 0, answer.err
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "papers").rglob("*.md")]
    named = {name for page in pages for name in NAMED.findall(page.read_text(encoding="utf-8"))}
    assert len(named) >= 3
    assert [name for name in sorted(named) if not (tmp_path / name).is_file()] == []


def test_they_name_schemas_that_are_there_and_run(tmp_path: Path) -> None:
    assert wordline("examples", "mine", cwd=tmp_path).code == 0
    for path in (tmp_path / "mine").glob("*.toml"):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert json.loads((path.parent / first.removeprefix("#:schema ")).read_text(encoding="utf-8"))["$schema"]
    answer = wordline("run", "mine/my-ssd.toml", "--set", "workload.requests=500", cwd=tmp_path)
    assert answer.code == 0, answer.err


def test_nothing_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "my-ssd.toml").write_text("mine")
    answer = wordline("examples", cwd=tmp_path)
    assert answer.code == 2
    assert "my-ssd.toml is there already" in answer.err
    assert [path.read_text() for path in (tmp_path / "examples").iterdir()] == ["mine"]
