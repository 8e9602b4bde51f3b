"""The HTML report: whole in one file, right in its numbers, and usable in a real browser."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import wordline as wl
from api_helpers import small
from browser import CHROMIUM, Browser
from cli_runner import wordline
from wordline import report
from wordline.report.charts import POINTS_MAX, charts, thinned
from wordline.report.entry import of_results
from wordline.studies import Point, Results, claim_table, claims, cross, grid, run_points, seeds

pytestmark = pytest.mark.skipif(not report.available(), reason="there is no plotly, which draws the charts")

GRID = cross(grid({"read.retry": ["ideal", "baseline"], "reliability.retry_steps": [1, 2, 3, 4, 5]}), seeds(10))
POINTS = [Point(small(), each, "fio/random-mix", requests=3000) for each in GRID]
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LIMIT_BYTES, LIMIT_S = 10_000_000, 2.0


@pytest.fixture(scope="module")
def results() -> Results:
    return run_points(POINTS)


@pytest.fixture(scope="module")
def file(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    rows = claims.judged({"pnar2.timing.tR": claims.Measured(91.0, note="<to the nanosecond>")}, "mine", ["rif"])
    report.write(
        path, "A hundred </script> points", of_results(results), [claim_table.section(rows)], ["One & only note."]
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
    assert set(drawn) >= {"latency-read", "latency-write", "throughput", "channels", "dies", "amplification"}
    for chart in drawn.values():
        for series in chart["series"]:
            assert len(series["x"]) == len(series["y"]) <= max(POINTS_MAX + 102, 2 * len(results))
    for outcome, series in zip(results, drawn["latency-read"]["series"], strict=True):
        curve = list(zip(series["x"], series["y"], strict=True))
        assert all(first[1] >= second[1] for first, second in itertools.pairwise(curve))
        # At most 1 % of reads exceed the 99th percentile, more exceed any shorter time; a step of the axis is 5 %.
        p99 = outcome["response_us.read.p99"]
        assert [y for x, y in curve if x <= p99 * 1.00001][-1] <= 0.0107
        assert [y for x, y in curve if x < p99 * 0.99][-1] >= 0.01
        # The last bin is cut at the slowest request in the summary only.
        assert curve[-1][0] == pytest.approx(outcome["response_us.read.max"], rel=0.02)
    shares = [sum(series["y"][0] for series in drawn["channels"]["series"])]
    assert shares == [pytest.approx(100.0)]


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


def test_a_study_and_a_sweep_have_one(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('ssd = "mqsim"\nworkload = "fio/random-mix"\nrequests = 100\nseeds = 2\n')
    assert wordline("sweep", "s.toml", cwd=tmp_path).code == 0
    assert wordline("reproduce", "validation", "--quick", cwd=tmp_path).code == 0
    assert "seed=2" in (tmp_path / "out" / "s" / "report.html").read_text(encoding="utf-8")
    text = (tmp_path / "out" / "reproduce" / "validation" / "report.html").read_text(encoding="utf-8")
    assert "pnar2.timing.regular_retry" in text


needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


READY = "document.body && document.body.dataset.ready"
FIRST = 'document.querySelector("figure[data-chart=latency-read]")'


@pytest.fixture
def opened(browser: Browser, file: Path) -> Browser:
    browser.open(file, READY)
    return browser


@needs_browser
def test_it_opens_quickly_and_draws_everything(browser: Browser, file: Path) -> None:
    browser.open(file, READY)
    browser.requested.clear()
    # A busy machine slows some times down, never all of them.
    times = [browser.open(file, READY) for _ in range(3)]
    count = browser.js("document.querySelectorAll('figure').length")
    assert browser.js("document.querySelectorAll('figure .chart svg.main-svg').length") >= count >= 6
    lines = browser.js(f'{FIRST}.querySelectorAll(".scatterlayer .trace").length')
    assert lines == 100
    assert browser.problems == []
    assert [url for url in browser.requested if not url.startswith(("file:", "blob:", "data:"))] == []
    # When the first chart can be read; the others follow one by one.
    first = "document.querySelector('.chart svg.main-svg')"
    times = [browser.open(file, first) for _ in range(5)]
    assert min(times) < LIMIT_S, times


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
    opened.js(f'{FIRST}.querySelector(".controls button").focus()')
    assert opened.js("document.activeElement.textContent") == "Zoom in"
    opened.press("Enter", 13)
    assert opened.js(width) == pytest.approx(whole / 2)
    for _ in range(4):
        opened.press("Tab", 9)
    assert opened.js("document.activeElement.textContent") == "Whole chart"
    opened.press("Enter", 13)
    assert opened.js(width) == pytest.approx(whole, rel=0.01)


@needs_browser
def test_series_are_switched_off(opened: Browser) -> None:
    visible = f"{FIRST}.querySelector('.chart')._fullData.filter((trace) => trace.visible === true).length"
    opened.js(f'{FIRST}.querySelectorAll("input")[3].focus()')
    opened.press(" ", 32)
    assert opened.js(visible) == 99
    assert "hidden" in opened.js("document.getElementById('status').textContent")
    opened.js(f'{FIRST}.querySelector("fieldset button:nth-of-type(2)").click()')
    assert opened.js(visible) == 0
    opened.js(f'{FIRST}.querySelector("fieldset button").click()')
    assert opened.js(visible) == 100


@needs_browser
def test_data_are_a_table_and_a_file(opened: Browser, tmp_path: Path) -> None:
    opened.js(f'{FIRST}.querySelector("details").open = true')
    rows = f'{FIRST}.querySelectorAll("tbody tr").length'
    points = json.loads(opened.js("document.getElementById('data').textContent"))[0]["series"]
    opened.js("new Promise((done) => setTimeout(done, 100))")
    assert opened.js(rows) == sum(len(series["x"]) for series in points)
    opened.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    opened.js(
        f'[...{FIRST}.querySelectorAll(".controls button")].find((b) => b.textContent.startsWith("Save")).click()'
    )
    for _ in range(100):
        if (tmp_path / "latency-read.csv").exists():
            break
        opened.js("new Promise((done) => setTimeout(done, 50))")
    lines = (tmp_path / "latency-read.csv").read_text().splitlines()
    assert lines[0] == "series,response time (us),percentile of reads"
    assert len(lines) == 1 + sum(len(series["x"]) for series in points)


@needs_browser
def test_it_is_read_in_the_dark_and_on_a_phone(opened: Browser, file: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    ink = f"{FIRST}.querySelector('.chart')._fullLayout.font.color"
    light = opened.js(ground), opened.js(ink)
    opened.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    opened.js("new Promise((done) => setTimeout(done, 1500))")
    dark = opened.js(ground), opened.js(ink)
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    opened.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    opened.open(file, READY)
    # Nothing but what scrolls by itself is wider than the screen.
    assert opened.js("document.documentElement.scrollWidth") <= 390
    opened.send("Emulation.clearDeviceMetricsOverride")
    opened.send("Emulation.setEmulatedMedia", features=[])


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
    controls = [name for role, name in named if role in ("button", "checkbox", "link")]
    assert len(controls) > 100
    assert all(controls)


@needs_browser
def test_the_configuration_can_be_copied(opened: Browser) -> None:
    opened.js("document.querySelector('#configuration details').open = true")
    opened.js("document.querySelector('[data-copy]').click()")
    opened.js("new Promise((done) => setTimeout(done, 300))")
    assert "configuration is" in opened.js("document.getElementById('status').textContent")
    text = opened.js("document.getElementById('config-0').textContent")
    assert wl.config(text=text).hash == of_hash(text)


def of_hash(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()
