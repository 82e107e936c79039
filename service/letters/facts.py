"""The facts of letters: plain values, every name already in words. The only mail addresses are the
recipient's own and the site's. Here are those that several letters or a picture share; a letter's own are
next to its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Protocol

from adjudicator.calendar import Phase
from maps.variant import Variant
from service.games.results import ShownPower
from service.games.taken_back import Difference
from service.letters.language import OUR_WORDING, OwnWording, at_start, in_sentence
from service.letters.statistics import Statistics
from service.mail.sending.compose import Attachment
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
    """Whether a person wrote the letter by hand."""

    @property
    def letter_key(self) -> str:
        """The mark of this letter from others of its kind, phase and reader; "" where there is one
        alone."""
        return ""

    @property
    def letter_phase(self) -> Phase | None:
        """The phase that the letter is about, where its facts name it."""
        return None

    @property
    def replies_to(self) -> tuple[str, ...]:
        """The Message-IDs of the mail that it answers, oldest first."""
        return ()

    @property
    def proof(self) -> Attachment | None:
        """The file by which the letter can be checked, where there is one."""
        return None


def proof_file(data: bytes, name: str = "record.json") -> Attachment | None:
    """The file by which a letter can be checked; None without data."""
    return Attachment(name, "application/json", data) if data else None


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
    an order; `possessions` show what each power has next to units and centres, in games whose rules know such
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
    `check_url` is the page that shows how all this is checked, or "";
    `key` is the fingerprint of the key that receipts are signed with, `checker` the digest of the checker of
    records and `checker_url` where else it can be had, in a welcome; `file` is the letter's file with all
    digests in full, b"" where the record has no place that it could name.
    """

    ink_url: str = ""
    drawn_lots: str = ""
    seeds: tuple[Commitment, ...] = ()
    record: RecordReference | None = None
    notable: tuple[Notable, ...] = ()
    check_url: str = ""
    key: str = ""
    checker: str = ""
    checker_url: str = ""
    file: bytes = b""


class ResultsPart(Protocol):
    """What a feature adds to letters of results, a value. Its template fills `Slot.RESULTS` of
    `service.feature`."""

    def words(self, code: str) -> object:
        """What its template is written from, in a language: `added.get(<the feature's name>)` there."""
        ...

    def pdfs(self, game_id: str, variant: Variant) -> Mapping[str, Callable[[], bytes]]:
        """The PDF files that go with the letter: a function for each that draws it, by the file's name. The
        name begins with that of the game and ends with "-<number>.pdf"."""
        ...


@dataclass(frozen=True, slots=True)
class ComingSheet:
    """The next sheet that the reader is asked for: its phase, from when it counts (None if the phase is open
    at once), and the subject to copy (PHA-07).

    `kept`: the reader's sheet that came for it already (`language.sheet_on_file`), or ""; `is_final`: no
    other one counts after it (Q-60). `free`: the phase before it in which nothing is due from the reader, or
    None; `open_yet`: one before it of which it is not known yet what is due, or None. `on_request`: the
    subject of a mail that is answered with a blank sheet, or "".
    """

    phase: Phase
    opens: datetime | None
    subject: str
    kept: str = ""
    is_final: bool = False
    free: Phase | None = None
    open_yet: Phase | None = None
    on_request: str = ""


@dataclass(frozen=True, slots=True)
class ReplacedResults:
    """Results that these replace (PHA-04): when they were sent, why they were taken back, and what is
    different now, as far as the reader may know it. `times`: how often results of the phase were taken
    back."""

    sent_at: datetime
    why: str
    differences: tuple[Difference, ...]
    times: int


@dataclass(frozen=True, slots=True)
class ResultsFacts(LetterFacts):
    """The judged phase, in words; the same for every reader who may know the same, but for `coming` and
    `own_units` and `replaced`.

    `sheets` are those that counted, `dates` the next ones on the calendar, `remarks` further sentences, such
    as why a phase was unsealed. `parts`: what features add, by their names. `coming`: None for who is asked
    by a separate letter or has no unit, and at the end of the game. `own_units`: the units that the
    reader has now, in words; none unless the game's option requests them (Q-80).
    """

    powers: tuple[ShownPower, ...]
    sheets: tuple[SheetFacts, ...] = ()
    units: UnitChanges = UnitChanges()
    standings: Standings = Standings()
    dates: tuple[NextDate, ...] = ()
    remarks: tuple[str, ...] = ()
    proofs: Proofs = Proofs()
    parts: Mapping[str, ResultsPart] = field(default_factory=dict)
    coming: ComingSheet | None = None
    replaced: ReplacedResults | None = None
    own_units: tuple[str, ...] = ()

    @property
    def proof(self) -> Attachment | None:
        """See `LetterFacts`."""
        return proof_file(self.proofs.file)


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
class GameOverFacts(LetterFacts):
    """The end of a game (BEY-03). `kind` is a value of `service.games.ending.EndKind`; `winners` are
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
