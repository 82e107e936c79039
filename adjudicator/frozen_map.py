"""A mapping that never changes and can be hashed, for values with one entry for each power or province."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

K = TypeVar("K", bound=str)
V = TypeVar("V")


class FrozenMap(Mapping[K, V]):
    """The entries of a mapping, sorted by key. Equal to any mapping with the same entries."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[K, V]) -> None:
        self._entries = dict(sorted(entries.items()))

    def __getitem__(self, key: K) -> V:
        return self._entries[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(tuple(self._entries.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({self._entries!r})"
