"""Applications by name, as the command line has them: `app/cachelib:buckets=0.2,bucket_bytes=0.6`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import WorkloadError
from .cachelib import cachelib
from .objects import kv_objects
from .part import Application
from .rocksdb import rocksdb
from .tenants import tenants

__all__ = ["APPLICATIONS", "Key", "application", "keys_of", "summary_of"]

APPLICATIONS: Mapping[str, Callable[..., Application]] = {
    "app/cachelib": cachelib,
    "app/kv-objects": kv_objects,
    "app/rocksdb": rocksdb,
    "app/tenants": tenants,
}
"""By name, each with the function that makes it."""


@dataclass(frozen=True)
class Key:
    """A key of an application.

    Attributes:
        name: Its name.
        default: What it is by default, as it is written.
        help: What it means.
    """

    name: str
    default: str
    help: str


def application(text: str) -> Application:
    """Returns the application of a text such as `app/cachelib:buckets=0.2,used=0.9`.

    Raises:
        WorkloadError: There is no such application or key, or a value is wrong.
    """
    name, _, given = text.partition(":")
    if name not in APPLICATIONS:
        raise WorkloadError(f"{name}: there is no such application; there are {', '.join(APPLICATIONS)}")
    settings: dict[str, Any] = {}
    known = {key.name: key for key in keys_of(name)}
    for assignment in filter(None, given.split(",")):
        key, is_given, value = assignment.partition("=")
        if not is_given or key not in known:
            raise WorkloadError(f"{name}: `{assignment}` sets no key; write KEY=VALUE with one of {', '.join(known)}")
        if key in settings:
            raise WorkloadError(f"{name}: {key} comes twice")
        settings[key] = _value(name, key, value)
    return APPLICATIONS[name](**settings)


def summary_of(name: str) -> str:
    """Returns what an application is, in one sentence."""
    text = inspect.getdoc(APPLICATIONS[name]) or ""
    return text.split("\n\n", 1)[0].replace("\n", " ")


def keys_of(name: str) -> Iterator[Key]:
    """Returns the keys of an application with their defaults, and the help of its docstring."""
    text = inspect.getdoc(APPLICATIONS[name]) or ""
    arguments = text.partition("Args:\n")[2].partition("\nRaises:")[0]
    told = {
        found[1]: " ".join(found[2].split())
        for found in re.finditer(r"^ {4}(\w+): ((?:.|\n {8})+)", arguments, re.MULTILINE)
    }
    for key, parameter in inspect.signature(APPLICATIONS[name]).parameters.items():
        yield Key(key, _written(parameter.default), told.get(key, ""))


def _written(value: object) -> str:
    """Returns a value as a text has it: items of a list with slashes between them."""
    if isinstance(value, list | tuple):
        return "/".join(f"{each:g}" for each in value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _value(name: str, key: str, text: str) -> Any:  # noqa: ANN401 - of the key's type
    """Returns the value of a key from its text.

    Raises:
        WorkloadError: It is none.
    """
    default = inspect.signature(APPLICATIONS[name]).parameters[key].default
    try:
        match default:
            case bool():
                return {"true": True, "false": False}[text]
            case int():
                return int(text)
            case float():
                return float(text)
            case str():
                return text
            case None:
                return {int(size): float(part) for size, part in (each.split(":") for each in text.split("/"))}
        return tuple((int if key == "sequential" else float)(each) for each in text.split("/"))
    except (KeyError, ValueError):
        form = "sizes with shares, such as 1:0.5/32:0.5" if default is None else f"such as {_written(default) or '1/2'}"
        raise WorkloadError(f"{name}: {key}={text}: it is written {form}") from None
