"""One author without doubt (RFC 5322, 3.4): whatever two programs may read differently is not an address
(BOX-04)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from service.mail.authors import UNREADABLE, authors

HAL = "hal@marl.example"


@pytest.mark.parametrize(
    "value",
    [
        HAL, f"<{HAL}>", f"Hal Marl <{HAL}>", f"Marl, Hal <{HAL}>", f'"Marl, Hal" <{HAL}>',
        f"{HAL} (Hal Marl)",
        f'"x <evil@b.example>, y" <{HAL}>', f"=?utf-8?q?Hal=2C_evil=40b=2Eexample?= <{HAL}>",
        f"{HAL} <{HAL}>",
        f'"say \\"hal\\"" <{HAL}>',
        f"(a (nested) evil@b.example, remark) {HAL}", f"<{HAL}.>", f"{HAL},",
    ],
)  # fmt: skip
def test_one_author(value: str) -> None:
    assert authors([value]) == (HAL,)


@pytest.mark.parametrize(
    "value",
    [
        '"x@y"@marl.example', '"hal"@marl.example', f'"x@y"@marl.example, {HAL}', f"{HAL}, evil@b.example",
        f"{HAL}, <>", f"{HAL}, <evil>", f"{HAL}, @", f"{HAL} evil@b.example", f"<{HAL}> <evil@b.example>",
        f"<{HAL}> evil", f"{HAL} <evil@b.example", f"{HAL}>", f"<<{HAL}>>", f"friends: {HAL};",
        f"friends:;, {HAL}",
        f"x: <{HAL}>", f"<@b.example:{HAL}>", "=?utf-8?q?hal?=@marl.example",
        "<=?utf-8?q?hal=40marl=2Eexample?=>",
        f'"open <{HAL}>', f"({HAL}", f"{HAL})", f"hal\\@evil@b.example, {HAL}", "hal@[203.0.113.1]",
        "hal@marl..example",
        f"{HAL}\x00", f"{HAL}\revil@b.example", f"hal@evil.example <{HAL}>", f"{HAL};",
        f"{HAL}" + " " * 100_000,
    ],
)  # fmt: skip
def test_no_single_author(value: str) -> None:
    assert authors([value]) != (HAL,)
    assert len(authors([value])) > 1 or authors([value]) == (UNREADABLE,)


def test_two_fields_are_two_authors() -> None:
    assert authors([HAL, HAL]) == (HAL, HAL)


@given(st.text(alphabet='al@.<>,;:()"\\ =?\x00é', max_size=60))
def test_no_jumble_raises(value: str) -> None:
    assert all(address == UNREADABLE or "@" in address for address in authors([value]))


@pytest.mark.parametrize("piece", ["<", ",", "\\", '"', '\\"', "(", "a@b,", '"a"', "@", "<a@b> "])
def test_a_hundred_kilobytes_take_no_time(piece: str) -> None:
    started = time.process_time()
    authors([(piece * 100_000)[:99_999], ('"' + piece * 100_000)[:99_999]])
    assert time.process_time() - started < 3
