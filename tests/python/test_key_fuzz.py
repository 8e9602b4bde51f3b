"""No value of any key brings the program down, or makes it print nonsense; `key_fuzz.py` says what that means."""

from __future__ import annotations

import pytest

import key_fuzz


def test_a_sample_of_keys_and_values() -> None:
    every = key_fuzz.cases(key_fuzz.keys_of())
    # A step that shares no factor with the values, the keys or the bases meets all of them.
    assert list(key_fuzz.faults(every[::97])) == []


def test_what_once_went_wrong() -> None:
    """A wrapped clock, panics, a crash in the JSON writer, an empty table, and a second key in a value."""
    small, together, ofwar = key_fuzz.BASES
    huge = str(2**63 - 1)
    cases = [
        key_fuzz.Case(small, "dram.latency_ns", huge),
        key_fuzz.Case(small, "host.submit_ns", huge),
        key_fuzz.Case(together, "channel.rate_mb_s", "1e-308"),
        key_fuzz.Case(ofwar, "program.fast_dvpp", "-1"),
        key_fuzz.Case(together, "program.fast_dvpp", "inf"),
        key_fuzz.Case(small, "workload.hot_fraction", "nan"),
        key_fuzz.Case(small, "ssd.channels", "4\nssd.chips_per_channel = 2"),
    ]
    assert list(key_fuzz.faults(cases)) == []


@pytest.mark.verify
@pytest.mark.timeout(4 * 3600)
def test_every_value_of_every_key() -> None:
    assert list(key_fuzz.faults(key_fuzz.cases(key_fuzz.keys_of()))) == []
