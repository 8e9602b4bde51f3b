"""Policies and configurations: the key of a slot says which object it is, by its name and a hash of its source."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

from ..config import Config
from ..errors import PolicyError
from .asked import Asked
from .identity import digest_of, name_of
from .slots import SLOTS, Slot

EXTERNAL = "external"
EXAMPLE = 'policies={"gc": MyGreedy()}, or --policy gc=my_policies.py:MyGreedy'

_objects: dict[str, object] = {}
"""Objects that this process was given, by what the configuration says of them."""


def bound(config: Config, policies: Mapping[str, object] | None) -> Config:
    """Returns the configuration with policies in Python, each by its slot: an object, a class, or `MODULE:NAME`.

    Raises:
        PolicyError: There is no such slot, no such object, or it lacks a method.
    """
    settings: dict[str, object] = {}
    for name, policy in (policies or {}).items():
        slot = slot_of(name)
        settings |= keys_of(slot, policy if isinstance(policy, str) else _named(slot, name_of(policy), policy))
    return pinned(config.set_all(settings) if settings else config)


def keys_of(name: str, policy: str) -> dict[str, object]:
    """Returns the keys that put a policy, as a configuration names it, into a slot.

    Raises:
        PolicyError: There is no such slot.
    """
    keys = SLOTS[slot_of(name)]
    return {keys.policy: EXTERNAL, keys.name: policy}


def pinned(config: Config) -> Config:
    """Returns the configuration with the hash of each policy that it names without one.

    Raises:
        PolicyError: There is no such policy.
    """
    settings: dict[str, object] = {}
    if not any(EXTERNAL in layer.text for layer in config.layers):
        return config
    for slot, keys in SLOTS.items():
        name = config[keys.name]
        if name and "#" not in name and _is_used(config, slot, keys):
            settings[keys.name] = _named(slot, name, _imported(slot, name))
    return config.set_all(settings) if settings else config


def found(slot: str, key: str, name: str) -> Asked:
    """Returns the object that a configuration asks for; the core calls it before a run.

    Raises:
        PolicyError: There is none, or its source is not what it was.
    """
    if not name:
        raise PolicyError(f"`{key}` names no policy, and {SLOTS[slot].policy} asks for one: {EXAMPLE}", key=key)
    place, _, digest = name.partition("#")
    policy = _objects.get(name)
    if policy is None:
        policy = _imported(slot, place)
        now = digest_of(policy)
        if digest and now != digest:
            raise PolicyError(
                f"`{key}`: {place} is not the policy that was named: the hash of its source and settings was {digest} "
                f'and is {now}; take it as it was, or set {key} = "{place}" for what it is now. Processes of a sweep '
                "import a policy: one with settings is an object of a module there",
                key=key,
            )
    return Asked(slot, place, policy)


def warnings(config: Config) -> list[str]:
    """Returns what a result says of its policies in Python, a line each."""
    return [
        f"{keys.policy}: the policy {config[keys.name].partition('#')[0]} is in Python, for trying out: wall times say "
        "nothing of how fast the simulator is"
        for slot, keys in SLOTS.items()
        if config[keys.name] and _is_used(config, slot, keys)
    ]


def slot_of(name: str) -> str:
    """Returns the slot of a name, which may also be its key or the section of that.

    Raises:
        PolicyError: No policy in Python can fill it.
    """
    for slot, keys in SLOTS.items():
        if name in (slot, keys.policy, keys.policy.partition(".")[0]) and name != "ftl":
            return slot
    why = "; read retry, schedule, allocation and the others are asked too often for Python"
    raise PolicyError(f"`{name}`: no slot for a policy in Python; there are {', '.join(SLOTS)}{why}")


def _is_used(config: Config, slot: str, keys: Slot) -> bool:
    names = str(config[keys.policy]).split("+")
    return EXTERNAL in names or (slot == "gc" and config["slc.victim"] == EXTERNAL)


def _named(slot: str, name: str, policy: object) -> str:
    """Keeps an object for this process; returns what the configuration says of it."""
    for method in SLOTS[slot].methods:
        if not callable(getattr(policy, method, None)):
            needs = ", ".join(f"{each}()" for each in SLOTS[slot].methods)
            raise PolicyError(
                f"the {slot} policy {name} has no method {method}(): it needs {needs}", key=SLOTS[slot].name
            )
    full = f"{name}#{digest_of(policy)}"
    _objects[full] = policy
    return full


def _imported(slot: str, name: str) -> object:
    """The object of `MODULE:NAME` or `FILE.py:NAME`; modules are looked for in the current folder, too."""
    where, colon, attribute = name.rpartition(":")
    key = SLOTS[slot].name
    if not colon or not where or not attribute:
        raise PolicyError(f"`{key}`: {name!r} is no policy; write MODULE:NAME or FILE.py:NAME", key=key)
    try:
        module = _of_file(where) if where.endswith(".py") else _of_module(where)
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if not isinstance(error, OSError) else (error.strerror or "").lower()
        raise PolicyError(f"`{key}`: {where} cannot be imported: {' '.join(what.split())}", key=key) from error
    policy = module
    for part in attribute.split("."):
        policy = getattr(policy, part, None)
    if policy is None:
        raise PolicyError(f"`{key}`: {where} has no {attribute}", key=key)
    return policy


def _of_module(name: str) -> object:
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    finally:
        if added:
            sys.path.remove(here)


def _of_file(path: str) -> object:
    """Loads a file anew: it may have changed."""
    full = next((each for each in (path, *_programs(path)) if Path(each).is_file()), path)
    text = Path(full).read_bytes()
    name = f"wordline_policy_{hashlib.sha256(text).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise PolicyError(f"{path}: not a file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _programs(name: str) -> list[str]:
    """The file of the program that runs, if it has this name: a policy may be defined in it."""
    mains = (sys.modules.get(each) for each in ("__main__", "__mp_main__"))
    files = (getattr(each, "__file__", None) for each in mains)
    return [file for file in files if file is not None and Path(file).name == name]
