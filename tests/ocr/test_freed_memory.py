"""Freed memory goes back to the system, where the C library can give it."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from ocr import freed_memory

BLOCK, BLOCKS = 100_000, 2_000
"""Bytes of a block, too few for the C library to ask the system for each by itself, and how many of them."""


@pytest.fixture
def trim_calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the C library was asked to give back."""
    calls: list[int] = []
    monkeypatch.setattr(freed_memory, "_trim", lambda: calls.append)
    monkeypatch.setattr(freed_memory, "resident_mib", lambda: 500.0)
    return calls


def test_a_process_that_holds_no_more_than_it_may_gives_nothing(trim_calls: list[int]) -> None:
    freed_memory.give_back(above=500.0)
    assert trim_calls == []
    freed_memory.give_back(above=499.0)
    assert trim_calls == [0]


def test_it_is_no_fault_where_there_is_no_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freed_memory, "_trim", lambda: None)
    freed_memory.give_back()


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc has the call")
def test_holes_between_what_is_in_use_are_given_back() -> None:
    blocks = [np.ones(BLOCK, np.uint8) for _ in range(BLOCKS)]
    blocks_in_use = blocks[::10]
    before = freed_memory.resident_mib()
    del blocks
    held = freed_memory.resident_mib()
    freed_memory.give_back()
    after = freed_memory.resident_mib()
    assert len(blocks_in_use) == BLOCKS // 10
    assert before > 150
    assert held - after > 50
