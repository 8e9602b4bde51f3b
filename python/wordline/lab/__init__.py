"""A chip lab: kinds of NAND chips, benches that measure them without an SSD, and the tables of the ECC."""

from .._core import EraseBench, ProgramBench, ReadBench
from .chips import Chip, all_chips, chip_of, on_bench
from .ecc import EccTables, curves, make_tables

__all__ = [
    "Chip",
    "EccTables",
    "EraseBench",
    "ProgramBench",
    "ReadBench",
    "all_chips",
    "chip_of",
    "curves",
    "make_tables",
    "on_bench",
]
