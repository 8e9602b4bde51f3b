"""Damaged files give a result or one of the package's errors: a sample of what `make soak` reads."""

import pytest

import reader_fuzz


@pytest.mark.parametrize("kind", reader_fuzz.KINDS)
def test_damaged_files_are_read_or_refused(kind: str) -> None:
    done = reader_fuzz.hunt(kind, 0, 400)
    assert done["refused"] > 200
    # Of the points in the cache only those pass of which nothing was changed.
    assert done["read"] > 20 or kind == "cache"
