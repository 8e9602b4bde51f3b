"""A client of a served SSD that asks for one thing after the other."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

READ, WRITE, LEAVE, FLUSH, TRIM, WRITE_ZEROES = 0, 1, 2, 3, 4, 6
FUA, NO_HOLE = 1, 2


class Client:
    """The least that a client can be."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))
        self.socket.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 0))
        assert self.take(18)[:8] == b"NBDMAGIC"
        self.bytes, self.flags = struct.unpack(">QH", self.take(10))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def ask(self, kind: int, offset: int = 0, count: int = 0, data: bytes = b"", flags: int = 0) -> bytes:
        self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, flags, kind, 7, offset, count or len(data)) + data)
        magic, error, cookie = struct.unpack(">IIQ", self.take(16))
        assert (magic, cookie) == (0x67446698, 7)
        if error:
            raise OSError(error, "the server says so")
        return self.take(count) if kind == READ else b""

    def leave(self) -> None:
        self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, 0, LEAVE, 0, 0, 0))
        assert self.socket.recv(1) == b""


def use(client: Client) -> None:
    """A few hundred requests of all kinds, over and over the same places, so that garbage is collected."""
    for turn in range(2):
        for place in range(0, 24 << 20, 256 << 10):
            client.ask(WRITE, place, data=bytes([turn + 1]) * (192 << 10), flags=FUA if place % (3 << 20) == 0 else 0)
        for place in range(0, 24 << 20, 1 << 20):
            assert client.ask(READ, place + 4096, 1024) == bytes([turn + 1]) * 1024
        client.ask(TRIM, 1 << 20, 64 << 10)
        client.ask(FLUSH)
