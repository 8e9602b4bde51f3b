"""Texts that no file system takes as a path are no files: the error says so, and nothing is lost by them."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.errors import RecordError
from wordline.files import is_file, is_folder

LONG = 300 * "a"


@pytest.mark.parametrize("text", [LONG, "a\0b", ""])
def test_what_is_no_path_leads_nowhere(text: str) -> None:
    assert not is_file(text)
    assert is_folder(text) == (text == "")


def test_what_is_there_is_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert is_file(tmp_path / "file")
    assert not is_folder(tmp_path / "file")
    assert is_folder(tmp_path)
    assert not is_file(tmp_path)


def test_a_long_name_of_a_workload_does_not_cost_the_result(tmp_path: Path) -> None:
    settings = ("workload.requests=100", f"workload.name={LONG}")
    words = [word for setting in settings for word in ("--set", setting)]
    answer = wordline("run", "mqsim", "--workload", "fio/random-read", *words, "--out", "out", cwd=tmp_path)
    assert (answer.code, "error" in answer.err) == (0, False), answer.err
    result = wl.load(tmp_path / "out")
    assert isinstance(result, wl.Result)
    assert result.workload["name"] == LONG


def test_a_result_with_a_long_name_is_not_there() -> None:
    with pytest.raises(RecordError, match="no result here"):
        wl.load(LONG)
