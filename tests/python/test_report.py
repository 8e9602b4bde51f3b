"""The HTML report: whole in one file, right in its numbers, and usable in a real browser."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import wordline as wl
from api_helpers import small
from browser import CHROMIUM, Browser
from cli_runner import wait_until, wordline
from wordline import report
from wordline.config import Layer
from wordline.output.view import arranged
from wordline.report.charts import charts
from wordline.report.curves import POINTS_MAX, points_of, thinned
from wordline.report.entry import Entry, of_results
from wordline.report.over_time import FLASH, Curve, alike, over_time
from wordline.report.question import first_line
from wordline.report.runs import LABEL_MAX, Runs
from wordline.stats.bounds import Bound
from wordline.sweeps import Point, Results, cross, grid, run_points, seeds

pytestmark = pytest.mark.skipif(not report.available(), reason="there is no plotly, which draws the charts")

GRID = cross(grid({"read.retry": ["ideal", "baseline"], "reliability.retry_steps": [1, 2, 3, 4, 5]}), seeds(10))
POINTS = [Point(small(), each, "fio/random-mix", requests=3000) for each in GRID]
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LIMIT_BYTES, LIMIT_CPU_S = 5_000_000, 2.5


@pytest.fixture(scope="module")
def results() -> Results:
    return run_points(POINTS)


@pytest.fixture(scope="module")
def file(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    section = report.Section("claims", "Claims", "1 of 1", notes=["tR: <to the nanosecond>"])
    report.write(
        path,
        "A hundred </script> points",
        of_results(results),
        [section],
        ["One & only note."],
        ["wordline", "sweep", "my file.toml"],
    )
    return path


class Outline(HTMLParser):
    """Elements that are closed in order, ids, links, and the heads of tables."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.headings: list[str] = []
        self.external: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        for name in ("src", "href", "action", "data", "srcset"):
            value = given.get(name)
            if value is not None:
                (self.targets if value.startswith("#") else self.external).append(value)
        if tag in ("h1", "h2", "h3"):
            self.headings.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"


def test_it_is_whole_html_and_needs_no_network(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    outline = Outline()
    outline.feed(text)
    assert text.startswith("<!DOCTYPE html>\n<html lang=")
    assert outline.open == []
    assert outline.external == []
    assert len(outline.ids) == len(set(outline.ids))
    assert {target[1:] for target in outline.targets} <= set(outline.ids)
    assert outline.headings[0] == "h1"
    assert outline.headings.count("h1") == 1
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    assert not re.search(r"<!--\w+-->", text)
    assert "A hundred &lt;/script&gt; points" in text
    assert "&lt;to the nanosecond&gt;" in text
    assert "One &amp; only note." in text


def test_a_hundred_points_are_small_enough(file: Path, results: Results) -> None:
    assert len(results) == 100
    assert file.stat().st_size < LIMIT_BYTES


def test_the_curves_are_those_of_the_runs(results: Results) -> None:
    drawn = {chart["id"]: chart for chart in charts(of_results(results))}
    assert set(drawn) >= {"latency-read", "latency-write", "throughput", "time-read-p99", "channels", "dies"}
    for chart in drawn.values():
        for series in chart["series"]:
            if "run" in series:
                assert len(series["x"]) == len(series["y"]) <= points_of(len(results)) + 102
            else:
                assert len(series["y"]) == len(results)
    for outcome, series in zip(results, drawn["latency-read"]["series"], strict=True):
        curve = list(zip(series["x"], series["y"], strict=True))
        assert all(first[1] >= second[1] for first, second in itertools.pairwise(curve))
        # At most 1 % of reads exceed the 99th percentile, more exceed any shorter time; a step of the axis is 5 %.
        p99 = outcome["response_us.read.p99"]
        assert [y for x, y in curve if x <= p99 * 1.00001][-1] <= 0.0107
        assert [y for x, y in curve if x < p99 * 0.99][-1] >= 0.01
        # The last bin is cut at the slowest request in the summary only.
        assert curve[-1][0] == pytest.approx(outcome["response_us.read.max"], rel=0.02)
    for name in ("channels", "dies"):
        assert sum(series["y"][0] for series in drawn[name]["series"]) == pytest.approx(100.0)
    assert [series["colour"] for series in drawn["channels"]["series"]][-1] == "idle"


def test_the_end_of_a_run_is_no_drop_of_its_throughput(results: Results) -> None:
    """Each interval that is drawn is whole: the run ends within the last one, while its queues empty."""
    drawn = [chart for chart in charts(of_results(results)) if chart["group"] == "time"]
    for chart in drawn:
        for outcome, series in zip(results, chart["series"], strict=True):
            width = series["x"][1] - series["x"][0]
            assert series["x"][-1] + width <= outcome["simulated_s"] * (1 + 1e-5)


def test_labels_say_what_differs_and_nothing_else(results: Results) -> None:
    entries = [
        replace(entry, settings={"ssd.dies": 4, "a.long": "x" * 400 + entry.label, **entry.settings})
        for entry in of_results(results)
    ]
    runs = Runs.of(entries)
    assert dict(runs.shared) == {"ssd.dies": "4"}
    assert list(runs.keys) == ["read.retry", "reliability.retry_steps", "seed"]
    assert runs.labels[11] == "retry=ideal, retry_steps=2, seed=2"
    assert runs.view == {"colour": "read.retry", "panels": "reliability.retry_steps", "dashes": None}
    settings = ({key: each.settings[key] for key in runs.keys[:2]} | {"b.c": n % 2} for n, each in enumerate(entries))
    assert Runs.of([replace(entries[0], settings=each) for each in settings]).view["dashes"] == "b.c"
    assert Runs.of(entries[:2]).labels == ["1", "2"]


def test_keys_that_all_runs_share_are_said_once(results: Results) -> None:
    """Also those of single settings, which are in no run's coordinates; and a file is not called its preset."""
    result = results[0].result
    assert result is not None
    assert "gc.policy" not in Runs.of([report.Entry(result)]).shared
    layers = [*small().layers, Layer("--set gc.policy=fifo", 'gc.policy = "fifo"', has_lines=False)]
    ours = replace(result, config=wl.Config(layers))
    assert Runs.of([report.Entry(ours, {"a.b": number}) for number in (1, 2)]).shared == {"gc.policy": "fifo"}
    assert Runs.of([report.Entry(ours, {"a.b": 1}), report.Entry(result, {"a.b": 2})]).shared == {}
    of_file = Layer("some/where/mine.toml", "")
    named = replace(result, config=wl.Config([Layer("preset mqsim", ""), of_file]))
    assert "How <b>mine.toml (on mqsim)</b> serves" in first_line(Runs.of([report.Entry(named)]), [])


def test_a_stall_has_no_queue_depth() -> None:
    """Requests under way are counted as requests complete; an interval without any has no number, rather than zero."""
    columns = {"reads": [2, 0, 0, 1, 3], "writes": [0, 0, 0, 0, 0], "outstanding": [7, 0, 0, 5, 0]}
    of = next(of for name, *_, of in FLASH if name == "depth")
    assert [of(columns, slice(*part)) for part in ((0, 1), (1, 3), (0, 2), (2, 4), (4, 5))] == [7, None, 7, 5, None]


def test_the_first_line_says_what_was_asked(file: Path) -> None:
    text = re.sub(
        r"<[^>]*>", "", file.read_text(encoding="utf-8").partition('<p class="asked">')[2].partition("</p>")[0]
    )
    assert text.startswith(
        "What read.retry (ideal, baseline), reliability.retry_steps (1, 2, 3, 4, 5) and seed (10 values)"
    )
    assert "under fio/random-mix. 3,000 requests a run, synthetic. Made 20" in text
    assert text.endswith(f"by Wordline {wl.__version__}: wordline sweep &#x27;my file.toml&#x27;")


def test_the_tail_of_a_long_run_stays() -> None:
    curve = [(float(n), 10.0 ** (-6 * n / 5000)) for n in range(5000)]
    kept = thinned(curve)
    assert len(kept) <= POINTS_MAX + 102
    for slower in (0.1, 0.01, 1e-3, 1e-4, 1e-5):
        whole = next(x for x, y in curve if y <= slower)
        assert next(x for x, y in kept if y <= slower) == pytest.approx(whole, rel=0.04)


@pytest.mark.parametrize(
    "command",
    [
        ("run", "mqsim", "--workload", "fio/random-mix", "--set", "workload.requests=500"),
        ("compare", "mqsim", "--workload", "fio/random-mix", "--set", "workload.requests=500", "--set", "seed=1,2"),
    ],
)
def test_commands_write_it(command: tuple[str, ...], tmp_path: Path) -> None:
    answer = wordline(*command, "--out", "out", "--report", "here.html", cwd=tmp_path)
    assert answer.code == 0, answer.err
    for path in (tmp_path / "here.html", tmp_path / "out" / "report.html"):
        text = path.read_text(encoding="utf-8")
        assert 'id="summary"' in text
        assert "channels = 8" in text
    wrong = wordline(*command, "--report", "no/where.html", cwd=tmp_path)
    assert wrong.code == 2
    assert "--report no/where.html" in wrong.err


def test_a_sweep_has_one(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('ssd = "mqsim"\nworkload = "fio/random-mix"\nrequests = 100\nseeds = 2\n')
    assert wordline("sweep", "s.toml", cwd=tmp_path).code == 0
    assert "under 2 seeds each" in (tmp_path / "out" / "s" / "report.html").read_text(encoding="utf-8")


needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


READY = "document.body && document.body.dataset.ready"
CHANGED = "s.dispatchEvent(new Event('change'));"
FIRST = 'document.querySelector("figure[data-chart=latency-read]")'
OPEN = f"{FIRST}?.querySelector('.tools')"


def choice(label: str, value: str) -> str:
    """A script that chooses a value of the list with this label."""
    found = f"[...document.querySelectorAll('#choices label')].find((l) => l.firstChild.textContent === '{label}')"
    return f"{{ const s = {found}.querySelector('select'); s.value = '{value}'; {CHANGED} }}"


@pytest.fixture
def opened(browser: Browser, file: Path) -> Browser:
    browser.open(file, OPEN)
    return browser


@needs_browser
def test_it_opens_quickly_and_draws_everything(browser: Browser, file: Path) -> None:
    browser.open(file, READY)
    browser.requested.clear()
    browser.open(file, READY)
    count = browser.js("document.querySelectorAll('figure').length")
    assert browser.js("document.querySelectorAll('figure .chart svg.main-svg').length") >= count >= 6
    assert browser.problems == []
    assert [url for url in browser.requested if not url.startswith(("file:", "blob:", "data:"))] == []
    # Until the first chart can be read; the others follow one by one. The clock on the wall depends on what else runs.
    first = "document.querySelector('.chart svg.main-svg')"
    begun = browser.cpu_s()
    browser.open(file, first)
    taken = browser.cpu_s() - begun
    assert taken < LIMIT_CPU_S


@needs_browser
def test_many_runs_are_panels_of_envelopes(opened: Browser) -> None:
    """A hundred runs: a panel for each value of one key, a median and its range for each value of another."""
    drawn = f"{FIRST}.querySelector('.chart')"
    assert opened.js(f"Object.keys({drawn}._fullLayout).filter((key) => /^xaxis/.test(key)).length") == 5
    assert opened.js(f"{drawn}._fullData.length") == 5 * 2 * 2
    legend = f"[...{FIRST}.querySelectorAll('.legend > span')].map((each) => each.textContent)"
    assert opened.js(legend) == ["retry = ideal", "retry = baseline", "line: median; area: range of up to 10 runs"]
    colours = f"new Set({drawn}._fullData.map((each) => each.line.color)).size"
    assert opened.js(f"{choice('Colour charts by', '')}; {colours}") == 8
    lines = f"{drawn}._fullData.length"
    assert opened.js(f"{choice('Panels by', '')}; {lines}") == 100


@needs_browser
def test_ticks_are_whole_numbers_with_their_thousands_apart(of_two: Browser) -> None:
    ticks = of_two.js("[...document.querySelectorAll('.xtick text, .ytick text')].map((each) => each.textContent)")
    assert not [tick for tick in ticks if re.search(r"[kMG]$", tick)]
    assert any(re.fullmatch(r"\d,\d{3}", tick) for tick in ticks)


@needs_browser
def test_names_are_data(browser: Browser, tmp_path: Path) -> None:
    """A name that is HTML or a placeholder is shown as it was written, and no script but the page's own runs."""
    name = "<!--<script><!--script--></script><img src=x onerror=document.title='ran'><script>document.title=1</script>"
    path = tmp_path / "report.html"
    runs = of_results(run_points([Point(small(), each, "fio/random-mix", requests=200) for each in seeds(2)]))
    report.write(path, name, [replace(run, settings={name: number}) for number, run in enumerate(runs)], notes=[name])
    browser.open(path, READY)
    assert browser.js("document.title") == name
    assert browser.js('document.querySelectorAll(".chart svg").length') > 0
    assert browser.js('document.querySelectorAll("img").length') == 0


@needs_browser
def test_it_runs_no_script_but_its_own(opened: Browser) -> None:
    opened.js(
        'document.head.append(Object.assign(document.createElement("script"), {textContent: "window.intruder = 1"}))'
    )
    assert opened.js("window.intruder === undefined")
    opened.problems.clear()


@needs_browser
def test_it_zooms_by_keyboard(opened: Browser) -> None:
    width = f"(() => {{ const r = {FIRST}.querySelector('.chart')._fullLayout.xaxis.range; return r[1] - r[0]; }})()"
    whole = opened.js(width)
    opened.js(f'{FIRST}.querySelector(".tools").open = true')
    opened.js(f'{FIRST}.querySelector(".controls button").focus()')
    assert opened.js("document.activeElement.textContent") == "Zoom in"
    opened.press("Enter", 13)
    assert opened.js(width) == pytest.approx(whole / 2)
    for _ in range(4):
        opened.press("Tab", 9)
    assert opened.js("document.activeElement.textContent") == "Whole chart"
    opened.press("Enter", 13)
    assert opened.js(width) == pytest.approx(whole, rel=0.01)


@pytest.fixture
def of_two(browser: Browser, tmp_path: Path) -> Browser:
    """A report of two runs that write."""
    path = tmp_path / "two.html"
    points = [Point(small(), each, "fio/random-write", requests=3000) for each in seeds(2)]
    report.write(path, "two", of_results(run_points(points)))
    browser.open(path, READY)
    return browser


@needs_browser
def test_charts_over_time_are_zoomed_together(of_two: Browser) -> None:
    charts = "[...document.querySelectorAll('figure:is([data-chart=throughput], [data-chart^=time-]) .chart')]"
    begin = f"{charts}.map((each) => each._fullLayout.xaxis.range[0])"
    middle = of_two.js(f"{charts}[0]._fullLayout.xaxis.range[1] / 2")
    of_two.js(f"void Plotly.relayout({charts}[0], {{'xaxis.range': [{middle}, {2 * middle}]}})")
    wait_until(lambda: set(of_two.js(begin)) == {middle}, 30)


@needs_browser
def test_charts_over_time_are_shown_over_bytes_written(of_two: Browser) -> None:
    chart = "document.querySelector('figure[data-chart=throughput] .chart')"
    button = "[...document.querySelectorAll('button')].find((each) => /over/.test(each.textContent))"
    last = f"{chart}._fullData[0].x.at(-1)"
    seconds = of_two.js(last)
    of_two.js(f"{button}.click()")
    wait_until(lambda: of_two.js("document.body.dataset.ready"), 30)
    assert of_two.js(f"{chart}._fullLayout.xaxis.title.text") == "written by the host (GB)"
    # 3,000 writes of 4 KiB, without those of the last interval.
    assert 0.5 * 3000 * 4096 / 1e9 < of_two.js(last) <= 3000 * 4096 / 1e9
    of_two.js(f"{button}.click()")
    wait_until(lambda: of_two.js("document.body.dataset.ready"), 30)
    assert of_two.js(last) == seconds


def test_lines_that_are_the_same_are_named() -> None:
    curve, other = Curve([(0.0, 1.0), (1.0, 2.0)], [0.0, 0.0]), Curve([(0.0, 3.0)], [0.0])
    assert alike([(0, curve), (1, other), (2, curve)]) == " The same in runs 1 and 3."
    assert alike([(0, curve), (1, other)]) == ""


def test_long_labels_lose_the_names_of_their_keys(results: Results) -> None:
    runs = Runs.of(of_results(results))
    assert max(map(len, runs.labels)) > LABEL_MAX
    assert runs.short_labels[0] == "ideal, 1, 1"
    few = replace(runs, keys=["seed"], values=[{"seed": "1"}])
    assert few.short_labels == few.labels == ["1"]


@needs_browser
def test_runs_are_filtered_sorted_and_grouped(opened: Browser, results: Results) -> None:
    seen = "[...document.querySelectorAll('table.runs tr[data-run]')].filter((row) => !row.hidden)"
    numbers = f"{seen}.map((row) => Number(row.dataset.run))"
    assert opened.js(numbers) == list(range(100))
    opened.js(choice("Only seed", "3"))
    assert opened.js(numbers) == list(range(2, 100, 10))
    assert opened.js("document.getElementById('status').textContent") == "10 of 100 runs shown"
    # The charts show what the table shows: two curves in each of five panels.
    drawn = f"{FIRST}.querySelector('.chart')._fullData.length"
    assert opened.js(drawn) == 10
    for kind in ("ascending", "descending"):
        opened.js("document.querySelector('th[data-name=IOPS] button').click()")
        assert opened.js("document.querySelector('th[data-name=IOPS]').ariaSort") == kind
        # Runs of the same number keep their order.
        wanted = sorted(range(2, 100, 10), key=lambda n: results[n]["iops.all"] * (1 if kind == "ascending" else -1))
        assert [results[n]["iops.all"] for n in opened.js(numbers)] == [results[n]["iops.all"] for n in wanted]
    opened.js(choice("Group rows by", "read.retry"))
    groups = "[...document.querySelectorAll('tr.group th')].map((each) => each.textContent)"
    assert opened.js(groups) == ["retry = ideal (5)", "retry = baseline (5)"]
    mean = float(opened.js("document.querySelector('tr.group td[data-label^=IOPS]').textContent").replace(",", ""))
    assert mean == pytest.approx(sum(results[n]["iops.all"] for n in range(2, 50, 10)) / 5, rel=1e-3)
    opened.js("document.querySelector('table.runs tr[data-run] input').click()")
    assert opened.js("document.getElementById('status').textContent") == "9 of 100 runs shown"


@needs_browser
def test_data_are_a_table_and_a_file(opened: Browser, results: Results, tmp_path: Path) -> None:
    opened.js(f'{FIRST}.querySelector(".tools").open = true; {FIRST}.querySelector(".data").open = true')
    rows = f'{FIRST}.querySelectorAll("tbody tr").length'
    series = next(chart for chart in charts(of_results(results)) if chart["id"] == "latency-read")["series"]
    opened.js("new Promise((done) => setTimeout(done, 100))")
    assert opened.js(rows) == sum(len(each["x"]) for each in series)
    opened.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    opened.js(
        f'[...{FIRST}.querySelectorAll(".controls button")].find((b) => b.textContent.startsWith("Save")).click()'
    )
    for _ in range(100):
        if (tmp_path / "latency-read.csv").exists():
            break
        opened.js("new Promise((done) => setTimeout(done, 50))")
    lines = (tmp_path / "latency-read.csv").read_text().splitlines()
    assert lines[0] == "run,response time (us),percentile of reads"
    assert len(lines) == 1 + sum(len(each["x"]) for each in series)


@needs_browser
def test_it_is_read_in_the_dark_and_on_a_phone(opened: Browser, file: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    ink = f"{FIRST}.querySelector('.chart')._fullLayout.font.color"
    light = opened.js(ground), opened.js(ink)
    opened.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    opened.js("new Promise((done) => setTimeout(done, 1000))")
    dark = opened.js(ground), opened.js(ink)
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    opened.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    opened.open(file, OPEN)
    # Nothing is wider than the screen, and no table has to be scrolled: rows are cards.
    assert opened.js("document.documentElement.scrollWidth") <= 390
    assert opened.js("Math.max(...[...document.querySelectorAll('.wide')].map((each) => each.scrollWidth))") <= 390
    assert opened.js("getComputedStyle(document.querySelector('table.runs tr')).display") == "grid"
    opened.send("Emulation.clearDeviceMetricsOverride")
    opened.send("Emulation.setEmulatedMedia", features=[])


@needs_browser
def test_it_is_printed_whole_and_without_buttons(opened: Browser) -> None:
    opened.send("Emulation.setEmulatedMedia", media="print")
    opened.send("Emulation.setDeviceMetricsOverride", width=700, height=990, deviceScaleFactor=1, mobile=False)
    clipped = "[...document.querySelectorAll('.wide, pre')].filter((e) => e.scrollHeight > e.clientHeight + 1).length"
    assert opened.js(clipped) == 0
    assert opened.js("document.documentElement.scrollWidth") <= 700
    # The heads of the table of runs are buttons on the screen, and stay as plain text.
    visible = "[...document.querySelectorAll('button, select, input')].filter((e) => e.offsetParent !== null)"
    assert opened.js(f"{visible}.every((each) => each.closest('thead'))")
    widths = "[...document.querySelectorAll('.chart svg.main-svg')].map((e) => e.getBoundingClientRect().right)"
    assert opened.js(f"Math.max(...{widths})") <= 700
    opened.send("Emulation.clearDeviceMetricsOverride")
    opened.send("Emulation.setEmulatedMedia", media="")


@needs_browser
def test_many_columns_fit_on_paper(browser: Browser, results: Results, tmp_path: Path) -> None:
    result = results[0].result
    assert result is not None
    keys = [f"section.a_key_with_a_long_name_{number}" for number in range(12)]
    runs = [{key: key == only for key in keys} for only in ("none", *keys)]
    report.write(tmp_path / "wide.html", "Wide", [report.Entry(result, settings) for settings in runs])
    browser.open(tmp_path / "wide.html", "document.querySelector('table.dense')")
    browser.send("Emulation.setEmulatedMedia", media="print")
    browser.send("Emulation.setDeviceMetricsOverride", width=700, height=990, deviceScaleFactor=1, mobile=False)
    widths = browser.js("[...document.querySelectorAll('.dense th')].map((e) => e.getBoundingClientRect().right)")
    browser.send("Emulation.clearDeviceMetricsOverride")
    browser.send("Emulation.setEmulatedMedia", media="")
    assert len(widths) > 12
    assert max(widths) <= 700


@needs_browser
def test_a_screen_reader_finds_its_way(opened: Browser) -> None:
    nodes = opened.send("Accessibility.getFullAXTree")["nodes"]
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node.get("ignored") and "role" in node
    ]
    roles = [role for role, _ in named]
    assert {"main", "navigation", "banner", "heading", "table", "status"} <= set(roles)
    images = [name for role, name in named if role in ("image", "img")]
    assert any(name.startswith("Response times of reads.") for name in images)
    controls = [name for role, name in named if role in ("button", "checkbox", "link", "combobox", "searchbox")]
    assert len(controls) > 100
    assert all(controls)


@needs_browser
def test_the_configuration_can_be_copied(opened: Browser, results: Results) -> None:
    opened.js("document.querySelector('[data-copy]').click()")
    opened.js("new Promise((done) => setTimeout(done, 300))")
    assert "configuration is" in opened.js("document.getElementById('status').textContent")
    for number in (0, 57):
        opened.js(f"{{ const s = document.getElementById('config-run'); s.value = {number}; {CHANGED} }}")
        text = opened.js("document.getElementById('config').textContent")
        assert wl.config(text=text).hash == hashlib.sha256(text.encode()).hexdigest()
        outcome = results[number].result
        assert outcome is not None
        assert wl.config(text=text).hash == outcome.config_hash


def test_a_report_opens_with_its_answer(tmp_path: Path) -> None:
    grid = {"host.queue_depth": [1, 8]}
    results = wl.compare(small(), "fio/random-read", grid, requests=3000, jobs=1)
    page = tmp_path / "report.html"
    report.write(page, "depth", of_results(results))
    text = page.read_text(encoding="utf-8")
    (sentence,) = re.findall(r'<p class="answer">(.*?)</p>', text)
    p99 = [each.document["response_us"]["read"]["p99"] for each in results]
    lowest = "1" if p99[0] < p99[1] else "8"
    assert sentence.startswith(f"<b>{lowest}</b> has the lowest p99 of reads, ")
    assert "interval (95 %) of the change" in sentence
    chart = text.partition('<figure class="answer">')[2].partition("</figure>")[0]
    assert chart.count("<rect ") == 2
    alone = tmp_path / "alone.html"
    report.write(alone, "one", of_results(results)[:1])
    (sentence,) = re.findall(r'<p class="answer">(.*?)</p>', alone.read_text(encoding="utf-8"))
    assert " IOPS; p99 of reads " in sentence
    assert " GB for the host" in sentence


def test_a_report_has_the_columns_and_the_bounds_that_were_asked_for(tmp_path: Path) -> None:
    depths = {"host.queue_depth": [8, 1]}
    entries = of_results(wl.compare(small(), "fio/random-read", depths, requests=1000, jobs=1))
    bound = Bound.parse("read.p99.9=999us", is_most=True)
    points = [(entry.settings, entry.result.document) for entry in entries]
    _, view = arranged(points, columns=["wa"], bounds=(bound,))
    report.write(tmp_path / "bounds.html", "bounds", entries, view=view)
    text = (tmp_path / "bounds.html").read_text(encoding="utf-8")
    first, second = re.findall(r'<p class="answer">(.*?)</p>', text)
    assert first.startswith("read p99.9 at most 999 us: ")
    assert "has the lowest read p99.9, " in second
    heads = re.findall(r'<th scope="col"[^>]* data-name="([^"]+)"', text)
    assert heads == ["run", "host.queue_depth", "WA", "read p99.9 us"]


def test_every_axis_of_a_zip_is_in_the_table() -> None:
    result = wl.run(small(), "fio/random-read", requests=50)
    entries = [
        Entry(result, {"host.mode": mode, "host.time_scale": scale}) for mode, scale in (("open", 0.5), ("closed", 1.0))
    ]
    assert list(Runs.of(entries).keys) == ["host.mode", "host.time_scale"]


def test_what_is_the_same_in_all_runs_is_drawn_once() -> None:
    result = wl.run(small(), "fio/random-write", requests=4000)
    charts = over_time([Entry(result, {"a": 1}), Entry(result, {"a": 2})], 100)
    drawn = [chart for chart in charts if chart["series"]]
    assert drawn
    assert all(len(chart["series"]) == 1 and "The same in all runs." in chart["note"] for chart in drawn)
    for chart in drawn:
        values = {y for y in chart["series"][0]["y"] if y is not None} if "y" in chart["series"][0] else {1, 2}
        assert len(values) > 1, "a constant line says nothing"


@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_claims_scroll_with_the_page_and_figures_are_wide(browser: Browser, tmp_path: Path, width: int) -> None:
    rows = [(f"claim.{number}", "what it says", "12 %", "13 %") for number in range(60)]
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="9" height="9"/></svg>'
    sections = [
        report.Section("claims", "Claims", "", columns=("claim", "what", "paper", "here"), rows=rows),
        report.Section("figure", "Figure", "", drawing=drawing),
    ]
    page = tmp_path / "study.html"
    report.write(page, "study", [], sections)
    browser.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.open(page, READY)
    box = "document.querySelector('.wide:has(> table.claims)')"
    assert browser.js(f"{box}.scrollHeight - {box}.clientHeight") <= 1, "claims in a box that scrolls"
    assert browser.js("document.documentElement.scrollWidth") <= width
    assert browser.js("document.querySelector('.drawing').getBoundingClientRect().width") >= min(0.85 * width, 900)
    browser.send("Emulation.clearDeviceMetricsOverride")
