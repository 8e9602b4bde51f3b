"""What a notebook shows: names to complete, tables of configurations and results, figures, progress."""

from __future__ import annotations

import sys
from html.parser import HTMLParser

import pytest

import wordline as wl
from api_helpers import small
from wordline import extras
from wordline.progress import Progress, reporting
from wordline.sweeps import Results

needs_plot = pytest.mark.skipif(not extras.is_there("plot"), reason="there is no matplotlib")


class Cells(HTMLParser):
    """The texts of a table's cells; every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag != "br":
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


@pytest.fixture(scope="module")
def results() -> Results:
    load = wl.workload("fio/random-read", requests=2000)
    worn = wl.preset("pnar2", pec=1000, retention_months=3)
    return wl.compare(worn, load, {"host.queue_depth": [1, 8]}, seeds=3, jobs=1)


def test_every_name_is_offered() -> None:
    offered = set(dir(wl))
    assert set(wl.__all__) | {"lab", "report"} == offered
    assert all(getattr(wl, name) is not None for name in offered)


def test_a_configuration_shows_what_differs_from_its_preset() -> None:
    shown = Cells(wl.preset("pnar2", pec=2000).set("gc.policy", "fifo")._repr_html_()).cells
    assert shown[:4] == ["key", "here", "preset pnar2", "set by"]
    rows = [shown[place : place + 3] for place in range(4, len(shown), 4)]
    assert rows == [["gc.policy", "fifo", "greedy"], ["reliability.pec", "2000", "0"]]
    assert "nothing changed" in wl.preset("aero")._repr_html_()
    assert all(Cells(each._repr_html_()) and each.name in each._repr_html_() for each in wl.presets())


def test_results_show_their_numbers_with_intervals(results: Results) -> None:
    shown = Cells(results._repr_html_()).cells
    assert shown[0] == "host.queue_depth"
    assert any("±" in cell for cell in shown)
    result = results[0].result
    assert result is not None
    one = result._repr_html_()
    assert "fio/random-read (synthetic)" in one
    assert Cells(one).cells[4:6] == ["requests", "2,000"]
    assert "fewer than 100 requests lie beyond it" in one


@needs_plot
def test_figures_show_the_numbers(results: Results) -> None:
    axes = results.plot.bars("response_us.read.p99")
    for bar, outcome in zip(axes.patches, results, strict=True):
        assert bar.get_height() == outcome["response_us.read.p99"]
    interval = results[0].result.interval("response_us.read.p99")  # type: ignore[union-attr]
    assert interval is not None
    segment = axes.containers[0].lines[2][0].get_segments()[0]
    assert segment[:, 1].tolist() == pytest.approx([interval.low, interval.high])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "8"]
    with pytest.raises(KeyError, match="no_such_number"):
        results.plot.bars("no_such_number")
    assert len(results.plot.cdf("read").lines) == 2


@needs_plot
def test_a_number_is_drawn_over_a_setting(results: Results) -> None:
    axes = results.plot.lines("response_us.read.p99", over="host.queue_depth")
    line, _, (bars,) = axes.containers[0].lines
    assert line.get_xdata().tolist() == [1, 8]
    assert line.get_ydata().tolist() == [outcome["response_us.read.p99"] for outcome in results]
    interval = results[0].result.interval("response_us.read.p99")  # type: ignore[union-attr]
    assert interval is not None
    assert bars.get_segments()[0][:, 1].tolist() == pytest.approx([interval.low, interval.high])
    with pytest.raises(KeyError, match="no_such_setting"):
        results.plot.lines("response_us.read.p99", over="no_such_setting")


@needs_plot
def test_ticks_of_response_times_are_plain_numbers(results: Results) -> None:
    axes = results.plot.cdf("read")
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    shown = [label.get_text() for label in axes.get_xticklabels() if low <= label.get_position()[0] <= high]
    assert shown
    assert all(float(text.replace(",", "")) > 0 for text in shown)


@needs_plot
def test_a_run_is_drawn_over_its_time(results: Results) -> None:
    result = results[1].result
    assert result is not None
    line = result.plot.over_time("free_blocks").lines[0]
    columns = result.arrays("intervals")
    whole = [
        blocks
        for start, after, blocks in zip(
            columns["start_ns"], columns["start_ns"][1:], columns["free_blocks"], strict=False
        )
        if after > start
    ]
    drawn = line.get_ydata().tolist()
    assert drawn[: len(whole)] == whole
    assert len(drawn) - len(whole) in (0, 1), "without the interval in which the run ended"
    x = result.plot.cdf().lines[0].get_xdata()
    low, _ = result.plot.cdf().get_xlim()
    assert low == pytest.approx(min(x)), "the axis starts where the data do"
    assert result.plot.throughput().get_ylabel() == "Throughput (MB/s)"
    with pytest.raises(ValueError, match="there are write_amplification"):
        result.plot.over_time("wear")


def test_a_terminal_has_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    monkeypatch.setenv("WORDLINE_PROGRESS_S", "0")
    with reporting(progress=True) as callback:
        assert callback is not None
        callback(Progress("run", 0.5, 10, 1.0, 1.0))
    assert capsys.readouterr().err == "wordline: simulating 50%, 10 requests\n", "lines, where nothing can be drawn"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with reporting(progress=True) as callback:
        assert callback is not None
        callback(Progress("run", 0.5, 10, 1.0, 1.0))
    seen = wl.replicate(small(), wl.workload("fio/random-mix", requests=100), seeds=2, jobs=1, progress=True)
    assert seen.all.count == 100


def test_lists_of_presets_and_workloads_are_tables() -> None:
    for infos, name in ((wl.presets(), "mqsim"), (wl.workloads(), "ycsb/a")):
        shown = infos._repr_html_()  # type: ignore[attr-defined]  # a list, for whoever reads the types
        assert f"<td>{name}</td>" in shown
        # The files are too long for a list.
        assert len(repr(infos)) < 300 * len(infos)
