"""How much a host may write to a drive, from the write amplification of a run."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Lifetime", "lifetime"]

DAYS_PER_YEAR = 365
TB = 1e12


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A drive's life in the units of data sheets.

    Attributes:
        tbw_tb: Terabytes (10^12 bytes) that the host may write until the flash is worn.
        dwpd: Drive writes a day over the warranty.
        write_amplification: Bytes programmed for each byte of the host, from the run.
        wear_unevenness: P/E cycles of the most worn blocks over the mean of all blocks; 1 is even wear.
    """

    tbw_tb: float
    dwpd: float
    write_amplification: float
    wear_unevenness: float


def lifetime(
    flash_bytes: int, host_bytes: int, pec: float, years: float, amplification: float, unevenness: float
) -> Lifetime:
    """The life of a drive. It ends when its most worn blocks have `pec` P/E cycles.

    Every byte of flash may be programmed once a P/E cycle, and `amplification` bytes are programmed for each of the
    host's (JEDEC JESD218).

    Args:
        flash_bytes: Bytes of all blocks.
        host_bytes: Bytes that the host sees.
        pec: P/E cycles that a block endures.
        years: Length of the warranty.
        amplification: Bytes programmed for each that the host writes.
        unevenness: P/E cycles of the most worn blocks over the mean.
    """
    written = flash_bytes * pec / unevenness / amplification
    return Lifetime(written / TB, written / (host_bytes * DAYS_PER_YEAR * years), amplification, unevenness)
