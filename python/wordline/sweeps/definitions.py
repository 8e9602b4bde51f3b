"""Finds the Python definitions that determine a computed value, and hashes them.

The search starts at a function and follows every name in it: other definitions of its module, and imports, including
late ones, through re-exports to their definitions. So code that only draws is not included. Comments, docstrings and
blank lines do not count; neither do the values of some keywords, such as `draw=`.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Definitions", "code_of", "name_of"]

Where = tuple[str, str]
"""A module and a definition in it."""
Statement = ast.stmt
EVERYTHING = "*"
OWN = __name__.partition(".")[0]
# What only shows results, which can be asked to show themselves.
SHOWING = (f"{OWN}.output.plot", f"{OWN}.output.notebook")


def name_of(function: Callable[..., object]) -> Where:
    """Returns the module and name of a function; for a `functools.partial`, those of its function."""
    while isinstance(function, functools.partial):
        function = function.func
    return function.__module__, function.__qualname__.partition(".")[0]


@dataclass
class Module:
    """A module's definitions.

    Attributes:
        name: Its dotted name.
        path: Its file.
        lines: The file's lines.
        defined: Its definitions, by name; under `*` the statements that run on import.
        imported: The names that it imports: module, and name in it or None.
    """

    name: str
    path: Path
    lines: list[str]
    defined: dict[str, list[Statement]] = field(default_factory=dict)
    imported: dict[str, tuple[str, str | None]] = field(default_factory=dict)

    @property
    def package(self) -> list[str]:
        """The package from which its relative imports start."""
        parts = self.name.split(".")
        return parts if self.path.name == "__init__.py" else parts[:-1]


class Definitions:
    """The definitions of some packages.

    Args:
        folders: Folder of each package, or file of each module, by name. Code outside of them does not count.
        silent: Keywords of calls whose values do not count.
    """

    def __init__(self, folders: Mapping[str, Path], silent: Sequence[str] = ()) -> None:
        self.folders = folders
        self.silent = frozenset(silent)
        self._modules: dict[str, Module | None] = {}
        # What was found of a definition stays: many roots lead to the same ones.
        self._led: dict[Where, list[Where]] = {}
        self._digests: dict[Where, bytes] = {}

    @staticmethod
    def of(package: str) -> Definitions:
        """Returns the definitions of an imported package and of Wordline."""
        files = {name: getattr(sys.modules.get(name), "__file__", None) for name in (package, OWN)}
        places = {name: Path(file) for name, file in files.items() if file and file.endswith(".py")}
        return Definitions({name: path.parent if path.stem == "__init__" else path for name, path in places.items()})

    def hash(self, *roots: Where, alone: Sequence[Where] = ()) -> str:
        """Returns a hash of some definitions and of all definitions that they use; of those `alone` nothing more."""
        digest = hashlib.sha256()
        for where in sorted(self.reached(roots) | set(alone)):
            if where not in self._digests:
                self._digests[where] = b"".join(self._said(where))
            digest.update(self._digests[where])
        return digest.hexdigest()

    def _said(self, where: Where) -> Iterator[bytes]:
        """A definition: its code, and the files that it reads."""
        yield f"{':'.join(where)}\n{self._code(*where)}\n".encode()
        for file in self._files(*where):
            yield f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode()

    def reached(self, roots: Iterable[Where]) -> set[Where]:
        """Returns some definitions and all definitions that they use."""
        found: set[Where] = set()
        ahead = [each for root in roots for each in self._resolve(*root)]
        while ahead:
            where = ahead.pop()
            if where not in found:
                found.add(where)
                if where not in self._led:
                    self._led[where] = list(self._leads_to(*where))
                ahead += self._led[where]
                # The statements of an import run before any function of the module is called.
                ahead += [(where[0], EVERYTHING)]
        return found

    def module(self, name: str) -> Module | None:
        """Reads a module; None if it is not in the packages, or only shows results."""
        if name not in self._modules:
            path = None if name.startswith(SHOWING) else self._path(name)
            self._modules[name] = None if path is None else _read(name, path)
        return self._modules[name]

    def _path(self, name: str) -> Path | None:
        top, _, rest = name.partition(".")
        place = self.folders.get(top)
        if place is None or place.is_file():
            return place if not rest else None
        place = place.joinpath(*rest.split(".")) if rest else place
        choices = (place / "__init__.py", place.with_suffix(".py"))
        return next((path for path in choices if path.is_file()), None)

    def _resolve(self, module: str, name: str) -> Iterator[Where]:
        """Finds the definition of a name in a module."""
        if self.module(f"{module}.{name}") is not None:
            yield from self._all(f"{module}.{name}")
            return
        found = self.module(module)
        if found is None:
            return
        if name in found.defined:
            yield module, name
        elif name in found.imported:
            source, its = found.imported[name]
            yield from self._resolve(source, its) if its is not None else self._all(source)
        elif "__getattr__" in found.defined and not any(found.path.parent.glob(f"{name}.*")):
            # Compiled code has no definition here.
            yield module, "__getattr__"

    def _all(self, module: str) -> Iterator[Where]:
        """Returns every definition of a module, for a module that is used as an object."""
        found = self.module(module)
        if found is not None:
            yield from ((module, name) for name in found.defined)

    def _leads_to(self, module: str, name: str) -> Iterator[Where]:
        """Finds the names in a definition."""
        found = self.module(module)
        if found is None:
            return
        for statement in found.defined.get(name, ()):
            late = {**found.imported, **_imports(statement, found.package)}
            for chain in _names(statement, self.silent):
                if chain[0] in late:
                    yield from self._through(*late[chain[0]], chain[1:])
                elif chain[0] in found.defined:
                    yield module, chain[0]

    def _through(self, module: str, name: str | None, rest: tuple[str, ...]) -> Iterator[Where]:
        """Resolves `name.rest` for an imported `name`: if it is a module, the definition in it."""
        whole = module if name is None else f"{module}.{name}"
        if self.module(whole) is None or not rest:
            yield from self._all(module) if name is None else self._resolve(module, name)
        else:
            yield from self._through(whole, rest[0], rest[1:])

    def _code(self, module: str, name: str) -> str:
        found = self.module(module)
        return (
            ""
            if found is None
            else "\n".join(code_of(each, found.lines, self.silent) for each in found.defined.get(name, ()))
        )

    def _files(self, module: str, name: str) -> Iterator[Path]:
        """Finds files in the module's folder that a definition names, such as a table that it reads."""
        found = self.module(module)
        for statement in found.defined.get(name, ()) if found is not None else ():
            for node in ast.walk(statement):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
                    path = found.path.parent / node.value if found is not None and len(node.value) < 256 else None
                    if path is not None and path.is_file():
                        yield path


def code_of(statement: Statement, lines: list[str], silent: Collection[str] = ()) -> str:
    """Returns the lines of a statement that have an effect, without the values of some keywords."""
    numbers, cuts = set[int](), list[ast.expr]()
    for node in ast.walk(statement):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            numbers |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.keyword) and node.arg in silent:
            cuts.append(node.value)
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(each.lineno for each in decorators)])
    numbered = ((number, lines[number - 1]) for number in range(first, (statement.end_lineno or first) + 1))
    code = ((number, _cut(line, number, cuts).rstrip()) for number, line in numbered)
    return "\n".join(
        line for number, line in code if line and number not in numbers and not line.lstrip().startswith("#")
    )


def _cut(line: str, number: int, cuts: Iterable[ast.expr]) -> str:
    """Returns a line without some expressions; their columns count bytes."""
    data = line.encode()
    for each in sorted(cuts, key=lambda cut: (cut.lineno, cut.col_offset), reverse=True):
        last = each.end_lineno or each.lineno
        if each.lineno <= number <= last:
            begin = each.col_offset if number == each.lineno else 0
            end = each.end_col_offset if number == last else len(data)
            data = data[:begin] + data[end:]
    return data.decode()


def _read(name: str, path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    module = Module(name, path, text.splitlines())
    for statement in _flat(ast.parse(text).body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            module.imported |= _imports(statement, module.package)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            module.defined.setdefault(statement.name, []).append(statement)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
            if names != ["__all__"]:
                for each in names:
                    module.defined.setdefault(each, []).append(statement)
        elif code_of(statement, module.lines):
            module.defined.setdefault(EVERYTHING, []).append(statement)
    return module


def _flat(body: Iterable[Statement]) -> Iterator[Statement]:
    """Returns the statements of a module, including those inside `if` and `try`."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try):
            yield from _flat([*statement.body, *statement.orelse, *getattr(statement, "finalbody", [])])
            for handler in getattr(statement, "handlers", []):
                yield from _flat(handler.body)
        else:
            yield statement


def _imports(statement: Statement, package: list[str]) -> dict[str, tuple[str, str | None]]:
    """Returns the names that a statement imports, at any depth."""
    found: dict[str, tuple[str, str | None]] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                found[alias.asname or whole] = (whole, None)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *(node.module.split(".") if node.module else [])])
            found |= {alias.asname or alias.name: (source, alias.name) for alias in node.names}
    return found


def _names(statement: Statement, silent: Collection[str] = ()) -> Iterator[tuple[str, ...]]:
    """Returns the names in a statement, each with the attributes that follow it; skips silent keywords."""
    values = (node.value for node in ast.walk(statement) if isinstance(node, ast.keyword) and node.arg in silent)
    seen: set[ast.AST] = {node for value in values for node in ast.walk(value)}
    for node in ast.walk(statement):
        chain: list[str] = []
        place: ast.AST = node
        # A chain is walked from its outer end, so its inner parts appear again later.
        while isinstance(place, ast.Attribute) and node not in seen:
            chain.insert(0, place.attr)
            place = place.value
            seen.add(place)
        if isinstance(place, ast.Name) and node not in seen:
            yield place.id, *chain
