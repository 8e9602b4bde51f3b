"""An object that the core asks: each run begins with it as it was given, and its errors name their line."""

from __future__ import annotations

import copy
import json
import traceback
from types import SimpleNamespace
from typing import Any

from ..errors import PolicyError
from .slots import SLOTS

BYTES, JSON = b"B", b"J"


class Asked:
    """A policy as the core holds it: the given object, and what it becomes in the run of one SSD."""

    def __init__(self, slot: str, name: str, given: object) -> None:
        self._slot = slot
        self._name = name
        self._given = given
        self._policy: Any = None
        self._before: dict[str, Any] = {}

    def begin(self, device: dict[str, int]) -> Asked:
        """Returns the policy of one SSD: made of the class, or a copy of the object.

        Raises:
            PolicyError: It lacks a method, or its own code fails.
        """
        one = Asked(self._slot, self._name, self._given)
        try:
            one._policy = self._given() if isinstance(self._given, type) else copy.deepcopy(self._given)
            if hasattr(one._policy, "begin"):
                one._policy.begin(SimpleNamespace(**device))
        except BaseException as error:
            raise self.explained("begin", error) from error
        one._before = copy.deepcopy(vars(one._policy)) if hasattr(one._policy, "__dict__") else {}
        for method in SLOTS[self._slot].methods:
            setattr(one, method, getattr(one._policy, method))
        for method, answer in SLOTS[self._slot].defaults.items():
            setattr(one, method, getattr(one._policy, method, lambda *_, answer=answer: answer))
        return one

    def state(self) -> bytes:
        """Returns what the policy has learned.

        Raises:
            PolicyError: It has learned something, and cannot say what.
        """
        if not hasattr(self._policy, "save"):
            changed = self._changed()
            if changed:
                raise PolicyError(
                    f"{self._what()} has learned something in {', '.join(changed)} and cannot save it: give it the "
                    "methods save(), which returns bytes or what JSON can hold, and load(saved)"
                )
            return b""
        try:
            saved = self._policy.save()
            return BYTES + bytes(saved) if isinstance(saved, bytes | bytearray) else JSON + json.dumps(saved).encode()
        except Exception as error:
            raise self.explained("save", error) from error

    def restore(self, state: bytes) -> None:
        """Takes back what `state` returned.

        Raises:
            PolicyError: The policy fails.
        """
        if not state:
            return
        kind, saved = state[:1], state[1:]
        try:
            self._policy.load(saved if kind == BYTES else json.loads(saved))
        except Exception as error:
            raise self.explained("load", error) from error

    def explained(self, method: str, error: BaseException) -> BaseException:
        """Returns an error of the policy as one line with its file and line, and its traceback below."""
        if isinstance(error, KeyboardInterrupt | SystemExit):
            return error
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename != __file__]
        kind = f"{type(error).__name__}: {error}".removesuffix(": ")
        below = "".join(traceback.format_list(own)).rstrip()
        message = f"{self._what()} failed in {method}: {' '.join(kind.split())}"
        if own:
            message = f"{own[-1].filename}:{own[-1].lineno}: {message}\n{below}"
        problem = PolicyError(
            message, file=own[-1].filename if own else None, line=own[-1].lineno if own else None, key=self._key()
        )
        problem.__cause__ = error
        return problem

    def refused(self, method: str, answer: object, wanted: str) -> PolicyError:
        """Returns the error of an answer that is not allowed."""
        code = getattr(getattr(getattr(self, method), "__func__", None), "__code__", None)
        place = f"{code.co_filename}:{code.co_firstlineno}: " if code is not None else ""
        shown = " ".join(repr(answer).split())
        return PolicyError(
            f"{place}{self._what()} returned {shown[:200]} from {method}; return {wanted}",
            file=code.co_filename if code is not None else None,
            line=code.co_firstlineno if code is not None else None,
            key=self._key(),
        )

    def _what(self) -> str:
        return f"the {self._slot} policy {self._name}"

    def _key(self) -> str:
        return SLOTS[self._slot].name

    def _changed(self) -> list[str]:
        """The attributes that are not what they were at the beginning."""
        now = vars(self._policy) if hasattr(self._policy, "__dict__") else {}
        return sorted(name for name in now.keys() | self._before.keys() if not self._is_same(name, now))

    def _is_same(self, name: str, now: dict[str, Any]) -> bool:
        import numpy as np

        if name not in now or name not in self._before:
            return False
        one, other = now[name], self._before[name]
        if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
            return bool(np.array_equal(one, other))
        return type(one) is type(other) and bool(one == other)
