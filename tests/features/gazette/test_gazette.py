"""BEY-02: the gazette of a game year. Every statement is held against the outcome that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import pytest

import maps
from adjudicator.orders import Move, Retreat, SupportHold, SupportMove, UnitOrder
from adjudicator.outcome import Outcome, Result
from adjudicator.units import Unit
from maps.variant import Variant
from service.features.gazette import compose as phrase_files
from service.features.gazette.compose import compose
from service.features.gazette.reports import LIST_MARK, statements_of
from service.features.gazette.values import Gazette, SourcePart, Statement
from service.features.gazette.years import GazetteGame, year_facts
from service.games.phases import JudgedPhase, game_years
from service.letters.language import LANGUAGES
from tests.support.random_war import random_war

ENGLISH = phrase_files.phrases("en")
ADVICE = re.compile(r"\b(should|must|ought|shall|had better|let them|would do well|advise\w*|sollte\w*|"
                    r"müss\w*|muss|rät|raten|empfehl\w*|empfiehl\w*)\b", re.IGNORECASE)


@cache
def _war(slug: str, years: int) -> tuple[Variant, tuple[JudgedPhase, ...]]:
    variant = maps.load(slug)
    return variant, tuple(random_war(variant, variant.start, years, seed=28))


class _Judge:
    """What the judge said, asked in its own terms: no code of the gazette."""

    def __init__(self, variant: Variant, judged: JudgedPhase) -> None:
        self.variant, self.before, self.resolution = variant, judged.before, judged.resolution

    def outcome(self, statement: Statement) -> Outcome:
        assert isinstance(statement.source.entry, int)
        return self.resolution.outcomes[statement.source.entry]

    def words(self, unit: Unit) -> str:
        return f"{self.variant.kinds[unit.kind].name} {self.variant.board.region_text(unit.region)}"

    def at(self, province: str) -> Unit:
        (unit,) = [unit for unit in self.before.units if unit.region.province == province]
        return unit

    def owner(self, centre: str) -> str | None:
        return next((power for power, held in self.before.centres.items() if centre in held), None)


def _check(judge: _Judge, statement: Statement) -> None:
    """Raises AssertionError if a statement is not what the judge said."""
    values, names = statement.values, {p.id: p.name for p in judge.variant.powers.values()}
    board = judge.variant.board
    if statement.source.part is SourcePart.OUTCOME:
        outcome = judge.outcome(statement)
        order = outcome.order
        assert isinstance(order, UnitOrder)
        if isinstance(order, Retreat):
            unit = next(each.unit for each in judge.before.dislodged
                        if each.unit.region.province == order.unit.region.province)
        else:
            unit = judge.at(order.unit.region.province)
        assert values["power"] == names[unit.power]
        assert values["unit"] == judge.words(unit)
        if isinstance(order, Move | Retreat):
            assert values["place"] == board.region_text(order.to)
            assert (outcome.result is Result.SUCCEEDS) == (statement.kind != "stood_off")
        if statement.kind == "took":
            assert isinstance(order, Move)
            (beaten,) = [each.unit for each in judge.resolution.dislodged
                         if each.unit.region.province == order.to.province]
            assert (values["foe"], values["foe_unit"]) == (names[beaten.power], judge.words(beaten))
            assert Unit(unit.power, unit.kind, order.to) in judge.resolution.position.units
        elif statement.kind in {"stood_off", "cut"}:
            assert isinstance(outcome.cause, UnitOrder)
            assert outcome.reason == ("bounced" if statement.kind == "stood_off" else "cut")
            foe = judge.at(outcome.cause.unit.region.province)
            assert (values["foe"], values["foe_unit"]) == (names[foe.power], judge.words(foe))
        elif statement.kind == "entered":
            assert isinstance(order, Move)
            assert board.provinces[order.to.province].centre
            assert judge.owner(order.to.province) != unit.power
        if statement.kind == "Convert.completed":
            # In the season in which it is completed a unit that converts goes nowhere.
            after = {*judge.resolution.position.units, *(each.unit for each in judge.resolution.dislodged)}
            assert values["becomes"] in {judge.words(each) for each in after if each.power == unit.power
                                         and each.region.province == unit.region.province
                                         and each.kind != unit.kind}
        if isinstance(order, SupportMove | SupportHold):
            helped = judge.at(order.target.region.province)
            assert values["helped"] == judge.words(helped)
            if statement.kind == "aided":
                assert outcome.result is Result.SUCCEEDS
                assert values["friend"] == names[helped.power] != values["power"]
    elif statement.source.part is SourcePart.CENTRES:
        power = str(statement.source.entry)
        won = [centre for centre in judge.resolution.position.centres[power] if judge.owner(centre) != power]
        places = sorted(board.provinces[centre].name for centre in won)
        assert sorted(values["places"].split(LIST_MARK)) == places
        if "foe" in values:
            assert {values["foe"]} == {names[judge.owner(centre) or ""] for centre in won}
    elif statement.source.part in {SourcePart.BUILT, SourcePart.REMOVED}:
        of_kind = judge.resolution.built if statement.kind == "built" else (
            {*judge.resolution.removed, *judge.resolution.removed_by_lot,
             *judge.resolution.removed_by_disorder})
        units = sorted(judge.words(unit) for unit in of_kind if unit.power == statement.source.entry)
        assert sorted(values["units"].split(LIST_MARK)) == units
    elif statement.source.part is SourcePart.DISBANDED:
        assert isinstance(statement.source.entry, int)
        gone = judge.resolution.disbanded[statement.source.entry]
        assert (values["power"], values["unit"]) == (names[gone.power], judge.words(gone))
        assert gone not in judge.resolution.position.units
    elif statement.source.part is SourcePart.NOTE:
        assert isinstance(statement.source.entry, int)
        assert values == {"note": judge.resolution.notes[statement.source.entry].rstrip(".")}
    elif statement.kind == "won":
        assert values == {"power": names[judge.resolution.winner or ""]}
    else:
        raise AssertionError(f"nobody checks {statement.kind}")


@pytest.mark.parametrize("slug", ["standard", "w3k", "bretwalda", "war1648", "britain1066"])
def test_every_statement_is_what_the_judge_said(slug: str) -> None:
    """Years of orders by chance: each statement against the outcome that it names, in the judge's terms."""
    variant, war = _war(slug, 10 if slug == "standard" else 4)
    kinds = set()
    for judged in war:
        for statement in statements_of(variant, judged, ENGLISH.statements):
            assert statement.source.phase == judged.number
            _check(_Judge(variant, judged), statement)
            kinds.add(statement.kind)
    assert kinds >= {"took", "stood_off", "cut", "aided", "entered", "captured", "retreated", "built"}


def _gazettes(slug: str, years: int, code: str = "en") -> list[Gazette]:
    variant, war = _war(slug, years)
    numbers = game_years(variant, war, over=True)
    return [compose(year_facts(variant, GazetteGame("powick-bridge", "Powick Bridge"), numbers, number), code)
            for number in range(1, len(numbers) + 1)]


def _dispatches(gazette: Gazette) -> list[str]:
    lead = [] if gazette.lead is None else [gazette.lead.words]
    return [*lead, *(each.words for section in gazette.sections for each in section.dispatches)]


def test_a_dispatch_says_every_name_of_its_statement() -> None:
    """What was checked above is what is printed; a name with a small article is the same name."""
    for code in LANGUAGES:
        for gazette in _gazettes("w3k", 2, code):
            for section in gazette.sections:
                for dispatch in section.dispatches:
                    words = dispatch.words.casefold()
                    for value in dispatch.statement.values.values():
                        assert all(name.casefold() in words for name in value.split(LIST_MARK))


def _repeated(words: Sequence[str]) -> set[str]:
    return {each for each in words if words.count(each) > 1}


def test_ten_years_do_not_repeat() -> None:
    """No headline, motto, omen or weather comes twice in ten years; no dispatch is the same, and no phrase is
    used twice in a year before every phrase of its kind was used."""
    gazettes = _gazettes("standard", 10)
    assert len(gazettes) == 10
    assert _repeated([gazette.headline for gazette in gazettes]) == set()
    assert _repeated([gazette.motto for gazette in gazettes]) == set()
    assert _repeated([gazette.omen for gazette in gazettes]) == set()
    assert _repeated([section.weather for gazette in gazettes for section in gazette.sections]) == set()
    assert _repeated([words for gazette in gazettes for words in _dispatches(gazette)]) == set()


def test_the_same_year_reads_the_same_everywhere() -> None:
    """Chance is an argument: the letter, the page and the printed sheet say the same."""
    assert _gazettes("standard", 10)[3] == _gazettes("standard", 10)[3]


def test_the_languages_say_the_same() -> None:
    """Each kind of statement has phrases in each language, with the same blanks; nothing advises anybody."""
    for code in LANGUAGES:
        phrases = phrase_files.phrases(code)
        assert phrases.code == code
        assert phrases.statements.keys() == ENGLISH.statements.keys()
        assert phrases.words.keys() == ENGLISH.words.keys()
        assert phrases.weather.keys() == ENGLISH.weather.keys()
        for kind, lines in phrases.statements.items():
            assert len(set(lines)) == len(lines) >= 2, kind
            blanks = [{name.removeprefix("the_") for name in phrase_files.blanks(line)} for line in
                      (*lines, *ENGLISH.statements[kind])]
            assert blanks == blanks[:1] * len(blanks), kind
        everything = [line for lines in phrases.statements.values() for line in lines]
        everything += [*phrases.headlines, *phrases.quiet, *phrases.omens]
        everything += [line for lines in phrases.weather.values() for line in lines]
        assert [line for line in everything if ADVICE.search(line)] == []


SINGULAR_TO_PLURAL = {
    "de": {
        "vertrieb": "vertrieben", "schickte": "schickten", "hat": "haben", "half": "halfen",
        "rettete": "retteten", "verlor": "verloren", "stellte": "stellten", "entließ": "entließen",
        "strich": "strichen", "ist": "sind", "nahm": "nahmen", "hält": "halten", "ging": "gingen",
        "erfüllt": "erfüllen", "erhielt": "erhielten", "bekam": "bekamen", "machte": "machten",
        "wählte": "wählten", "wandte": "wandten", "griff": "griffen", "reichte": "reichten", "gab": "gaben",
    },
    # English has one form of the past for both.
    "en": {word: word for word in (
        "drove", "sent", "lent", "saved", "lost", "raised", "paid", "struck", "took", "won", "met", "made",
        "put", "had", "received", "turned", "chose", "spent", "attacked", "entered", "gave")} | {
            "has": "have", "its": "their"},
}
"""The verbs that follow a power as the subject of a phrase, and words that agree with it; from grammars."""


@pytest.mark.parametrize("code", ["de", "en"])
def test_verbs_agree_with_every_power_of_every_board(code: str) -> None:
    """BEY-02: every phrase with every power in every place. A power that begins a sentence, or follows "and",
    is its subject: the word behind it is a verb of that number. A verb that is not in the table is a fault
    too: then no one has showed what its plural is."""
    forms = SINGULAR_TO_PLURAL[code]
    powers = [power for slug in maps.variants() for power in maps.load(slug).powers.values()]
    assert {power.name for power in powers if power.is_plural} == {
        "The Norse", "The Northern Earls", "The Scots", "The Welsh"}
    for line in (line for lines in phrase_files.phrases(code).statements.values() for line in lines):
        for power in powers:
            values = dict.fromkeys((name.removeprefix("the_") for name in phrase_files.blanks(line)), "Aa")
            people = [name for name in ("power", "foe", "friend") if name in values]
            for name in people:
                words = phrase_files.filled(
                    line, {**values, name: power.name}, {name} if power.is_plural else ())
                subject = re.search(rf"(?:^|, und |, and ){re.escape(power.name)} (\w+)", words,
                                    re.IGNORECASE)
                if subject is not None:
                    allowed = forms.values() if power.is_plural else forms.keys()
                    assert subject[1] in allowed, (words, power.name)
    # A list of several is plural whatever the number of each.
    several = [phrase_files.filled(line, {"powers": "Aa, Bb"}, {"powers"})
               for kind in ("won_together", "draw") for line in phrase_files.phrases(code).statements[kind]]
    assert not [words for words in several if re.search(r"\b(hat|erfüllt|has|is won)\b", words)]


def test_a_sentence_of_the_scots_in_full() -> None:
    """Written by hand: the verb at the end and the relative pronoun agree too."""
    values = {"power": "The Scots", "state": "Kent", "grain": "4", "friend": "The Welsh", "places": "York",
              "foe": "The Norse"}
    sentences = {
        code: [phrase_files.filled(line, values, {"power", "foe", "friend"})
               for kind in ("Conquer.beaten", "Conquer.outbid", "Claim.succeeds", "captured_from")
               for line in phrase_files.phrases(code).statements[kind]]
        for code in ("de", "en")}
    assert {"The Scots wandten 4 Korn an Kent und wurden abgewiesen.",
            "Kent fiel, doch nicht an The Scots, die 4 Korn daran gewandt hatten.",
            "The Norse verloren York an The Scots."} <= set(sentences["de"])
    assert {"Kent fell, but not to the Scots, who had spent 4 grain.",
            "the Scots chose Kent for their capital."} <= set(sentences["en"])


def test_a_name_has_its_article_and_a_fleet_sails() -> None:
    """In two years of w3k: no "of Confederacy", no fleet that marches, no unit at a place beaten from the
    place in whose name it is; and what has changed its kind is of the other now."""
    words = [each for gazette in _gazettes("w3k", 4) for each in _dispatches(gazette)]
    named = [each for each in words if re.search(r"Confederacy|Protectorate", re.sub(r"\([^)]*\)", "", each))]
    assert named
    assert [each for each in named if re.search(
        r"(?<![Tt]he )(Confederacy|Protectorate)", re.sub(r"\([^)]*\)", "", each))] == []
    assert any(re.search(r"Fleet [^.;:]* sail", each) for each in words)
    assert [each for each in words if re.search(r"Fleet [^.;:]* march|Army [^.;:]* sail(?!s)", each)] == []
    assert [each for each in words if re.search(r"Army ([\w &]+) .*beaten from \1", each)] == []


def test_the_number_of_a_power_comes_from_its_board() -> None:
    """A dispatch of 1066 about the Scots, as it is composed: no singular verb behind them in German."""
    words = [each for gazette in _gazettes("britain1066", 4, "de") for each in _dispatches(gazette)]
    behind = {match[1] for each in words
              for match in re.finditer(r"^The (?:Scots|Welsh|Norse|Northern Earls) (\w+)", each)}
    assert behind
    assert behind <= set(SINGULAR_TO_PLURAL["de"].values())


def test_a_game_may_do_without_omens() -> None:
    variant, war = _war("standard", 10)
    numbers = game_years(variant, war, over=True)
    game = GazetteGame("powick-bridge", "Powick Bridge", has_omens=False)
    gazette = compose(year_facts(variant, game, numbers, 1), "en")
    assert (gazette.omen, {section.weather for section in gazette.sections}) == ("", {""})
    assert "omens" not in gazette.words["imprint"]


def test_a_quiet_year_has_its_page() -> None:
    """A year of holds: no dispatch, and a page all the same."""
    variant, war = _war("standard", 10)
    quiet = [JudgedPhase(each.number, each.phase, war[0].before, type(each.resolution)((), war[0].before))
             for each in war[:5]]
    gazette = compose(year_facts(variant, GazetteGame("g", "G"), (tuple(quiet),), 1), "en")
    assert gazette.lead is None
    assert gazette.sections == ()
    assert gazette.headline in ENGLISH.quiet
