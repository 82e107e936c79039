"""What a letter is written from: plain values, every name already in words. No address but the recipient's
own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from adjudicator.calendar import Phase
from service.games.results import ShownPower
from service.record.references import Commitment, RecordReference


@dataclass(frozen=True, slots=True)
class GameInfo:
    """The game a letter is about. `title` is the variant's; `order_address` takes photographs; `coordinator`
    is the name signed with; `rules` the address of the board's house rules, which results cite, or ""."""

    id: str
    name: str
    title: str
    order_address: str
    coordinator: str
    rules: str = ""


@dataclass(frozen=True, slots=True)
class Recipient:
    """Who is written to. `power` as printed, "" for the coordinator; `zone` an IANA name ("Europe/London") or
    ""."""

    address: str
    power: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Closing:
    """A phase and the instant (UTC) at which its orders close."""

    phase: Phase
    deadline: datetime


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A line as the machine read it, for the one who wrote it: its number in the picture, its letters,
    whether the machine is unsure of them, and whether the line is struck out."""

    number: int
    text: str
    unsure: bool = False
    struck: bool = False


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """A paper that arrived (OUT-02). `key` names the paper for ever (its digest will do); `version` None
    where none was written; `replaces` the version it replaces; `notes` sentences about its number or its
    pictures; `answers` the Message-IDs it replies to; `subject` to copy for a further version or "".
    `closing` is the phase's own deadline, or for a late paper the next one, None where no phase is open.
    `reading` are its lines where the game shows them, `record` its entry in the record; `first_counts`: in
    this game no later paper replaces the first (Q-60)."""

    key: str
    received_at: datetime
    phase: Phase
    version: int | None
    photographs: int
    digest: str
    closing: Closing | None
    replaces: int | None = None
    notes: tuple[str, ...] = ()
    subject: str = ""
    answers: tuple[str, ...] = ()
    reading: tuple[ReadBack, ...] = ()
    record: RecordReference | None = None
    first_counts: bool = False


@dataclass(frozen=True, slots=True)
class RejectionFacts:
    """A mail that cannot be used (OUT-03): what happened, what is safe, how to mend it, each one sentence.

    `their_subject` is quoted back to the registered sender; `subject` a filled-in one to copy, or "";
    `closing` what is open now, or None.
    """

    key: str
    received_at: datetime
    problem: str
    reassurance: str
    remedy: str
    their_subject: str
    subject: str = ""
    closing: Closing | None = None
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldFacts:
    """A mail that waits for the coordinator: what is held, and what would settle it at once."""

    key: str
    received_at: datetime
    problem: str
    remedy: str
    their_subject: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoticeFacts:
    """Something the coordinator should look at: where, since when, and what follows if it is left."""

    key: str
    event: str
    link: str
    since: datetime
    consequence: str


@dataclass(frozen=True, slots=True)
class SheetFacts:
    """An executed paper: whose, which version, and its digest, by which a player recognises the file."""

    power: str
    version: int | None
    digest: str


@dataclass(frozen=True, slots=True)
class Holding:
    """A power's supply. `centres` it owns now, `gained` and `lost` by name this year, `units` on the board;
    `adjust` is builds offered (above 0) or removals demanded (below 0), before transfers."""

    power: str
    centres: int
    units: int
    adjust: int = 0
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NextDate:
    """Something on the calendar: "Autumn 1642 movement orders close", and when (UTC)."""

    label: str
    instant: datetime


@dataclass(frozen=True, slots=True)
class ResultsFacts:
    """What was judged, in words; the same for every recipient.

    `dislodged` are beaten units with where the winner came from; `disbanded`, `built`, `removed` (by order),
    `by_rule` and `by_lot` are units in full, the last in the order drawn; `holdings` are given with Autumn
    final and year-end results; `draw` are the powers that together fulfil the draw condition; `remarks`
    further sentences, such as why a phase was unsealed; `lots` a sentence on how a draw of lots can be
    checked, or ""; `seeds` what is told beforehand of lots to come; `record` the root of the game's record;
    `notes` what befell without an order, `standing` what each power has beside units and centres, where the
    rules know of such things; `joint` the powers that won together; `ink` the address below which each
    order's rectangle of ink is shown, or "".
    """

    powers: tuple[ShownPower, ...]
    sheets: tuple[SheetFacts, ...] = ()
    dislodged: tuple[str, ...] = ()
    disbanded: tuple[str, ...] = ()
    built: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    by_rule: tuple[str, ...] = ()
    by_lot: tuple[str, ...] = ()
    holdings: tuple[Holding, ...] = ()
    winner: str | None = None
    draw: tuple[str, ...] | None = None
    dates: tuple[NextDate, ...] = ()
    remarks: tuple[str, ...] = ()
    lots: str = ""
    seeds: tuple[Commitment, ...] = ()
    record: RecordReference | None = None
    notes: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    joint: tuple[str, ...] = ()
    revision: int = 0
    source_line_url: str = ""


@dataclass(frozen=True, slots=True)
class RetreatFacts:
    """Units that must retreat or disband, in full, when their orders close, and the subject to copy
    (OUT-05)."""

    units: tuple[str, ...]
    closing: Closing
    subject: str


@dataclass(frozen=True, slots=True)
class AdjustmentFacts:
    """A power's offer (`count` above 0) or demand (below 0) for the Winter, before transfers (OUT-07).
    `sends`: supply may be sent; `by_lot`: removals that nobody orders are drawn; `apart`: builds and removals
    do not go on one sheet."""

    count: int
    closing: Closing
    subject: str
    may_send_supply: bool = True
    lots_may_decide: bool = True
    separate_sheets: bool = True


@dataclass(frozen=True, slots=True)
class WelcomeFacts:
    """What a player needs to begin (OUT-01). `units` they start with; `builds` the centres they may build in
    at once, in a game that opens with builds; `feed` the address of the game's calendar, `own_feed` that of
    the player's own, of all their games (CAL-16), `players` that of the list of players (LIST-01), each ""
    where the site has none. `first_counts` and `typed` as the game has it (Q-60); `seeds` is told of the
    first lots, `record` the root of the game's record, `conduct` what the game asks of its players."""

    units: tuple[str, ...]
    powers: tuple[str, ...]
    closing: Closing
    subject: str
    feed: str = ""
    players: str = ""
    own_feed: str = ""
    first_counts: bool = False
    takes_typed_orders: bool = False
    seeds: tuple[Commitment, ...] = ()
    record: RecordReference | None = None
    builds: tuple[str, ...] = ()
    conduct: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CorrectionFacts:
    """An error in results that were sent at `sent_at`: what was said, what is right, what follows, who found
    it. `key` names the correction for ever."""

    key: str
    wrong: str
    right: str
    effect: str
    found_by: str
    sent_at: datetime | None


@dataclass(frozen=True, slots=True)
class DeadlineFacts:
    """A deadline that was moved (OUT-12), for a reason; `moved` are later ones with their new instants,
    `stands` those that stay. `key` tells this move from others of the same phase."""

    key: str
    phase: Phase
    old: datetime
    new: datetime
    reason: str
    moved: tuple[NextDate, ...] = ()
    unchanged: tuple[NextDate, ...] = ()


@dataclass(frozen=True, slots=True)
class ReminderFacts:
    """A deadline draws near and nothing of a power is on file (OUT-11). `hours` before it this reminder
    belongs to; `feed` the address of the calendar or "", `entry` where the player may end reminders or ""."""

    hours: int
    closing: Closing
    now: datetime
    subject: str
    feed: str = ""
    entry: str = ""


@dataclass(frozen=True, slots=True)
class PackFacts:
    """What the coordinator prints and posts at the end of a year (OUT-10). `posted` are powers with the
    number of their envelopes, `without` those of which no postal address is known, `notes` sentences about
    journeys and accommodations (LIST-03, POST-06), without any address."""

    posted: tuple[tuple[str, int], ...]
    without: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HandOverFacts:
    """Another coordinator from `at` on (UTC). `digest` is the root of the game's record at that moment, of so
    many `entries`, by which anybody can tell later that nothing before it was changed. `key` names the
    hand-over for ever."""

    key: str
    previous: str
    successor: str
    effective_at: datetime
    digest: str
    closing: Closing | None = None
    entries: int = 0
