"""LET-05: a letter is stored by parts and sent byte for byte as it was written."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from service.mail.sending.compose import Attachment, OutLetter, compose
from service.mail.sending.outbox import send_due
from service.mail.sending.smtp import FolderTransport, MailEnvelope, TryAgainLater
from service.store.blobs import key_of
from service.store.letter_parts import finished, join, keep, split
from service.store.tables import OutboxRow, OutboxState
from tests.support.letters import LETTER, SENDER, noisy_picture, rows, to, write
from tests.support.site import NOON, Site

PICTURES = (
    Attachment("results-1.png", "image/png", noisy_picture(150)),
    Attachment("sheet-montrose-1.jpg", "image/jpeg", noisy_picture(90)),
    Attachment("tiny.png", "image/png", b"\x89PNG", content_id="tiny"),
)
HOUR = timedelta(hours=1)
MAILS = Path(__file__).parents[2] / "data"


def disk(site: Site) -> int:
    return sum(path.stat().st_size for path in site.blobs.root.rglob("*") if path.is_file())


def with_pictures(name: str) -> OutLetter:
    return replace(to(name), attachments=PICTURES, html="<main><p>Ärger – done</p></main>")


@pytest.mark.parametrize("size", [1, 2_000, 2_001, 2_002, 57 * 40, 57 * 40 + 1, 100_000])
def test_what_is_taken_apart_is_put_together_the_same(size: int) -> None:
    data = bytes(np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8))
    letter = replace(LETTER, text=f"{'QUJD' * 19}\r\nno file\n" * 40, html="<main>x</main>",
                     attachments=(Attachment("a.bin", "application/octet-stream", data), *PICTURES))
    mail = compose(letter, SENDER, NOON)
    words, files = split(mail)
    assert join(words, files) == mail
    large = [part.data for part in letter.attachments if len(part.data) >= 2_000]
    assert [file for _, file in files] == large


@pytest.mark.parametrize("mail", [
    b"", b"\r\n\r\n", b"--", b"Content-Disposition: attachment\r\n\r\n" + b"A" * 76 + b"\r\n--",
    # Base64 in longer lines, and lines that do not decode to themselves, stay where they are.
    b"Content-Disposition: attachment\r\n\r\n" + (b"A" * 80 + b"\r\n") * 60 + b"--x",
    b"Content-Disposition: attachment\r\n\r\n" + (b"A" * 76 + b"\r\n") * 60 + b"AB==\r\n--x",
])
def test_no_mail_is_changed(mail: bytes) -> None:
    words, files = split(mail)
    assert join(words, files) == mail


def test_ten_letters_with_the_same_pictures_cost_them_once(site: Site) -> None:
    distinct = sum(len(part.data) for part in PICTURES)
    write(site, *(with_pictures(f"player{number}") for number in range(10)))
    assert disk(site) <= 1.05 * distinct
    for row in rows(site):
        assert row.words is not None
        assert "results-1.png" in row.words
        assert len(row.words) < 3_000
        assert key_of(finished(site.blobs, row)) == row.message


class Moody:
    """A relay that states 4xx to the first tries and notes what it was given."""

    def __init__(self, refusals: int) -> None:
        self.refusals, self.given = refusals, list[tuple[str, bytes]]()

    def send(self, envelope: MailEnvelope) -> None:
        self.given.append((envelope.message_id, envelope.data))
        if len(self.given) <= self.refusals:
            raise TryAgainLater("451 try again")

    def close(self) -> None:
        pass


def test_each_try_sends_the_same_bytes_under_one_message_id(any_site: Site) -> None:
    write(any_site, with_pictures("montrose"))
    relay = Moody(2)
    for _ in range(3):
        send_due(any_site.store, any_site.blobs, relay, any_site.clock, sender=SENDER)
        any_site.clock.advance(HOUR)
    assert len(relay.given) == 3
    assert len(set(relay.given)) == 1
    assert rows(any_site)[0].state == OutboxState.SENT


def test_a_row_that_was_changed_is_told_and_not_sent(site: Site, tmp_path: Path) -> None:
    write(site, with_pictures("montrose"))
    with site.store.begin() as session:
        row = session.scalars(select(OutboxRow)).one()
        row.words = (row.words or "").replace("Kintyre", "Lothian")
    send_due(site.store, site.blobs, FolderTransport(tmp_path / "out"), site.clock, sender=SENDER)
    assert rows(site)[0].state == OutboxState.FAILED
    assert "cannot be put together as it was written" in (rows(site)[0].error or "")


def test_real_mails_of_the_world_survive(tmp_path: Path, site: Site) -> None:
    """Mails that others' programs wrote: what comes out is what went in."""
    found = sorted(MAILS.rglob("*.eml"))
    assert len(found) > 20
    for path in found:
        data = path.read_bytes()
        words, files = split(data)
        assert join(words, files) == data, path
        parts = keep(site.blobs, data)
        row = OutboxRow(id=1, message=parts.message, words=parts.words, files=list(parts.files))
        assert finished(site.blobs, row) == data, path
