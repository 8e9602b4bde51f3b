"""Makes schemas/*.json, by which editors check and complete the TOML files of this repository.

python3 tools/gen_schemas.py            # writes the files
python3 tools/gen_schemas.py --check    # exit code 1 if one is stale

It reads the declarations from the extension, so build that first (`make setup`).
"""
# ruff: noqa: INP001

import sys
from pathlib import Path

from wordline.config_schema import schema, workload_schema
from wordline.output.json_document import text
from wordline.sweeps.schema import sweep_schema

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = {"config": schema, "workload": workload_schema, "sweep": sweep_schema}


def main() -> int:
    """Writes the files, or checks them."""
    made = {ROOT / "schemas" / f"{name}.json": text(make()) for name, make in SCHEMAS.items()}
    stale = [path for path, said in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != said]
    if "--check" not in sys.argv[1:]:
        for path in stale:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
        return 0
    for path in stale:
        sys.stderr.write(f"{path.relative_to(ROOT)} is stale: run python3 tools/gen_schemas.py\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
