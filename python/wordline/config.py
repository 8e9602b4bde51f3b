"""Configurations: presets, files and single settings on top of each other; each key stores who set it."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from . import _core
from .errors import ConfigError, ConfigFileError, UnknownKeyError, UnknownPresetError, WrongValueError
from .files import is_file, read_input
from .listed import Listed

__all__ = ["Config", "Origin", "PresetInfo", "Zones", "config", "parameters", "parse_value", "preset", "presets"]

SAVED_HEAD = "# The SSD of a run, every key with who set it."
"""How the configuration in the folder of a run begins."""

LACKS = "# Lacks: "
"""How the line of a preset begins that says what of the SSD is not in it."""

_OF_POLICY = re.compile(r"(?<=\.py):[\w.]+(#\w+)?$", re.ASCII)
"""What stands behind the file of a policy in Python."""

_DOTTED = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a key was set.

    Attributes:
        layer: File, preset or option.
        line: Line in it from 1, or None if there are no lines.
        comment: The comment after the value: its unit, range and source.
    """

    layer: str
    line: int | None
    comment: str

    def __str__(self) -> str:
        return f"{self.layer}:{self.line}" if self.line else self.layer


class Zones(NamedTuple):
    """The zones of a drive (NVMe ZNS).

    Attributes:
        number: How many there are.
        size_bytes: Bytes from the start of a zone to the start of the next.
        capacity_bytes: Bytes of a zone that can be written.
        block_bytes: Bytes of a logical block, of which writes have whole ones.
        max_open: Zones that may be open at once; 0: any number.
    """

    number: int
    size_bytes: int
    capacity_bytes: int
    block_bytes: int
    max_open: int


@dataclass(frozen=True, slots=True)
class Layer:
    """Some TOML with a name; a preset or file has line numbers for messages, an option has none.

    With `warns`, the user wrote the keys: a key without effect then gives a warning.
    """

    name: str
    text: str
    has_lines: bool = True
    warns: bool = False

    @property
    def is_setting(self) -> bool:
        """Whether it is a single `key = value`, as of an option."""
        return not self.has_lines and "\n" not in self.text.strip()


_Written = tuple[str, str, bool, bool]


def _written(layer: Layer) -> _Written:
    return (layer.name, layer.text, layer.has_lines, layer.warns)


@dataclass(frozen=True, slots=True)
class PresetInfo:
    """A named SSD.

    Attributes:
        name: The argument for `preset`.
        summary: One line that says what it is and where it comes from.
        lacks: One line that says what of the SSD is not in it, or is not the SSD's own.
        text: The TOML.
    """

    name: str
    summary: str
    lacks: str
    text: str = field(repr=False)

    def _repr_html_(self) -> str:
        from html import escape

        whole = f"<details><summary>all keys</summary><pre>{escape(self.text)}</pre></details>"
        lacks = f"<p>Lacks: {escape(self.lacks)}</p>" if self.lacks else ""
        return f"<p><b>{escape(self.name)}</b>: {escape(self.summary)}</p>{lacks}{whole}"


class Config:
    """A resolved and checked configuration. Immutable: `set` and similar methods return a new one.

    Equal configurations are equal objects, no matter who set their keys. Made by `preset` and `config`.
    """

    __slots__ = ("_derived", "_layers", "_made", "_simulated", "_table")

    def __init__(self, layers: Iterable[Layer]) -> None:
        self._hold(tuple(layers))
        # It is checked now.
        _ = self.core

    def _hold(self, layers: tuple[Layer, ...]) -> None:
        self._layers = layers
        self._made: _core.Configuration | None = None
        self._table: dict[str, Any] | None = None
        self._simulated: dict[str, Any] | None = None
        self._derived: dict[str, Config] = {}

    def __reduce__(self) -> tuple[Callable[..., Config], tuple[_Written, ...]]:
        return (_checked, tuple(map(_written, self._layers)))

    @property
    def core(self) -> _core.Configuration:
        """The Rust object behind it. A configuration from another process, which has checked it, makes its own late."""
        if self._made is None:
            self._made = _core.Configuration([_written(layer) for layer in self._layers])
        return self._made

    def derived(self, what: str, make: Callable[[], Config]) -> Config:
        """Returns `make()`, made once for each `what`: studies ask several times for the same configuration."""
        if what not in self._derived:
            self._derived[what] = make()
        return self._derived[what]

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers on top of the built-in base, lowest first."""
        return self._layers

    @property
    def hash(self) -> str:
        """SHA-256 of `to_toml()`, hexadecimal. Results identify their configuration by it."""
        import hashlib

        return hashlib.sha256(self.to_toml().encode()).hexdigest()

    @property
    def host_bytes(self) -> int:
        """Capacity that the host sees, bytes."""
        return self.core.host_sectors() * 512

    @property
    def zones(self) -> Zones | None:
        """The shape of the zones; None on a drive without."""
        shape = self.core.zones()
        return None if shape is None else Zones(*shape)

    def set(self, key: str, value: object) -> Config:
        """Returns a copy with one key changed.

        Args:
            key: A dotted key such as `ssd.channels`, or its last part if only one key has it.
            value: A number, text, boolean or list, in the key's unit.

        Raises:
            UnknownKeyError: The key does not exist; the message names the nearest one.
            WrongValueError: The value has the wrong type, or is a word that is not a choice.
            OutOfRangeError: A number is outside its range, or a geometry does not fit.
        """
        return self.set_all({key: value})

    def set_all(self, settings: Mapping[str, object]) -> Config:
        """Returns a copy with several keys changed at once and then checked; see `set`."""
        return Config([*self._layers, *(setting(key, value) for key, value in settings.items())])

    def assign(self, *assignments: str) -> Config:
        """Returns a copy with keys changed by texts such as `"ssd.channels=16"`; a value that is not TOML is a string.

        Raises:
            ConfigError: See `set`; `SyntaxError_` for a text that is not `key=value`.
        """
        layers = [Layer(*_core.assignment(text), has_lines=False, warns=True) for text in assignments]
        return Config([*self._layers, *layers])

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - the type is the key's
        return self._value(self._resolved(), key)

    def simulated(self, key: str) -> Any:  # noqa: ANN401 - the type is the key's
        """Returns the value of a key on the SSD that is simulated: with `ssd.capacity` and `ssd.scale` carried out.

        Raises:
            UnknownKeyError: The key does not exist.
        """
        if self._simulated is None:
            self._simulated = json.loads(self.core.simulated_json())
        return self._value(self._simulated, key)

    @property
    def model(self) -> list[str]:
        """Returns what `ssd.capacity` and `ssd.scale` have changed, and what does not scale, one line each."""
        return self.core.model()

    def _value(self, table: dict[str, Any], key: str) -> Any:  # noqa: ANN401 - the type is the key's
        value: Any = table
        try:
            for part in key.split("."):
                value = value[part]
        except (KeyError, TypeError):
            raise self._unknown(key) from None
        return value

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """Returns every dotted key, sorted."""
        return sorted(self.core.origins())

    def origin(self, key: str) -> Origin:
        """Returns where a key was set.

        Raises:
            UnknownKeyError: The key does not exist.
        """
        try:
            layer, line, comment = self.core.origins()[key]
        except KeyError:
            raise self._unknown(key) from None
        return Origin(layer, line or None, comment)

    def origins(self) -> dict[str, Origin]:
        """Returns where each key was set."""
        origins = self.core.origins()
        return {key: Origin(layer, line or None, comment) for key, (layer, line, comment) in origins.items()}

    def given(self) -> dict[str, Origin]:
        """Returns the keys that single settings of the user set last, with where.

        The keys of a file describe an SSD, and need not all act in each run.
        """
        users = {layer.name for layer in self._layers if layer.warns and layer.is_setting}
        return {key: origin for key, origin in self.origins().items() if origin.layer in users} if users else {}

    def documentation(self, key: str) -> str:
        """Returns the meaning of a key: its unit, its range, and the source of its default.

        Raises:
            UnknownKeyError: The key does not exist.
        """
        try:
            return str(parameters()[key]["comment"])
        except KeyError:
            raise self._unknown(key) from None

    @property
    def warnings(self) -> list[str]:
        """Returns keys of a file or of `assign` that other keys disable, one line each."""
        return self.core.warnings()

    def to_toml(self) -> str:
        """Returns every key as TOML, sorted: a file that gives this configuration again."""
        return self.core.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """Returns every key as nested dicts."""
        table: dict[str, Any] = json.loads(self.core.to_json())
        return table

    def files(self) -> Iterator[tuple[str, str]]:
        """Yields the keys that name a file, each with its path."""
        for section, values in self.to_dict().items():
            for name, value in values.items() if isinstance(values, dict) else ():
                if isinstance(value, str) and value and is_file(path := _OF_POLICY.sub("", value)):
                    yield f"{section}.{name}", path

    def sources(self) -> list[str]:
        """Returns the files that its text was read from."""
        return [layer.name for layer in self._layers if layer.has_lines and is_file(layer.name)]

    def __eq__(self, other: object) -> bool:
        return self.to_toml() == other.to_toml() if isinstance(other, Config) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __repr__(self) -> str:
        names = ", ".join(layer.name for layer in self._layers) or "base"
        return f"<wordline.Config {self.hash[:12]}: {names}>"

    def _repr_html_(self) -> str:
        """What differs from the preset, with who set it."""
        from html import escape

        base = Config(self._layers[:1])
        rows = "".join(
            f"<tr><td>{escape(key)}</td><td>{escape(str(self[key]))}</td><td>{escape(str(base[key]))}</td>"
            f"<td>{escape(str(self.origin(key)))}</td></tr>"
            for key in self
            if self[key] != base[key]
        )
        name = escape(self._layers[0].name) if self._layers else "base"
        if not rows:
            return f"<p><b>{name}</b>, nothing changed</p>"
        head = f"<tr><th>key</th><th>here</th><th>{name}</th><th>set by</th></tr>"
        return f"<p><b>{name}</b>, with</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>"

    def _resolved(self) -> dict[str, Any]:
        if self._table is None:
            self._table = self.to_dict()
        return self._table

    def _unknown(self, key: str) -> UnknownKeyError:
        return UnknownKeyError(f"unknown key `{key}`{did_you_mean(key, self.keys())}", key=key)


def _checked(*layers: _Written) -> Config:
    """Returns a configuration that has been resolved before, in this process or another one."""
    made = Config.__new__(Config)
    made._hold(tuple(Layer(*each) for each in layers))  # noqa: SLF001 - its own module
    return made


def preset(name: str, **settings: object) -> Config:
    """Returns a named SSD, with some keys changed.

    Args:
        name: One of `presets()`.
        settings: Keys by their last part if only one key has it (`pec=2000`), or with underscores for dots
            (`read_retry="baseline"`, `ssd__channels=16`).

    Raises:
        UnknownPresetError: The preset does not exist.
        ConfigError: A setting is invalid; see `Config.set`.
    """
    if not isinstance(name, str):
        raise UnknownPresetError(f"a {type(name).__name__} is no preset's name; `presets()` lists them")
    layer = _preset(name)
    return layer.set_all(settings) if settings else layer


@functools.cache
def _preset(name: str) -> Config:
    """A preset as it comes. Studies ask for it thousands of times."""
    return Config([_preset_layer(name)])


def _no_configuration(given: object) -> ConfigError:
    return ConfigError(f"a {type(given).__name__} is neither a file's name nor TOML; for keys use `Config.set_all`")


def config(path: str | PathLike[str] | None = None, *, text: str | None = None, **settings: object) -> Config:
    """Returns a configuration from a TOML file or text, on top of the base or of the preset that it names.

    A line `preset = "aero"` before the first section names the preset. Without file and text the result is the base
    alone.

    Args:
        path: The file.
        text: TOML, instead of a file.
        settings: Keys changed on top, as in `preset`.

    Raises:
        ConfigFileError: The file does not exist or cannot be read.
        UnknownPresetError: The preset that it names does not exist.
        ConfigError: It is not TOML, or is invalid; the message names file, line and fix.
    """
    if path is not None and text is not None:
        raise ConfigError("give a file or a text, not both")
    if not isinstance(path, str | PathLike | None):
        raise _no_configuration(path)
    if not isinstance(text, str | None):
        raise _no_configuration(text)
    layers: list[Layer] = []
    if path is not None or text is not None:
        name = "<text>" if path is None else str(path)
        whole = _read(Path(path)) if path is not None else text or ""
        base, line, rest = _core.split_preset(whole)
        if base is not None:
            layers.append(_preset_layer(base, name, line))
        # A saved configuration has every key, also those that others switch off.
        layers.append(Layer(name, rest, warns=not whole.startswith(SAVED_HEAD)))
    made = Config(layers)
    return made.set_all(settings) if settings else made


def presets() -> list[PresetInfo]:
    """Returns every named SSD, sorted by name."""
    infos = (PresetInfo(name, summary_of(text), lacks_of(text), text) for name, text in _core.ssd_presets())
    return Listed(infos, ("name", "summary", "lacks"))


def summary_of(text: str) -> str:
    """Returns the first comment of a file that is not for editors, such as `#:schema`."""
    return next((line.lstrip("# ") for line in text.splitlines() if line.startswith("# ")), "")


def lacks_of(text: str) -> str:
    """Returns what a preset says that it lacks."""
    return next((line.removeprefix(LACKS) for line in text.splitlines() if line.startswith(LACKS)), "")


@functools.cache
def parameters() -> dict[str, dict[str, Any]]:
    """Returns the declaration of every key of a configuration, in order.

    Each has `name`, `domain` (the allowed values), `values` (the same as text, with the unit), `unit`, `default`,
    `help`, `when` (the conditions under which it has an effect), `source` and `comment` (all in one line).
    """
    return {row["key"]: row for row in json.loads(_core.parameters())}


def parse_value(text: str) -> Any:  # noqa: ANN401 - whatever the text says
    """Returns the value of a text in TOML, or the text itself if it is not TOML: `"16"`, `"0.5"`, `"pnar2"`."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


PART_MIN = 3
"""Shorter parts are in too many names."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns the end of a message about an unknown name."""
    import difflib

    names = list(known)
    # A part of a longer name, whatever its hyphens: `980pro` of `samsung-980-pro-1tb`.
    bare = re.sub(r"[^a-z0-9]", "", name.lower())
    parts = [each for each in names if len(bare) > PART_MIN and bare in re.sub(r"[^a-z0-9]", "", each.lower())]
    close = parts[:1] or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean `{close[0]}`?" if close else ""


def _read(path: Path) -> str:
    try:
        return read_input(path).decode("utf-8")
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise ConfigFileError(f"{path}: {reason}; check the path", file=str(path)) from None
    except UnicodeDecodeError:
        raise ConfigFileError(f"{path}: not text in UTF-8; is it a configuration?", file=str(path)) from None


def _preset_layer(name: str, file: str | None = None, line: int | None = None) -> Layer:
    texts = dict(_core.ssd_presets())
    if name not in texts:
        place = f"{file}:{line}: " if file else ""
        known = f"; known: {', '.join(texts)}"
        message = f"{place}unknown preset `{name}`{did_you_mean(name, texts)}{known}"
        raise UnknownPresetError(message, file=file, line=line)
    return Layer(f"preset {name}", texts[name])


@functools.cache
def _all_keys() -> tuple[str, ...]:
    return tuple(Config([]).keys())


def full_key(name: str) -> str:
    """Returns the dotted key of a keyword; the core rejects a dotted key that does not exist.

    Raises:
        UnknownKeyError: No key has this name, or several have it.
    """
    keys = _all_keys()
    if name in keys:
        return name
    flat = name.replace("__", "_")
    exact = [key for key in keys if key.replace(".", "_") == flat]
    matching = exact or [key for key in keys if key.rpartition(".")[2] == name]
    if len(matching) > 1:
        choices = ", ".join(f"`{key}`" for key in matching)
        raise UnknownKeyError(f"`{name}` may be any of {choices}; write the dotted key", key=name)
    if matching:
        return matching[0]
    dotted = name.replace("__", ".")
    if "." not in dotted and not any(key.startswith(f"{dotted}.") for key in keys):
        spellings = {spelling: key for key in keys for spelling in (key.rpartition(".")[2], key.replace(".", "_"))}
        import difflib

        close = difflib.get_close_matches(name, spellings, n=1, cutoff=0.5)
        hint = f"did you mean `{spellings[close[0]]}`?" if close else "`wordline explain` lists all keys"
        raise UnknownKeyError(f"unknown key `{name}`; {hint}", key=name)
    return dotted


def setting(name: str, value: object) -> Layer:
    """Returns the layer that sets one key."""
    if not isinstance(name, str):
        raise UnknownKeyError(f"a {type(name).__name__} is no key; write a text such as 'ssd.channels'")
    key = full_key(name)
    if not _DOTTED.fullmatch(key):
        raise UnknownKeyError(f"unknown key {key!r}; write it as section.key", key=key)
    written = toml_value(key, value)
    return Layer(f"set {key}={written}", f"{key} = {written}", has_lines=False)


def toml_value(key: str, value: object) -> str:
    """Converts a Python value to TOML.

    Raises:
        WrongValueError: TOML does not have the type.
    """
    item = getattr(value, "item", None)
    if callable(item):  # NumPy's scalars
        value = item()
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join(toml_value(key, each) for each in value)}]"
        case dict():
            return f"{{ {', '.join(f'{name} = {toml_value(key, each)}' for name, each in value.items())} }}"
        case _:
            kind = type(value).__name__
            raise WrongValueError(f"`{key}`: a {kind} is no value; write a number, text, truth or list", key=key)
