"""TRU-04: letters of several players together show two truths, and a root has four words."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.headings.root_words import WORDS, is_root
from grammar.remarks import is_harmless
from reading.vocabulary import vocabulary_of
from service.record.references import root_words
from tests.support import keeper
from tests.support.keeper import OTHER, VICTIM, Evidence
from tests.support.proofs import proof_of, with_proof, with_words, words_of
from tests.support.public_site import visitor

LIST = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"
"""The SHA-256 of BIP 39's English list as its authors publish it."""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evidence, dict[str, str]]:
    """A game with two results, and its public pages of roots."""
    folder = tmp_path_factory.mktemp("game")
    with keeper.opened(folder / "play", None) as table:
        keeper.go_on(table)
        keeper.send_sheets(table)
        keeper.go_on(table)
        with visitor(table.site) as browser:
            pages = {end: browser.get(f"/public/{table.game}/roots{end}") for end in ("", ".json", ".atom")}
            assert browser.get("/public/nowhere/roots").status_code == 404
        assert {page.status_code for page in pages.values()} == {200}
        return keeper.evidence(table), {end: page.text for end, page in pages.items()}


def test_the_words_are_the_published_list_and_both_programs_say_the_same() -> None:
    """(TRU-04) As docs/record.md has it, by hashlib alone."""
    assert hashlib.sha256(("\n".join(WORDS) + "\n").encode()).hexdigest() == LIST
    tool = keeper.tool_module()
    assert hashlib.sha256("".join(f"{word}\n" for word in WORDS).encode()).hexdigest() == tool.WORDS
    root = "5f" * 32
    derived = hashlib.pbkdf2_hmac("sha256", root.encode(), b"galloper words", 100_000, 8)
    bits = f"{int.from_bytes(derived):064b}"
    expected = " ".join(WORDS[int(bits[start:start + 11], 2)] for start in (0, 11, 22, 33))
    assert root_words(root) == tool.root_words(root, tuple(WORDS)) == expected


@pytest.mark.parametrize(("line", "is_read_so"), [
    ("girl all piano circle", True), ("girl al1 piano circle", False), ("gir1 all pjano circle", True),
    ("girl all piano", False), ("army all piano circle", False), ("ayr holds and moves", False),
    ("support clyde to ayr", False),
])
def test_four_words_on_a_sheet_are_no_order_and_need_nobody(line: str, *, is_read_so: bool) -> None:
    """(TRU-04) One letter may be misread; what may be a part of an order stays a person's."""
    assert is_root(line.split()) == is_read_so
    lexicon = vocabulary_of(maps.load("w3k"), PhaseKind.MOVEMENT).lexicon
    assert is_harmless(line, lexicon) == is_read_so


def test_results_page_and_feed_have_the_same_words(game: tuple[Evidence, dict[str, str]]) -> None:
    """(TRU-04)"""
    shown, pages = game
    letters = [words_of(data) for name, data in shown.letters[VICTIM].items() if "results" in name]
    assert len(letters) == 2
    for letter in letters:
        words = letter.partition("In four words: ")[2].partition(".")[0]
        assert len(words.split()) == 4
        assert all(words in page for page in pages.values())


def two_records(shown: Evidence, name_part: str) -> dict[str, bytes]:
    """A letter of one player with another digest than that of another player, both whole in themselves."""
    of_victim = next((name, data) for name, data in shown.letters[VICTIM].items() if name_part in name)
    other = next((name, data) for name, data in shown.letters[OTHER].items() if name_part in name)
    root = str(proof_of(other[1])["root"])
    false = hashlib.sha256(b"another record").hexdigest()
    false_letter = with_words(
        with_proof(other[1], root=false), lambda words: words.replace(root_words(root), root_words(false)))
    return {of_victim[0]: of_victim[1], other[0]: false_letter}


@pytest.mark.slow
def test_two_truths_are_named_with_both_letters(
    game: tuple[Evidence, dict[str, str]], tmp_path: Path
) -> None:
    """(TRU-04) And anyone who shows them together sees it; all true letters together are sound."""
    shown, _ = game
    letters = two_records(shown, "-final_results-")
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        alarms, _ = check(shown.whole, letters)
        assert "two truths" in alarms.lower()
        assert all(name in alarms for name in letters)
        assert check(shown.whole, shown.shown(keeper.PLAYERS))[0] == ""


def test_words_of_another_root_are_named(game: tuple[Evidence, dict[str, str]], tmp_path: Path) -> None:
    """(TRU-04)"""
    shown, _ = game
    name, data = next(each for each in shown.letters[VICTIM].items() if "-final_results-" in each[0])
    words = words_of(data).partition("In four words: ")[2].partition(".")[0]
    first, _, others = words.partition(" ")
    # One root in 2048 begins with "zoo" itself.
    other_words = f"{'zoo' if first != 'zoo' else 'abandon'} {others}"
    letters = {name: with_words(data, lambda text: text.replace(words, other_words))}
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        assert "four words" in check(shown.whole, letters)[0]
