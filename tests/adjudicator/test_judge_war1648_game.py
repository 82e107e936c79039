"""A game of 1648 played by hand for three years: each order as a player writes it, each outcome, and every March's board
(TYW-02 to TYW-14)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import maps
from adjudicator.judge import judge
from adjudicator.orders import Order
from service.lexical import parse_typed

VARIANT = maps.load("war1648")
PHASES = tomllib.loads(Path("maps/war1648/cases/game/three_years.toml").read_text("utf-8"))["phase"]


def test_three_years() -> None:
    position = VARIANT.start
    told: list[str] = []
    for phase in PHASES:
        now = position.phase
        assert f"{now.season} {now.year} {now.kind}" == phase["when"]
        orders: list[Order] = []
        wanted: list[tuple[str, str]] = []
        for power, text, result in phase["orders"]:
            parsed = parse_typed(VARIANT, now.kind, power, text)
            assert parsed.orders, (phase["when"], text)
            orders += parsed.orders
            wanted += [(text, result)] * len(parsed.orders)
        resolution = judge(VARIANT.setting(), position, orders)
        assert [o.reason or o.result.value for o in resolution.outcomes] == [result for _, result in wanted], (
            phase["when"], [(text, o.why) for (text, _), o in zip(wanted, resolution.outcomes, strict=True)])
        assert resolution.winner is None
        told += resolution.notes
        position = resolution.position
        if "units" in phase:
            standing = {power: sorted(f"{u.kind} {u.region}" for u in position.units if u.power == power)
                        for power in VARIANT.powers}
            assert standing == {power: sorted(units) for power, units in phase["units"].items()}
            assert {power: len(owned) for power, owned in position.centres.items()} == phase["centres"]
    assert told == [
        "the loan of Denmark to England is over: Denmark supplies Sweden again (rule 13)",
        "Smyrna is no home centre of Ottoman Empire any more: Wallachia is retaken (rule 7)",
    ]
