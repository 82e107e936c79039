"""The letters that leave when a phase is approved: results to all, requests to those who must act, pictures
with both.

Everything is rendered before the transaction begins. If any rendering fails, no letter is put into the
outbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product

from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.errors import UserFacingError
from adjudicator.outcome import Resolution
from maps.variant import Variant
from service import pictures
from service.games.asking import owing_on
from service.games.ballots import executed, first_counts, next_version
from service.games.ending import end_with
from service.games.options import options_of
from service.games.phases import phase_of
from service.games.results import redacted_for
from service.games.taken_back import differences, replaced
from service.games.turns import NotReady
from service.intake.verdicts.explanations import canonical_subject
from service.letters import render
from service.letters.facts import Closing, ComingSheet, GameInfo, Recipient, ReplacedResults, ResultsFacts
from service.letters.language import sheet_on_file
from service.mail.sending.compose import Attachment, OutLetter
from service.notices.attachments import COPY, Enclosure, changes_map, control_map, enclosures, results_heading
from service.notices.broadcasts import Broadcasts
from service.notices.coordinator_notices import COORDINATOR_NOTICE, NoticeFacts
from service.notices.current_map import control
from service.notices.ending import Farewell
from service.notices.letter_context import LetterContext
from service.notices.order_sheets import blank_sheet
from service.notices.phase_letters.requests import (
    ADJUSTMENT,
    RETREAT_REQUEST,
    RetreatFacts,
    adjustment_facts,
    units_to_retreat,
)
from service.notices.postal_packs import Packs
from service.notices.results_facts import kind_of_results, own_units, results_facts
from service.store import records
from service.store.tables import GameRow, PhaseRow, SubmissionRow

Progress = Callable[[int, int, str], None]


def _nobody_asks(_done: int, _total: int, _step: str) -> None:
    return None


class LetterFailed(NotReady):
    """A letter or one of its files could not be made; the sentence names it and shows why."""


Version = tuple[Resolution, ResultsFacts, list[Attachment]]
"""Results as one power may know them, with the letter's facts and files."""


@dataclass(slots=True)
class _Steps:
    """Counts the files and letters of one set of results, and names the one that fails."""

    progress: Progress
    total: int
    done: int = 0

    @contextmanager
    def next(self, name: str) -> Iterator[None]:
        """One more step of the total."""
        with self.step(name):
            yield
        self.done += 1

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self.progress(self.done, self.total, name)
        try:
            yield
        except UserFacingError as fault:
            raise LetterFailed(f"{name} could not be made: {fault}") from fault


@dataclass(frozen=True, slots=True)
class ResultsAnnouncer:
    """Results of a phase as letters. Without `drawing`, as in a dry run, their pictures are only named.

    `progress` is called before each file and each letter: how many of how many are made, and what is next.
    """

    letters: LetterContext
    drawing: bool = True
    progress: Progress = _nobody_asks

    @property
    def circulars(self) -> Broadcasts:
        """See `service.games.approval.approve.Announcer`."""
        return Broadcasts(self.letters)

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        """See `service.games.approval.approve.Announcer`."""
        game = session.get_one(GameRow, phase.game_id)
        variant, info = self.letters.load(game.variant), self.letters.game_info(game)
        addresses = records.addresses(session, game.id)
        steps = _Steps(self.progress, total=sum(map(len, addresses.values())))
        facts = results_facts(session, phase, resolution, variant, self.letters.sender.base_url)
        files = enclosures(session, self.letters.blobs, phase, resolution, variant, info, facts)
        attached = self._attached(files, steps)
        prepared: list[Callable[[Session], object]] = []
        end, before = end_with(session, phase, variant, resolution), replaced(session, phase)

        def ready(letters: Iterable[OutLetter]) -> None:
            # Results that were taken back had letters of the same keys.
            again = "" if before is None else f"/again-{before.times}"
            prepared.extend(self.letters.prepare(session, replace(letter, key=letter.key + again), phase)
                            for letter in letters)

        # Pictures are slow to draw, so powers that may know the same share one version.
        versions = [(resolution, facts, attached)]
        rows = records.phases(session, game.id)
        for power, power_addresses in addresses.items():
            name = variant.powers[power].name
            version = self._version_for(session, phase, variant, info, versions, power, steps)
            for address in power_addresses:
                with steps.next(f"the letter to {name}"):
                    to = self.letters.recipient(session, address, name)
                    requests, is_due = self._requests(
                        session, phase, rows, resolution, variant, info, power, to)
                    coming = None if is_due or end is not None else self._coming_sheet(
                        session, phase, rows, resolution, variant, info, power)
                    instead_of = None if before is None else ReplacedResults(
                        before.sent_at, before.why,
                        differences(variant, before.sent, resolution, power), before.times)
                    own_facts = replace(
                        version[0], coming=coming, replaced=instead_of,
                        own_units=own_units(game, variant, resolution, power))
                    version_of_reader = (own_facts, version[1])
                    ready([self._results_letter(phase_of(phase), resolution, info, to, version_of_reader)])
                    ready(requests)
        if end is not None:
            with steps.step("the letters about the end"):
                ready(Farewell(self.letters).all(session, game, end, phase, resolution, drawing=self.drawing))
        with steps.step("the letters to you"):
            ready(self._unreached(session, phase, variant, info))
            # Once a game year. The pack once left with every build phase, and in Brittania never.
            if (phase.season, phase.kind) == variant.calendar.year_end:
                ready([self._pack(session, phase, resolution, info, facts, attached, drawing=self.drawing)])

        def put(inside: Session) -> None:
            for put_letter in prepared:
                put_letter(inside)

        return put

    def _results_letter(
        self, phase: Phase, resolution: Resolution, info: GameInfo, to: Recipient,
        version: tuple[ResultsFacts, list[Attachment]],
    ) -> OutLetter:
        """The results for one reader; copies of sheets attached, or behind a link if the site needs that."""
        (facts, attached), kind = version, kind_of_results(phase, resolution)
        copies = [file for file in attached if COPY.fullmatch(file.name)]
        if not self.letters.sender.links_copies or not self.letters.sender.base_url or not copies:
            return render.letter(kind, info, to, facts, phase=phase, attached=attached)
        rest = [file for file in attached if file not in copies]
        letter = render.letter(kind, info, to, facts, phase=phase, attached=rest)
        return replace(letter, linked=tuple(copies))

    def _version_for(
        self, session: Session, phase: PhaseRow, variant: Variant, info: GameInfo, versions: list[Version],
        power: str, steps: _Steps,
    ) -> tuple[ResultsFacts, list[Attachment]]:
        """The results as a power may know them: the first of `versions`, which is complete, if the rules hide
        nothing from it. A new version is added to `versions`."""
        # A rule set may hide units (D66-14): their orders are left out, and sheets that name them are not
        # copied.
        visible, hidden_powers = redacted_for(variant, versions[0][0], power)
        for resolution, facts, attached in versions:
            if resolution == visible:
                return facts, attached
        facts = results_facts(
            session, phase, visible, variant, self.letters.sender.base_url, hidden_powers)
        files = enclosures(session, self.letters.blobs, phase, visible, variant, info, facts, hidden_powers)
        attached = self._attached(files, steps)
        versions.append((visible, facts, attached))
        return facts, attached

    def _attached(self, files: Sequence[Enclosure], steps: _Steps) -> list[Attachment]:
        if not self.drawing:
            return [file.named for file in files]
        attached: list[Attachment] = []
        steps.total += len(files)
        for file in files:
            with steps.next(file.name):
                attached += file.drawn()
        return attached

    def _unreached(
        self, session: Session, phase: PhaseRow, variant: Variant, info: GameInfo
    ) -> list[OutLetter]:
        """Informs the coordinator about players without any mail address: they get no results unless a person
        posts them."""
        reached = records.addresses(session, phase.game_id)
        names = [
            variant.powers[power].name
            for power, player in sorted(records.seats(session, phase.game_id).items())
            if player is not None and power not in reached
        ]
        if not names:
            return []
        base = self.letters.sender.base_url.rstrip("/")
        facts = NoticeFacts(
            key=f"no-address-{phase.id}",
            event=f"The player of {', '.join(names)} has no mail address.",
            link=f"{base}/games/{phase.game_id}" if base else "", since=self.letters.clock.now(),
            consequence="the results do not reach them. Enter an address, or print the results from Letters "
            "and post them.")
        return [render.letter(COORDINATOR_NOTICE, info, Recipient(self.letters.sender.coordinator), facts)]

    def _pack(
        self, session: Session, phase: PhaseRow, resolution: Resolution, info: GameInfo, facts: ResultsFacts,
        attached: Sequence[Attachment], *, drawing: bool,
    ) -> OutLetter:
        """The pack that the coordinator prints and posts at the end of a year (OUT-10)."""
        game = session.get_one(GameRow, phase.game_id)
        changes = changes_map(phase, resolution, self.letters.load(game.variant)) if drawing else ""
        heading = results_heading(phase, resolution)
        results = pictures.results_pdf(info, heading, facts, changes) if drawing else b""
        # "powick-bridge-map-1642.pdf" is "map.pdf" there.
        printed = {file.name.removeprefix(f"{info.id}-").rpartition("-")[0] + ".pdf": file.data
                   for file in attached if file.media_type == "application/pdf"}
        return Packs(self.letters).letter(
            session, game, phase_of(phase), (resolution.position.phase, resolution.position),
            {"results.pdf": results, **printed}, self.letters.clock.now().date(), drawing=drawing)

    def picture(
        self, session: Session, phase: PhaseRow, resolution: Resolution, name: str
    ) -> list[Attachment]:
        """One file of a phase's results, drawn now; the written results with all their pages. Empty if there
        is not a file of this name. Raises NotReady if it cannot be drawn."""
        game = session.get_one(GameRow, phase.game_id)
        variant, info = self.letters.load(game.variant), self.letters.game_info(game)
        facts = results_facts(session, phase, resolution, variant, self.letters.sender.base_url)
        files = enclosures(session, self.letters.blobs, phase, resolution, variant, info, facts)
        pages = next((enclosure.drawn() for enclosure in files if enclosure.name == name), [])
        return pages or self._sheet_or_pack_file(session, phase, resolution, variant, info, facts, name)

    def _sheet_or_pack_file(
        self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant, info: GameInfo,
        facts: ResultsFacts, name: str,
    ) -> list[Attachment]:
        """A blank sheet that goes with a request, or a file of the year-end pack, by its name."""
        coming = resolution.position.phase
        rows = records.phases(session, phase.game_id)
        closings = [Closing(coming, row.deadline) for row in rows if phase_of(row) == coming]
        addresses = records.addresses(session, phase.game_id)
        for power, closing in product(variant.powers, closings):
            if blank_sheet(variant, info, closing, power, drawing=False).name == name:
                # In the language and by the clock of who gets it.
                readers = [self.letters.recipient(session, address, variant.powers[power].name)
                           for address in addresses.get(power, ())]
                return [blank_sheet(variant, info, closing, power, readers[0] if readers else None)]
        if (phase.season, phase.kind) != variant.calendar.year_end:
            return []
        files = enclosures(session, self.letters.blobs, phase, resolution, variant, info, facts)
        charts = [chart for file in files if file.kind == "application/pdf" for chart in file.drawn()]
        pack = self._pack(session, phase, resolution, info, facts, charts, drawing=True)
        return [file for file in pack.attachments if file.name == name]

    def map_pdf(self, session: Session, game_id: str) -> bytes | None:
        """The current map of control of a game: of its newest Winter, or of its opening (MAP-01)."""
        shown_control = control(session, game_id, self.letters.load)
        return None if shown_control is None else control_map(shown_control)

    def _coming_sheet(
        self, session: Session, phase: PhaseRow, rows: Sequence[PhaseRow], resolution: Resolution,
        variant: Variant, info: GameInfo, power: str,
    ) -> ComingSheet | None:
        """The next sheet of a power that nothing is due from before the next turn; None for one that owes
        none then either."""
        later = [row for row in rows if row.ordinal > phase.ordinal]
        row = next((row for row in later if row.kind not in {PhaseKind.RETREAT, PhaseKind.ADJUSTMENT}), None)
        if row is None or power not in owing_on(resolution.position, PhaseKind(row.kind), variant):
            return None
        following = resolution.position.phase
        is_next = phase_of(row) == following
        opens = None if is_next and row.opens_at <= self.letters.clock.now() else row.opens_at
        # Retreats of an Autumn come before the builds that depend on them.
        open_yet = next((phase_of(each) for each in later if each.kind == PhaseKind.ADJUSTMENT
                         and each.ordinal < row.ordinal and phase_of(each) != following), None)
        kept = executed(session, row).get(power)
        sheet = None if kept is None else session.get_one(SubmissionRow, kept)
        subject = canonical_subject(
            info.name, variant.powers[power].name, phase_of(row), next_version(session, row.id, power))
        takes_commands = options_of(session.get_one(GameRow, phase.game_id)).mail_commands
        return ComingSheet(
            phase_of(row), opens, subject,
            "" if sheet is None else sheet_on_file(sheet.version, sheet.received_at),
            sheet is not None and first_counts(session, row), None if is_next else following, open_yet,
            f"{info.name}, {variant.powers[power].name}, SHEET" if takes_commands else "")

    def _requests(
        self, session: Session, phase: PhaseRow, rows: Sequence[PhaseRow], resolution: Resolution,
        variant: Variant, info: GameInfo, power: str, to: Recipient,
    ) -> tuple[list[OutLetter], bool]:
        """The letter about the retreats, builds or removals of one power, and whether any are due from it.
        None about retreats if there are none; one about builds and removals goes to every power. `rows`: the
        phases of the game."""
        name = variant.powers[power].name
        coming = resolution.position.phase
        row = next((row for row in rows if phase_of(row) == coming), None)
        dislodged = units_to_retreat(variant, resolution, power)
        concerns = (bool(dislodged) if coming.kind is PhaseKind.RETREAT
                    else coming.kind is PhaseKind.ADJUSTMENT)
        if row is None or not concerns:
            return [], False
        closing = Closing(coming, row.deadline)
        subject = canonical_subject(info.name, name, coming, next_version(session, row.id, power))
        blank = [blank_sheet(variant, info, closing, power, to, drawing=self.drawing)]
        if coming.kind is PhaseKind.RETREAT:
            facts = RetreatFacts(tuple(dislodged), closing, subject)
            return [render.letter(
                RETREAT_REQUEST, info, to, facts, phase=phase_of(phase), attached=blank)], True
        offer = adjustment_facts(
            variant, resolution.adjust.get(power, 0), closing, subject, power, resolution.position)
        # Who can only get supply from others has nothing to write; a blank sheet once went to all of them.
        is_due = offer.count != 0 or offer.may_send_supply
        return [render.letter(ADJUSTMENT, info, to, offer, phase=phase_of(phase),
                              attached=blank if is_due else ())], is_due
