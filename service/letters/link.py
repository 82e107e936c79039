"""The letter that brings a player's personal link. It is mailed on request and belongs to no phase of a game,
so it is none of the sixteen letters of a game."""

from __future__ import annotations

from datetime import datetime

from service.letters.facts import Recipient
from service.letters.render import environment, when, wrapped
from service.mail.compose import OutLetter, one_line

KIND = "link"


def link_letter(to: Recipient, address: str, until: datetime) -> OutLetter:
    """A link of one's own, at the web `address`, which works once, until `until` (UTC). Its key is the link
    itself."""
    values = {"game": None, "address": address, "until": until, "when": lambda moment: when(moment, to.zone)}
    words, markup = environment("mail", markup=False), environment("mail", markup=True)
    return OutLetter(
        key=f"{KIND}/{to.address}/{address[-16:]}",
        kind=KIND,
        recipient=to.address,
        subject=one_line(words.get_template(f"{KIND}-subject.txt").render(values)),
        text=wrapped(words.get_template(f"{KIND}-body.txt").render(values)),
        html=markup.get_template(f"{KIND}-body.html").render(values),
    )
