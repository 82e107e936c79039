"""A demo's story: its mails and what must come of them, read from a folder of `demo/data`.

A folder is named after a variant and holds `manifest.toml` (players, sheets, mails), `expected.toml` (the
results of the turns, worked out by hand), the photographs, and `truth.json` of `training.sheets.compose`. A
game gets a demo by getting a folder. The head of w3k's `manifest.toml` explains its entries.
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
from typing import Any, NamedTuple

from adjudicator.errors import UserFacingError

STORIES = Path(__file__).parent / "data"
# The story that is played if none is named.
DEFAULT_VARIANT = "w3k"
DEFAULT_FOLDER = STORIES / DEFAULT_VARIANT
# The demo's own mail server, as the Authentication-Results header names it (RFC 8601).
AUTHSERV = "mx.galloper.example"


class NoStory(UserFacingError):
    """There is no story of this variant; the sentence shows which there are."""


class WrittenLine(NamedTuple):
    """A line of a sheet: the text that its writer meant, the canonical order, whether it is crossed out."""

    text: str
    order: str
    struck: bool


class ExpectedOutcome(NamedTuple):
    """The result of an order, such as "fails", and its reason, or "" if any reason will do."""

    result: str
    reason: str


@dataclass(frozen=True, slots=True)
class StoryMail:
    """One mail of the story.

    `phase` is the phase it is sent in ("Summer 1642 Movement"), `fate` what the service must do with it,
    `note` why the story has it. `files` are photographs in `folder`; `body` is the plain text, and `html`, if
    any, the alternative to it.
    """

    name: str
    phase: str
    sender: str
    subject: str
    files: tuple[str, ...]
    fate: str
    power: str = ""
    body: str = ""
    note: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    html: str = ""
    folder: Path = DEFAULT_FOLDER

    def to_bytes(self, recipient: str, sent_at: datetime) -> bytes:
        """The mail as the mailbox holds it, with the receiving server's verdict on its sender."""
        message = EmailMessage()
        # The service believes a sender only if its own server states that DMARC passed (docs/security.md).
        domain = self.sender.rpartition("@")[2]
        message["Authentication-Results"] = f"{AUTHSERV}; dmarc=pass header.from={domain}"
        message["From"] = self.sender
        message["To"] = recipient
        message["Subject"] = self.subject
        message["Date"] = format_datetime(sent_at)
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
    """Words that only one power and the coordinator may read in the letters of some phases."""

    power: str
    words: tuple[str, ...]
    phases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Who plays, who writes, what is on the sheets, and the results of the turns.

    `players`: power to (name, address). `sheets`: file name to its lines. `expected`: phase to power to
    canonical order to outcome. `positions`: phase to power to the units after it, such as "A London".
    `reasons`: file name to canonical order, or "" for a line that is none, to why a person reads a doubtful
    line so: what a look at the photograph showed, written down beforehand. `options`: those of its game.
    """

    game: str
    variant: str
    players: Mapping[str, tuple[str, str]]
    mails: tuple[StoryMail, ...]
    sheets: Mapping[str, tuple[WrittenLine, ...]]
    expected: Mapping[str, Mapping[str, Mapping[str, ExpectedOutcome]]]
    positions: Mapping[str, Mapping[str, tuple[str, ...]]]
    secrets: tuple[Secret, ...] = ()
    reasons: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)

    def phases(self) -> tuple[str, ...]:
        """The phases of the story in playing order."""
        return tuple(dict.fromkeys(mail.phase for mail in self.mails))

    def mails_of(self, phase: str) -> tuple[StoryMail, ...]:
        """The mails of one phase in the order they are sent."""
        return tuple(mail for mail in self.mails if mail.phase == phase)

    def written_lines(self, phase: str, power: str) -> tuple[WrittenLine, ...]:
        """The lines on the sheet of a power that counts in a phase; none if its orders were typed."""
        file = self._counting_file(phase, power)
        return self.sheets[file] if file else ()

    def reasons_of(self, phase: str, power: str) -> Mapping[str, str]:
        """Canonical order, or "" for a line that is none, to why a person reads it so: the doubtful lines of
        the sheet that counts."""
        return self.reasons.get(self._counting_file(phase, power), {})

    def _counting_file(self, phase: str, power: str) -> str:
        # A later version of the same phase counts: it is further down in the manifest.
        counting = [m for m in self.mails_of(phase) if m.power == power and m.fate == "accepted" and m.files]
        return counting[-1].files[0] if counting else ""


def story_variants() -> tuple[str, ...]:
    """The variants that have a story."""
    return tuple(sorted(manifest.parent.name for manifest in STORIES.glob("*/manifest.toml")))


def story_of(variant: str) -> Story:
    """The story of a variant. Raises NoStory with the ones there are."""
    # Compared with the list, not looked up as a path: "../data/w3k" is not a variant.
    if variant not in story_variants():
        raise NoStory(f"The demo has no story of {variant}; it can play {', '.join(story_variants())}.")
    return read_story(STORIES / variant)


def read_story(folder: Path = DEFAULT_FOLDER) -> Story:
    """The story in a folder. Raises KeyError if a part is missing."""
    manifest = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    results = tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))
    return Story(
        game=manifest["game"],
        variant=manifest["variant"],
        players={power: (player["name"], player["address"]) for power, player in manifest["players"].items()},
        mails=tuple(_mail(entry, folder) for entry in manifest["mail"]),
        sheets={f"{sheet['name']}.jpg": _lines(sheet) for sheet in manifest.get("sheet", ())},
        expected={phase["name"]: _outcomes(phase.get("orders", {})) for phase in results["phase"]},
        positions={
            phase: {power: tuple(units) for power, units in by_power.items()}
            for phase, by_power in results.get("positions", {}).items()
        },
        secrets=tuple(
            Secret(secret["power"], tuple(secret["words"]), tuple(secret["rounds"]))
            for secret in results.get("secret", ())
        ),
        reasons={
            f"{sheet['name']}.jpg": _reasons(sheet) for sheet in manifest.get("sheet", ())
        },
        options=manifest.get("options", {}),
    )


def _mail(entry: Mapping[str, Any], folder: Path) -> StoryMail:
    return StoryMail(
        entry["name"], entry["round"], entry["from"], entry["subject"], tuple(entry.get("files", ())),
        entry["fate"], entry.get("power", ""), entry.get("body", ""), entry.get("note", ""),
        entry.get("headers", {}), entry.get("html", ""), folder,
    )


def _lines(sheet: Mapping[str, Any]) -> tuple[WrittenLine, ...]:
    return tuple(
        WrittenLine(_corrected(line["text"]), line["order"], bool(line.get("struck")))
        for line in sheet["orders"]
    )


def _reasons(sheet: Mapping[str, Any]) -> dict[str, str]:
    reasons = {line["order"]: line["reason"] for line in sheet["orders"] if "reason" in line}
    return reasons | ({"": sheet["no_order_reason"]} if "no_order_reason" in sheet else {})


# {-word-} is written and crossed out, {+word+} is put in above the row (training/README.md).
_CROSSED, _INSERTED = re.compile(r"\{-[^}]*-\}\s*"), re.compile(r"\{\+([^}]*)\+\}")


def _corrected(markup: str) -> str:
    """A line of the manifest without the words crossed out, with those put in."""
    return _INSERTED.sub(r"\1", _CROSSED.sub("", markup))


def _outcomes(orders: Mapping[str, Any]) -> dict[str, dict[str, ExpectedOutcome]]:
    return {
        power: {
            order: ExpectedOutcome(outcome["result"], outcome.get("reason", ""))
            for order, outcome in by_order.items()
        }
        for power, by_order in orders.items()
    }
