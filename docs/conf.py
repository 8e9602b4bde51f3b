"""The site that `make docs` builds from the Markdown of this repository, for Sphinx with MyST-NB and the theme Furo.

The repository itself is the source folder, so that links work on the site as they do where the code is hosted. The
menu is what docs/index.md lists: a page that it does not link to is an orphan, and an error.
"""
# ruff: noqa: INP001

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path, PurePosixPath

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "papers")]
PACKAGE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "Wordline"
author = "the authors of Wordline"
version = release = PACKAGE["version"]

root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "examples/*.md", "papers/*.md", "papers/docs/**"]
exclude_patterns = [".*", "benches", "crates", "out", "presets", "python", "target", "tests", "tools"]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
# The notebooks of the gallery are stored without results. Each build runs them; a cell that fails is an error.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = -1
nb_merge_streams = True
# Kernels have their own profile, which prints only errors: they would warn that local connections are not encrypted.
PROFILE = Path(tempfile.mkdtemp(prefix="wordline-docs-"))
(PROFILE / "profile_default").mkdir()
SETTINGS = PROFILE / "profile_default" / "ipython_kernel_config.py"
SETTINGS.write_text('c.IPKernelApp.log_level = "ERROR"\n', encoding="utf-8")
atexit.register(shutil.rmtree, PROFILE, ignore_errors=True)
os.environ["IPYTHONDIR"] = str(PROFILE)
logging.getLogger("traitlets").setLevel(logging.WARNING)
# Docstrings mark names as Markdown does.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
napoleon_use_ivar = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
# Languages of code blocks that are no programs.
highlight_language = "none"

html_theme = "furo"
html_title = f"Wordline {release}"
html_show_copyright = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]

FIRST_PAGE = (
    '<!doctype html><meta charset="utf-8"><title>Wordline</title><meta http-equiv="refresh" content="0; url={0}">\n'
)
LINK = re.compile(r"\]\(([^)#\s]+\.(?:md|ipynb))\)")
CAPTION = re.compile(r"^\*\*(.+)\*\*$")
STAMP = re.compile(r"^\*Measured on .* with the simulator of commit `(\w+)`\.\*$", re.MULTILINE)
HELP = re.compile(r"```console\n(\$ wordline (.*--help))\n```")


def add_menu(_: Sphinx, page: str, source: list[str]) -> None:
    """Makes menus of links: on the first page a bold line is a caption, and the links below it are its entries.

    A page `x.md` that links to pages of the folder `x` has them below it.
    """
    text = source[0]
    if page != root_doc:
        source[0] += menu(
            page, [link for link in LINK.findall(text) if link.startswith(f"{PurePosixPath(page).name}/")]
        )
        return
    entries: dict[str, list[str]] = {}
    for line in text.splitlines():
        if caption := CAPTION.match(line):
            entries[caption[1]] = []
        elif entries:
            entries[next(reversed(entries))] += LINK.findall(line)
    folders = {link.removesuffix(".md") for links in entries.values() for link in links}
    for caption, links in entries.items():
        source[0] += menu(page, [link for link in links if str(PurePosixPath(link).parent) not in folders], caption)


def menu(page: str, links: list[str], caption: str = "") -> str:
    """A hidden table of contents; nothing where there are no links."""
    if not links:
        return ""
    pages = dict.fromkeys(from_the_root(page, link) for link in links)
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["\n```{toctree}", *options, "", *pages, "```\n"])


def add_help(_: Sphinx, page: str, source: list[str]) -> None:
    """Puts what a command says of itself below the line that asks for it."""
    if page != "docs/reference/command-line":
        return
    from typer.testing import CliRunner

    from wordline.cli.app import build

    runner = CliRunner(env={"COLUMNS": "110"})

    def answered(found: re.Match[str]) -> str:
        answer = runner.invoke(build(), found[2].split(), prog_name="wordline")
        return f"```text\n{found[1]}\n{answer.output.rstrip()}\n```"

    source[0] = HELP.sub(answered, source[0])


def add_age(_: Sphinx, __: str, source: list[str]) -> None:
    """Says on a measured page what has changed since (`tools/stamp.py`)."""
    found = STAMP.search(source[0])
    if found is None:
        return
    asked = ["git", "rev-list", "--count", f"{found[1]}..HEAD", "--", "crates", "presets"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode == 0:
        later = int(done.stdout)
        since = f"{later} later commits changed the simulator or a preset" if later else "no later commit changed it"
        source[0] = source[0].replace(found[0], f"{found[0][:-2]} ({since}).*")


def from_the_root(page: str, link: str) -> str:
    """A link of a page as the name of a source below the root, without its ending."""
    place: list[str] = list(PurePosixPath(page).parent.parts)
    for part in PurePosixPath(link).parts:
        if part == "..":
            place.pop()
        else:
            place.append(part)
    return "/" + "/".join(place).removesuffix(".md").removesuffix(".ipynb")


def add_first_page(app: Sphinx, error: Exception | None) -> None:
    """Leads from the site's root to its first page."""
    if error is None:
        (Path(app.outdir) / "index.html").write_text(FIRST_PAGE.format(f"{root_doc}.html"), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", add_menu)
    app.connect("source-read", add_help)
    app.connect("source-read", add_age)
    app.connect("build-finished", add_first_page)
