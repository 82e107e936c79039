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
from adjudicator.orders import Remove
from adjudicator.outcome import Resolution, Result
from adjudicator.phases.year_end import builds_due
from adjudicator.position import Dislodgement
from adjudicator.ruleset import Ruleset
from adjudicator.serialize import codec
from adjudicator.units import Unit
from maps.variant import Variant
from service import pictures
from service.games.approval import papers
from service.games.ballots import executed
from service.games.ended.ending import end_with
from service.games.lines import lines_of
from service.games.phases import phase_of, phase_title
from service.games.results import ShownPower, redacted_for, show, unit_text
from service.games.seal import unsealing_note
from service.games.turns import NotReady
from service.intake.verdicts.explanations import canonical_subject
from service.letters import render
from service.letters.facts import (
    Closing,
    GameInfo,
    Holding,
    NextDate,
    NoticeFacts,
    Proofs,
    Recipient,
    ResultsFacts,
    RetreatFacts,
    SheetFacts,
    Standings,
    UnitChanges,
)
from service.letters.language import N_, Sentence
from service.letters.set_aside import translatable
from service.mail.sending.compose import Attachment, OutLetter
from service.notices.attachments import (
    COPY,
    Enclosure,
    changes_map,
    control_map,
    enclosures,
    results_heading,
)
from service.notices.blank_sheets import blank_sheet
from service.notices.current_map import control
from service.notices.ending import Farewell
from service.notices.gazette import year_that_ends
from service.notices.letter_context import LetterContext
from service.notices.phase_letters.requests import adjustment_facts, units_to_retreat
from service.notices.postal_packs import Packs
from service.record import references
from service.record.notable import notable_of
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState, SubmissionRow

DATES_AHEAD = 4
"""How many coming dates a results letter names."""
_CLOSES = {
    "movement": N_("%(season)s %(year)s movement orders close"),
    "retreat": N_("%(season)s %(year)s retreat orders close"),
    "adjustment": N_("%(season)s %(year)s adjustments close"),
    "turn": N_("%(season)s %(year)s closes"),
}


Progress = Callable[[int, int, str], None]


def _nobody_asks(_done: int, _total: int, _step: str) -> None:
    return None


class LetterFailed(NotReady):
    """A letter or one of its files could not be made; the sentence names it and says why."""


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

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        """See `service.games.turns.Announcer`."""
        game = session.get_one(GameRow, phase.game_id)
        variant, info = self.letters.load(game.variant), self.letters.game_info(game)
        addresses = records.addresses(session, game.id)
        steps = _Steps(self.progress, total=sum(map(len, addresses.values())))
        facts = self.facts(session, phase, resolution, variant)
        files = enclosures(session, self.letters.blobs, phase, resolution, variant, info, facts)
        attached = self._attached(files, steps)
        prepared: list[Callable[[Session], object]] = []

        def ready(letters: Iterable[OutLetter]) -> None:
            prepared.extend(self.letters.prepare(session, letter, phase) for letter in letters)

        # Pictures are slow to draw, so powers that may know the same share one version.
        versions = [(resolution, facts, attached)]
        for power, power_addresses in addresses.items():
            name = variant.powers[power].name
            version = self._version_for(session, phase, variant, info, versions, power, steps)
            for address in power_addresses:
                with steps.next(f"the letter to {name}"):
                    to = self.letters.recipient(session, address, name)
                    ready([self._results_letter(phase_of(phase), resolution, info, to, version)])
                    ready(self._requests(session, phase, resolution, variant, info, power, address))
        end = end_with(session, phase, variant, resolution)
        if end is not None:
            with steps.step("the letters that tell of the end"):
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
        """The results for one reader; copies of sheets attached, or behind a link if the site wants that."""
        facts, attached = version
        copies = [file for file in attached if COPY.fullmatch(file.name)]
        if not self.letters.sender.links_copies or not self.letters.sender.base_url or not copies:
            return _results(phase, resolution)(info, phase, to, facts, attached)
        rest = [file for file in attached if file not in copies]
        return replace(_results(phase, resolution)(info, phase, to, facts, rest), linked=tuple(copies))

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
        facts = self.facts(session, phase, visible, variant, hidden_powers)
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
        """Tells the coordinator about players without any mail address: they get no results unless somebody
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
            event=f"No mail address is known of the player of {', '.join(names)}.",
            link=f"{base}/games/{phase.game_id}" if base else "", since=self.letters.clock.now(),
            consequence="the results do not reach them. Enter an address, or print the results from Letters "
                        "and post them.")
        return [render.coordinator_notice(info, Recipient(self.letters.sender.coordinator), facts)]

    def _pack(
        self, session: Session, phase: PhaseRow, resolution: Resolution, info: GameInfo, facts: ResultsFacts,
        attached: Sequence[Attachment], *, drawing: bool,
    ) -> OutLetter:
        """The pack that the coordinator prints and posts at the end of a year (OUT-10)."""
        game = session.get_one(GameRow, phase.game_id)
        changes = changes_map(phase, resolution, self.letters.load(game.variant)) if drawing else ""
        heading = results_heading(phase, resolution)
        results = pictures.results_pdf(info, heading, facts, changes) if drawing else b""
        pdfs = {"map.pdf": "-map-", "gazette.pdf": "-gazette-"}
        printed = {name: file.data for name, part in pdfs.items() for file in attached
                   if file.media_type == "application/pdf" and part in file.name}
        return Packs(self.letters).letter(
            session, game, phase_of(phase), (resolution.position.phase, resolution.position),
            {"results.pdf": results, **printed}, self.letters.clock.now().date(), drawing=drawing)

    def picture(
        self, session: Session, phase: PhaseRow, resolution: Resolution, name: str
    ) -> list[Attachment]:
        """One file of a phase's results, drawn now; the written results with all their pages. Empty if there
        is no file of this name. Raises NotReady if it cannot be drawn."""
        game = session.get_one(GameRow, phase.game_id)
        variant, info = self.letters.load(game.variant), self.letters.game_info(game)
        facts = self.facts(session, phase, resolution, variant)
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

    def _requests(
        self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant, info: GameInfo,
        power: str, address: str,
    ) -> list[OutLetter]:
        """The letter that asks one power for retreats, builds or removals; none if nothing is due from it."""
        name = variant.powers[power].name
        to = self.letters.recipient(session, address, name)
        coming = resolution.position.phase
        row = next((row for row in records.phases(session, phase.game_id) if phase_of(row) == coming), None)
        dislodged = units_to_retreat(variant, resolution, power)
        is_due = bool(dislodged) if coming.kind is PhaseKind.RETREAT else coming.kind is PhaseKind.ADJUSTMENT
        if row is None or not is_due:
            return []
        closing = Closing(coming, row.deadline)
        subject = canonical_subject(info.name, name, coming, 1)
        blank = [blank_sheet(variant, info, closing, power, to, drawing=self.drawing)]
        if coming.kind is PhaseKind.RETREAT:
            facts = RetreatFacts(tuple(dislodged), closing, subject)
            return [render.retreat_request(info, phase_of(phase), to, facts, blank)]
        offer = adjustment_facts(
            variant, resolution.adjust.get(power, 0), closing, subject, power, resolution.position)
        return [render.adjustment(info, phase_of(phase), to, offer, blank if offer.is_due else ())]

    def facts(
        self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant,
        hidden_powers: frozenset[str] = frozenset(),
    ) -> ResultsFacts:
        """The facts of a results letter. Of the sheets of `hidden_powers` it shows only what was judged."""
        chosen = executed(session, phase)
        by_sheet = lines_of(session, list(chosen.values()))
        lines = {power: [] if power in hidden_powers else by_sheet[key] for power, key in chosen.items()}
        submissions = {key: session.get_one(SubmissionRow, key) for key in chosen.values()}
        names = {p.id: p.name for p in variant.powers.values()}
        base_url = self.letters.sender.base_url
        return ResultsFacts(
            powers=tuple(
                shown_power for shown_power in show(variant, resolution, lines,
                                                    translatable(papers.set_aside(session, phase, variant)))
                if shown_power.sheet or shown_power.set_aside or _has_units_to_tell(shown_power)
                or shown_power.power in concerned(phase, variant)
            ),
            sheets=tuple(
                SheetFacts(names[power], submissions[key].version, submissions[key].sha256 or "")
                for power, key in chosen.items()
            ),
            units=_unit_changes(resolution, variant),
            standings=_standings(phase, resolution, variant),
            dates=tuple(
                NextDate(Sentence(_CLOSES[row.kind], season=row.season, year=row.year), row.deadline)
                for row in records.phases(session, phase.game_id)
                if row.ordinal > phase.ordinal and not _skipped(phase_of(row), phase_of(phase), resolution)
            )[:DATES_AHEAD],
            remarks=_unsealings(session, phase),
            # The digest of a seed leaves before its lots are drawn, or it would prove nothing.
            proofs=Proofs(
                results_address(base_url, phase),
                references.opened(session, phase, resolution, base_url.rstrip("/")),
                references.commitments(session, phase),
                (root := references.root_mark(session, phase)),
                () if root is None else notable_of(session, phase.game_id, root.number, phase.ordinal),
                check_address(base_url),
            ),
            gazette=year_that_ends(session, phase, variant, resolution),
        )


def check_address(base_url: str) -> str:
    """The address of the page that says how a game is checked at home; "" if the site has no public
    address."""
    return f"{base_url.rstrip('/')}/public/check" if base_url else ""


def results_address(base_url: str, phase: PhaseRow) -> str:
    """The address of the page that shows the players the ink behind each order of a phase; "" if the site has
    no public address."""
    return f"{base_url.rstrip('/')}/public/{phase.game_id}/results/{phase.ordinal}" if base_url else ""


def concerned(phase: PhaseRow, variant: Variant) -> frozenset[str]:
    """The names of the powers that owed orders in this phase: with a unit in a movement phase, with a
    dislodged one in a retreat phase, with a build or removal due in an adjustment phase. All of them where
    the rules hide units: who owes nothing would tell who has none."""
    # Nine of ten players once read "No sheet was received" where none was due, and would look for a lost
    # sheet.
    position, kind = codec.load_position(phase.position or {}), PhaseKind(phase.kind)
    owing: Iterable[str] = variant.powers
    if kind is PhaseKind.RETREAT:
        owing = {retreat.unit.power for retreat in position.dislodged}
    elif type(variant.rules).redact_resolution is not Ruleset.redact_resolution:
        owing = variant.powers
    elif kind is PhaseKind.ADJUSTMENT:
        owing = builds_due(
            variant.context(), variant.rules, position.centres, position.units, position.memory)
    elif kind is PhaseKind.MOVEMENT:
        owing = {unit.power for unit in position.units} | {
            commander for _, commander in position.memory.proxies}
    return frozenset(variant.powers[power].name for power in owing if power in variant.powers)


def _has_units_to_tell(shown_power: ShownPower) -> bool:
    """Whether something happened to a power of whom no sheet counted and none was due."""
    return bool(shown_power.orders or shown_power.void or shown_power.dislodged)


def _unsealings(session: Session, phase: PhaseRow) -> tuple[str, ...]:
    """Who looked at sheets before a deadline, and why: in this phase, and in earlier ones that had no results
    of their own (DESK-02)."""
    remarks: list[str] = []
    for row in records.phases(session, phase.game_id):
        if row.ordinal > phase.ordinal:
            break
        # Those results named every unsealing up to them.
        if row.id != phase.id and row.resolution is not None and row.state == PhaseState.SENT:
            remarks = []
        elif note := unsealing_note(row):
            remarks.append(f"{phase_title(row)}: {note}")
    return tuple(remarks)


def _results(phase: Phase, resolution: Resolution) -> Callable[..., OutLetter]:
    """The function of `render` for the results of a phase. Without dislodged units the results of a season
    are final at once."""
    if phase.kind is PhaseKind.ADJUSTMENT:
        return render.year_end_results
    if phase.kind is PhaseKind.MOVEMENT and resolution.dislodged:
        return render.draft_results
    return render.final_results


def _skipped(row: Phase, phase: Phase, resolution: Resolution) -> bool:
    """Whether `row` is a retreat phase that falls out because nobody is dislodged."""
    same_season = (row.season, row.year) == (phase.season, phase.year)
    return (row.kind is PhaseKind.RETREAT and same_season and phase.kind is PhaseKind.MOVEMENT
            and not resolution.dislodged)


def _dislodged(variant: Variant, retreat: Dislodgement) -> Sentence:
    return Sentence(
        "%(unit)s (%(power)s), dislodged by the attack from %(place)s",
        unit=unit_text(variant, retreat.unit), power=variant.powers[retreat.unit.power].name,
        place=variant.board.provinces[retreat.attacker_from].name)


def _unit_changes(resolution: Resolution, variant: Variant) -> UnitChanges:
    def words(units: Iterable[Unit]) -> tuple[str, ...]:
        return tuple(unit_text(variant, unit) for unit in units)

    # `removed` also has the units that the rules or lots chose; those have headings of their own.
    removals = [outcome.order for outcome in resolution.outcomes
                if isinstance(outcome.order, Remove) and outcome.result is Result.SUCCEEDS]
    ordered = {(order.power, order.unit.region.province) for order in removals}
    return UnitChanges(
        dislodged=tuple(_dislodged(variant, retreat) for retreat in resolution.dislodged),
        disbanded=words(resolution.disbanded), built=words(resolution.built),
        removed=words(unit for unit in resolution.removed if (unit.power, unit.region.province) in ordered),
        by_rule=words(resolution.removed_by_disorder), by_lot=words(resolution.removed_by_lot),
    )


def _standings(phase: PhaseRow, resolution: Resolution, variant: Variant) -> Standings:
    names = {power.id: power.name for power in variant.powers.values()}
    # Holdings are told when builds and removals are next, or were just made (OUT-07, OUT-08).
    ends_year = PhaseKind.ADJUSTMENT in {resolution.position.phase.kind, PhaseKind(phase.kind)}
    partners = resolution.draw_open_to
    return Standings(
        holdings=_holdings(phase, resolution, variant) if ends_year else (),
        events=resolution.notes,
        possessions=variant.rules.public_holdings(variant.context(), resolution.position),
        joint_winners=tuple(names[power] for power in resolution.joint),
        winner=None if resolution.winner is None else names[resolution.winner],
        draw=None if partners is None else tuple(names[power] for power in partners),
    )


def _holdings(phase: PhaseRow, resolution: Resolution, variant: Variant) -> tuple[Holding, ...]:
    before = codec.load_position(phase.position or {}).centres
    after = resolution.position.centres
    units = resolution.position.units

    def named(ids: set[str]) -> tuple[str, ...]:
        return tuple(sorted(variant.board.provinces[province].name for province in ids))

    return tuple(
        Holding(
            power=power.name, centres=len(after.get(power.id, ())),
            units=sum(u.power == power.id for u in units), adjust=resolution.adjust.get(power.id, 0),
            gained=named(set(after.get(power.id, ())) - set(before.get(power.id, ()))),
            lost=named(set(before.get(power.id, ())) - set(after.get(power.id, ()))),
        )
        for power in variant.powers.values()
    )
