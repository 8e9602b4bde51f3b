"""Looks at reports and pages as readers do: in a browser, at 1280 and 390 pixels.

    .venv/bin/python tools/screenshots.py                  # reports and figures; one page of the site each, if built
    .venv/bin/python tools/screenshots.py --site out/site  # where `make docs` has built it

It makes a report of each kind on small drives, and leaves a picture of each view in out/screenshots. It ends with 1 if
a view is wider than the window, has a scroll box in a scroll box, text that is cut off, an empty panel, or two series
that are the same. It needs Chromium.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import base64
import contextlib
import io
import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from browser import CHROMIUM, Browser  # noqa: E402
from wordline.cli import main as wordline  # noqa: E402

WIDTHS = (1280, 390)
HEIGHT, HEIGHT_MAX = 900, 12_000
SMALL = ("datacenter-tlc", "--scale", "1/256")
#: A report of each kind: the command, and where it puts its report.
REPORTS: dict[str, tuple[str, ...]] = {
    "run": ("run", *SMALL, "-w", "fio/random-mix", "-n", "50k", "--steady", "--plot"),
    "flows": ("run", "datacenter-tlc", "examples/tenants.toml", "--scale", "1/256"),
    "compare": ("compare", *SMALL, "-w", "fio/random-mix", "-n", "20k", "--set", "cache.mode=write,off"),
    "slc": ("run", "consumer-tlc", "--scale", "1/256", "-w", "fio/sequential-write", "-n", "28k"),
    "sweep": ("sweep", "examples/retries.toml", "--set", "workload.requests=1000"),
    "pts": ("pts", "datacenter-tlc", "--scale", "1/512", "--quick", "--test", "latency"),
    "study": ("reproduce", "validation", "--quick"),
}
#: Pages of the site: the longest tables, commands and figures among them.
PAGES = (
    "README", "docs/index", "docs/questions", "docs/tutorial", "docs/gallery", "docs/how-to/mapping-unit",
    "docs/how-to/slc-cache", "docs/techniques/aero", "docs/techniques/together", "docs/validation/today",
    "docs/validation/drives", "docs/reference/config", "papers/docs/reproduction",
)  # fmt: skip
#: Menus beside a page scroll by themselves.
FAULTS = """(() => {
  const faults = [], shown = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  const name = (e) => `${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""}.${[...e.classList].join(".")}`;
  const beside = ".sidebar-drawer, .toc-drawer, .sidebar-container, .toc-sticky";
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 1) {
    const all = [...document.body.querySelectorAll("*")].filter((e) => shown(e) && !e.closest(beside));
    const out = all.filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1).slice(-3).map(name);
    faults.push(`${wide} px wider than the window: ${out.join(", ")}`);
  }
  const scrolls = (e) => {
    const style = getComputedStyle(e), may = (way) => ["auto", "scroll"].includes(way);
    const x = may(style.overflowX) && e.scrollWidth > e.clientWidth + 1;
    const y = may(style.overflowY) && e.scrollHeight > e.clientHeight + 1;
    return { x, y };
  };
  for (const e of document.body.querySelectorAll("*")) {
    if (!shown(e) || e.closest(beside)) continue;
    const { x, y } = scrolls(e);
    if (y) faults.push(`a box that scrolls down: ${name(e)}`);
    if (!x) continue;
    for (let up = e.parentElement; up && up !== document.body; up = up.parentElement)
      if (scrolls(up).x) faults.push(`a scroll box in a scroll box: ${name(e)} in ${name(up)}`);
  }
  for (const svg of document.querySelectorAll("svg")) {
    if (!shown(svg) || svg.parentElement.closest("svg")) continue;
    const box = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      if (!text.textContent.trim() || !shown(text) || text.closest("defs, .hoverlayer")) continue;
      const own = text.getBoundingClientRect();
      const by = Math.max(box.left - own.left, own.right - box.right, box.top - own.top, own.bottom - box.bottom);
      if (own.width && by > 3) faults.push(`text is cut off by ${Math.round(by)} px: ${text.textContent.slice(0, 60)}`);
    }
  }
  for (const figure of document.querySelectorAll("figure")) {
    if (!shown(figure)) continue;
    const plot = figure.querySelector(".js-plotly-plot");
    const drawn = figure.querySelector("img, .trace, .point, .bars path, .slice, canvas, svg path, svg rect");
    const height = figure.getBoundingClientRect().height;
    if (!drawn || height < 40) faults.push(`an empty panel: ${figure.id || name(figure)}`);
    const seen = new Map();
    for (const trace of plot?.data ?? []) {
      const values = JSON.stringify([trace.xaxis, trace.yaxis, Array.from(trace.x ?? []), Array.from(trace.y ?? [])]);
      if (trace.visible === false || (trace.y ?? []).length < 3) continue;
      const title = figure.querySelector("figcaption, h2, h3")?.textContent ?? name(figure);
      const isTold = / The same in runs /.test(figure.textContent);
      const both = `${seen.get(values)} and ${trace.name}`;
      if (seen.has(values) && !isTold) faults.push(`the same series in ${title}: ${both}`);
      seen.set(values, trace.name);
    }
  }
  return [...new Set(faults)];
})()"""
SETTLED = "document.readyState === 'complete'"
REPORT_READY = f"{SETTLED} && (!document.querySelector('figure[data-chart]') || document.body.dataset.ready)"


@dataclass(frozen=True)
class View:
    """A file that is looked at."""

    name: str
    file: Path
    ready: str = SETTLED


def reports(folder: Path, only: str) -> list[View]:
    """Makes a report of each kind whose view has `only` in its name, and the figures beside them."""
    views = []
    for name, command in REPORTS.items():
        if only not in f"report-{name}":
            continue
        out = folder / name
        print(name, file=sys.stderr)
        with contextlib.redirect_stdout(io.StringIO()):
            code = wordline([*command, "--out", str(out)])
        if code:
            sys.exit(f"wordline {' '.join(command)} failed")
        found = sorted(out.rglob("report.html"))
        if not found:
            sys.exit(f"{out} has no report.html")
        views += [View(f"report-{name}", found[0], REPORT_READY)]
        views += [View(f"{name}-{figure.stem}", figure) for figure in sorted(out.glob("*.svg"))]
    return views


def pages(site: Path) -> list[View]:
    """Pages of the site, as far as it is built."""
    return [View(page.replace("/", "-"), site / f"{page}.html") for page in PAGES if (site / f"{page}.html").exists()]


def figures() -> list[View]:
    """The figures that pages show."""
    return [View(f"figure-{path.stem}", path) for path in sorted((ROOT / "docs").glob("*/*.svg"))]


def look(browser: Browser, view: View, width: int, out: Path) -> list[str]:
    """Takes a picture of a view, and returns what is wrong with it."""
    browser.send("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    browser.problems.clear()
    browser.open(view.file, view.ready)
    # Charts are drawn as they come into view.
    browser.js("(async () => { for (const f of document.querySelectorAll('figure')) { f.scrollIntoView(); "
               "await new Promise((done) => setTimeout(done, 60)); } scrollTo(0, 0); })()")  # fmt: skip
    faults: list[str] = browser.js(FAULTS) if view.file.suffix == ".html" else browser.js(SVG_FAULTS)
    height = min(browser.js("document.documentElement.scrollHeight ?? 900"), HEIGHT_MAX)
    clip = {"x": 0, "y": 0, "width": width, "height": max(height, 100), "scale": 1}
    taken = browser.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
    (out / f"{view.name}-{width}.png").write_bytes(base64.b64decode(taken["data"]))
    return [*faults, *browser.problems]


#: Text of a picture by itself: matplotlib draws it as groups of glyphs.
SVG_FAULTS = """(() => {
  const svg = document.documentElement, box = svg.getBoundingClientRect(), faults = [];
  for (const text of svg.querySelectorAll("text, g[id^=text_]")) {
    const own = text.getBoundingClientRect();
    const by = Math.max(box.left - own.left, own.right - box.right, box.top - own.top, own.bottom - box.bottom);
    const what = text.id || text.textContent.slice(0, 60);
    if (own.width && by > 3) faults.push(`text is cut off by ${Math.round(by)} px: ${what}`);
  }
  return faults;
})()"""


def main() -> int:
    """Looks at all views; returns 1 if one has a fault."""
    parser = argparse.ArgumentParser(description="Looks at reports and pages in a browser.")
    parser.add_argument("--site", type=Path, default=ROOT / "out" / "site")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "screenshots")
    parser.add_argument("--only", default="", help="views whose name has this")
    asked = parser.parse_args()
    if CHROMIUM is None:
        sys.exit("there is no Chromium: install it")
    shutil.rmtree(asked.out, ignore_errors=True)
    asked.out.mkdir(parents=True)
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        views = [*figures(), *pages(asked.site)]
        if not asked.only or "report" in asked.only:
            views += reports(Path(folder), asked.only)
        browser = Browser(Path(folder) / "profile")
        try:
            for view in views:
                if asked.only in view.name:
                    for width in WIDTHS if view.file.suffix == ".html" else WIDTHS[:1]:
                        found[f"{view.name} at {width}"] = look(browser, view, width, asked.out)
        finally:
            browser.close()
    wrong = {name: faults for name, faults in found.items() if faults}
    print(json.dumps(wrong, indent=1, ensure_ascii=False))
    print(f"{len(found)} views in {asked.out}, {len(wrong)} with faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
