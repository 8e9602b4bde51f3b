"""Words of a question in the form in which they are compared: small letters, singular, no word that says nothing."""

from __future__ import annotations

import re

__all__ = ["bare", "singular", "words_of"]

EMPTY = {"a", "an", "and", "are", "by", "do", "does", "for", "how", "i", "in", "is", "it", "many", "much", "my", "of"}
EMPTY |= {"on", "or", "the", "to", "what", "when", "which", "with"}


def singular(word: str) -> str:
    """Returns a word without the ending of a plural: `retries` as `retry`, `erases` as `erase`."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def words_of(text: str) -> tuple[str, ...]:
    """Returns the words of a text: `P/E cycles` as `p`, `e`, `cycle`; `read.retry` as `read`, `retry`."""
    parts = re.split(r"[^a-z0-9]+", text.lower().replace("levelling", "leveling"))
    return tuple(singular(part) for part in parts if part and part not in EMPTY)


def bare(text: str) -> str:
    """Returns the letters and digits of a text, in lower case."""
    return "".join(letter for letter in text.lower() if letter.isalnum())
