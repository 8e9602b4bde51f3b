"""Makes the package importable from the source tree where it is not installed."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))
