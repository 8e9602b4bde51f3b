"""`--dask`: a cluster that does the simulations of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import extras
from .errors import BadInputError
from .paths import READS

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["Dask", "cluster"]

CONNECT_S = 20
DASK_HINT = "start a scheduler and workers first, see docs/how-to/my-cluster.md"
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS|FILE", help="Run on a Dask cluster: its address, or scheduler file."),
    READS,
]


@contextmanager
def cluster(address: str | None) -> Iterator[Executor | None]:
    """An executor of a Dask cluster; None if none is requested.

    Raises:
        BadInputError: The cluster does not answer.
        MissingExtraError: The package is missing.
    """
    if address is None:
        yield None
        return
    extras.need("--dask", "dask")
    place = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    try:
        client: Any = extras.distributed.Client(**place, timeout=CONNECT_S)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise BadInputError(f"--dask {address}: no scheduler answers ({error})", DASK_HINT) from None
    with client:
        yield client.get_executor()
