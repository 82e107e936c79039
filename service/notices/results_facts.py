"""What a letter of results is written from: what was judged, in words, for a reader who may know it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import partial

from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Remove
from adjudicator.outcome import Resolution, Result
from adjudicator.position import Dislodgement
from adjudicator.units import Unit
from maps.variant import Variant
from service.feature import features
from service.games.approval import papers
from service.games.asking import owing
from service.games.ballots import executed
from service.games.lines import lines_of
from service.games.options import options_of
from service.games.phases import phase_of, phase_title, position_of
from service.games.proof_reading import proof_of
from service.games.results import ShownPower, redacted_for, show, unit_text
from service.letters.facts import Holding, NextDate, Proofs, ResultsFacts, SheetFacts, Standings, UnitChanges
from service.letters.kinds import LetterKind, Occasion, Sample
from service.letters.language import N_, Sentence
from service.letters.render import results_of_reader
from service.letters.set_aside import translatable
from service.mail.sending.compose import Addressee, Rank
from service.notices.previews import Previews
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


def results_facts(
    session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant, base_url: str,
    hidden_powers: frozenset[str] = frozenset(),
) -> ResultsFacts:
    """The facts of a results letter. Of the sheets of `hidden_powers` it shows only what was judged."""
    chosen = executed(session, phase)
    by_sheet = lines_of(session, list(chosen.values()))
    lines = {power: [] if power in hidden_powers else by_sheet[key] for power, key in chosen.items()}
    submissions = {key: session.get_one(SubmissionRow, key) for key in chosen.values()}
    names = {p.id: p.name for p in variant.powers.values()}
    sheets = tuple(
        SheetFacts(names[power], submissions[key].version, submissions[key].sha256 or "")
        for power, key in chosen.items())
    root, seeds = references.root_mark(session, phase), references.commitments(session, phase)
    notable = () if root is None else notable_of(session, phase.game_id, root.number, phase.ordinal)
    base = base_url.rstrip("/")
    lots_page = f"{base}/public/{phase.game_id}/lots" if base else ""
    return ResultsFacts(
        powers=tuple(
            shown_power for shown_power in show(variant, resolution, lines,
                                                translatable(papers.set_aside(session, phase, variant)))
            if shown_power.sheet or shown_power.set_aside or _has_units_to_tell(shown_power)
            or shown_power.power in concerned(phase, variant)
        ),
        sheets=sheets,
        units=_unit_changes(resolution, variant),
        standings=_standings(phase, resolution, variant),
        dates=tuple(
            NextDate(Sentence(_CLOSES[row.kind], season=row.season, year=row.year), row.deadline)
            for row in records.phases(session, phase.game_id)
            if row.ordinal > phase.ordinal and not _skipped(phase_of(row), phase_of(phase), resolution)
        )[:DATES_AHEAD],
        remarks=(*_unsealings(session, phase), *_proof(session, phase)),
        # The digest of a seed leaves before its lots are drawn, or it would prove nothing.
        proofs=Proofs(
            results_address(base_url, phase),
            _drawn_lots(references.drawn(session, phase, resolution), lots_page),
            seeds, root, notable, check_address(base_url),
            file=b"" if root is None else references.letter_file(
                phase.game_id, root, sheets=[asdict(sheet) for sheet in sheets],
                seeds=[asdict(seed) for seed in seeds], tell=[entry.number for entry in notable],
                seed=phase.seed if resolution.lots_used else None),
        ),
        parts={feature.name: part for feature in features()
               if (part := feature.results_part(session, phase, variant, resolution)) is not None},
    )


def _drawn_lots(drawn: references.DrawnLots | None, page: str) -> str:
    """The sentence about the lots of a phase, with the page on which each draw can be followed; "" without
    lots."""
    if drawn is None:
        return ""
    seed = Sentence("a seed that is lost") if drawn.is_seed_lost else Sentence(
        "the seed in the file of this letter")
    if drawn.round is not None:
        source = Sentence("%(seed)s and round %(round)s of the beacon", seed=seed, round=drawn.round)
    else:
        source = seed if not drawn.words else Sentence(
            "%(seed)s and the words %(words)s", seed=seed, words="; ".join(drawn.words))
        if drawn.sheets:
            source = Sentence("%(seed)s and the sheets that came in time (%(number)s)", seed=source,
                              number=drawn.sheets)
    if drawn.count == 1:
        sentence = Sentence("1 lot was drawn in phase %(phase)s, from %(source)s.", phase=drawn.phase,
                            source=source)
    else:
        sentence = Sentence("%(number)s lots were drawn in phase %(phase)s, from %(source)s.",
                            number=drawn.count, phase=drawn.phase, source=source)
    how = Sentence("How to follow each draw by hand: %(page)s", page=page) if page else ""
    return Sentence.of(sentence, how)


def own_units(game: GameRow, variant: Variant, resolution: Resolution, power: str) -> tuple[str, ...]:
    """The units that a power has after a phase, in words and as the rules let it know them; none unless the
    game's option requests them (Q-80)."""
    if not options_of(game).units_in_results:
        return ()
    visible, _ = redacted_for(variant, resolution, power)
    return tuple(sorted(unit_text(variant, unit) for unit in visible.position.units if unit.power == power))


def check_address(base_url: str) -> str:
    """The address of the page that shows how a game is checked at home; "" if the site has no public
    address."""
    return f"{base_url.rstrip('/')}/public/check" if base_url else ""


def results_address(base_url: str, phase: PhaseRow) -> str:
    """The address of the page that shows the players the ink behind each order of a phase; "" if the site has
    no public address."""
    return f"{base_url.rstrip('/')}/public/{phase.game_id}/results/{phase.ordinal}" if base_url else ""


def concerned(phase: PhaseRow, variant: Variant) -> frozenset[str]:
    """The names of the powers that owed orders in this phase (`asking.owing`)."""
    # Nine of ten players once read "No sheet was received" where none was due, and would look for a lost
    # sheet.
    return frozenset(variant.powers[power].name for power in owing(phase, variant))


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
            remarks.append(Sentence("%(title)s: %(note)s", title=phase_title(row), note=note))
    return tuple(remarks)


def _proof(session: Session, phase: PhaseRow) -> tuple[str, ...]:
    """Who compared every line with its ink once more before the results are sent, if a person did."""
    proof = proof_of(session, phase)
    if proof is None:
        return ()
    words = (
        N_("Read by two: before these results were sent, %(person)s compared every line with its ink "
           "(%(number)s in all). The machine or another person had read each of them before.")
        if proof.by_two else
        N_("Read again: before these results were sent, %(person)s compared every line with its ink once "
           "more (%(number)s in all). Lines that only %(person)s had decided before: %(alone)s."))
    return (Sentence(words, person=proof.person, number=proof.lines, alone=proof.alone),)


def unsealing_note(phase: PhaseRow) -> str:
    """The sentence that results print of a phase unsealed before its deadline; "" of any other."""
    if phase.unsealed_at is None:
        return ""
    return Sentence(
        N_("%(person)s opened the sheets before the deadline, %(instant)s. Reason given: %(reason)s"),
        person=phase.unsealed_by, instant=phase.unsealed_at, reason=phase.unsealed_why)


def _skipped(row: Phase, phase: Phase, resolution: Resolution) -> bool:
    """Whether `row` is a retreat phase that falls out because no unit may retreat."""
    same_season = (row.season, row.year) == (phase.season, phase.year)
    return (row.kind is PhaseKind.RETREAT and same_season and phase.kind is PhaseKind.MOVEMENT
            and not resolution.opens_retreats)


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
        dislodged=tuple(_dislodged(variant, retreat) for retreat in resolution.position.dislodged),
        disbanded=words(resolution.disbanded), built=words(resolution.built),
        removed=words(unit for unit in resolution.removed if (unit.power, unit.region.province) in ordered),
        by_rule=words(resolution.removed_by_disorder), by_lot=words(resolution.removed_by_lot),
    )


def _standings(phase: PhaseRow, resolution: Resolution, variant: Variant) -> Standings:
    names = {power.id: power.name for power in variant.powers.values()}
    # Holdings are reported when builds and removals are next, or were just made (OUT-07, OUT-08).
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
    before = position_of(phase).centres
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


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _results_sample(kind: PhaseKind, seat: Previews) -> Sample[ResultsFacts]:
    row, resolution = seat.judged(kind)
    if row is not None and resolution is not None:
        facts = results_facts(
            seat.session, row, resolution, seat.variant, seat.letters.sender.base_url)
        facts = replace(facts, own_units=own_units(seat.game, seat.variant, resolution, seat.power))
        return Sample(facts, f"As judged: {phase_of(row)}.", phase_of(row))
    phase = seat.first_of(kind)
    # Nothing of this is stored, so any lots will do; counting up gives the same letter each time.
    resolution = judge(
        seat.variant.context(), seat.variant.rules, replace(seat.position(), phase=phase), [],
        Lots(range(seat.variant.rules.LOTS)))
    return Sample(
        ResultsFacts(powers=show(seat.variant, resolution, {})),
        "No such phase is judged yet: these are the results without any orders.", phase)


def _final_sample(seat: Previews) -> Sample[ResultsFacts]:
    # A game that is played in whole turns has no retreat phase; its turns give the final results.
    retreats = any(kind is PhaseKind.RETREAT for _, kind in seat.variant.calendar.steps)
    return _results_sample(PhaseKind.RETREAT if retreats else PhaseKind.TURN, seat)


DRAFT_RESULTS = LetterKind(
    "draft_results", ResultsFacts, "Draft results, before retreats",
    Occasion("all players", "you approve a movement phase with dislodged units",
             partial(_results_sample, PhaseKind.MOVEMENT), PhaseKind.MOVEMENT),
    rank=Rank.DRAFT, addressee=Addressee.SEAT, values=results_of_reader)
"""Results of a movement phase before retreats (OUT-04)."""

FINAL_RESULTS = LetterKind(
    "final_results", ResultsFacts, "Final results",
    Occasion("all players", "you approve the retreats, or a movement phase without any", _final_sample),
    rank=Rank.RESULTS, addressee=Addressee.SEAT, values=results_of_reader)
"""Results after retreats; in Autumn with ownership and every power's offer or demand (OUT-06, OUT-07)."""

YEAR_END_RESULTS = LetterKind(
    "year_end_results", ResultsFacts, "Results of builds and removals",
    Occasion("all players", "you approve builds and removals",
             partial(_results_sample, PhaseKind.ADJUSTMENT), PhaseKind.ADJUSTMENT),
    rank=Rank.LATER, addressee=Addressee.SEAT, values=results_of_reader)
"""Results of a Winter, with the map of control (OUT-08)."""


def kind_of_results(phase: Phase, resolution: Resolution) -> LetterKind[ResultsFacts]:
    """The kind of letter for the results of a phase. Without dislodged units the results of a season are
    final at once."""
    if phase.kind is PhaseKind.ADJUSTMENT:
        return YEAR_END_RESULTS
    return DRAFT_RESULTS if resolution.opens_retreats else FINAL_RESULTS
