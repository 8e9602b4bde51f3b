"""Makes the package importable from the source tree if need be, and keeps tests out of the user's cache."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))


# The same inputs each time, however slow the machine: a test must not fail for a reason that no change has caused.
settings.register_profile("wordline", derandomize=True, deadline=None)
settings.load_profile("wordline")


@pytest.fixture(scope="session", autouse=True)
def points_folder() -> Iterator[Path]:
    """Where all tests keep finished points: what several of them want is run once."""
    with tempfile.TemporaryDirectory(prefix="wordline-") as folder:
        os.environ["WORDLINE_CACHE"] = folder
        yield Path(folder)
        del os.environ["WORDLINE_CACHE"]
