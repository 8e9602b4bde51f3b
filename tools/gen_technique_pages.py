"""Fills the marked numbers of docs/techniques/ from the scoreboard; `wordline reproduce` does so after each study.

python3 tools/gen_technique_pages.py           # writes the pages
python3 tools/gen_technique_pages.py --check   # exit code 1 if a number is not the scoreboard's
"""

# ruff: noqa: INP001

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wordline_papers import technique_pages

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Fills the numbers of docs/techniques/ from the scoreboard.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a number is stale")
    if parser.parse_args().check:
        stale = technique_pages.stale(ROOT)
        if stale:
            sys.exit(f"not the scoreboard's: {', '.join(stale)}; run python3 tools/gen_technique_pages.py")
    else:
        technique_pages.write(ROOT)
