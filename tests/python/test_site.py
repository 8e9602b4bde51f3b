"""The site that `make docs` builds: no warning, no page that nothing leads to, no link that leads nowhere."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from typer.main import get_command

import docs_playground as playground
from docs_playground import PAGES, ROOT
from wordline import errors
from wordline.cli import app

pytest.importorskip("sphinx", reason="there is no Sphinx: `make setup` installs it")

# The build takes half a minute.
pytestmark = pytest.mark.verify


COMMAND_LINE = ROOT / "docs" / "reference" / "command-line.md"


class Page(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.menu: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.anchors.add(given["id"])
        target = given.get("href") or given.get("src")
        if target:
            self.links.add(target)
            if tag == "a" and "internal" in given.get("class", "").split():
                self.menu.add(urlsplit(target).path)


def build(out: Path) -> subprocess.CompletedProcess[str]:
    recipe = next(line for line in (ROOT / "Makefile").read_text("utf-8").splitlines() if "sphinx-build" in line)
    # What `make docs` does, but elsewhere.
    arguments = recipe.replace("out/doctrees", str(out / "doctrees")).replace("out/site", str(out / "site")).split()
    command = [sys.executable, "-m", "sphinx", *arguments[1:]]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=800)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("docs")
    begun = time.perf_counter()
    done = build(out)
    print(f"the site was built in {time.perf_counter() - begun:.1f} s")
    # A warning fails the build. What a kernel says when it is shut down stands in stderr too, and decides nothing.
    assert done.returncode == 0, done.stderr
    return out / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_page_is_there_and_in_the_menu(site: Path, pages: dict[Path, Page]) -> None:
    first = site / "docs" / "index.html"
    menu = {(first.parent / target).resolve() for target in pages[first].menu if target}
    made = {(site / page.relative_to(ROOT)).with_suffix(".html") for page in PAGES}
    assert made <= set(pages)
    assert made - {first} <= menu


def test_the_root_leads_to_the_first_page(site: Path) -> None:
    url = re.search(r'url=([^"]+)"', (site / "index.html").read_text("utf-8"))
    assert url is not None
    assert (site / url[1]).exists()


def test_links_lead_somewhere(pages: dict[Path, Page]) -> None:
    wrong = []
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            lost = not target.exists()
            if parts.fragment and target in pages:
                lost |= unquote(parts.fragment) not in pages[target].anchors
            if lost:
                wrong.append(f"{path.name}: {link}")
    assert checked > 1000
    assert wrong == []


def test_the_site_needs_no_other(site: Path) -> None:
    # Readers without a network see it whole: no fonts and no scripts from elsewhere.
    text = (site / "docs" / "index.html").read_text("utf-8")
    assert re.findall(r'<(?:script|img|link)[^>]*(?:src|href)="(?:https?:)?//[^"]+"', text) == []


def test_a_broken_page_fails(tmp_path: Path) -> None:
    """The build is one that warns: of a link that leads nowhere, and of a page that nothing leads to."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    (tmp_path / "docs" / "conf.py").write_bytes((ROOT / "docs" / "conf.py").read_bytes())
    (tmp_path / "docs" / "index.md").write_text("# A\n\n**B**\n\n- [c](c.md), [nowhere](c.md#nowhere)\n", "utf-8")
    (tmp_path / "docs" / "c.md").write_text("# C\n\n[d](d.txt)\n", "utf-8")
    (tmp_path / "docs" / "orphan.md").write_text("# O\n", "utf-8")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--conf-dir", "docs", "--fail-on-warning", "--keep-going"]
    done = subprocess.run([*command, ".", "out"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    for warning in ("nowhere", "d.txt", "orphan.md"):
        assert warning in done.stderr


def test_the_command_line_has_every_command(site: Path) -> None:
    asked = {tuple(arguments[:-1]) for arguments in playground.commands(COMMAND_LINE, "wordline")}
    assert asked == set(commands_of(get_command(app.build()), ()))
    text = (site / "docs" / "reference" / "command-line.html").read_text("utf-8")
    assert text.count("Usage: wordline") == len(asked)
    assert "--workload" in text


def commands_of(command: Any, name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:  # noqa: ANN401 - Typer's
    yield name
    for each, below in getattr(command, "commands", {}).items():
        yield from commands_of(below, (*name, each))


def test_every_mistake_is_documented(pages: dict[Path, Page], site: Path) -> None:
    anchors = pages[site / "docs" / "reference" / "python.html"].anchors
    assert {f"wordline.errors.{name}" for name in errors.__all__} <= anchors
    assert {"wordline.run", "wordline.Config.set", "wordline.Result.read"} <= anchors
