"""What both checkers say of the round of the public beacon that lots were drawn with (TRU-02, rule C23).

The round is a real one: 1,000 of quicknet, as the League of Entropy published it on 23 August 2023.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from service.archive import verify
from service.games import beacons
from service.games.beacons import QUICKNET, BeaconChain
from tools import verify_record

SIGNATURE = ("b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacb"
             "e47e4b6b63ed5e39")
MADE_UP = "aa" * 48
DEADLINE = QUICKNET.time_of(1000) - beacons.MARGIN


def _round(number: int = 1000, signature: str = SIGNATURE) -> dict[str, Any]:
    return {"round": number, "signature": signature,
            "randomness": hashlib.sha256(bytes.fromhex(signature)).hexdigest()}


def _draw(beacon: dict[str, Any] | None, **others: list[str]) -> dict[str, Any]:
    return {"beacon": beacon, "words": [], "sheets": [], "used": 3} | others


def _text(seconds: int = 0) -> str:
    return f"{DEADLINE + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize("seconds", [0, -1, -2])
def test_the_round_that_was_published_is_accepted(
    seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every deadline that it is the first round after."""
    told = list[str]()
    monkeypatch.setattr(verify_record, "tell", told.append)
    verify_record.check_round("phase 5", QUICKNET.as_entry(), _draw(_round()), _text(seconds))
    sentence = f"round 1000 of the public beacon, which is {_round()['randomness']}"
    assert any(sentence in line for line in told)
    assert verify._check_round(5, _round(), QUICKNET) == []


@pytest.mark.parametrize(("draw", "chain", "seconds", "words"), [
    (_draw(_round()), QUICKNET, 1, "the first one after"),
    (_draw(_round()), QUICKNET, -3, "the first one after"),
    (_draw(_round(1001)), QUICKNET, 0, "the first one after"),
    (_draw(_round() | {"randomness": "0" * 64}), QUICKNET, 0, "not the digest of its signature"),
    (_draw(_round(), words=["Argyll: heather"]), QUICKNET, 0, "alone"),
    (_draw(_round(), sheets=[f"Argyll: {'0' * 64}"]), QUICKNET, 0, "alone"),
    (_draw(None), QUICKNET, 0, "alone"),
    (_draw(_round()), replace(QUICKNET, key="ee" * 96), 0, "none that everybody knows"),
])
def test_another_round_or_another_mixture_is_named(
    draw: dict[str, Any], chain: BeaconChain, seconds: int, words: str
) -> None:
    with pytest.raises(verify_record.Alarm, match=words):
        verify_record.check_round("phase 5", chain.as_entry(), draw, _text(seconds))


def test_a_made_up_round_has_no_signature_of_the_beacon() -> None:
    """`galloper verify` checks the signature. The small checker cannot, and names the round to be
    compared."""
    verify_record.check_round("phase 5", QUICKNET.as_entry(), _draw(_round(signature=MADE_UP)), _text())
    (fault,) = verify._check_round(5, _round(signature=MADE_UP), QUICKNET)
    assert "the beacon never published this round 1000" in fault
