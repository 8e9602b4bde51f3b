"""Keys that a value of another key cannot do without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .config import Config, full_key

__all__ = ["NEEDS", "Need", "needed", "needs_of", "with_needs"]


class Need(NamedTuple):
    """A word of a key that is refused without another key.

    Attributes:
        key: The key.
        word: Its word.
        needs: The other key.
        value: The value that it needs.
    """

    key: str
    word: str
    needs: str
    value: Any

    def __str__(self) -> str:
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{self.key} = {self.word} needs {self.needs} = {value}"


NEEDS = (
    Need("read.retry", "rif", "nand.on_die_check", True),
    Need("read.retry", "pr2", "nand.cache_register", True),
    Need("read.retry", "pnar2", "nand.cache_register", True),
)


def needs_of(key: str, value: object) -> list[Need]:
    """Returns what a value of a key needs; a value may be words joined by `+`."""
    words = [word.strip().replace("-", "_") for word in str(value).split("+")]
    return [need for need in NEEDS if need.key == key and need.word in words]


def with_needs(config: Config, settings: Mapping[str, Any]) -> tuple[Config, list[Need]]:
    """Returns the configuration for a row of a grid with the keys that values of the row need, and which these are.

    A key that the row or somebody before has set stays as it is: then the row is refused with the reason.
    """
    asked = {full_key(key): value for key, value in settings.items()}
    given = config.given()
    added = [
        need
        for key, value in asked.items()
        for need in needs_of(key, value)
        if need.needs not in asked and need.needs not in given and config[need.needs] != need.value
    ]
    return (config.set_all({need.needs: need.value for need in added}) if added else config), added


def needed(config: Config, assignments: Sequence[str]) -> list[Need]:
    """Returns what assignments such as `read.retry=rif` need beside a configuration and themselves."""
    pairs = (text.partition("=") for text in assignments)
    return with_needs(config, {key.strip(): value.strip().strip('"') for key, _, value in pairs})[1]
