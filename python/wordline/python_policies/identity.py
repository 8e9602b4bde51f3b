"""What makes two policies in Python the same: their source, and what they are set to."""

from __future__ import annotations

import hashlib
import inspect
import json
import linecache
import sys
from pathlib import Path
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import PolicyError

DIGITS = 16

_sources: WeakKeyDictionary[type, str] = WeakKeyDictionary()
"""As they were when each class was first named: the file may change, the class does not."""


def name_of(policy: object) -> str:
    """Returns the name of a policy: its module, or its file if it is run as a program, and its class."""
    kind = _kind(policy)
    module = "" if kind.__module__ == "__main__" else kind.__module__
    return f"{module or Path(_file(kind) or 'notebook').name}:{kind.__qualname__}"


def digest_of(policy: object) -> str:
    """Returns a hash of the source of a policy, and of what its attributes are set to.

    Raises:
        PolicyError: An attribute has no text that is the same in every process.
    """
    kind = _kind(policy)
    settings = {} if isinstance(policy, type) else dict(getattr(policy, "__dict__", {}))
    written = {name: _text(value, f"{kind.__qualname__}.{name}") for name, value in sorted(settings.items())}
    whole = json.dumps([kind.__qualname__, _source(kind), written])
    return hashlib.sha256(whole.encode()).hexdigest()[:DIGITS]


def _kind(policy: object) -> type:
    return policy if isinstance(policy, type) else type(policy)


def _file(kind: type) -> str | None:
    return getattr(sys.modules.get(kind.__module__), "__file__", None)


def _source(kind: type) -> str:
    """The whole file, since a policy may call what stands beside it; of a notebook the class alone."""
    if kind not in _sources:
        _sources[kind] = _read(kind)
    return _sources[kind]


def _read(kind: type) -> str:
    file = _file(kind)
    try:
        if file is not None:
            return Path(file).read_text(encoding="utf-8")
        linecache.checkcache()
        return inspect.getsource(kind)
    except (OSError, TypeError, UnicodeDecodeError):
        # Typed into an interpreter: what it was compiled to is all that there is.
        return "".join(_compiled(each) for base in kind.__mro__[:-1] for _, each in sorted(vars(base).items()))


def _compiled(value: object) -> str:
    code = getattr(value, "__code__", value)
    if not isinstance(code, CodeType):
        return repr(value) if isinstance(value, str | int | float | tuple) else ""
    return f"{code.co_name} {code.co_code.hex()} {code.co_names} {[_compiled(each) for each in code.co_consts]}"


def _text(value: Any, name: str) -> Any:  # noqa: ANN401 - any attribute
    """A form that JSON can hold, and that is the same in every process."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return ["array", value.dtype.str, value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, np.generic):
        return value.item()
    try:
        return json.loads(json.dumps(value, sort_keys=True))
    except (TypeError, ValueError):
        raise PolicyError(
            f"the policy's attribute {name} is a {type(value).__name__}: what an object is set to is a part of the "
            "configuration, so it takes numbers, texts, lists, dicts and NumPy arrays; make the rest in begin()"
        ) from None
