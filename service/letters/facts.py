"""What a letter is written from: plain values, every name already in words. The only mail addresses are the
recipient's own and the site's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar

from adjudicator.calendar import Phase
from service.games.results import ShownPower
from service.letters.ending.statistics import Statistics
from service.letters.gazette.values import YearFacts
from service.letters.language import at_start, in_sentence
from service.letters.own_wording import OUR_WORDING, OwnWording
from service.record.game_key import SignedReceipt
from service.record.notable import Notable
from service.record.references import Commitment, RecordReference


@dataclass(frozen=True, slots=True)
class GameInfo:
    """The game a letter is about. `title` is the variant's; photographs go to `order_address`; `coordinator`
    is the name that signs; `rules` is the address of the board's house rules, which results cite, or "";
    `notice` is the first line of each letter, or ""; `contact` is the address where a person answers, or
    ""; `wording` has the sentences that this game words by itself; `articled` has the names of powers that
    a sentence names with an article."""

    id: str
    name: str
    title: str
    order_address: str
    coordinator: str
    rules: str = ""
    notice: str = ""
    contact: str = ""
    wording: OwnWording = OUR_WORDING
    articled: frozenset[str] = frozenset()

    def in_sentence(self, power: str) -> str:
        """A power's name in the middle of a sentence: see `language.in_sentence`."""
        return in_sentence(power, self.articled)

    def at_start(self, power: str) -> str:
        """A power's name as the first word of a sentence."""
        return at_start(power, self.articled)

    def each_in_sentence(self, powers: Sequence[str], *, starts: bool = False) -> list[str]:
        """Names of powers to be set in a row; `starts`: the first of them begins the sentence."""
        return [self.at_start(power) if starts and not place else self.in_sentence(power)
                for place, power in enumerate(powers)]


@dataclass(frozen=True, slots=True)
class Recipient:
    """The reader of a letter. `power` as printed, "" for the coordinator; `zone` is an IANA name such as
    "Europe/London", or ""; `name` is what the letter greets, or ""; `language` a key of
    `language.LANGUAGES`; `notice` is the first line of a letter that names no game, or ""."""

    address: str
    power: str = ""
    zone: str = ""
    name: str = ""
    language: str = "en"
    notice: str = ""


class LetterFacts:
    """What every letter's facts say of the letter itself."""

    __slots__ = ()
    is_by_person: ClassVar[bool] = False
    """Whether somebody wrote the letter by hand."""

    @property
    def letter_key(self) -> str:
        """What tells this letter from others of its kind, phase and reader; "" where there is one alone."""
        return ""

    @property
    def letter_phase(self) -> Phase | None:
        """The phase that the letter is about, where its facts name it."""
        return None

    @property
    def replies_to(self) -> tuple[str, ...]:
        """The Message-IDs of the mail that it answers, oldest first."""
        return ()


@dataclass(frozen=True, slots=True)
class KeyedFacts(LetterFacts):
    """Facts with a key of their own: `key` names the letter for ever."""

    key: str

    @property
    def letter_key(self) -> str:
        """See `LetterFacts`."""
        return self.key


@dataclass(frozen=True, slots=True)
class Closing:
    """A phase and the instant (UTC) at which its orders close."""

    phase: Phase
    deadline: datetime


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A line as the machine read it, for the player who wrote it: its number on the sheet, "" for a line of
    the heading, its letters, whether the machine is unsure of them, and whether the line is struck out."""

    number: str
    text: str
    unsure: bool = False
    struck: bool = False


@dataclass(frozen=True, slots=True)
class ArrivedSheet:
    """A sheet that arrived by mail. `version` is None if none was written, `photographs` counts those that
    open, `digest` is the SHA-256 of the mail, `record` its entry in the record, `signed` what proves it.
    `is_typed`: the orders were typed into the mail, and its only photograph is our drawing of that text."""

    received_at: datetime
    phase: Phase
    version: int | None
    photographs: int
    digest: str
    record: RecordReference | None = None
    signed: SignedReceipt | None = None
    is_typed: bool = False


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a sheet that came does not count yet, and what would settle it at once."""

    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ReceiptFacts(LetterFacts):
    """The receipt for a sheet (OUT-02). `replaces` is the version that it replaces; `notes` are sentences
    about its number or its pictures; `subject` is one to copy for a further version, or "". `message_ids` are
    those of the mail it answers. `closing` is the phase's own deadline, for a late sheet the next one, None
    if no phase is open. `reading` has the sheet's lines if the game shows them; `first_counts`: in this game
    no later sheet replaces the first (Q-60). `trouble`: the sheet was read and does not count yet.
    `has_other`, of a late sheet: whether another sheet of its power came in time and counts."""

    sheet: ArrivedSheet
    closing: Closing | None
    replaces: int | None = None
    notes: tuple[str, ...] = ()
    subject: str = ""
    message_ids: tuple[str, ...] = ()
    reading: tuple[ReadBack, ...] = ()
    first_counts: bool = False
    trouble: Trouble | None = None
    has_other: bool = False

    @property
    def letter_key(self) -> str:
        """See `LetterFacts`."""
        return self.sheet.digest

    @property
    def letter_phase(self) -> Phase:
        """See `LetterFacts`."""
        return self.sheet.phase

    @property
    def replies_to(self) -> tuple[str, ...]:
        """See `LetterFacts`."""
        return self.message_ids


@dataclass(frozen=True, slots=True)
class PostedFacts(KeyedFacts):
    """The receipt for a letter that came by post (SUB-16). `received` is the day as logged, `arrived_at` the
    moment that decides (UTC), `postmark` a day or ""; `version` is None if none was logged. `has_scan`: a
    scan is on file and is read; without one the letter is only ticked as received. `closing` is the phase's
    own deadline, `is_late` whether the letter came after it, `has_other` whether another sheet of its power
    counts. `key` names the letter for ever."""

    phase: Phase
    arrived_at: datetime
    closing: Closing
    version: int | None = None
    postmark: str = ""
    has_scan: bool = True
    is_late: bool = False
    has_other: bool = False

    @property
    def letter_phase(self) -> Phase:
        """See `LetterFacts`."""
        return self.phase


@dataclass(frozen=True, slots=True)
class AnsweredMail:
    """The mail that a letter answers. `key` names the answer for ever; `subject` is the sender's own, quoted
    back to them; `message_ids` are those that the answer replies to, oldest first."""

    key: str
    received_at: datetime
    subject: str
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerToMail(LetterFacts):
    """Facts of a letter that answers one mail."""

    mail: AnsweredMail

    @property
    def letter_key(self) -> str:
        """See `LetterFacts`."""
        return self.mail.key

    @property
    def replies_to(self) -> tuple[str, ...]:
        """See `LetterFacts`."""
        return self.mail.message_ids


@dataclass(frozen=True, slots=True)
class RejectionFacts(AnswerToMail):
    """A mail that cannot be used (OUT-03): what happened, what is safe, how to mend it, each one sentence.

    `subject` is filled in, to copy, or ""; `closing` is what is open now, or None.
    """

    problem: str
    reassurance: str
    remedy: str
    subject: str = ""
    closing: Closing | None = None


@dataclass(frozen=True, slots=True)
class OwnSheet:
    """What is on file of a power's own orders. `posted`: the sheet that counts came by post. `held`: a sheet
    waits for the coordinator. `unsure`: lines that the machine is unsure of, None where the game does not
    show readings or the sheet was not read. The rest as in `ArrivedSheet`, None if no sheet counts."""

    received_at: datetime | None = None
    version: int | None = None
    digest: str = ""
    posted: bool = False
    held: bool = False
    unsure: int | None = None


@dataclass(frozen=True, slots=True)
class CommandFacts(AnswerToMail):
    """The answer to a mail command (BOX-11). `command` is its word in small letters, `most` the answers a
    day, `number` which of them this is, above `most` for the last word of a day. `sheet` belongs to "status".
    `subject` is the one of the next sheet, "" if none is due; `map_page` is the public page of the map, or
    ""."""

    command: str
    number: int
    most: int
    closing: Closing | None = None
    sheet: OwnSheet = OwnSheet()
    subject: str = ""
    first_counts: bool = False
    map_page: str = ""


@dataclass(frozen=True, slots=True)
class HeldFacts(AnswerToMail):
    """A mail that waits for the coordinator: what is wrong with it, and what would settle it at once."""

    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class SeatOnFile:
    """One seat of a player who wrote a letter: the open phase, the sheet that counts now ("version 2,
    received ..." or ""), and the subject to copy for orders. `takes_typed_orders`: bold text counts there
    too."""

    game: str
    power: str
    closing: Closing
    on_file: str
    subject: str
    takes_typed_orders: bool = False


@dataclass(frozen=True, slots=True)
class AcknowledgementFacts(AnswerToMail):
    """A plain letter reached the coordinator (BOX-10). `names_sheet`: its subject names a sheet, which it did
    not bring; `seats` are the sender's own, with an open phase; `files` are attached files that were not
    opened."""

    seats: tuple[SeatOnFile, ...] = ()
    files: tuple[str, ...] = ()
    names_sheet: bool = False


@dataclass(frozen=True, slots=True)
class AnswerFacts(AnswerToMail):
    """The coordinator's answer to a plain letter, in free words: `words` has line ends, and `subject` is the
    one of the letter, without "Re:"."""

    is_by_person: ClassVar[bool] = True
    words: str
    subject: str


@dataclass(frozen=True, slots=True)
class NoticedMail:
    """The mail that a notice is about, for the coordinator alone. `sender` as its From field says, "" if that
    cannot be read; `is_proved` whether the mail server confirms it; `player` their name, "" if nobody has the
    address; `about` names game and power in words; `closing` is that game's open phase, or None."""

    sender: str
    is_proved: bool
    subject: str
    player: str = ""
    about: str = ""
    closing: Closing | None = None


@dataclass(frozen=True, slots=True)
class NoticeFacts(KeyedFacts):
    """Something the coordinator should look at: where, since when, what happens if they do nothing, and the
    mail that it is about, or None."""

    event: str
    link: str
    since: datetime
    consequence: str
    mail: NoticedMail | None = None


@dataclass(frozen=True, slots=True)
class SheetFacts:
    """A sheet that counted: its power, its version, and its digest, by which a player recognises the file."""

    power: str
    version: int | None
    digest: str


@dataclass(frozen=True, slots=True)
class Holding:
    """A power's supply: the numbers of its centres and units, and the names of the centres gained and lost
    this year. `adjust` is builds offered (above 0) or removals demanded (below 0), before transfers."""

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
class UnitChanges:
    """The units that a phase dislodged, took off the board or put on it, each in words.

    `dislodged` names where each attacker came from. `removed` are removals by order, `by_rule` those that the
    rules chose, `by_lot` those that were drawn, in the order drawn.
    """

    dislodged: tuple[str, ...] = ()
    disbanded: tuple[str, ...] = ()
    built: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    by_rule: tuple[str, ...] = ()
    by_lot: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standings:
    """Who has what after a phase, and who has won.

    `holdings` come with Autumn final and year-end results. `events` are sentences about what happened without
    an order; `possessions` say what each power has beside units and centres, in games whose rules know such
    things. `joint_winners` won together; `draw` are the powers that together meet the condition for a draw,
    or None.
    """

    holdings: tuple[Holding, ...] = ()
    events: tuple[str, ...] = ()
    possessions: tuple[str, ...] = ()
    joint_winners: tuple[str, ...] = ()
    winner: str | None = None
    draw: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Proofs:
    """What lets a player check the results.

    `ink_url` is the address of the page with the ink behind each order, or "". `drawn_lots` is a sentence on
    how a draw of lots can be checked, or ""; `seeds` are digests of seeds for lots to come; `record` is the
    root of the game's record; `notable` are entries made by hand, late, or against the usual way;
    `check_url` is the page that says how all this is checked, or "";
    `key` is the fingerprint of the key that receipts are signed with, in a welcome.
    """

    ink_url: str = ""
    drawn_lots: str = ""
    seeds: tuple[Commitment, ...] = ()
    record: RecordReference | None = None
    notable: tuple[Notable, ...] = ()
    check_url: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class ResultsFacts(LetterFacts):
    """What was judged, in words; the same for every reader who may know the same.

    `sheets` are those that counted, `dates` the next ones on the calendar, `remarks` further sentences, such
    as why a phase was unsealed. `gazette`: the game year that ends with these results, in a game that has a
    gazette.
    """

    powers: tuple[ShownPower, ...]
    sheets: tuple[SheetFacts, ...] = ()
    units: UnitChanges = UnitChanges()
    standings: Standings = Standings()
    dates: tuple[NextDate, ...] = ()
    remarks: tuple[str, ...] = ()
    proofs: Proofs = Proofs()
    gazette: YearFacts | None = None


@dataclass(frozen=True, slots=True)
class RetreatUnit:
    """A unit, in words, that must retreat or disband. `beaten_from`: the place the attack came from, "" where
    the rules hide it; `barred`: sentences about places that it may not enter; `examples`: lines to write."""

    words: str
    beaten_from: str = ""
    barred: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RetreatFacts(LetterFacts):
    """Units that must retreat or disband, when their orders close, and the subject to copy (OUT-05)."""

    units: tuple[RetreatUnit, ...]
    closing: Closing
    subject: str


@dataclass(frozen=True, slots=True)
class AdjustmentFacts(LetterFacts):
    """A power's offer (`count` above 0) or demand (below 0) for the Winter, before transfers (OUT-07).
    `lots_may_decide`: removals that nobody orders are drawn by lot; `separate_sheets`: builds and removals
    must not be on one sheet. `places`: in how many places the power may build, None if they are enough.
    `may_receive_supply`: another power may send it supply, with which it may build or keep a unit."""

    count: int
    closing: Closing
    subject: str
    may_send_supply: bool = True
    lots_may_decide: bool = True
    separate_sheets: bool = True
    places: int | None = None
    may_receive_supply: bool = False

    @property
    def is_due(self) -> bool:
        """Whether the power may or must send anything at all."""
        return self.count != 0 or self.may_send_supply or self.may_receive_supply


@dataclass(frozen=True, slots=True)
class WelcomeLinks:
    """Addresses on the site, each "" if the site has none: the game's calendar, the list of players
    (LIST-01), the player's own calendar with all their games (CAL-16), the game's page, the moves of its
    board, and blank sheets."""

    calendar: str = ""
    players: str = ""
    own_calendar: str = ""
    game: str = ""
    moves: str = ""
    sheets: str = ""


@dataclass(frozen=True, slots=True)
class OrderLanguage:
    """A language whose order words a game takes. `title`: what people call it. `examples`: orders in its
    words."""

    title: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayingRules:
    """How a game takes orders: whether the first sheet of a phase counts (Q-60), whether typed orders
    and mail commands are taken, the sentences on how players meet, and the languages whose order words count
    beside the English ones (WRD-07)."""

    first_counts: bool = False
    takes_typed_orders: bool = False
    takes_commands: bool = False
    conduct: tuple[str, ...] = ()
    languages: tuple[OrderLanguage, ...] = ()


@dataclass(frozen=True, slots=True)
class WelcomeFacts(LetterFacts):
    """What a player needs to begin (OUT-01). `units` are those at the start, `powers` the names of all
    powers; `builds` are the centres to build in at once, in a game that opens with builds; `examples` has an
    order of each kind, in words."""

    units: tuple[str, ...]
    powers: tuple[str, ...]
    closing: Closing
    subject: str
    builds: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    links: WelcomeLinks = WelcomeLinks()
    rules: PlayingRules = PlayingRules()
    proofs: Proofs = Proofs()


@dataclass(frozen=True, slots=True)
class CorrectionFacts(KeyedFacts):
    """An error in results that were sent at `sent_at`: what was wrong, what is right, what follows, who found
    it. `key` names the correction for ever."""

    wrong: str
    right: str
    effect: str
    found_by: str
    sent_at: datetime | None


@dataclass(frozen=True, slots=True)
class DeadlineFacts(KeyedFacts):
    """A deadline that was moved (OUT-12), and the reason. `moved` are later deadlines at their new instants,
    `unchanged` those that stay. `key` tells this move from others of the same phase."""

    phase: Phase
    old: datetime
    new: datetime
    reason: str
    moved: tuple[NextDate, ...] = ()
    unchanged: tuple[NextDate, ...] = ()

    @property
    def letter_phase(self) -> Phase:
        """See `LetterFacts`."""
        return self.phase


def reminder_key(hours: int, deadline: datetime) -> str:
    """What tells a reminder from others of its phase: the outbox is the memory of who was reminded."""
    return f"{hours}h-{deadline.isoformat()}"


@dataclass(frozen=True, slots=True)
class ReminderFacts(LetterFacts):
    """A deadline draws near and nothing from a power counts (OUT-11). `hours` says which reminder this
    is, 48 or 12 hours before the deadline. `feed` is the address of the calendar, `entry` the page on which
    the player can end reminders; each may be "". `received`: what came and does not count, in sentences."""

    hours: int
    closing: Closing
    now: datetime
    subject: str
    feed: str = ""
    entry: str = ""
    received: tuple[str, ...] = ()

    @property
    def letter_key(self) -> str:
        """See `reminder_key`."""
        return reminder_key(self.hours, self.closing.deadline)

    @property
    def letter_phase(self) -> Phase:
        """See `LetterFacts`."""
        return self.closing.phase


@dataclass(frozen=True, slots=True)
class PackFacts(LetterFacts):
    """What the coordinator prints and posts at the end of a year (OUT-10). `posted` are powers with the
    number of their envelopes, `without` those without a known postal address, `notes` sentences about
    journeys and accommodations (LIST-03, POST-06), without any address."""

    # Counts instead of addresses: home addresses are in the PDF of envelopes alone (POST-07).
    posted: tuple[tuple[str, int], ...]
    without: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnnouncementFacts(KeyedFacts):
    """What everybody in a game is told of its table: an absence, a pause, another player, an agreed draw.
    `about`: the title, in a few words; `key` names it for ever."""

    about: str
    sentences: tuple[str, ...]
    closing: Closing | None = None


@dataclass(frozen=True, slots=True)
class SignUpFacts(KeyedFacts):
    """A person's place on the list of a game that is to be (BEY-04). `number`: None until their address is
    proved; `powers` by name and `dates` in words, as they wish them; `link`: where they change it, "" on a
    site without a web address; `commitment`: digest of the seed of the lots; `key`: for this letter alone."""

    offer: str
    number: int | None
    name: str
    powers: tuple[str, ...]
    dates: tuple[date, ...]
    link: str
    commitment: str


@dataclass(frozen=True, slots=True)
class HandOverFacts(KeyedFacts):
    """Another coordinator from `effective_at` on (UTC). `digest` is the root of the game's record at that
    moment, over `entries` entries: with it anybody can check later that nothing before it was changed. `key`
    names the hand-over for ever."""

    previous: str
    successor: str
    effective_at: datetime
    digest: str
    closing: Closing | None = None
    entries: int = 0


@dataclass(frozen=True, slots=True)
class GameOverFacts(LetterFacts):
    """The end of a game (BEY-03). `kind` is a value of `service.games.ended.ending.EndKind`; `winners` are
    powers by name; `why` is the coordinator's reason, or "". `standings`: each power with its centres at the
    beginning and at the end, the most first; `players`: who played, by name, each with their powers;
    `statistics` counts over the game; `page` is the address where all of it is open to its players, or
    "". `is_voted`: the draw was asked for on the sheets of all who share it; `has_centres`: what is counted
    are centres, and not places as in a game without builds."""

    kind: str
    winners: tuple[str, ...]
    why: str
    standings: tuple[tuple[str, int, int], ...]
    players: tuple[tuple[str, tuple[str, ...]], ...]
    statistics: Statistics
    years: tuple[str, ...]
    chart: Mapping[str, tuple[int, ...]]
    page: str = ""
    is_voted: bool = False
    has_centres: bool = True


@dataclass(frozen=True, slots=True)
class LinkFacts(LetterFacts):
    """A player's link, good until `until` (UTC): to the entry, where the web `address` works once, or to the
    page that takes photographs for the game of the name `for_game`."""

    address: str
    until: datetime
    for_game: str = ""

    @property
    def letter_key(self) -> str:
        """The end of the address tells one link from another; the whole secret stays out of the key."""
        return self.address[-16:]
