"""A phase of a game with its orders and results, and what another judging of it states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from galloper.errors import LotsError
from galloper.orders import Order
from galloper.positions import Position, Resolution

_SETS = frozenset({"positions", "dislodged", "contested", "may_retreat", "disbanded", "units"})
"""Keys whose lists may come in any order (docs/contract.md), as do the lists below `centres`."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of a saved game that the judge now answers otherwise. `number` counts phases from 1; `field`
    is the path in the phase, `saved` and `judged` are JSON."""

    number: int
    phase: str
    field: str
    saved: Any
    judged: Any

    def __str__(self) -> str:
        return (f"Phase {self.number}, {self.phase}: {self.field} is {self.saved!r} in the game, and the "
                f"judge gives {self.judged!r}.")


@dataclass(frozen=True, slots=True, repr=False)
class PlayedPhase:
    """A judged phase of a game: the position before it, everybody's orders, the lots that were drawn, and
    what became of it all."""

    position: Position
    orders: tuple[Order, ...]
    lots: tuple[int, ...]
    resolution: Resolution

    def judge_again(self, number: int) -> Iterator[Difference]:
        """Each field in which the judge now differs from what is saved; `number` is the phase's own, from
        1."""
        phase = str(self.position.phase)
        try:
            again = self.position.judge(self.orders, self.lots)
        except LotsError as fault:
            yield Difference(number, phase, "lots", list(self.lots), str(fault))
            return
        # Two pairs: an answer mentions the phase, and the next position also of what is only remembered.
        pairs = [("result", self.resolution.to_json(), again.to_json()),
                 ("position after it", self.resolution.position.to_json(), again.position.to_json())]
        for path, saved, judged in pairs:
            for field, before, now in _differences(path, saved, judged):
                yield Difference(number, phase, field, before, now)

    def __repr__(self) -> str:
        return f"<PlayedPhase {self.position.phase}: {len(self.orders)} orders>"


def _differences(path: str, saved: Any, judged: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Path, saved and judged value of each field in which two pieces of JSON differ."""
    if isinstance(saved, Mapping) and isinstance(judged, Mapping):
        for name in dict.fromkeys([*saved, *judged]):
            within = "contested" if key == "centres" else name
            yield from _differences(f"{path}.{name}", saved.get(name), judged.get(name), within)
        return
    if isinstance(saved, list) and isinstance(judged, list):
        if key in _SETS:
            saved, judged = sorted(saved, key=_text), sorted(judged, key=_text)
        if len(saved) == len(judged):
            for index, (before, now) in enumerate(zip(saved, judged, strict=True)):
                yield from _differences(f"{path}[{index}]", before, now)
            return
    if saved != judged:
        yield path, saved, judged


def _text(item: Any) -> str:
    return str(sorted(item.items(), key=str)) if isinstance(item, Mapping) else str(item)
