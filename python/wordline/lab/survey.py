"""What reads find on a device, page by page, without simulating its traffic: a chip lab for read-retry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import _core
from ..config import Config

__all__ = ["Fallbacks", "FirstReads", "Predictions", "fallbacks", "first_reads", "predictions", "randomizer_effect"]


@dataclass(frozen=True, slots=True)
class FirstReads:
    """Raw errors of pages in their first read.

    Attributes:
        histogram: Errors of the mean 1-KiB codeword, bits, and the share of pages.
        failing_share: Share of pages whose worst codeword has more than `ecc.correctable_bits`.
    """

    histogram: list[tuple[float, float]]
    failing_share: float


@dataclass(frozen=True, slots=True)
class Fallbacks:
    """What became of pages under AR2.

    Attributes:
        pages: Pages surveyed.
        retried: Those whose first read fails.
        fallbacks: Those of them that no step reads with the shorter tPRE.
        lost: Those that no step reads at all.
    """

    pages: int
    retried: int
    fallbacks: int
    lost: int


@dataclass(frozen=True, slots=True)
class Predictions:
    """How often RiF's predictor is right; shares of all pages.

    Attributes:
        accuracy: Judged right.
        balanced: Mean of the shares judged right among uncorrectable and among correctable pages.
        true_retry: Uncorrectable, and found so.
        false_retry: Correctable, but sensed again.
        missed_retry: Uncorrectable, but sent off.
        true_pass: Correctable, and sent off.
    """

    accuracy: float
    balanced: float
    true_retry: float
    false_retry: float
    missed_retry: float
    true_pass: float


def first_reads(config: Config, pages: int) -> FirstReads:
    """What the first reads of so many pages, spread over the device, find when a run starts.

    Raises:
        ConfigError: The device has no chip with read errors.
    """
    return FirstReads(*_core.first_reads(config.core, pages))


def fallbacks(config: Config, pages: int) -> Fallbacks:
    """Retries so many pages with tPRE cut as AR2's table says for their blocks.

    Raises:
        ConfigError: The device has no chip with read errors.
    """
    return Fallbacks(*_core.short_sense_fallbacks(config.core, pages))


def predictions(population: Sequence[tuple[float, float]]) -> Predictions:
    """The predictor against the real decoder, over pages with these errors in the mean 1-KiB codeword and shares.

    Raises:
        ValueError: No page at all.
    """
    return Predictions(**_core.predictor_accuracy(list(population)))


def randomizer_effect(config: Config, pages: int) -> tuple[Predictions, Predictions]:
    """The predictor over first reads of pages half of whose 4-KiB chunks hold zeros: with the randomizer, and without.

    Raises:
        ConfigError: The device has no chip with read errors.
    """
    behind, without = _core.randomizer_effect(config.core, pages)
    return Predictions(**behind), Predictions(**without)
