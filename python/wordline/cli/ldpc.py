"""`wordline ldpc`: makes the ECC's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from . import talk
from .paths import FILLS

DECODER, PREDICTOR, CURVES = "ldpc-4k.csv", "rif-predictor.csv", "curves.csv"
SOFT, SOFT_CURVES = "ldpc-4k-soft-{}.csv", "curves-soft-{}.csv"


def ldpc(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where the tables go."), FILLS],
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the errors.")] = 1,
    cores: Annotated[int | None, typer.Option("--cores", min=1, metavar="N", help="Threads; by default all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small part of the work; rougher curves.")] = False,
    json: opt.Json = False,
) -> None:
    """Decode millions of chunks with random errors: hard and soft decisions, and RiF's predictor."""
    from ..lab.ecc import curves, make_tables
    from ..output.result_folder import folder
    from .progress import of_study

    with of_study("decoding") as progress:
        tables = make_tables(seed=seed, cores=cores, quick=quick, progress=progress)
    decoded = curves(tables.decoder)
    files = {DECODER: tables.decoder, PREDICTOR: tables.predictor, CURVES: csv(decoded.pop("curves"))}
    decoded["soft"] = {}
    for senses, table in tables.soft.items():
        soft = curves(table, soft_senses=senses)
        files |= {SOFT.format(senses): table, SOFT_CURVES.format(senses): csv(soft.pop("curves"))}
        decoded["soft"][str(senses)] = soft
    with folder(out) as work:
        for name, content in files.items():
            (work / name).write_text(content, encoding="utf-8", newline="\n")
    if json:
        from json import dumps

        talk.data(dumps(decoded, indent=2) + "\n")
        return
    talk.data(
        f"Capability: a raw bit error rate of {decoded['capability_rber']:.5f}, "
        f"{decoded['capability_per_kib']:.1f} bits per 1 KiB "
        f"(where {decoded['capability_level']:.0%} of chunks fail).\n"
        + "".join(
            f"With {senses} further senses beside each reference, soft decisions: {soft['capability_per_kib']:.1f}.\n"
            for senses, soft in decoded["soft"].items()
        )
        + f'RiF\'s predictor says "retry" above a syndrome weight of {decoded["predictor_threshold"]}.\n'
        f"{decoded['chunks']:,} chunks decoded, {decoded['miscorrected']:,} of them to another codeword.\n"
    )
    talk.note(f"{', '.join(files)} written to {out}")


def csv(columns: dict[str, list[float]]) -> str:
    """Returns columns as the text of a CSV file."""
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(f"{value:.6g}" for value in row) for row in rows)]) + "\n"
