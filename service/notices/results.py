"""What leaves when a phase is approved: results to all, requests to those who must act, pictures with both.

Everything is rendered before the transaction begins; nothing is put when any rendering failed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.orders import Remove, SendSupply
from adjudicator.outcome import Resolution, Result
from adjudicator.serialize import codec
from maps.variant import Variant
from service import pictures
from service.games.ballots import executed
from service.games.lines import lines_of
from service.games.phases import phase_of, phase_title
from service.games.results import as_told, dislodged_text, show, unit_text
from service.games.seal import unsealing_note
from service.intake.explanations import canonical_subject
from service.letters import render
from service.letters.facts import (
    AdjustmentFacts,
    Closing,
    GameInfo,
    Holding,
    NextDate,
    NoticeFacts,
    Recipient,
    ResultsFacts,
    RetreatFacts,
    SheetFacts,
)
from service.mail.compose import Attachment, OutLetter
from service.notices.attachments import control_map, enclosures, results_heading
from service.notices.blank_sheets import blank_sheet
from service.notices.current_map import control
from service.notices.postal_packs import Packs
from service.notices.replies import LetterContext
from service.record import references
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState, SubmissionRow

DATES_AHEAD = 4
"""Dates of the calendar named in a results letter."""
_WORDS = {
    "movement": "movement orders close",
    "retreat": "retreat orders close",
    "adjustment": "adjustments close",
}


Version = tuple[Resolution, ResultsFacts, list[Attachment]]
"""Results as somebody may know them, and the letter's facts and files."""


@dataclass(frozen=True, slots=True)
class ResultsAnnouncer:
    """Results of a phase as letters. Without `drawing`, for a rehearsal, their pictures are only named."""

    desk: LetterContext
    drawing: bool = True

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        """See `service.games.turns.Announcer`."""
        game = session.get_one(GameRow, phase.game_id)
        variant = self.desk.load(game.variant)
        info = self.desk.game_info(game)
        facts = self.facts(session, phase, resolution, variant)
        files = enclosures(session, self.desk.blobs, phase, resolution, variant, info, facts)
        attached = [done for one in files for done in (one.drawn() if self.drawing else [one.named])]
        made: list[OutLetter] = []
        versions = [(resolution, facts, attached)]
        for power, addresses in records.addresses(session, game.id).items():
            told = self._told(session, phase, variant, info, versions, power)
            for address in addresses:
                to = self.desk.recipient(session, address, variant.powers[power].name)
                made.append(_results(phase_of(phase), resolution)(info, phase_of(phase), to, *told))
                made += self._requests(session, phase, resolution, variant, info, power, address)
        made += self._unreached(session, phase, variant, info)
        if (phase.season, phase.kind) == variant.calendar.year_end:
            made.append(self._pack(session, phase, resolution, info, facts, attached, drawing=self.drawing))

        def put(inside: Session) -> None:
            row = inside.get_one(PhaseRow, phase.id)
            for letter in made:
                self.desk.put(inside, letter, row)

        return put

    def _told(
        self, session: Session, phase: PhaseRow, variant: Variant, info: GameInfo, versions: list[Version],
        power: str,
    ) -> tuple[ResultsFacts, list[Attachment]]:
        """The results as a power may know them: the first of `versions`, which is whole, where its rules hide
        nothing."""
        told, hushed = as_told(variant, versions[0][0], power)
        for resolution, facts, attached in versions:
            if resolution == told:
                return facts, attached
        facts = self.facts(session, phase, told, variant, hushed)
        files = enclosures(session, self.desk.blobs, phase, told, variant, info, facts, hushed)
        attached = [done for one in files for done in (one.drawn() if self.drawing else [one.named])]
        versions.append((told, facts, attached))
        return facts, attached

    def _unreached(
        self, session: Session, phase: PhaseRow, variant: Variant, info: GameInfo
    ) -> list[OutLetter]:
        """Tells the coordinator of players without any mail address, who have no results unless somebody
        posts them."""
        reached = records.addresses(session, phase.game_id)
        names = [
            variant.powers[power].name
            for power, player in sorted(records.seats(session, phase.game_id).items())
            if player is not None and power not in reached
        ]
        if not names:
            return []
        base = self.desk.sender.base_url.rstrip("/")
        facts = NoticeFacts(
            key=f"no-address-{phase.id}",
            event=f"No mail address is known of the player of {', '.join(names)}.",
            link=f"{base}/games/{phase.game_id}" if base else "", since=self.desk.clock.now(),
            consequence=("the results do not reach them. Enter an address, or print the results from Letters "
                         "and post them."))
        return [render.coordinator_notice(info, Recipient(self.desk.sender.coordinator), facts)]

    def _pack(
        self, session: Session, phase: PhaseRow, resolution: Resolution, info: GameInfo, facts: ResultsFacts,
        attached: Sequence[Attachment], *, drawing: bool,
    ) -> OutLetter:
        """What the coordinator prints and posts at the end of a year (OUT-10)."""
        game = session.get_one(GameRow, phase.game_id)
        results = pictures.results_pdf(info, results_heading(phase, resolution), facts) if drawing else b""
        chart = next((one.data for one in attached if one.media_type == "application/pdf"), None)
        return Packs(self.desk).letter(
            session, game, phase_of(phase), (resolution.position.phase, resolution.position), results, chart,
            self.desk.clock.now().date(), drawing=drawing)

    def picture(
        self, session: Session, phase: PhaseRow, resolution: Resolution, name: str
    ) -> list[Attachment]:
        """One of the files of a phase's results, drawn now; the written results with all their pages. Empty
        where there is none of this name; NotReady where it cannot be drawn."""
        game = session.get_one(GameRow, phase.game_id)
        variant, info = self.desk.load(game.variant), self.desk.game_info(game)
        facts = self.facts(session, phase, resolution, variant)
        files = enclosures(session, self.desk.blobs, phase, resolution, variant, info, facts)
        found = next((one.drawn() for one in files if one.name == name), [])
        return found or self._paper(session, phase, resolution, variant, info, facts, name)

    def _paper(
        self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant, info: GameInfo,
        facts: ResultsFacts, name: str,
    ) -> list[Attachment]:
        """A blank sheet that goes with a request, or a file of the year-end pack, by its name."""
        wanted = resolution.position.phase
        for power in variant.powers:
            if blank_sheet(variant, info.name, wanted, power, drawing=False).name == name:
                return [blank_sheet(variant, info.name, wanted, power)]
        if (phase.season, phase.kind) != variant.calendar.year_end:
            return []
        files = enclosures(session, self.desk.blobs, phase, resolution, variant, info, facts)
        charts = [done for one in files if one.kind == "application/pdf" for done in one.drawn()]
        pack = self._pack(session, phase, resolution, info, facts, charts, drawing=True)
        return [one for one in pack.attachments if one.name == name]

    def map_pdf(self, session: Session, game_id: str) -> bytes | None:
        """The current map of control of a game: of its newest Winter, or of its opening (MAP-01)."""
        found = control(session, game_id, self.desk.load)
        return None if found is None else control_map(found)

    def _requests(
        self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant, info: GameInfo,
        power: str, address: str,
    ) -> list[OutLetter]:
        """What one power is asked to do next: retreats, builds or removals."""
        to = self.desk.recipient(session, address, variant.powers[power].name)
        name = variant.powers[power].name
        wanted = resolution.position.phase
        due = next((p for p in records.phases(session, phase.game_id) if phase_of(p) == wanted), None)
        if due is None:
            return []
        closing = Closing(wanted, due.deadline)
        subject = canonical_subject(info.name, name, wanted, 1)
        beaten = _beaten(variant, resolution, power)
        if wanted.kind is PhaseKind.RETREAT and beaten:
            facts = RetreatFacts(tuple(beaten), closing, subject)
            return [
                render.retreat_request(
                    info, phase_of(phase), to, facts, self._blank(variant, info, wanted, power)
                )
            ]
        if wanted.kind is PhaseKind.ADJUSTMENT:
            count = adjustment_facts(variant, resolution.adjust.get(power, 0), closing, subject)
            return [
                render.adjustment(info, phase_of(phase), to, count, self._blank(variant, info, wanted, power))
            ]
        return []

    def _blank(self, variant: Variant, info: GameInfo, phase: Phase, power: str) -> list[Attachment]:
        """The blank sheet that goes with a request."""
        return [blank_sheet(variant, info.name, phase, power, drawing=self.drawing)]

    def facts(
        self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant,
        hushed: frozenset[str] = frozenset(),
    ) -> ResultsFacts:
        """What a results letter is written from; of the sheets of `hushed` powers only what was judged is
        told."""
        chosen = executed(session, phase)
        by_sheet = lines_of(session, list(chosen.values()))
        papers = {key: session.get_one(SubmissionRow, key) for key in chosen.values()}
        names = {p.id: p.name for p in variant.powers.values()}
        ends_year = (
            resolution.position.phase.kind is PhaseKind.ADJUSTMENT or phase.kind == PhaseKind.ADJUSTMENT
        )
        ordered = {(one.order.power, one.order.unit.region.province) for one in resolution.outcomes
                   if isinstance(one.order, Remove) and one.result is Result.SUCCEEDS}
        return ResultsFacts(
            powers=tuple(
                one
                for one in show(
                    variant,
                    resolution,
                    {power: [] if power in hushed else by_sheet[key] for power, key in chosen.items()},
                )
                if one.sheet or one.power in concerned(phase, variant)
            ),
            sheets=tuple(
                SheetFacts(names[power], papers[key].version, papers[key].sha256 or "")
                for power, key in chosen.items()
            ),
            dislodged=tuple(dislodged_text(variant, d) for d in resolution.dislodged),
            disbanded=tuple(unit_text(variant, u) for u in resolution.disbanded),
            built=tuple(unit_text(variant, u) for u in resolution.built),
            removed=tuple(
                unit_text(variant, u) for u in resolution.removed if (u.power, u.region.province) in ordered
            ),
            by_rule=tuple(unit_text(variant, u) for u in resolution.removed_by_disorder),
            by_lot=tuple(unit_text(variant, u) for u in resolution.removed_by_lot),
            holdings=_holdings(phase, resolution, variant) if ends_year else (),
            winner=None if resolution.winner is None else names[resolution.winner],
            draw=None
            if resolution.draw_open_to is None
            else tuple(names[p] for p in resolution.draw_open_to),
            dates=tuple(
                NextDate(f"{row.season} {row.year} {_WORDS.get(row.kind, 'closes')}", row.deadline)
                for row in records.phases(session, phase.game_id)
                if row.ordinal > phase.ordinal and not _skipped(phase_of(row), phase_of(phase), resolution)
            )[:DATES_AHEAD],
            remarks=_unsealings(session, phase),
            lots=references.opened(session, phase, resolution, self.desk.sender.base_url.rstrip("/")),
            seeds=references.commitments(session, phase),
            record=references.root_mark(session, phase),
            notes=resolution.notes,
            standing=variant.rules.public_holdings(variant.context(), resolution.position),
            joint=tuple(names[power] for power in resolution.joint),
            source_line_url=results_address(self.desk.sender.base_url, phase),
        )


def adjustment_facts(variant: Variant, count: int, closing: Closing, subject: str) -> AdjustmentFacts:
    """What a power is told before builds and removals, in the words of its game's rules (OUT-07)."""
    rules = variant.rules
    return AdjustmentFacts(
        count,
        closing,
        subject,
        SendSupply in rules.ORDERS[PhaseKind.ADJUSTMENT],
        rules.removes_by_lot(),
        rules.builds_strike_removals(),
    )


def results_address(base_url: str, phase: PhaseRow) -> str:
    """The page on which the players of a game find the ink behind each order of a phase; "" where a site has
    no address."""
    return f"{base_url.rstrip('/')}/public/{phase.game_id}/results/{phase.ordinal}" if base_url else ""


def concerned(phase: PhaseRow, variant: Variant) -> frozenset[str]:
    """The names of the powers of which something was due: after a battle those with a beaten unit, else all.
    That nothing came from the others is no news, and their readers would look for a sheet that was lost."""
    if phase.kind != PhaseKind.RETREAT:
        return frozenset(power.name for power in variant.powers.values())
    beaten = codec.load_position(phase.position or {}).dislodged
    return frozenset(variant.powers[one.unit.power].name for one in beaten)


def _unsealings(session: Session, phase: PhaseRow) -> tuple[str, ...]:
    """Who looked at sheets before a deadline, and why: of this phase, and of those before it that had no
    results of their own (DESK-02)."""
    found: list[str] = []
    for row in records.phases(session, phase.game_id):
        if row.ordinal > phase.ordinal:
            break
        if row.id != phase.id and row.resolution is not None and row.state == PhaseState.SENT:
            found = []
        elif said := unsealing_note(row):
            found.append(f"{phase_title(row)}: {said}")
    return tuple(found)


def _results(phase: Phase, resolution: Resolution) -> Callable[..., OutLetter]:
    """Which letter the results of a phase are. Without dislodged units the results of a season are final at
    once."""
    if phase.kind is PhaseKind.ADJUSTMENT:
        return render.year_end_results
    if phase.kind is PhaseKind.MOVEMENT and resolution.dislodged:
        return render.draft_results
    return render.final_results


def _skipped(row: Phase, phase: Phase, resolution: Resolution) -> bool:
    """The retreats that nobody has to make."""
    return row.kind is PhaseKind.RETREAT and row.season == phase.season and row.year == phase.year and (
        phase.kind is PhaseKind.MOVEMENT and not resolution.dislodged
    )


def _holdings(phase: PhaseRow, resolution: Resolution, variant: Variant) -> tuple[Holding, ...]:
    before = codec.load_position(phase.position or {}).centres
    after = resolution.position.centres
    units = resolution.position.units

    def named(ids: set[str]) -> tuple[str, ...]:
        return tuple(sorted(variant.board.provinces[one].name for one in ids))

    return tuple(
        Holding(
            power=power.name, centres=len(after.get(power.id, ())),
            units=sum(u.power == power.id for u in units), adjust=resolution.adjust.get(power.id, 0),
            gained=named(set(after.get(power.id, ())) - set(before.get(power.id, ()))),
            lost=named(set(before.get(power.id, ())) - set(after.get(power.id, ()))),
        )
        for power in variant.powers.values()
    )


def _beaten(variant: Variant, resolution: Resolution, power: str) -> list[str]:
    """The dislodged units that a power may order to retreat: its own, and those that were given to it in
    proxy (Q-25: both the owner and the proxy are asked)."""
    proxies = dict(resolution.position.memory.proxies)
    own = [unit_text(variant, d.unit) for d in resolution.dislodged if d.unit.power == power]
    held = [
        d.unit
        for d in resolution.dislodged
        if d.unit.power != power and proxies.get(d.unit.region.province) == power
    ]
    return own + [(f"{unit_text(variant, unit)} ({variant.powers[unit.power].name}'s, given to you in "
                   f"proxy)") for unit in held]
