"""A drive that another program holds, and steps."""

from .drive import Drive, open  # noqa: A004 - see there
from .ops import OPERATIONS, Op

__all__ = ["OPERATIONS", "Drive", "Op", "open"]
