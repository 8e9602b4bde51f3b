"""Parses MQSim's XML files into plain sections of keys; every mistake names its file and line."""

from __future__ import annotations

import xml.parsers.expat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from ..errors import MqsimError
from ..files import read_input

T = TypeVar("T")
# MQSim's files have six levels.
DEPTH_MAX = 100


class MqsimWarning(NamedTuple):
    """A key of MQSim that has no meaning here, or another one."""

    file: str
    line: int
    key: str
    value: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        shown = f"{self.key} = {self.value}" if self.value else self.key
        return f"{place}: {shown}: {self.reason}"


class Node:
    """An element: its name, its position, its text, and its children."""

    def __init__(self, tag: str, line: int, children: Iterable[Node] = ()) -> None:
        self.tag = tag
        self.line = line
        # Joined when it is asked for: the parser gives each line alone.
        self.pieces: list[str] = []
        self.children = list(children)

    @property
    def text(self) -> str:
        """Its text, without that of its children."""
        return "".join(self.pieces)

    def child(self, tag: str) -> Node | None:
        """Returns the first child with this name."""
        return next((node for node in self.children if node.tag == tag), None)


def parse(path: Path) -> Node:
    """Returns the root element of an XML file.

    Raises:
        MqsimError: The file cannot be read, or is not well-formed XML.
    """
    try:
        data = read_input(path)
    except OSError as error:
        raise MqsimError(str(path), 0, "", error.strerror or "cannot be read", "check the path") from None
    parser = xml.parsers.expat.ParserCreate()
    top = Node("", 0)
    open_nodes = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        del attributes
        node = Node(tag, parser.CurrentLineNumber)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)
        if len(open_nodes) > DEPTH_MAX:
            raise MqsimError(
                str(path), node.line, tag, "is nested too deeply", "check the file: MQSim's have few levels"
            )

    def end(tag: str) -> None:
        del tag
        open_nodes.pop()

    def text(data: str) -> None:
        open_nodes[-1].pieces.append(data)

    def doctype(*declaration: object) -> None:
        # Entities can make a small file grow without limit, and MQSim has none.
        del declaration
        raise MqsimError(str(path), parser.CurrentLineNumber, "", "has a DOCTYPE", "remove it: MQSim's files have none")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except xml.parsers.expat.ExpatError as error:
        reason = xml.parsers.expat.ErrorString(error.code) or "not well-formed"
        raise MqsimError(str(path), error.lineno, "", f"not valid XML: {reason}", "mend the line") from None
    except (LookupError, ValueError) as error:
        raise MqsimError(str(path), 1, "encoding", str(error), "save the file as UTF-8") from None
    return top.children[0]


class ParameterSet:
    """The keys of one element. It records which keys were not used."""

    def __init__(self, node: Node, file: str, warnings: list[MqsimWarning]) -> None:
        self.node = node
        self.file = file
        self.warnings = warnings
        self._values: dict[str, Node] = {}
        self._asked: set[str] = set()
        for child in node.children:
            # If a key occurs several times, MQSim takes the last one.
            self._values[child.tag] = child

    def has(self, key: str) -> bool:
        """Returns True if the file sets the key."""
        return key in self._values

    def where(self, key: str) -> str:
        """Returns the place where the key is set, for a comment."""
        node = self._values.get(key)
        return f"{Path(self.file).name}:{node.line} {key}" if node else f"{key}, which MQSim sets itself"

    def warn(self, key: str, reason: str) -> None:
        """Records a warning: the key has no meaning here, or another one."""
        node = self._values.get(key)
        line, value = (node.line, node.text.strip()) if node else (self.node.line, "")
        self.warnings.append(MqsimWarning(self.file, line, key, value, reason))

    def error(self, key: str, message: str, fix: str) -> MqsimError:
        """Returns an error at the key."""
        node = self._values.get(key)
        return MqsimError(self.file, node.line if node else self.node.line, key, message, fix)

    def text(self, key: str, default: str | None = None) -> str:
        """Returns a key's text; without a default the key must be there."""
        first_time = key not in self._asked
        self._asked.add(key)
        node = self._values.get(key)
        if node is not None:
            return node.text.strip()
        if default is None:
            raise self.error(key, "is missing", f"add <{key}> to <{self.node.tag}>: MQSim needs it and has no default")
        if first_time:
            self.warn(key, f"is not in the file; MQSim's own default {default} is used")
        return default

    def integer(self, key: str, default: int | None = None, low: int = 0, high: int = 2**63 - 1) -> int:
        """Returns a key's whole number, within its range."""
        text = self.text(key, None if default is None else str(default))
        try:
            value = int(text)
        except ValueError:
            raise self.error(key, f"{text!r} is not a whole number", f"write one from {low} to {high}") from None
        if not low <= value <= high:
            raise self.error(key, f"{value} is out of range", f"write a whole number from {low} to {high}")
        return value

    def number(self, key: str, default: float | None = None, low: float = 0.0, high: float = 1e18) -> float:
        """Returns a key's number, within its range."""
        text = self.text(key, None if default is None else str(default))
        try:
            value = float(text)
        except ValueError:
            raise self.error(key, f"{text!r} is not a number", f"write one from {low:g} to {high:g}") from None
        if not low <= value <= high:
            raise self.error(key, f"{text} is out of range", f"write a number from {low:g} to {high:g}")
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        """Returns a key's boolean: in MQSim everything except `false` is true."""
        text = self.text(key, None if default is None else str(default).lower())
        if text.lower() not in ("true", "false"):
            self.warn(key, "is neither true nor false; MQSim takes it as true")
        return text.lower() != "false"

    def word(self, key: str, words: Mapping[str, T], default: str | None = None) -> T:
        """Returns the meaning of a key's word; case does not matter."""
        text = self.text(key, default)
        if text.upper() not in words:
            raise self.error(key, f"{text!r} is not known", f"write one of {', '.join(words)}")
        return words[text.upper()]

    def ids(self, key: str, count: int) -> tuple[int, ...]:
        """Returns a key's list of numbers below `count`, sorted, each once, as MQSim takes it."""
        text = self.text(key)
        try:
            numbers = sorted({int(part) for part in text.split(",")})
        except ValueError:
            raise self.error(key, f"{text!r} is not a list of numbers", "write it like 0,1,2") from None
        if numbers[0] < 0 or numbers[-1] >= count:
            raise self.error(key, f"the SSD has only 0 to {count - 1}", "take numbers that exist, or a larger SSD")
        return tuple(numbers)

    def unused(self, reasons: Mapping[str, str]) -> None:
        """Warns about every unused key: with its reason, or as unknown."""
        for key in self._unasked():
            self.warn(key, reasons.get(key, "is no key of MQSim's; both ignore it"))

    def _unasked(self) -> Iterator[str]:
        return (key for key in self._values if key not in self._asked)
