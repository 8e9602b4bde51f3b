"""One row for each request as a Parquet file that says which run it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import extras

if TYPE_CHECKING:
    import pyarrow as pa

# What of the run's document goes into the file's own metadata.
DESCRIBES = ("wordline", "config_hash", "seed", "workload")


def write(path: Path, table: pa.Table, document: Mapping[str, Any]) -> None:
    """Writes an Arrow table; the schema's metadata hold version, configuration hash, seed and workload.

    Raises:
        OSError: when the file cannot be written.
    """
    described = {key: json.dumps(document[key], sort_keys=True) for key in DESCRIBES if key in document}
    metadata = {**(table.schema.metadata or {}), **{key.encode(): value.encode() for key, value in described.items()}}
    extras.parquet.write_table(table.replace_schema_metadata(metadata), path, compression="zstd")
