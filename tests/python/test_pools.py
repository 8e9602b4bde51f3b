"""What the worker processes of a sweep start with."""

from __future__ import annotations

import os

import pytest

from wordline.sweeps import pools


def test_workers_keep_freed_memory_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = pools.MALLOC
    monkeypatch.setenv(first, "4096")
    for name in others:
        monkeypatch.delenv(name, raising=False)
    before = dict(os.environ)
    with pools._kept_memory():
        assert os.environ[first] == "4096"
        assert {name: os.environ[name] for name in others} == {name: pools.MALLOC[name] for name in others}
    assert dict(os.environ) == before
