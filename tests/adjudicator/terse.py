"""Orders in canonical text ("A London - Surrey") for tests that must not lean on the grammar."""

from __future__ import annotations

import re
from collections.abc import Callable

from adjudicator.geo import Region
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    Proxy,
    Remove,
    Retreat,
    SendSupply,
    SupportHold,
    SupportMove,
    Waive,
)
from adjudicator.units import UnitRef

_UNIT = r"([AF]) (.+?)"
_TARGET = r"(?:([AF]) )?(.+?)"


def _ref(kind: str | None, place: str) -> UnitRef:
    return UnitRef(kind, Region.of(place))


_FORMS: list[tuple[str, Callable[[str, re.Match[str]], Order]]] = [
    (r"Build ([AF]) (.+)", lambda p, m: Build(power=p, kind=m[1], region=Region.of(m[2]))),
    (rf"Remove {_UNIT}", lambda p, m: Remove(power=p, unit=_ref(m[1], m[2]))),
    (r"Send (\d+) supply to (.+)", lambda p, m: SendSupply(power=p, to_power=m[2], count=int(m[1]))),
    (r"Waive", lambda p, m: Waive(power=p)),
    (rf"{_UNIT} H", lambda p, m: Hold(power=p, unit=_ref(m[1], m[2]))),
    (rf"{_UNIT} disbands", lambda p, m: Disband(power=p, unit=_ref(m[1], m[2]))),
    (rf"{_UNIT} R (.+)", lambda p, m: Retreat(power=p, unit=_ref(m[1], m[2]), to=Region.of(m[3]))),
    (rf"{_UNIT} proxy (.+)", lambda p, m: Proxy(power=p, unit=_ref(m[1], m[2]), to_power=m[3])),
    (rf"{_UNIT} converts to ([AF])(?: (.+))?",
     lambda p, m: Convert(power=p, unit=_ref(m[1], m[2]), to_kind=m[3], coast=m[4])),
    (rf"{_UNIT} S {_TARGET} - (.+)",
     lambda p, m: SupportMove(power=p, unit=_ref(m[1], m[2]), target=_ref(m[3], m[4]), to=Region.of(m[5]))),
    (rf"{_UNIT} S {_TARGET}",
     lambda p, m: SupportHold(power=p, unit=_ref(m[1], m[2]), target=_ref(m[3], m[4]))),
    (rf"{_UNIT} C {_TARGET} - (.+)",
     lambda p, m: Convoy(power=p, unit=_ref(m[1], m[2]), target=_ref(m[3], m[4]), to=Region.of(m[5]))),
    (rf"{_UNIT} - (.+?)( via convoy)?",
     lambda p, m: Move(power=p, unit=_ref(m[1], m[2]), to=Region.of(m[3]), via_convoy=bool(m[4]))),
]


def order(power: str, text: str) -> Order:
    """The order of one line of canonical text. Raises ValueError for anything else."""
    for form, make in _FORMS:
        match = re.fullmatch(form, text)
        if match is not None:
            return make(power, match)
    raise ValueError(f"{text!r} is not an order")


def orders(**sheets: list[str]) -> list[Order]:
    """The orders of several powers; a power's spaces are written as underscores."""
    return [order(power.replace("_", " "), text) for power, lines in sheets.items() for text in lines]
