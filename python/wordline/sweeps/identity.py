"""The name of a result in the store: a hash of the point, the compiled core, and the revision of the Python code."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

from .. import _core
from ..errors import TraceNotFoundError, TraceOptionError
from ..files import content_hash
from ..workload import Flow
from .point import Computation, RunTask, Task
from .revision import REVISION

__all__ = ["build", "key"]

# Increase this number when the format of the store's files changes.
FORMAT = 4


@functools.cache
def build() -> str:
    """Returns a hash of the simulator: the compiled core, and the revision of the Python code around it."""
    digest = hashlib.sha256(f"{FORMAT} {_core.__version__} {REVISION}".encode())
    # The binary, not its sources: those may have changed since the build.
    digest.update(content_hash(str(_core.__file__)).encode())
    return digest.hexdigest()


def key(task: Task) -> str | None:
    """Returns the name of a point's result; None for a computation without a version, which is not kept.

    The content of a trace counts, not its name or place.

    Raises:
        TraceNotFoundError: A trace does not exist.
        TraceOptionError: A trace comes from standard input, which can be read only once.
    """
    if isinstance(task, Computation) and task.version is None:
        return None
    task_identity = _of_run(task) if isinstance(task, RunTask) else _of_computation(task)
    text = json.dumps({"build": build(), **task_identity}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _of_run(task: RunTask) -> dict[str, Any]:
    return {
        "config": task.config.to_toml(),
        "flows": [_of_flow(task, flow) for flow in task.flows],
        "check": task.check,
        "log_requests": task.log_requests,
        "timeline_us": task.timeline_us,
        "load_state": None if task.load_state is None else _trace_hash(task.load_state),
    }


def _of_flow(task: RunTask, flow: Flow) -> dict[str, Any]:
    form = flow.form(flow.config(task.config))
    del form["source"]
    return {**form, "paths": [_trace_hash(path) for path in form["paths"]]} if "paths" in form else form


def _of_computation(task: Computation) -> dict[str, Any]:
    function = f"{task.function.__module__}:{task.function.__qualname__}"
    return {"function": function, "version": task.version, "arguments": dict(task.arguments)}


def _trace_hash(path: str) -> str:
    if path == "-":
        raise TraceOptionError("a trace from standard input can be run once only; save it to a file for a study")
    try:
        return content_hash(path)
    except OSError as error:
        raise TraceNotFoundError(f"{path}: {(error.strerror or 'not there').lower()}; check the path") from None
