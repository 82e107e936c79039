"""Where stamps stand, in the words of people (BOX-02)."""

from __future__ import annotations

import pytest

from service.mail.authentication.domains import fits, is_too_wide
from service.mail.authentication.places import Place, place_of


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("above the Received line of the pool host", Place.ABOVE),
        ("Over the border's Received line", Place.ABOVE),
        ("The stamps come before the Received header of mx.prov.example.", Place.ABOVE),
        ("on top of the Received line of *.prov.example", Place.ABOVE),
        ("at the very top of the mail", Place.ABOVE),
        ("at the top, above the Received line of the same host", Place.ABOVE),
        ("directly above mx.prov.example's Received line, below the LMTP hop", Place.ABOVE),
        ("above the Received line whose 'by' host ends in .prov.example, below the .store.example hops",
         Place.ABOVE),
        ("no name: told by the border alone", Place.ABOVE),
        ("never below the border, always above it", Place.ABOVE),
        ("above", Place.ABOVE),
        ("below the Received line of mx.prov.example and directly above what the sender wrote", Place.BELOW),
        ("BELOW the border's Received line", Place.BELOW),
        ("underneath the Received line of in*.prov.example, over the sender's own lines", Place.BELOW),
        ("after the Received line of the border host", Place.BELOW),
        ("directly under the border", Place.BELOW),
        ("not above, but below the border's Received line", Place.BELOW),
        ("above the Received line of the same host in new versions, below it in older ones", Place.BOTH),
        ("either above or below the Received line", Place.BOTH),
        ("dmarc above the border's Received line, spf below it", Place.BOTH),
        ("below the HTTP(S) Received line of the same host, above the sender's", Place.BOTH),
        ("somewhere near the Received line", Place.BOTH),
        ("", Place.BOTH),
        ("web interface: above the Received line; through the Bridge: below all Received lines",
         Place.ANYWHERE),
        ("anywhere: the program rearranges headers", Place.ANYWHERE),
        ("position says nothing", Place.ANYWHERE),
        ("in no fixed order", Place.ANYWHERE),
    ],
)
def test_words_for_a_place(words: str, place: Place) -> None:
    assert place_of(words) is place


@pytest.mark.parametrize(
    ("name", "pattern", "does_fit"),
    [
        ("mx5.messagingengine.com", "*.messagingengine.com", True),
        ("a.b.messagingengine.com", "*.messagingengine.com", True),
        ("MX5.MessagingEngine.com.", "*.messagingengine.com", True),
        ("messagingengine.com", "*.messagingengine.com", False),
        ("evilmessagingengine.com", "*.messagingengine.com", False),
        ("mx1.messagingengine.com.attacker.example", "*.messagingengine.com", False),
        ("attacker.example/mx1.messagingengine.com", "*.messagingengine.com", False),
        ("mx1..messagingengine.com", "*.messagingengine.com", False),
        (".messagingengine.com", "*.messagingengine.com", False),
        ("atlas104.aol.mail.bf1.yahoo.com", "atlas*.yahoo.com", True),
        ("atlas.yahoo.com", "atlas*.yahoo.com", False),
        ("mx.zohomail.com.au", "mx.zohomail.*", True),
        ("mx.google.com", "mx.google.com", True),
        ("mxxgoogle.com", "mx.google.com", False),
        ("x.mx.google.com", "mx.google.com", False),
    ],
)
def test_names_fit_whole(name: str, pattern: str, does_fit: bool) -> None:
    assert fits(name, [pattern]) is does_fit


def test_a_name_that_would_trust_strangers_is_refused() -> None:
    assert [is_too_wide(pattern) for pattern in ("*", "*.com", "mx*", "mx.*", "*.a.example",
    "mx*.a.example")] == [
        True, True, True, True, False, False]  # fmt: skip
