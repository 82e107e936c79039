"""German and French sheets in clear ink, in a game that takes these words: orders go without a look, and a
condition, a choice or a denial stays open (WRD-07, DESK-03)."""

from __future__ import annotations

from dataclasses import replace

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.interpret import has_doubt
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, lexicon_of, parse_typed, vocabulary_of
from tests.support.inked import page

W3K = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose", "Summer 1642 Movement Orders")
ORDERS = {
    "german": {
        "Armee London nach Surrey": "A London - Surrey",
        "Armee Kent unterstutzt Armee London nach Surrey": "A Kent S A London - Surrey",
        "Armee York halt": "A York H",
        "Flotte Wash geht nach Hull": "F The Wash - Kingston upon Hull",
        "Die Armee in Sussex soll nach Kent ziehen": "A Sussex - Kent",
    },
    "french": {
        "Armee London va a Surrey": "A London - Surrey",
        "Armee Kent soutient armee London vers Surrey": "A Kent S A London - Surrey",
        "Armee York tient": "A York H",
        "Flotte Wash va a Hull": "F The Wash - Kingston upon Hull",
        "L armee de Sussex doit aller a Kent": "A Sussex - Kent",
    },
}
"""The ink of these tests has no accents; typed lines with them are in `tests/data/order_lines.tsv`."""
DOUBTFUL = {
    "german": [
        "Armee Kent vielleicht nach Surrey", "Armee Kent nach Surrey oder Sussex",
        "Armee Kent nicht nach Surrey",
        "Armee Kent nach Surrey falls leer", "Falls moglich Armee Kent nach Surrey",
        "Armee Kent nach Surrey (vielleicht)", "Armee Kent nach Surrey (falls London frei ist)",
        "Armee Kent nach Surrey sonst halten", "Armee Kent eventuell nach Surrey",
        "Keine Armee Kent nach Surrey", "Armee Kent statt Armee York nach Surrey",
        "Armee Kent unterstutzte Armee York", "Armee Kent mit Hilfe von Armee York nach Surrey",
        # Words that are a letter or two away from another one, which states something else.
        "Armee Kent kommt von Surrey", "Armee Kent vor Surrey", "Armee Kent unter Surrey",
        "Armee Kent nich nach Surrey", "Armee Kent micht nach Surrey",
    ],
    "french": [
        "Armee Kent peut-etre vers Surrey", "Armee Kent vers Surrey ou Sussex",
        "Armee Kent ne va pas a Surrey",
        "Armee Kent vers Surrey si libre", "Si possible armee Kent vers Surrey",
        "Armee Kent vers Surrey (peut-etre)", "Armee Kent vers Surrey (si London est libre)",
        "Armee Kent vers Surrey sinon tient", "Armee Kent vers Surrey sauf attaque",
        "Armee Kent vers Surrey au cas de guerre", "Armee Kent vers Surrey, a moins de guerre",
        "Armee Kent soutenait armee York", "Armee Kent est a Surrey",
        "Armee Kent a attaque Surrey", "Armee Kent rend Surrey", "Armee Kent tient a Surrey",
        "Armee Kent soutient l'attaque sur Surrey",
    ],
}
LANGUAGES = tuple(ORDERS)


def _lines(language: str, *texts: str) -> list[InterpretedLine]:
    """The lines of a sheet below its heading."""
    variant = replace(W3K, languages=(language,))
    reader = PageReader(vocabulary_of(variant, PhaseKind.MOVEMENT))
    return list(reader.read_page(page([*HEADING, *texts]), [known_game(variant)]).lines)[len(HEADING):]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.slow
def test_a_sheet_in_its_language_goes_without_a_look(language: str) -> None:
    lines = _lines(language, *ORDERS[language])
    assert [line.order for line in lines] == list(ORDERS[language].values())
    assert [line.status for line in lines] == [LineState.AUTO] * len(lines)
    assert [line.text for line in lines] == list(ORDERS[language])


@pytest.mark.parametrize(("kind", "lines"), [
    (PhaseKind.MOVEMENT, ["Armee Kent hält", "Armée Kent tient"]),
    (PhaseKind.RETREAT, ["Armee Kent aufgelöst", "Armée Kent dissoute"]),
    (PhaseKind.ADJUSTMENT, ["Auflösung Armee Kent", "Dissolution armée Kent"]),
])
def test_a_game_may_take_both_languages(kind: PhaseKind, lines: list[str]) -> None:
    """The fragments of two languages meet in one grammar."""
    variant = replace(W3K, languages=LANGUAGES)
    german, french = (parse_typed(variant, kind, "Montrose", line).orders for line in lines)
    assert german
    assert german == french


@pytest.mark.parametrize(
    ("language", "text"), [(name, text) for name in LANGUAGES for text in DOUBTFUL[name]])
def test_a_doubt_keeps_the_line_open(language: str, text: str) -> None:
    first, *doubtful = _lines(language, next(iter(ORDERS[language])), text)
    assert first.order == ORDERS[language][first.text]
    assert doubtful
    assert all(line.status is LineState.OPEN for line in doubtful)
    # And typed, where there is no ink to look at, nothing is taken.
    variant = replace(W3K, languages=(language,))
    assert not parse_typed(variant, PhaseKind.MOVEMENT, "Montrose", text).orders


@pytest.mark.parametrize(("language", "rest"), [
    ("german", "falls es leer ist"), ("german", "ausser bei Angriff"), ("german", "vielleicht"),
    ("french", "sinon"), ("french", "peut-etre"), ("french", "sauf attaque de York"), ("french", "si libre")])
def test_a_condition_below_an_order_opens_it(language: str, rest: str) -> None:
    """It may be the end of the order above it."""
    order, last, *_ = ORDERS[language]
    lines = _lines(language, last, order, rest)
    assert lines[0].status is LineState.AUTO
    assert all(line.status is LineState.OPEN for line in lines[1:])


@pytest.mark.parametrize(("language", "word"), [
    ("german", "vielleicht"), ("german", "oder"), ("german", "falls"), ("german", "möglicherweise"),
    ("french", "peut-être"), ("french", "sinon"), ("french", "n'attaque pas"), ("french", "à moins")])
def test_a_word_of_doubt_is_one_only_where_its_language_is_played(language: str, word: str) -> None:
    assert has_doubt(f"Kent {word} Surrey", lexicon_of(replace(W3K, languages=(language,))))
    assert not has_doubt(f"Kent {word} Surrey", lexicon_of(W3K))
