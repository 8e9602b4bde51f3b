"""Groups of options: a command takes an `Options`, and the command line shows its fields as options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, get_annotations, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, dataclass_transform

from . import paths

if TYPE_CHECKING:
    from typer import Typer


@dataclass_transform(kw_only_default=True)
class Options:
    """Options of a kind. Each field is declared as a parameter of a command would be; its value is the default.

    To the type checker, subclasses are dataclasses. To make real ones takes half a millisecond each at every start.
    """

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - the fields say the types
        for name in self.names():
            setattr(self, name, values.pop(name, getattr(type(self), name)))
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")

    @classmethod
    def names(cls) -> list[str]:
        """Returns the names of the fields, those of a base class first."""
        return [name for kind in reversed(cls.__mro__) for name in get_annotations(kind)]

    def changed(self) -> dict[str, Any]:
        """Returns the fields that are not empty."""
        return {name: value for name in self.names() if (value := getattr(self, name))}


def add(app: Typer, name: str, command: Callable[..., None]) -> None:
    """Adds a command; a list of commands has the first paragraph of its docstring, whole."""
    about = " ".join((command.__doc__ or "").partition("\n\n")[0].split())
    app.command(name, short_help=about)(spread(command))


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Returns the command with the fields of its groups as parameters of their own."""
    shape = signature(command, eval_str=True)
    groups: dict[str, type[Options]] = {}
    parameters = []
    for name, parameter in shape.parameters.items():
        kind = parameter.annotation
        if not (isinstance(kind, type) and issubclass(kind, Options)):
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
            continue
        groups[name] = kind
        declared: dict[str, Any] = {}
        for each in reversed(kind.__mro__[:-1]):
            declared |= get_annotations(each, eval_str=True)
        parameters += [
            Parameter(field, Parameter.KEYWORD_ONLY, default=getattr(kind, field), annotation=declared[field])
            for field in kind.names()
        ]

    of_paths = [(each.name, *use) for each in parameters if (use := use_of(each)) is not None]

    @wraps(command)
    def called(**options: Any) -> None:  # noqa: ANN401 - what the options are is the command's to say
        paths.begin()
        for name, option, use in of_paths:
            for path in each_of(options.get(name)):
                paths.declare(option, path, use)
        for name, option, use in of_paths:
            for path in each_of(options.get(name)):
                use.check(option, Path(path))
        for name, group in groups.items():
            options[name] = group(**{field: options.pop(field) for field in group.names()})
        command(**options)

    shown: Any = called
    shown.__signature__ = shape.replace(parameters=parameters)
    shown.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def each_of(given: Any) -> Sequence[Any]:  # noqa: ANN401 - what was given, if anything
    """Returns the values of an option, which may be repeated."""
    if isinstance(given, tuple | list):
        return given
    return () if given is None else (given,)


def use_of(parameter: Parameter) -> tuple[str, paths.Declared] | None:
    """Returns how a parameter's path is used, with the option, if it is one; None if it is no path."""
    about: tuple[Any, ...] = getattr(parameter.annotation, "__metadata__", ())
    use = next((each for each in about if isinstance(each, paths.Declared)), None)
    if use is None:
        return None
    option, *_ = about
    # Typer takes the first name for the default where it is in an annotation.
    names = [each for each in (option.default, *(option.param_decls or ())) if str(each).startswith("--")]
    return str(names[0]) if names else "", use
