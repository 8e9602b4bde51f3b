"""Policies in Python, for trying out: which object a configuration asks for, and what it says of it.

`bound` puts a policy into a configuration, `found` gives the core the object again, in any process. The core asks the
object through `Asked`.
"""

from .asked import Asked
from .binding import bound, found, keys_of, pinned, warnings
from .slots import SLOTS

__all__ = ["SLOTS", "Asked", "bound", "found", "keys_of", "pinned", "warnings"]
