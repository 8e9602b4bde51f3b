"""Packages that only some commands need. This module imports each on its first use; no other module imports them.

`extras.pa.table(…)` imports pyarrow, or raises an error that names the extra that installs it. Commands call `need`
before they simulate, so that nobody waits for a run whose result cannot be drawn.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from .errors import MissingExtraError

if TYPE_CHECKING:
    import distributed
    import matplotlib as mpl
    import pandas as pd
    import pyarrow as pa
    from matplotlib import figure, layout_engine, ticker
    from matplotlib import pyplot as plt
    from matplotlib.backends import backend_agg
    from plotly import offline as plotly_offline
    from pyarrow import compute as pc
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet
    from scipy import optimize

__all__ = [
    "EXTRAS",
    "Extra",
    "arrow_csv",
    "backend_agg",
    "can_import",
    "distributed",
    "figure",
    "is_there",
    "layout_engine",
    "mpl",
    "need",
    "optimize",
    "pa",
    "parquet",
    "pc",
    "pd",
    "plotly_offline",
    "plt",
    "ticker",
]


class Extra(NamedTuple):
    """An extra of the package, as in `pip install 'wordline[plot]'`.

    Attributes:
        purpose: What it is for.
        packages: The packages that it installs, by their import names.
    """

    purpose: str
    packages: tuple[str, ...]


EXTRAS = {
    "tables": Extra("pandas, Arrow and Parquet tables", ("pandas", "pyarrow")),
    "plot": Extra("figures", ("matplotlib",)),
    "report": Extra("HTML reports", ("plotly",)),
    "dask": Extra("runs on a Dask cluster", ("distributed",)),
    "notebook": Extra("Jupyter notebooks", ("ipykernel",)),
    "polars": Extra("tables in polars", ("polars",)),
    "duckdb": Extra("SQL over results", ("duckdb",)),
    "fit": Extra("drives fitted to measurements", ("scipy",)),
    "papers": Extra("the studies of papers", ("wordline_papers",)),
}

# Names of this module, and the modules that they stand for.
MODULES = {
    "arrow_csv": "pyarrow.csv",
    "backend_agg": "matplotlib.backends.backend_agg",
    "distributed": "distributed",
    "figure": "matplotlib.figure",
    "layout_engine": "matplotlib.layout_engine",
    "mpl": "matplotlib",
    "optimize": "scipy.optimize",
    "pa": "pyarrow",
    "parquet": "pyarrow.parquet",
    "pc": "pyarrow.compute",
    "pd": "pandas",
    "plotly_offline": "plotly.offline",
    "plt": "matplotlib.pyplot",
    "ticker": "matplotlib.ticker",
}


def __getattr__(name: str) -> ModuleType:
    """Imports a module of `MODULES` (PEP 562)."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    package = MODULES[name].partition(".")[0]
    try:
        module = importlib.import_module(MODULES[name])
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        extra = next(extra for extra, (_, packages) in EXTRAS.items() if package in packages)
        raise MissingExtraError("this", [package], [extra]) from None
    globals()[name] = module
    return module


def is_there(extra: str) -> bool:
    """Returns True if all packages of an extra are installed."""
    return not _missing(extra)


def need(what: str, *extras: str) -> None:
    """Checks that extras are installed.

    Args:
        what: What needs them, such as `--plot`.
        extras: Their names.

    Raises:
        MissingExtraError: A package is missing; the message says how to install it.
    """
    missing = {extra: packages for extra in extras if (packages := _missing(extra))}
    if missing:
        raise MissingExtraError(what, [package for packages in missing.values() for package in packages], list(missing))


def _missing(extra: str) -> list[str]:
    return [package for package in EXTRAS[extra].packages if not can_import(package)]


def can_import(package: str) -> bool:
    """Returns True if a package is installed, without importing it."""
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False
