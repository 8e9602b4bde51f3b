"""Questions that no key answers: by word, the command that does and the page about it."""

from __future__ import annotations

from .terms import TERMS, Answer
from .words import singular, words_of

__all__ = ["answer_named", "answer_to"]


def answer_to(text: str) -> Answer | None:
    """Returns where a question is answered that one of the words of a text is about; the last word decides first."""
    if (answer := answer_named(text)) is not None:
        return answer
    for part in reversed(words_of(text)):
        for each in TERMS:
            # Short words are whole: others begin with them.
            if any(part == singular(known) or (len(known) > 3 and part.startswith(known)) for known in each.words):
                return each
    return None


def answer_named(text: str) -> Answer | None:
    """Returns where a question is answered that has exactly these words, in the singular or plural."""
    asked = words_of(text)
    return next((each for each in TERMS for known in each.words if asked and words_of(known) == asked), None)
