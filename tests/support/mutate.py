"""Real files made hostile: bits turned, numbers made huge, pieces cut out, doubled, moved and taken from
another file."""

from __future__ import annotations

import struct
import zlib
from random import Random

# Lengths and sizes at which arithmetic goes wrong, in the order of bytes of most formats.
EDGES = (
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\0\0\0\0",
    b"\0\0\0\x01",
    b"\xff\xff",
    b"\x7f\xff",
    b"\0\0",
)


def mutated(data: bytes, other: bytes, chance: Random) -> bytes:
    """`data` with one to six changes; `other` is a file of the same kind to take pieces from."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        if len(changed) < 8:
            break
        _change(changed, other, chance)
    return bytes(changed)


def _change(changed: bytearray, other: bytes, chance: Random) -> None:
    # Half of the changes hit the first kilobyte, where headers are.
    most = len(changed) if chance.random() < 0.5 else min(1024, len(changed))
    position = chance.randrange(most)
    length = min(1 + int(chance.expovariate(1 / 64)), len(changed) - position)
    match chance.randrange(8):
        case 0 | 1:
            changed[position] ^= 1 << chance.randrange(8)
        case 2:
            changed[position] = chance.choice((0, 0x7F, 0x80, 0xFF))
        case 3:
            edge = chance.choice(EDGES)
            edge = edge if chance.random() < 0.5 else edge[::-1]
            changed[position:position + len(edge)] = edge
        case 4:
            del changed[position:position + length]
        case 5:
            changed[position:position] = changed[position:position + length] * chance.randint(1, 20)
        case 6:
            start = chance.randrange(max(1, len(other) - length))
            changed[position:position + length] = other[start:start + length]
        case 7:
            # The first bytes stay: they tell the kind of a file.
            del changed[max(position, 16):]


def sealed(png: bytes) -> bytes:
    """A PNG whose chunks carry the checksums of what they hold, so that a reader looks past them at what was
    changed."""
    out, position = bytearray(png[:8]), 8
    while position + 12 <= len(png):
        length = min(struct.unpack_from(">I", png, position)[0], len(png) - position - 12)
        chunk = png[position + 4:position + 8 + length]
        out += struct.pack(">I", length) + chunk + struct.pack(">I", zlib.crc32(chunk))
        position += 12 + length
    return bytes(out + png[position:])
