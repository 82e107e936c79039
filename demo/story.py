"""A demo's story: its mails and what must come of them, read from a folder of `demo/data`.

A folder is named after a variant and holds `manifest.toml` (players, sheets, mails), `expected.toml` (what
the turns must come to, worked out by hand), the photographs and the composer's `truth.json`. A game gets a
demo by getting a folder. `manifest.toml` of w3k says what its entries mean.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from adjudicator.errors import UserFacingError

STORIES = Path(__file__).parent / "data"
USUAL = "w3k"
"""The story that is played where none is named."""
FOLDER = STORIES / USUAL
AUTHSERV = "mx.galloper.example"
"""The name under which the demo's own mail server vouches for senders."""


class NoStory(UserFacingError):
    """There is no story of this variant; the sentence says which there are."""


@dataclass(frozen=True, slots=True)
class StoryMail:
    """One mail of the story. `round` is the phase it is sent in ("Summer 1642 Movement"), `fate` what the
    service must do with it, `note` why it is there. `files` lie in `folder`; `body` is the plain text and
    `html`, where there is any, the other way of saying it."""

    name: str
    round: str
    sender: str
    subject: str
    files: tuple[str, ...]
    fate: str
    power: str = ""
    body: str = ""
    note: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    html: str = ""
    folder: Path = FOLDER

    def to_bytes(self, to: str, at: datetime) -> bytes:
        """The mail as it lies in the mailbox, with the receiving server's word on who sent it."""
        message = EmailMessage()
        domain = self.sender.rpartition("@")[2]
        message["Authentication-Results"] = f"{AUTHSERV}; dmarc=pass header.from={domain}"
        message["From"] = self.sender
        message["To"] = to
        message["Subject"] = self.subject
        message["Date"] = format_datetime(at)
        message["Message-ID"] = f"<{self.name}@{domain}>"
        for name, value in self.headers.items():
            message[name] = value
        message.set_content(self.body or "\n")
        if self.html:
            message.add_alternative(self.html, subtype="html")
        for file in self.files:
            data = (self.folder / file).read_bytes()
            message.add_attachment(data, maintype="image", subtype="jpeg", filename=file)
        return message.as_bytes()


@dataclass(frozen=True, slots=True)
class Secret:
    """Words that in the letters of some phases go to nobody but a power and the coordinator."""

    power: str
    words: tuple[str, ...]
    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Who plays, who writes, what is on the sheets, and what the turns must come to.

    `players`: power to (name, address). `sheets`: file to its lines, each (text as meant, canonical order,
    struck). `expected`: phase title to power to order to (result, reason or ""). `positions`: phase title to
    power to units. `secrets`: what the letters must keep.
    """

    game: str
    variant: str
    players: Mapping[str, tuple[str, str]]
    mails: tuple[StoryMail, ...]
    sheets: Mapping[str, tuple[tuple[str, str, bool], ...]]
    expected: Mapping[str, Mapping[str, Mapping[str, tuple[str, str]]]]
    positions: Mapping[str, Mapping[str, tuple[str, ...]]]
    secrets: tuple[Secret, ...] = ()

    def rounds(self) -> tuple[str, ...]:
        """The phases of the story in playing order."""
        return tuple(dict.fromkeys(mail.round for mail in self.mails))

    def mails_of(self, round_: str) -> tuple[StoryMail, ...]:
        """The mails of one phase in the order they are sent."""
        return tuple(mail for mail in self.mails if mail.round == round_)

    def written(self, round_: str, power: str) -> tuple[tuple[str, str, bool], ...]:
        """The lines on the sheet of a power that counts in a phase; none where it was typed."""
        counting = [m for m in self.mails_of(round_) if m.power == power and m.fate == "accepted" and m.files]
        return self.sheets[counting[-1].files[0]] if counting else ()


def stories() -> tuple[str, ...]:
    """The variants of which there is a story."""
    return tuple(sorted(found.parent.name for found in STORIES.glob("*/manifest.toml")))


def story_of(variant: str) -> Story:
    """The story of a variant. Raises NoStory with the ones there are."""
    if variant not in stories():
        raise NoStory(f"The demo has no story of {variant}; it can play {', '.join(stories())}.")
    return tell(STORIES / variant)


def tell(folder: Path = FOLDER) -> Story:
    """The story as it lies in a folder."""
    told = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    truth = tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))
    return Story(
        game=told["game"],
        variant=told["variant"],
        players={power: (one["name"], one["address"]) for power, one in told["players"].items()},
        mails=tuple(_mail(one, folder) for one in told["mail"]),
        sheets={f"{one['name']}.jpg": _lines(one) for one in told.get("sheet", ())},
        expected={one["name"]: _expected(one.get("orders", {})) for one in truth["phase"]},
        positions={
            name: {power: tuple(units) for power, units in one.items()}
            for name, one in truth.get("positions", {}).items()
        },
        secrets=tuple(
            Secret(one["power"], tuple(one["words"]), tuple(one["rounds"])) for one in truth.get("secret", ())
        ),
    )


def _mail(one: Mapping[str, Any], folder: Path) -> StoryMail:
    return StoryMail(
        one["name"], one["round"], one["from"], one["subject"], tuple(one.get("files", ())), one["fate"],
        one.get("power", ""), one.get("body", ""), one.get("note", ""), one.get("headers", {}),
        one.get("html", ""), folder,
    )


def _lines(sheet: Mapping[str, Any]) -> tuple[tuple[str, str, bool], ...]:
    return tuple((_meant(line["text"]), line["order"], bool(line.get("struck"))) for line in sheet["orders"])


_CROSSED, _PUT_IN = re.compile(r"\{-[^}]*-\}\s*"), re.compile(r"\{\+([^}]*)\+\}")


def _meant(markup: str) -> str:
    """What a line of the manifest says once its corrections are made: without the words crossed out, with
    those put in."""
    return _PUT_IN.sub(r"\1", _CROSSED.sub("", markup))


def _expected(orders: Mapping[str, Any]) -> dict[str, dict[str, tuple[str, str]]]:
    return {power: {text: (one["result"], one.get("reason", "")) for text, one in own.items()}
            for power, own in orders.items()}
