"""Saved states with changed values, whose checksums are made again: what somebody may send who means no good.

A state is a list of frames (a length, a checksum, the bytes). Large tables lie between them in pieces, whose checksums
are in the frame before. `crates/wordline-core/src/engine/state` writes them.
"""

from __future__ import annotations

import multiprocessing
import random
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import wordline as wl
from wordline.errors import BugError, CheckError, WordlineError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAGIC_BYTES = 8
PIECE_BYTES = 64 << 10
LENGTH_BYTES, CHECKSUM_BYTES = 8, 4
# What made it, and the configuration: they are compared word by word.
FRAMES_BEFORE = 2
# A run takes a second; what goes on for ever is told from a slow machine.
PATIENCE_S = 120.0


@dataclass
class Part:
    """A frame, with the pieces of a table that follow it."""

    content: bytes
    pieces: list[bytes]

    def written(self) -> bytes:
        """The bytes of it, with checksums of what it holds now."""
        content = self.content
        if self.pieces:
            sums = iter([zlib.crc32(piece) for piece in self.pieces])
            content = bytes(_table([None if one is None else next(sums) for one in _checksums(content) or []]))
        length = len(content).to_bytes(LENGTH_BYTES, "little")
        checksum = zlib.crc32(length + content).to_bytes(CHECKSUM_BYTES, "little")
        return b"".join([length, checksum, content, *self.pieces])


def _number(content: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = content[at]
        value, at, shift = value | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return value, at


def _checksums(content: bytes) -> list[int | None] | None:
    """The checksums of a table, if a frame holds these and nothing else."""
    try:
        count, at = _number(content, 0)
        sums: list[int | None] = []
        for _ in range(min(count, len(content))):
            is_used, at = content[at], at + 1
            if is_used > 1:
                return None
            value, at = _number(content, at) if is_used else (None, at)
            sums.append(value)
    except IndexError:
        return None
    return sums if at == len(content) and len(sums) == count else None


def _table(sums: list[int | None]) -> Iterator[int]:
    def number(value: int) -> Iterator[int]:
        while value > 127:
            yield value & 127 | 128
            value >>= 7
        yield value

    yield from number(len(sums))
    for value in sums:
        yield 0 if value is None else 1
        if value is not None:
            yield from number(value)


def _piece(state: bytes, at: int, checksum: int) -> bytes | None:
    """The piece of a table at a place: the last one of a table is shorter than the others."""
    if zlib.crc32(state[at : at + PIECE_BYTES]) == checksum:
        return state[at : at + PIECE_BYTES]
    so_far = 0
    for length in range(1, min(PIECE_BYTES, len(state) - at) + 1):
        so_far = zlib.crc32(state[at + length - 1 : at + length], so_far)
        if so_far == checksum:
            return state[at : at + length]
    return None


def parts_of(state: bytes) -> list[Part]:
    """Takes a state apart."""
    at, parts = MAGIC_BYTES, []
    while at < len(state):
        length = int.from_bytes(state[at : at + LENGTH_BYTES], "little")
        begin = at + LENGTH_BYTES + CHECKSUM_BYTES
        content, at = state[begin : begin + length], begin + length
        pieces: list[bytes] = []
        for checksum in _checksums(content) or []:
            piece = None if checksum is None else _piece(state, at + sum(map(len, pieces)), checksum)
            if piece is None and checksum is not None:
                # These were numbers of something else.
                pieces = []
                break
            pieces += [] if piece is None else [piece]
        at += sum(map(len, pieces))
        parts.append(Part(content, pieces))
    return parts


def whole(state: bytes, parts: list[Part]) -> bytes:
    """Puts a state together again."""
    return state[:MAGIC_BYTES] + b"".join(part.written() for part in parts)


def _changed(content: bytes, draw: random.Random) -> bytes:
    """A few bytes of something are others."""
    forged = bytearray(content)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        place = draw.randrange(len(forged))
        old = forged[place]
        forged[place] = draw.choice(
            [old ^ 1, old ^ 1 << draw.randrange(8), (old + 1) % 256, (old - 1) % 256, 0, 127, draw.randrange(256)]
        )
    return bytes(forged)


def forged(state: bytes, seed: int) -> bytes:
    """A state in which a value is another; each kind of part has its turn."""
    draw = random.Random(seed)  # noqa: S311
    parts = parts_of(state)
    places = [number for number in range(FRAMES_BEFORE, len(parts)) if parts[number].content]
    # A prime: seeds one after the other go to parts far from each other, and all have their turn.
    part = parts[places[seed * 7919 % len(places)]]
    if part.pieces:
        which = draw.randrange(len(part.pieces))
        part.pieces[which] = _changed(part.pieces[which], draw)
    else:
        part.content = _changed(part.content, draw)
    return whole(state, parts)


def _try_all(config: wl.Config, workload: object, state: Path, seeds: list[int], check: bool, said: object) -> None:
    content, path = state.read_bytes(), state.with_name(f"forged-{seeds[0]}")
    for seed in seeds:
        path.write_bytes(forged(content, seed))
        said.put((seed, "begun"))
        try:
            wl.run(config, workload, load_state=path, go_on=True, check=check)
            outcome = "ran"
        except (BugError, CheckError) as error:
            outcome = f"fault: {error}"
        except WordlineError as error:
            outcome = f"error: {error}"
        except Exception as error:  # noqa: BLE001
            outcome = f"fault: {error!r}"
        said.put((seed, outcome))
    path.unlink()


def outcomes(config: wl.Config, workload: object, state: Path, seeds: range, *, check: bool = False) -> dict[int, str]:
    """What becomes of runs from forged states: each seed with `ran`, `error: ...` or `fault: ...`."""
    here, left = {}, list(seeds)
    fork = multiprocessing.get_context("fork")
    while left:
        said = fork.SimpleQueue()
        process = fork.Process(target=_try_all, args=(config, workload, state, left, check, said))
        process.start()
        seed = left[0]
        while left:
            reader = said._reader
            if not reader.poll(PATIENCE_S):
                here[seed] = (
                    "fault: it neither ends nor goes on" if process.is_alive() else "fault: the process is gone"
                )
                break
            try:
                seed, outcome = said.get()
            except EOFError:
                here[seed] = "fault: the process is gone"
                break
            if outcome != "begun":
                here[seed] = outcome
                left.remove(seed)
        left = [each for each in left if each not in here]
        process.kill()
        process.join()
    return here
