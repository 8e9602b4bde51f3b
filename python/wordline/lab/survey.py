"""A survey of a device's read errors, page by page, without simulating its traffic: a chip lab for read-retry."""

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
    """Results of pages under AR2.

    Attributes:
        pages: Number of surveyed pages.
        retried: Pages whose first read fails.
        fallbacks: Those of them that no step can read with the shorter tPRE.
        lost: Those that no step can read at all.
    """

    pages: int
    retried: int
    fallbacks: int
    lost: int


@dataclass(frozen=True, slots=True)
class Predictions:
    """The accuracy of RiF's predictor; shares of all pages.

    Attributes:
        accuracy: Predicted correctly.
        balanced: Mean of two shares: uncorrectable and correctable pages predicted correctly.
        true_retry: Uncorrectable, and predicted so.
        false_retry: Correctable, but sensed again.
        missed_retry: Uncorrectable, but transferred.
        true_pass: Correctable, and transferred.
    """

    accuracy: float
    balanced: float
    true_retry: float
    false_retry: float
    missed_retry: float
    true_pass: float


def first_reads(config: Config, pages: int) -> FirstReads:
    """Returns the first reads of `pages` pages, spread over the device, at the start of a run.

    Raises:
        ConfigError: The device has no chip with read errors.
    """
    return FirstReads(*_core.first_reads(config.core, pages))


def fallbacks(config: Config, pages: int | None) -> Fallbacks:
    """Retries pages with tPRE cut by AR2's table for their blocks.

    Args:
        config: The device.
        pages: Number of pages, spread over it; None: those that the tables were profiled on.

    Raises:
        ConfigError: The device has no chip with read errors.
    """
    return Fallbacks(*_core.short_sense_fallbacks(config.core, pages))


def predictions(population: Sequence[tuple[float, float]]) -> Predictions:
    """Compares the predictor with the real decoder, over pages with these errors in the mean codeword and shares.

    Raises:
        ValueError: There is no page.
    """
    return Predictions(**_core.predictor_accuracy(list(population)))


def randomizer_effect(config: Config, pages: int) -> tuple[Predictions, Predictions]:
    """Returns predictions for first reads, with half of the 4-KiB chunks all zero: with the randomizer, and without.

    Raises:
        ConfigError: The device has no chip with read errors.
    """
    behind, without = _core.randomizer_effect(config.core, pages)
    return Predictions(**behind), Predictions(**without)
