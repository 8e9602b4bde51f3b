"""What a user may have meant by an option, key, file or preset that is not there."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["of_option", "of_problem", "presets_naming", "workloads_naming"]

SHARE = re.compile(r" = ([\d.]+) is out of range; it takes 0\.\.(?:1|0\.\d+)(?: \(|$)")
KEYS_SHOWN = 4
COMMANDS_SHOWN = 2
PRESET = re.compile(r"unknown preset `([^`]+)`")


def of_option(option: str) -> str:
    """Says which key or command is meant by an option that is not there, such as `--pec`; else nothing."""
    from ..explain.answered import answer_named
    from ..explain.keys import SHORT, named

    word = option.lstrip("-").replace("-", "_")
    keys = [key for key in named(word) if word in SHORT or key.rpartition(".")[2] == word]
    meant = [f"a key of the configuration: --set {keys[0]}=VALUE"] if len(keys) == 1 else []
    if others := _with_option(word):
        meant.append(f"an option of {' and '.join(f'`wordline {each}`' for each in others[:COMMANDS_SHOWN])}")
    if meant:
        return "; ".join(meant)
    answer = answer_named(word)
    return f"{answer.name}: {answer.command} (docs/{answer.page})" if answer else ""


def _with_option(name: str) -> list[str]:
    """Returns the commands that have an option of this name."""
    from importlib import import_module
    from inspect import signature

    from .app import COMMANDS, MODULES
    from .grouped import spread

    functions = ((each, MODULES.get(each, each)) for each in COMMANDS)
    return [
        each
        for each, module in functions
        if name in signature(spread(getattr(import_module(f"wordline.cli.{module}"), module))).parameters
    ]


def of_problem(problem: Exception) -> str:
    """Says what is meant by a key, preset or file that does not exist; else nothing."""
    kind, key, file = type(problem).__name__, getattr(problem, "key", None), getattr(problem, "file", None)
    if kind == "UnknownKeyError" and key:
        return _of_key(str(key), str(problem))
    if kind == "UnknownPresetError" and (match := PRESET.search(str(problem))):
        return presets_naming(match[1])
    if kind == "UnknownWorkloadError" and file:
        return workloads_naming(str(file))
    if kind == "OutOfRangeError" and (match := SHARE.search(str(problem))) and 1 < (percent := float(match[1])) <= 100:
        return f"it is a share: {percent:g} % is {percent / 100:g}, or {percent:g}%"
    return _of_file(str(file)) if file and "no such file" in str(problem).lower() else ""


def _of_key(key: str, message: str) -> str:
    """Says which keys are meant, or what answers the question behind a key, such as one of load or energy."""
    from ..config import parameters
    from ..explain.answered import answer_named
    from ..explain.keys import named
    from ..explain.not_modelled import topic_of
    from ..explain.words import words_of
    from .errors import nearest

    if topic := topic_of(key):
        return str(topic)
    last = key.rpartition(".")[2]
    keys, answer = named(last), answer_named(last)
    # `gc` is a section; who writes `load` below one asks for the load.
    if answer and (last != key or not keys):
        return f"{answer.name}: {answer.command} (docs/{answer.page})"
    if not keys:
        asked = set(words_of(key))
        alike = max(len(asked & set(words_of(each))) for each in parameters())
        near = nearest(key, [each for each in parameters() if len(asked & set(words_of(each))) == alike])
        return f"the nearest key is {near}" if near and near not in message else ""
    shown = ", ".join(keys[:KEYS_SHOWN]) + (", …" if len(keys) > KEYS_SHOWN else "")
    return f"such a key is {shown}; `wordline explain {last}` says what it means"


def presets_naming(text: str) -> str:
    """Says which presets have a text in their head, such as the drive that they are like."""
    from ..config import presets
    from .presets import head_of

    there = [each.name for each in presets() if text.casefold() in f"{each.name} {head_of(each.text)}".casefold()]
    return f"`wordline presets {text}` lists the presets that name it: {', '.join(there)}" if there else ""


def workloads_naming(text: str) -> str:
    """Says which workloads have a text in their name."""
    from ..applications.named import APPLICATIONS
    from ..workload import workloads

    names = (*(each.name for each in workloads()), *APPLICATIONS)
    there = any(text.casefold() in each.casefold() for each in names)
    return f"`wordline workloads {text}` lists the workloads that name it" if there else ""


def _of_file(file: str) -> str:
    from .examples import FILES

    name = Path(file).name
    if not (FILES / name).is_file():
        return ""
    return f"`wordline examples` writes {name} and the other examples of the documentation to the folder examples"
