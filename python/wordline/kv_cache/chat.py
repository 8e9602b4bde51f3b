"""A made-up trace of chats in Mooncake's form: for examples, and where no trace is at hand."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["chat_lines", "write_chat"]

BLOCK_TOKENS = 512
GAP_MS = 300.0
"""Mean time between requests."""
GOES_ON = 0.5
"""Share of requests that go on with an earlier chat."""
RECENT = 60
"""Chats that may go on."""
PROMPTS, PROMPT_BLOCKS = 6, 4
"""System prompts that chats begin with, and how long they are."""
TURN_TOKENS = 6000
"""Most tokens that a turn adds."""


@dataclass
class _Chat:
    tokens: int
    blocks: list[int] = field(default_factory=list)


def chat_lines(requests: int, seed: int = 1) -> Iterator[str]:
    """Returns lines of a trace: chats of several turns that share system prompts. The same on any machine."""
    draw = random.Random(seed).random  # noqa: S311 - no secret
    chats: list[_Chat] = []
    at_ms = 0.0
    # The blocks of system prompts come first.
    named = PROMPTS * PROMPT_BLOCKS
    for _ in range(requests):
        if chats and draw() < GOES_ON:
            chat = chats[-1 - int(draw() * min(RECENT, len(chats)))]
        else:
            first = int(draw() * PROMPTS) * PROMPT_BLOCKS
            chat = _Chat(PROMPT_BLOCKS * BLOCK_TOKENS, list(range(first, first + PROMPT_BLOCKS)))
            chats.append(chat)
        if chat.tokens % BLOCK_TOKENS:
            # The last block was not full: with more tokens it is another one.
            chat.blocks.pop()
        chat.tokens += 1 + int(draw() * TURN_TOKENS)
        more = -(-chat.tokens // BLOCK_TOKENS) - len(chat.blocks)
        chat.blocks += range(named, named + more)
        named += more
        request = {
            "timestamp": round(at_ms),
            "input_length": chat.tokens,
            "output_length": 1 + int(draw() * 600),
            "hash_ids": chat.blocks,
        }
        yield json.dumps(request) + "\n"
        at_ms += GAP_MS * 2 * draw()


def write_chat(path: Path, requests: int, seed: int = 1) -> Path:
    """Writes such a trace; returns its path.

    Raises:
        OSError: The file cannot be written.
    """
    path.write_text("".join(chat_lines(requests, seed)), encoding="utf-8", newline="\n")
    return path
