"""Traces of LLM serving: which blocks of the KV cache each request needs, by hash.

| format | time | tokens a block | a hash stands for | source |
|---|---|---|---|---|
| `mooncake` | `timestamp`, ms | 512 | the block and all before it | Mooncake, FAST '25 |
| `bailian` | `timestamp`, s | 16 | the content of the block alone | Qwen-Bailian usage traces, ATC '25 |

A block can be reused only where all before it are the same, so hashes of contents are chained with their predecessors.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Final

from ..errors import EmptyTraceError, MalformedTraceError, TimeGoesBackError, TraceIoError, TraceNotFoundError

__all__ = ["FORMATS", "KvRequest", "KvTrace", "read_traces"]

Path = str | PathLike[str]

FORMATS: Final = {"mooncake": 512, "bailian": 16}
"""Formats, and the tokens of a block in each."""
NS_PER_UNIT: Final = {"mooncake": 1_000_000, "bailian": 1_000_000_000}
LINE_MAX: Final = 64 << 20
YEAR_NS: Final = 365 * 86_400 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class KvRequest:
    """A request to a served model.

    Attributes:
        at_ns: When it arrives, since the first one, ns.
        blocks: Its blocks in order, by numbers that stand for a block with all before it.
        input_tokens: Tokens of the prompt.
        output_tokens: Tokens of the answer.
    """

    at_ns: int
    blocks: tuple[int, ...]
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class KvTrace:
    """Requests of one trace or several, merged by time.

    Attributes:
        requests: In order of time.
        block_tokens: Tokens of a block.
        format: `mooncake` or `bailian`.
        distinct_blocks: Different blocks.
    """

    requests: tuple[KvRequest, ...]
    block_tokens: int
    format: str
    distinct_blocks: int

    @property
    def span_ns(self) -> int:
        """From the first request to the last, ns; 1 s where all come at once."""
        return self.requests[-1].at_ns or 1_000_000_000

    @property
    def accesses(self) -> int:
        """Blocks of all requests."""
        return sum(len(each.blocks) for each in self.requests)

    @property
    def input_tokens(self) -> int:
        """Tokens of all prompts."""
        return sum(each.input_tokens for each in self.requests)


def read_traces(paths: Sequence[Path], block_tokens: int | None = None) -> KvTrace:
    """Reads traces of one format.

    Those of several files are services of their own on the same drive: requests are merged by time, and no block of one
    is a block of another.

    Args:
        paths: JSONL files, plain or as .gz.
        block_tokens: Tokens of a block; None: as the format has it.

    Raises:
        TraceError: A file that cannot be read, or a line that does not match; the message has file and line.
    """
    if not paths:
        raise EmptyTraceError("there is no trace: name one file or more")
    numbers: dict[tuple[int, int], int] = {}
    merged: list[tuple[int, int, KvRequest]] = []
    format_ = ""
    for place, path in enumerate(paths):
        reader = _Reader(fspath(path), place, format_, block_tokens, numbers)
        for request in reader.requests():
            merged.append((request.at_ns, place, request))
        format_ = reader.format
    if len(paths) > 1:
        merged.sort(key=lambda each: each[:2])
    requests = tuple(request for _, _, request in merged)
    return KvTrace(requests, block_tokens or FORMATS[format_], format_, len(numbers))


class _Reader:
    """Reads one file."""

    def __init__(
        self, file: str, place: int, format_: str, block_tokens: int | None, numbers: dict[tuple[int, int], int]
    ) -> None:
        self.file = file
        self.format = format_
        self.line = 0
        self._block_tokens = block_tokens
        self._numbers = numbers
        # The predecessor of a first block: a number of its own for each file.
        self._root = -1 - place

    def requests(self) -> Iterator[KvRequest]:
        begin = None
        before = 0
        for document in self._documents():
            if not self.format:
                self.format = "bailian" if "chat_id" in document else "mooncake"
            if ("chat_id" in document) != (self.format == "bailian"):
                has = "has a chat_id, as Qwen-Bailian's traces" if "chat_id" in document else "has no chat_id"
                raise self._wrong(f"{has}, and those before are {self.format}'s; give traces of one form")
            at_ns = self._time_ns(document)
            begin = at_ns if begin is None else begin
            if at_ns < before:
                raise TimeGoesBackError(
                    f"{self.file}:{self.line}: timestamp goes back; sort the trace by timestamp",
                    file=self.file,
                    line=self.line,
                )
            before = at_ns
            input_tokens = self._count(document, "input_length", 1)
            output_tokens = self._count(document, "output_length", 0)
            yield KvRequest(at_ns - begin, self._blocks(document, input_tokens), input_tokens, output_tokens)
        if begin is None:
            what = "there is no request in it; a trace has a JSON object in each line"
            raise EmptyTraceError(f"{self.file}: {what}", file=self.file)

    def _documents(self) -> Iterator[dict[str, Any]]:
        try:
            with (
                gzip.open(self.file, "rt", encoding="utf-8")
                if self.file.endswith(".gz")
                else open(self.file, encoding="utf-8") as lines  # noqa: PTH123 - the name is told as given
            ):
                while text := lines.readline(LINE_MAX):
                    self.line += 1
                    if not text.strip():
                        continue
                    yield self._document(text)
        except FileNotFoundError:
            raise TraceNotFoundError(f"{self.file}: there is no such file", file=self.file) from None
        except UnicodeDecodeError:
            self.line += 1
            raise self._wrong("is no text; a trace has a JSON object in each line") from None
        except gzip.BadGzipFile:
            self.line += 1
            raise self._wrong("is not compressed by gzip; a plain file has a name without .gz at its end") from None
        except (EOFError, zlib.error):
            self.line += 1
            raise self._wrong("the compressed file is damaged or cut off here; fetch it again") from None
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise TraceIoError(f"{self.file}: cannot be read ({why}); name a JSONL file", file=self.file) from None

    def _document(self, text: str) -> dict[str, Any]:
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise self._wrong("is no JSON; a trace has a JSON object in each line") from None
        if not isinstance(document, dict):
            raise self._wrong("is no JSON object; each line is one request")
        return document

    def _time_ns(self, document: dict[str, Any]) -> int:
        value = self._field(document, "timestamp")
        unit = "ms" if self.format == "mooncake" else "s"
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise self._wrong(f"timestamp is {_shown(value)}; give {unit} from 0 on")
        at_ns = round(value * NS_PER_UNIT[self.format])
        if at_ns > YEAR_NS:
            raise self._wrong(f"timestamp is {_shown(value)} {unit}: more than a year; give {unit} since the begin")
        return at_ns

    def _count(self, document: dict[str, Any], name: str, least: int) -> int:
        value = self._field(document, name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 1 << 40:
            raise self._wrong(f"{name} is {_shown(value)}; give a whole number of tokens from {least} on")
        return value

    def _blocks(self, document: dict[str, Any], input_tokens: int) -> tuple[int, ...]:
        hashes = self._field(document, "hash_ids")
        if not isinstance(hashes, list):
            raise self._wrong(f"hash_ids is {_shown(hashes)}; give a list of whole numbers, one a block")
        tokens = self._block_tokens or FORMATS[self.format]
        if not (input_tokens // tokens <= len(hashes) <= -(-input_tokens // tokens)):
            raise self._wrong(
                f"{len(hashes)} hash_ids for {input_tokens} tokens in blocks of {tokens}; mend the line, or give the "
                "tokens of a block (--block-tokens)"
            )
        numbers, chained = self._numbers, self.format == "bailian"
        blocks = []
        before = self._root
        for place, each in enumerate(hashes):
            if type(each) is not int:
                raise self._wrong(f"hash_ids[{place}] is {_shown(each)}; hashes are whole numbers")
            before = numbers.setdefault((before if chained else self._root, each), len(numbers))
            blocks.append(before)
        if len(set(blocks)) < len(blocks):
            raise self._wrong("hash_ids has a hash twice; a hash stands for a block and all before it")
        return tuple(blocks)

    def _field(self, document: dict[str, Any], name: str) -> Any:  # noqa: ANN401 - what it is not is told
        if name not in document:
            raise self._wrong(f"has no {name}; a request has timestamp, input_length, output_length and hash_ids")
        return document[name]

    def _wrong(self, what: str) -> MalformedTraceError:
        return MalformedTraceError(f"{self.file}:{self.line}: {what}", file=self.file, line=self.line)


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
