"""`--host`: the host of a drive, from a file or one of those that come with Wordline."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .errors import BadInputError, unknown

FOLDER = Path(__file__).parent.parent / "hosts"


@cache
def names() -> list[str]:
    """Returns the names of the hosts that come with Wordline."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def settings(host: str | None) -> list[str]:
    """Returns the settings of a host, as of `--set`.

    Raises:
        BadInputError: There is no such host, or its file sets keys of a drive.
    """
    if host is None:
        return []
    path = FOLDER / f"{host}.toml" if host in names() else Path(host)
    if host not in names() and not path.is_file():
        raise unknown("host", host, names(), f"hosts: {', '.join(names())}; or name a file that `wordline fit` wrote")
    from tomllib import TOMLDecodeError

    from ..config import toml_value
    from ..files import parse_toml, read_input

    try:
        table = parse_toml(read_input(path).decode("utf-8"))
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInputError(f"{host}: {error}", "a host is a TOML file with the section [host]") from None
    if set(table) != {"host"} or not isinstance(table["host"], dict):
        raise BadInputError(f"{host}: is no host", "a host is a TOML file with the section [host] alone")
    return [f"host.{key}={toml_value(key, value)}" for key, value in table["host"].items()]
