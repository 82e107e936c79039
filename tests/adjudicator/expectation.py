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
    """What the command states to each case, its words left out where a case does not ask for them."""
    out = io.StringIO()
    run_adjudicate(variant, [json.dumps(case) for case in cases], out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def differences(case: Case, answer: Case) -> list[str]:
    """Every way in which an answer is not what the case expects; empty when it agrees."""
    if "error" in answer:
        return [answer["error"]]
    mismatches = []
    expect = case["expect"]
    if [o["why"] == "" for o in answer["orders"]].count(True):
        mismatches.append("an order without a sentence")
    for index, (expected, actual) in enumerate(
        zip(expect.get("orders", answer["orders"]), answer["orders"], strict=True)
    ):
        # Sentences are compared only where a case requests them: `test_judge_sentences` has them all.
        plain = {k: v for k, v in actual.items() if k != "why" or k in expected}
        if expected is not actual and plain != expected:
            mismatches.append(f"orders[{index}] {case['orders'][index]}: wanted {expected}, got {actual}")
    for index, why in enumerate(case.get("why", ())):
        if why and answer["orders"][index]["why"] != why:
            mismatches.append(f"orders[{index}].why: wanted {why!r}, got {answer['orders'][index]['why']!r}")
    for key, expected in expect.items():
        actual = answer.get(key)
        if key == "state" and isinstance(actual, dict):  # what a case does not ask for may be anything
            actual = {name: actual.get(name) for name in expected}
        if key != "orders" and _plain(expected, key) != _plain(actual, key):
            mismatches.append(f"{key}: wanted {expected}, got {actual}")
    return mismatches


def _plain(value: Any, key: str) -> Any:
    if value == "none":
        return None
    if isinstance(value, dict):
        return {k: _plain(v, k) for k, v in value.items()}
    # Sets may come in any order (docs/contract.md); units that go are named in the order they went.
    if isinstance(value, list) and key not in {"removed_by_lot", "removed_by_civil_disorder"}:
        return sorted(json.dumps(_plain(item, ""), sort_keys=True) for item in value)
    return value


def disagreeing(variant: Variant, cases: Sequence[Case]) -> dict[str, list[str]]:
    """Case id to its differences, for the cases that have any."""
    mismatches = {
        str(case["id"]): differences(case, answer)
        for case, answer in zip(cases, answers(variant, cases), strict=True)
    }
    return {name: wrong for name, wrong in mismatches.items() if wrong}


def disagreeing_in_part(variant: Variant, cases: Sequence[Case]) -> dict[str, list[str]]:
    """The same for cases of others, of which each value may leave keys out ("result" without "reason")."""
    mismatches = {
        str(case["id"]): [
            f"{key}: wanted {wanted}, got {answer.get(key)}" for key, wanted in case["expect"].items()
            if _plain(wanted, key) != _plain(_cut_to(wanted, answer.get(key)), key)]
        for case, answer in zip(cases, answers(variant, cases), strict=True)
    }
    return {name: wrong for name, wrong in mismatches.items() if wrong}


def _cut_to(wanted: Any, got: Any) -> Any:
    """A value without the keys that the wanted one does not have. Items of lists are cut to the first wanted
    one's keys: all have the same."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return {key: _cut_to(wanted[key], got.get(key)) for key in wanted}
    if isinstance(wanted, list) and isinstance(got, list) and wanted:
        return [_cut_to(wanted[0], item) for item in got]
    return got
