"""Letters for tests of the outbox, and the few steps every one of them takes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage

import numpy as np
from PIL import Image
from sqlalchemy import select

from maps.variant import Power
from service.config import MailOut
from service.mail.sending.outbox import OutLetter, SendCounts, SmtpTransport, put, send_due
from service.store.tables import OutboxRow
from tests.support.site import Site

SENDER = "Galloper <orders@galloper.example>"
LETTER = OutLetter(
    "powick:1:results:montrose", "results", "montrose@example.org", "Results", "You hold Kintyre.\n"
)


def smtp(port: int) -> SmtpTransport:
    return SmtpTransport(MailOut(host="127.0.0.1", port=port, starttls=False, sender=SENDER), seconds=5)


def write(site: Site, *letters: OutLetter) -> list[bool]:
    with site.store.begin() as session:
        return [put(session, site.blobs, letter, sender=SENDER, now=site.clock.now()) for letter in letters]


def send(site: Site, port: int) -> SendCounts:
    return send_due(site.store, site.blobs, smtp(port), site.clock, sender=SENDER)


def rows(site: Site) -> Sequence[OutboxRow]:
    with site.store() as session:
        return session.scalars(select(OutboxRow).order_by(OutboxRow.id)).all()


def parsed(data: bytes) -> EmailMessage:
    return message_from_bytes(data, policy=policy.default)


def to(name: str) -> OutLetter:
    return replace(LETTER, key=f"powick:1:results:{name}", recipient=f"{name}@example.org")


def noisy_picture(side: int) -> bytes:
    """A PNG that hardly compresses: about 3 bytes a pixel."""
    # Noise: a mail can only be made large by what does not compress.
    pixels = np.random.default_rng(7).integers(0, 256, (side, side, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def called(power: Power) -> str:
    """A power as a letter names it in the middle of a sentence."""
    bare = power.name.removeprefix("The ")
    return f"the {bare}" if power.has_article or bare != power.name else bare
