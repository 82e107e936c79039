"""The list of a game that is to be, and the drawing of its powers (BEY-04)."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest

from service.features.sign_up.power_lots import confirm, confirmed, draw, lines_of, seal
from service.games.refused import Refused
from service.store.tables import OfferRow, SignUpRow
from tests.features.sign_up.redraw import drawn_again
from tests.support.site import NOON, Site

POWERS = ["Argyll", "Montrose", "Ormond"]
WISHES = [["Ormond"], ["Ormond", "Argyll"], [], ["Argyll"]]


@pytest.fixture
def offer(site: Site) -> str:
    """An offer with four people, whose addresses are not proved yet."""
    with site.store.begin() as session:
        nonce, commitment = seal(session, "edgehill")
        session.add(OfferRow(
            id="edgehill", name="Edgehill", variant="w3k", dates=["2027-06-01"], made_at=NOON, made_by="Ada",
            sealed=nonce, commitment=commitment, note=""))
        session.flush()
        for number, wishes in enumerate(WISHES):
            session.add(SignUpRow(
                offer_id="edgehill", email=f"p{number}@home.example", name=f"Person {number}",
                preferences=wishes, dates=[], made_at=NOON, link_hash=f"{number}" * 64))
    return "edgehill"


def _confirm_all(site: Site) -> None:
    with site.store.begin() as session:
        for row in session.query(SignUpRow).order_by(SignUpRow.id):
            assert confirm(session, row, NOON + timedelta(minutes=row.id))
            assert not confirm(session, row, NOON + timedelta(days=1))


def test_the_first_on_the_list_draw_from_the_seed_that_was_promised(site: Site, offer: str) -> None:
    _confirm_all(site)
    with site.store.begin() as session:
        row = session.get_one(OfferRow, offer)
        seating = draw(session, row, POWERS, NOON)
        drawn, commitment = row.drawn or {}, row.commitment
    assert hashlib.sha256(drawn["seed"].encode()).hexdigest() == commitment
    wishes = dict(enumerate(WISHES[:3], start=1))
    lines = lines_of(offer, drawn["seed"], wishes)
    assert seating.lines == tuple(drawn["lines"]) == lines
    order, seats = drawn_again(lines, wishes, POWERS)
    assert (drawn["order"], drawn["seats"], drawn["last"]) == (order, seats, 4)
    assert sorted(seats.values()) == [1, 2, 3]


def test_numbers_go_on_after_a_drawing_though_the_list_was_emptied(site: Site, offer: str) -> None:
    _confirm_all(site)
    with site.store.begin() as session:
        draw(session, session.get_one(OfferRow, offer), POWERS, NOON)
        for row in confirmed(session, offer):
            session.delete(row)
        late = SignUpRow(offer_id=offer, email="late@home.example", name="Late", preferences=[], dates=[],
                         made_at=NOON, link_hash="f" * 64)
        session.add(late)
        session.flush()
        assert confirm(session, late, NOON)
        assert late.number == 5


def test_nothing_is_drawn_of_an_empty_list_twice_or_with_another_key(site: Site, offer: str) -> None:
    with site.store.begin() as session:
        row = session.get_one(OfferRow, offer)
        with pytest.raises(Refused, match="the list is still empty"):
            draw(session, row, POWERS, NOON)
    _confirm_all(site)
    with site.store.begin() as session:
        row = session.get_one(OfferRow, offer)
        # What another key, or another nonce, would give is not the seed that was promised.
        promised, row.sealed = row.sealed, "0" * 64
        with pytest.raises(Refused, match=r"Put the right site\.key"):
            draw(session, row, POWERS, NOON)
        row.sealed = promised
        draw(session, row, POWERS, NOON)
        with pytest.raises(Refused, match="drawn already"):
            draw(session, row, POWERS, NOON)
