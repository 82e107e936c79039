"""A coordinator words a game's letters: shown before it is stored, refused where a fact would be missing, a
way back, and on the record (BEY-07)."""

from __future__ import annotations

import re

import httpx
import pytest

from service.bootstrap import letter_kinds
from service.features.own_wording.pages import BLANKS, field_of
from service.features.own_wording.reword import RewordLetter
from service.features.own_wording.sentences import sentences_of
from service.games.acts.act import ActTable, perform
from service.games.refused import NotFound, Refused
from service.notices.broadcasts import WELCOME, Broadcasts
from service.notices.previews import Previews
from service.store.tables import EventRow, GameRow
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import open_table

CLOSING = "Good luck, and good post."


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site))


def send(desk: DeskTable, act: str, **words: str) -> httpx.Response:
    fields = {field_of(sentence): words[sentence.message] for sentence in sentences_of("welcome", "en")
              if sentence.message in words}
    return desk.post(f"/previews/{desk.table.game}/welcome/wording?language=en", act=act, **fields)


def changes(desk: DeskTable) -> list[EventRow]:
    with desk.table.site.store() as session:
        return list(session.query(EventRow).where(EventRow.what == "option_changed"))


def preview(desk: DeskTable) -> str:
    """A welcome without what grows with the record: its entries and its root."""
    with desk.table.site.store() as session:
        game = session.get_one(GameRow, desk.table.game)
        written = Previews(desk.table.writer, session, game, "Montrose").of(WELCOME).letter.text
    words = " ".join(written.split())
    return re.sub(r"has \d+ entries up to this welcome. In four words: [a-z ]+\.", "", words)


def test_words_are_shown_then_kept_then_sent_and_taken_back(desk: DeskTable) -> None:
    ours = preview(desk)
    own = {CLOSING: "God save the <King>, and the post."}
    shown = send(desk, "show", **own)
    assert shown.status_code == 200
    assert "God save the &lt;King&gt;, and the post." in shown.text
    assert not changes(desk)
    assert preview(desk) == ours

    assert send(desk, "keep", **own).headers["location"].endswith("notice=kept")
    (event,) = changes(desk)
    assert event.detail["to"] == "1 own sentence"
    with desk.table.site.store.begin() as session:
        Broadcasts(desk.table.writer).welcome(session, desk.table.game)
    letters = [desk.table.words(row) for row in desk.table.letters("welcome")]
    assert all("God save the <King>, and the post." in letter for letter in letters)
    # The same form again changes nothing, and is not a second act on the record.
    assert send(desk, "keep", **own).headers["location"].endswith("notice=same")
    assert len(changes(desk)) == 1

    assert send(desk, "ours").headers["location"].endswith("notice=ours")
    assert preview(desk) == ours
    with desk.table.site.store() as session:
        assert session.get_one(GameRow, desk.table.game).options["own_wording"] == {}


def test_a_sentence_that_loses_a_fact_keeps_nothing_and_stays_in_the_form(desk: DeskTable) -> None:
    message = "It must arrive by"
    units = "The powers: %(powers)s."
    answer = send(desk, "keep", **{message: "Be there by", units: "Your foes are many."})
    assert answer.status_code == 400
    assert "Nothing was kept" in answer.text
    assert "%(powers)s: a fact would be missing" in answer.text
    assert "Your foes are many." in answer.text
    assert "Be there by" in answer.text
    assert not changes(desk)
    assert desk.client.get(f"/previews/{desk.table.game}/nonsense/wording").status_code == 404


def test_the_act_refuses_what_the_form_does(desk: DeskTable) -> None:
    table = desk.table
    with table.site.store.begin() as session:
        acting = ActTable(session, "Ada", table.site.clock.now())
        with pytest.raises(Refused, match="a fact would be missing"):
            perform(RewordLetter(table.game, "welcome", "en", {"The powers: %(powers)s.": "Foes."}), acting)
        with pytest.raises(NotFound):
            perform(RewordLetter("nowhere", "welcome", "en", {}), acting)
    assert not changes(desk)


def test_every_blank_and_every_letter_has_words_for_a_coordinator() -> None:
    """"%(instant)s" and "receipt_late" have nothing to anyone who has not read the program."""
    blanks = {blank for kind in letter_kinds().by_name.values() if kind.occasion
              for sentence in sentences_of(kind.name, "en") for blank in sentence.blanks}
    assert blanks == set(BLANKS)
