"""LET-10: both checkers read what a letter proves in each language, not in English alone. The values are
those put into the letter."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from service.archive import verify_letters
from service.letters import render
from service.letters.facts import GameInfo, Proofs, Recipient
from service.letters.language import LANGUAGES, wordings
from service.notices.answers.receipts import RECEIPT
from service.notices.results_facts import FINAL_RESULTS
from service.record.references import Commitment, RecordReference
from tests.support import letters_samples as samples
from tools import verify_record

GAME = GameInfo("edgehill", "Edgehill (2)", "Wars", "orders@w3k.example", "Ada")
ROOT, SEED, LEAF, CHAIN = "ab" * 32, "cd" * 32, "ef" * 32, "52" * 32


def text_of(kind: str, code: str) -> str:
    """The words of a letter with proofs, as a checker sees them."""
    to = Recipient("a@b.example", "Montrose", language=code)
    proofs = Proofs(
        seeds=(Commitment("Winter 1645", 12, SEED, is_mixed=True, chain=CHAIN),
               Commitment("Winter 1646", 20, SEED, is_mixed=True), Commitment("Winter 1647", 28, SEED)),
        record=RecordReference(41, ROOT))
    if kind == "results":
        letter = render.letter(FINAL_RESULTS, GAME, to, replace(samples.results(), proofs=proofs),
            phase=samples.MOVEMENT)
    else:
        facts = samples.RECEIPT_FACTS
        sheet = replace(facts.sheet, record=RecordReference(17, LEAF, "2027-03-12T18:02:05Z"))
        letter = render.letter(RECEIPT, GAME, to, replace(facts, sheet=sheet))
    return " ".join(letter.text.split())


@pytest.mark.parametrize("code", LANGUAGES)
def test_root_seeds_and_versions_of_results_are_read(code: str) -> None:
    text, name = text_of("results", code), re.escape(GAME.name)
    roots = [match for root in verify_letters._ROOTS
             for match in verify_letters._matches(text, wordings(root), game=name, number=r"(?P<n>\d+)")]
    assert [(match["n"], match["digest"]) for match in roots] == [("41", ROOT)]
    seeds = list(verify_letters._matches(text, wordings(verify_letters._LOTS), season=".{0,80}?",
                                         number=r"(?P<phase>\d+)"))
    assert [(match["phase"], match["digest"], verify_letters._mixed(text[match.end():].lstrip()))
            for match in seeds] == [("12", SEED, CHAIN), ("20", SEED, ""), ("28", SEED, None)]
    mark = samples.DIGEST[:12]
    assert verify_letters._counted(text) == {("version 2", mark), ("without a version number", mark)}
    assert verify_record.roots_of(text, name) == [("41", ROOT)]
    assert verify_record.seeds_of(text) == [
        ("12", SEED, CHAIN), ("20", SEED, "sheets"), ("28", SEED, "")]
    assert verify_record.versions_of(text) == {("2", mark), ("number", mark)}


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_entry_of_a_receipt_is_read(code: str) -> None:
    text, name = text_of("receipt", code), re.escape(GAME.name)
    matches = verify_letters._matches(text, wordings(verify_letters._RECEIPT), game=name,
                                      number=r"(?P<n>\d+)", stamp=r"(?P<stamp>\S+)")
    assert [(match["n"], match["stamp"], match["digest"]) for match in matches] == [
        ("17", "2027-03-12T18:02:05Z", LEAF)]
    assert verify_record.receipts_of(text, name) == [("17", "2027-03-12T18:02:05Z", LEAF)]
