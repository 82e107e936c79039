"""Mails in the shape of public reports (tests/data/mail/public), each through a real mailbox to a running
site that opens and reads them (ARR-01 to ARR-07)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import maps
from adjudicator.calendar import Phase, PhaseKind
from maps.variant import Variant
from service.games import ballots
from service.intake.sheets.recognizer import EngineRecognizer
from service.store import records
from service.store.tables import CorrespondenceRow, PageRow, PhaseRow, SubmissionRow
from tests.support.mail_builder import FIXTURES
from tests.support.mailroom_play import MailroomPlay, open_play
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.smtp_sink import SmtpSink

PUBLIC = FIXTURES / "public"
INDEX: dict[str, Any] = json.loads((PUBLIC / "index.json").read_text(encoding="utf-8"))
CASES = {case["file"]: case["expect"] for case in INDEX["cases"]}
OPEN = Phase(1645, "Summer", PhaseKind.MOVEMENT)
POWER = "Cumberland"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def _load(slug: str) -> Variant:
    variant = maps.load(slug)
    return replace(variant, start=replace(variant.start, phase=OPEN))


@contextmanager
def _site(
    folder: Path, dovecot: Dovecot, sink: SmtpSink, address: str = "m.rich@quill.example", **options: object
) -> Iterator[MailroomPlay]:
    context = INDEX["context"]
    with open_play(
        folder, dovecot, sink, "w3k", "Naseby", load=_load, recognizer=EngineRecognizer(),
        people={POWER: address}, server=context["trusted_authserv_id"],
        address=context["submission_address"], **options
    ) as play:
        play.clock.advance(timedelta(hours=3))
        yield play


def _arrives(play: MailroomPlay, raw: bytes) -> None:
    play.delivered += 1
    play.dovecot.append(raw, play.clock.now())
    play.settle()
    play.clock.advance(timedelta(minutes=5))


def _sheets(play: MailroomPlay) -> list[tuple[SubmissionRow, list[PageRow]]]:
    with play.site.store() as session:
        rows = session.scalars(select(SubmissionRow).order_by(SubmissionRow.id)).all()
        return [(row, records.pages(session, row.id)) for row in rows]


def _counting(play: MailroomPlay) -> dict[str, int]:
    with play.site.store() as session:
        return ballots.executed(session, session.get_one(PhaseRow, play.phase(1).id))


@pytest.mark.parametrize("name", [name for name, expect in CASES.items() if expect["verdict"] == "accepted"])
def test_a_mail_of_the_world_is_read_whole(
    name: str, tmp_path: Path, dovecot: Dovecot, smtp_sink: SmtpSink
) -> None:
    address = "marie.rich@gmail.com" if "googlemail" in name else "m.rich@quill.example"
    with _site(tmp_path, dovecot, smtp_sink, address) as play:
        _arrives(play, (PUBLIC / name).read_bytes())
        ((sheet, pages),) = _sheets(play)
        assert [page.note for page in pages] == [None] * CASES[name]["photos"]
        assert all(page.upright for page in pages)
        assert _counting(play) == {POWER: sheet.id}
        (receipt,) = play.letters(address, "receipt")
        assert f"Photographs: {CASES[name]['photos']}" in receipt.words
        assert ("a second time" in receipt.words) == (name == "a05-same-photo-twice.eml")


def test_a_logo_alone_displaces_nothing(tmp_path: Path, dovecot: Dovecot, smtp_sink: SmtpSink) -> None:
    """ARR-03: it was version 2, and version 1 did not count."""
    with _site(tmp_path, dovecot, smtp_sink) as play:
        _arrives(play, (PUBLIC / "a11-jpeg-without-end.eml").read_bytes())
        _arrives(play, (PUBLIC / "a07-logo-alone.eml").read_bytes())
        (first, _), (second, pages) = _sheets(play)
        assert [page.note for page in pages] == ["no_sheet"]
        assert _counting(play) == {POWER: first.id}
        letter = play.letters(POWER)[-1]
        assert letter.kind == "rejection"
        assert "image001.png: no heading and no order was found on it" in letter.words
        assert "The sheet that you sent before still counts." in letter.words
        words = play.says(f"/sheets/{play.phase(1).id}")
        assert second.fate == "held"
        assert "no picture of a sheet" in words


def test_our_receipt_comes_back_as_a_question(tmp_path: Path, dovecot: Dovecot, smtp_sink: SmtpSink) -> None:
    """ARR-03: our own reading in type was read as orders, and the question reached no one."""
    with _site(tmp_path, dovecot, smtp_sink, reading=True) as play:
        _arrives(play, (PUBLIC / "a11-jpeg-without-end.eml").read_bytes())
        (receipt,) = play.letters(POWER, "receipt")
        (picture,) = [part.get_content() for part in receipt.message.walk()
                      if part.get_filename() == "reading-1.jpg"]
        raw = (PUBLIC / "a06-own-receipt-forwarded.eml").read_bytes()
        _arrives(play, _with_picture(raw, picture, str(receipt.message["Message-ID"])))
        assert len(_sheets(play)) == 1
        with play.site.store() as session:
            (question,) = session.scalars(select(CorrespondenceRow))
        assert "Is line 2 right?" in question.words


def _with_picture(raw: bytes, picture: bytes, answered: str) -> bytes:
    from email import message_from_bytes
    from email.policy import SMTP

    message = message_from_bytes(raw, policy=SMTP)
    message.replace_header("References", answered)
    for part in message.walk():
        if part.get_content_maintype() == "image":
            part.set_content(picture, "image", "jpeg", filename="reading-1.jpg")
    return message.as_bytes()
