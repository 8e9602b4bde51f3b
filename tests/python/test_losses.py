"""Tables, reports and comparisons of runs show what a loss of power took."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import small
from test_cli_tables import drawn
from wordline import report
from wordline.output import compare_table, losses, notebook, table

LOAD = wl.workload("fio/random-write", requests=3_000)
JOURNALED = {"journal.mode": "on", "ssd.overprovisioning": 0.2}


def cut(protected: bool) -> wl.Result:
    """A run whose power is lost when the cache has data that flash does not have."""
    settings = {
        "cache.mode": "write",
        "cache.capacity_bytes": 2**20,
        "power.cut_at_s": 0.02,
        "power.protected": protected,
        **JOURNALED,
    }
    return wl.run(small().set_all(settings), LOAD)


def document_of(result: wl.Result) -> Any:  # noqa: ANN401 - JSON
    """The document, whose parts may be null elsewhere."""
    return result.document


@pytest.fixture(scope="module")
def kept() -> wl.Result:
    return cut(protected=True)


@pytest.fixture(scope="module")
def lost() -> wl.Result:
    return cut(protected=False)


def test_the_table_says_first_what_a_cut_took(kept: wl.Result, lost: wl.Result) -> None:
    for result in (kept, lost):
        document = document_of(result)
        cut, up = document["power"]["cut"], document["power"]["power_up"]
        lines = drawn(lambda c, d=document: table.show(d, c)).splitlines()
        place = next(number for number, line in enumerate(lines) if line.startswith("power "))
        assert lines[place + 2].startswith("WA ")
        failed = document["requests"]["by_status"]["aborted_power_loss"]
        assert f"{failed} requests failed" in lines[place]
        pages = cut["lost_cache_pages"]
        unit_bytes = result.config["ssd.page_bytes"]
        assert cut["lost_bytes"] == pages * unit_bytes
        taken = f"a cut took {pages:,.0f} pages ({pages * unit_bytes / 2**20:.1f} MiB) that were not on flash"
        assert (taken if pages else "a cut took no data") in lines[place]
        assert ("backup power dumped" in lines[place]) == (not pages)
        assert f"with {up['replay_reads']:,} reads of flash" in lines[place + 1]
    assert document_of(lost)["power"]["cut"]["lost_cache_pages"] > 100
    assert document_of(kept)["power"]["cut"]["lost_cache_pages"] == 0


def test_no_line_without_a_power_event() -> None:
    document = document_of(wl.run(small(), LOAD))
    assert document["power"] is None
    assert losses.power(document) == []
    assert losses.columns([document]) == {}


def test_a_shutdown_says_what_it_wrote() -> None:
    ssd = small().set_all({**JOURNALED, "power.shutdown_at_s": 0.01})
    document = document_of(wl.run(ssd, LOAD))
    ((label, line),) = losses.power(document)
    assert label == "power"
    assert line.startswith("switched off in ")
    assert f"{document['power']['shutdown']['map_writes']} pages of the mapping table written" in line


def test_what_is_done_again_is_the_cause_of_its_bytes(kept: wl.Result) -> None:
    written = document_of(kept)["written_bytes"]
    by_cause, unit_bytes = written["by_cause"], kept.config["ssd.page_bytes"]
    assert sum(by_cause.values()) == written["media"]
    assert by_cause["redone"] == kept.counters["ftl"]["redone"] * unit_bytes > 0
    # Whole pages are written, and nothing else is in the host's own.
    load = wl.workload("fio/sequential-write", requests=400, write_block_bytes=unit_bytes)
    settings = {"power.cut_at_s": 0.0015, "power.protected": True}
    document = document_of(wl.run(small().set_all(settings), load))
    told = table.of_writes(document)
    own, again = (document["written_bytes"]["by_cause"][cause] for cause in ("host", "redone"))
    assert own <= document["written_bytes"]["host"]
    assert again > 0.05 * own
    assert "programs that a power cut ended are done again" in told
    assert document["write_amplification_pages"] == pytest.approx((own + again) / own)


def test_what_weighs_most_is_named() -> None:
    def told(host: int, padding: int, redone: int, closed: int = 0) -> str:
        by_cause = {"host": host, "padding": padding, "redone": redone}
        document: dict[str, Any] = {"write_amplification": 2.0, "counters": {"ftl": {"closed_groups": closed}}}
        document["written_bytes"] = {"host": 1000, "by_cause": by_cause}
        return table.of_writes(document)

    assert told(1000, 10, 20) == ""
    assert told(1500, 300, 200) == " (2.00 without GC: a part of a page is programmed as a whole one)"
    assert told(1100, 400, 0) == " (1.50 without GC: pages are padded because the host waits)"
    assert told(1100, 400, 0, 3) == " (1.50 without GC: open blocks are padded and closed)"
    assert told(1100, 100, 300) == " (1.50 without GC: programs that a power cut ended are done again)"


def points(*results: wl.Result) -> list[compare_table.Point]:
    return [({"power.protected": result.config["power.protected"]}, document_of(result)) for result in results]


def test_a_comparison_marks_the_runs_that_lost_something(kept: wl.Result, lost: wl.Result) -> None:
    text = drawn(lambda c: compare_table.show(points(kept, lost), c))
    heads, first, second = text.splitlines()[:3]
    assert re.split(r"\s\s+", heads.strip())[:4] == ["power.protected", "lost pages", "failed", "IOPS"]
    pages = document_of(lost)["power"]["cut"]["lost_cache_pages"]
    failed = [document_of(result)["requests"]["by_status"]["aborted_power_loss"] for result in (kept, lost)]
    assert first.split()[:3] == ["true", "0", f"{failed[0]}"]
    assert second.split()[:3] == ["false", f"{pages:,}", f"{failed[1]}"]
    assert set(losses.MEANING) <= set(text.splitlines())
    assert max(map(len, text.splitlines())) <= 120, "a line of the legend is read where nothing wraps it, too"
    assert "lost pages" in notebook.of_points(points(kept, lost))


def test_a_comparison_without_losses_has_no_such_column() -> None:
    result = wl.run(small(), LOAD)
    text = drawn(lambda c: compare_table.show(points(result, result), c))
    assert "lost" not in text
    assert "failed" not in text


def test_reads_that_no_code_decodes_are_failed_requests() -> None:
    by_status = {"success": 990, "unrecovered_read_error": 10, "aborted_power_loss": 0, "aborted_sq_deletion": 7}
    assert losses.columns([{"requests": {"by_status": by_status}}]) == {"failed": ["10"]}


@pytest.mark.skipif(not report.available(), reason="there is no plotly, which draws the charts")
def test_reports_say_so_too(kept: wl.Result, lost: wl.Result, tmp_path: Path) -> None:
    report.write(tmp_path / "one.html", "One", [report.Entry(lost)])
    (_, taken), (_, back) = losses.power(document_of(lost))
    text = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert f"<dt>power</dt><dd>{taken}</dd><dt></dt><dd>{back}</dd>" in text
    entries = [report.Entry(each, {"power.protected": each.config["power.protected"]}) for each in (kept, lost)]
    report.write(tmp_path / "two.html", "Two", entries)
    text = (tmp_path / "two.html").read_text(encoding="utf-8")
    pages = document_of(lost)["power"]["cut"]["lost_cache_pages"]
    assert f'<td class="lost" data-label="lost pages" data-value="{pages}">' in text
    assert '<td data-label="lost pages" data-value="0">' in text
