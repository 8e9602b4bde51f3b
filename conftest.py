"""Makes both packages importable from the source tree if need be, and keeps tests out of the user's cache."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent
sys.path += [str(ROOT / "python"), str(ROOT / "papers")]


# The same inputs each time, however slow the machine: a test must not fail for a reason that no change has caused.
settings.register_profile("wordline", derandomize=True, deadline=None)
settings.load_profile("wordline")


def pytest_configure(config: pytest.Config) -> None:
    """Makes one folder of finished points for all processes that run tests: what several tests want is run once."""
    if not hasattr(config, "workerinput"):
        os.environ["WORDLINE_CACHE"] = tempfile.mkdtemp(prefix="wordline-")
        # Whether a drive is kept depends on how long aging takes, and so on the machine.
        os.environ["WORDLINE_DRIVES_GB"] = "0"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes it."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop("WORDLINE_CACHE"), ignore_errors=True)


@pytest.fixture(scope="session")
def points_folder() -> Path:
    """Where all tests keep finished points."""
    return Path(os.environ["WORDLINE_CACHE"])
