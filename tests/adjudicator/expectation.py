"""Compares an answer of `adjudicate` with a case's `expect`. Sets may come in any order, order results may
not."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from maps.variant import Variant
from service.cli.adjudicate import run_adjudicate

Case = dict[str, Any]


def answers(variant: Variant, cases: Iterable[Case]) -> list[Case]:
    """What the command says to each case, its words left out where a case does not ask for them."""
    out = io.StringIO()
    run_adjudicate(variant, [json.dumps(case) for case in cases], out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def differences(case: Case, answer: Case) -> list[str]:
    """Every way in which an answer is not what the case expects; empty when it agrees."""
    if "error" in answer:
        return [answer["error"]]
    found = []
    expect = case["expect"]
    if [o["why"] == "" for o in answer["orders"]].count(True):
        found.append("an order without a sentence")
    for at, (wanted, got) in enumerate(
        zip(expect.get("orders", answer["orders"]), answer["orders"], strict=True)
    ):
        plain = {k: v for k, v in got.items() if k != "why" or k in wanted}
        if wanted is not got and plain != wanted:
            found.append(f"orders[{at}] {case['orders'][at]}: wanted {wanted}, got {got}")
    for at, why in enumerate(case.get("why", ())):
        if why and answer["orders"][at]["why"] != why:
            found.append(f"orders[{at}].why: wanted {why!r}, got {answer['orders'][at]['why']!r}")
    for key, wanted in expect.items():
        got = answer.get(key)
        if key == "state" and isinstance(got, dict):  # what a case does not ask for may be anything
            got = {name: got.get(name) for name in wanted}
        if key != "orders" and _plain(wanted, key) != _plain(got, key):
            found.append(f"{key}: wanted {wanted}, got {got}")
    return found


def _plain(value: Any, key: str) -> Any:
    if value == "none":
        return None
    if isinstance(value, dict):
        return {k: _plain(v, k) for k, v in value.items()}
    if isinstance(value, list) and key not in {"removed_by_lot", "removed_by_civil_disorder"}:
        return sorted(json.dumps(_plain(item, ""), sort_keys=True) for item in value)
    return value


def disagreeing(variant: Variant, cases: Sequence[Case]) -> dict[str, list[str]]:
    """Case id to its differences, for the cases that have any."""
    found = {
        str(case["id"]): differences(case, answer)
        for case, answer in zip(cases, answers(variant, cases), strict=True)
    }
    return {name: wrong for name, wrong in found.items() if wrong}
