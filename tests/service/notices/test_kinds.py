"""Every kind of letter is one value: all that the program must know of it is there, and nowhere else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import service
from service.bootstrap import letter_kinds
from service.letters.facts import KeyedFacts
from service.letters.kinds import AnyKind, Contents, LetterKind, LetterKinds
from service.letters.language import LANGUAGES
from service.letters.render import letter_environment
from service.mail.sending.compose import Addressee, Rank
from service.notices.kinds import CORE
from service.notices.previews import Previews
from service.store.tables import GameRow
from tests.support.table import Table

EVERY = tuple(letter_kinds().by_name.values())
SPELT_ALIKE = {"deadline_moved", "sign_up"}
"""Kinds of letters that are called as an event or a verdict on a mail is."""


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_a_kind_has_a_template_with_a_subject_a_title_and_a_preview(kind: AnyKind) -> None:
    template = letter_environment("en", markup=False, folder=kind.folder).get_template(f"{kind.name}.jinja")
    assert {"subject", "body"} <= set(template.blocks)
    assert kind.title
    # A letter that belongs to no game cannot be shown as one of a game.
    assert (kind.occasion is None) == (kind.contents is Contents.LINK)
    if kind.occasion is not None:
        assert kind.occasion.receivers
        assert kind.occasion.when


def test_titles_differ() -> None:
    assert len({kind.title for kind in EVERY}) == len(EVERY)


def test_letters_of_a_kind_that_was_joined_with_another_are_read_as_before() -> None:
    """A database has the words of kinds that there are no more."""
    kinds = letter_kinds()
    former = {word: kind for kind in EVERY for word in kind.former}
    assert former["hand_over"].name == "announcement"
    assert not set(former) & set(kinds.by_name)
    for word, kind in former.items():
        assert kinds.contents_of(word) is kind.contents is not Contents.LINK
        assert kinds.addressees[word] is kind.addressee


def test_what_answers_a_mail_is_its_senders_own_and_waited_for() -> None:
    answers = [kind for kind in EVERY if kind.answers_mail]
    assert {kind.rank for kind in answers} == {Rank.ANSWER}
    assert {kind.addressee for kind in [*answers, *(kind for kind in EVERY if kind.is_counted)]} == {
        Addressee.PLAYER}


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_kind_of_a_game_reads_in_every_language(table: Table, code: str) -> None:
    with table.site.store() as session:
        game = session.get_one(GameRow, table.game)
        power = next(iter(table.variant.powers))
        for kind in table.writer.kinds_of(game).values():
            letter = Previews(table.writer, session, game, power, language=code).of(kind).letter
            assert (letter.kind, letter.rank, letter.addressee) == (kind.name, kind.rank, kind.addressee)
            assert f'<html lang="{code}">' in (letter.html or "")
            assert letter.subject
            assert len(letter.text.split()) > 15


def test_the_name_of_a_kind_is_spelt_in_one_module() -> None:
    """What checks an archive is apart: it believes none of the program's words."""
    names = {kind.name for kind in EVERY if "_" in kind.name} - SPELT_ALIKE
    root = Path(service.__file__).parent
    spelt: dict[str, list[str]] = {name: [] for name in names}
    for path in root.rglob("*.py"):
        if path.is_relative_to(root / "archive"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in names:
                spelt[str(node.value)].append(path.name)
    assert {name: places for name, places in spelt.items() if len(places) != 1} == {}


def test_a_feature_brings_kinds_and_no_two_have_one_name() -> None:
    extra = LetterKind("map_sale", KeyedFacts, "A map is for sale", addressee=Addressee.SEAT, is_counted=True,
                       folder="features/map_sale")
    kinds = LetterKinds.of(CORE, [extra])
    assert kinds.addressees["map_sale"] is Addressee.SEAT
    assert kinds.names(lambda kind: kind.is_counted)[-1] == "map_sale"
    assert kinds.answers == LetterKinds.of(CORE).answers
    with pytest.raises(ValueError, match="map_sale"):
        LetterKinds.of(CORE, [extra], [extra])


def test_a_letter_of_a_kind_that_is_gone_is_shown_to_nobody() -> None:
    """Its feature was taken out, and its letters are still there: they may have had links in them."""
    assert LetterKinds.of(CORE).contents_of("map_sale") is Contents.LINK
