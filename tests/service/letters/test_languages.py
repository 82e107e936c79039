"""LET-10: letters in a player's language. Every message of the sources is translated, and no template has
words that no catalogue can reach."""

from __future__ import annotations

import ast
import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import service
import templates
from service.letters import render
from service.letters.facts import GameInfo, Recipient
from service.letters.language import ENGLISH, LANGUAGES, Sentence, language, powers_in_row
from service.letters.set_aside import translatable
from service.notices.results_facts import DRAFT_RESULTS
from tests.support import letters_samples as samples
from tests.support.features import of_features
from tools import catalogue

FOLDER = Path(templates.__file__).parent
OTHERS = [code for code in LANGUAGES if code != ENGLISH]
# What Jinja takes out, tags with their attributes, and entities; the rest of a template is bare text.
NO_TEXT = re.compile(
    r"{%.*?%}|{{.*?}}|{#.*?#}|<style>.*?</style>|<script.*?</script>|<[^>]*>|&\w+;", re.DOTALL)
SERVICE = Path(service.__file__).parent
REFUSALS = {"HTTPException": 1, "_Refusal": 1, "BadAddress": 0, "Refused": 0}
"""Exceptions whose sentence a player reads, with the place of the sentence among their values."""
SUBJECT = re.compile(r"(?<={% block subject %}).*?(?={% endblock %})", re.DOTALL)
PATTERN = {"Orders", "Retreat", "Adjustment", "Re"}


@pytest.mark.parametrize("code", OTHERS)
def test_a_catalogue_has_every_message_and_is_compiled(code: str) -> None:
    assert list(catalogue.faults(code)) == []
    assert len(catalogue.messages()) > 250


@pytest.mark.parametrize("path", sorted([*(FOLDER / "mail").iterdir(), *FOLDER.glob("features/*/*.jinja")]),
                         ids=lambda path: path.name)
def test_no_template_of_a_letter_has_bare_text(path: Path) -> None:
    subject, body = SUBJECT.findall(path.read_text()), SUBJECT.sub("", path.read_text())
    assert re.findall(r"[A-Za-z]+", NO_TEXT.sub("", body)) == []
    # Subjects have the parts of the canonical pattern (SUBJ-01), which our own mails keep in every language.
    assert set(re.findall(r"[A-Za-z]+", NO_TEXT.sub("", "".join(subject)))) <= PATTERN


@pytest.mark.parametrize("code", OTHERS)
def test_a_letter_in_another_language_has_the_same_facts_and_orders(code: str) -> None:
    game = GameInfo("edgehill", "Edgehill", "Wars", "orders@w3k.example", "Ada")
    readers = [Recipient("a@b.example", "Montrose", name="Eva", language=each) for each in (ENGLISH, code)]
    english, other = (
        render.letter(DRAFT_RESULTS, game, to, samples.results(), phase=samples.MOVEMENT) for to in readers)
    assert other.key == english.key
    assert f'<html lang="{code}">' in (other.html or "")
    # Orders stay in the game's language; what became of them is stated in the reader's.
    for words in ("✓ Army London moves to Surrey.", "- The Crown, "):
        assert words in other.text
    assert "support cut by" in english.text
    assert "support cut by" not in other.text
    for words in ("The news", "No sheet was received.", "Who holds what"):
        assert words.casefold() not in other.text.casefold()
        assert language(code).say(words).casefold() in other.text.casefold()


def bare_refusals(path: Path) -> list[str]:
    """Exceptions for players whose sentence no catalogue can reach, as "file:line"."""
    module = ast.parse(path.read_text())
    constants = {target.id: statement.value for statement in module.body if isinstance(statement, ast.Assign)
                 for target in statement.targets if isinstance(target, ast.Name)}
    bare = []
    for call in (node.exc for node in ast.walk(module) if isinstance(node, ast.Raise)):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in REFUSALS):
            continue
        sentence = call.args[REFUSALS[call.func.id]]
        if isinstance(sentence, ast.Name):
            sentence = constants.get(sentence.id, sentence)
        # `str(fault)` has English words alone.
        by_str = isinstance(sentence, ast.Call) and isinstance(sentence.func, ast.Name) and (
            sentence.func.id == "str")
        if by_str or isinstance(sentence, ast.Constant | ast.JoinedStr):
            bare.append(f"{path.name}:{call.lineno}")
    return bare


def test_no_refusal_to_a_player_is_in_english_alone(tmp_path: Path) -> None:
    sources = [*(SERVICE / "public").rglob("*.py"), *(SERVICE / "notices").rglob("*.py"),
               *(SERVICE / "letters").rglob("*.py"),
               *(SERVICE / "features").rglob("*.py")]
    # Programs read English, and so do coordinators.
    for name in of_features("IN_ENGLISH"):
        sources.remove(SERVICE / name)
    assert [line for path in sorted(sources) for line in bare_refusals(path)] == []
    example = tmp_path / "example.py"
    example.write_text("""
NO = "No."
raise HTTPException(404, NO)
raise HTTPException(400, f"Nothing was changed. {fault}")
raise HTTPException(400, str(fault))
raise BadAddress("No address.")
raise BadAddress(Sentence("No address."))
raise HTTPException(404, N_("No."))
""")
    assert bare_refusals(example) == [f"example.py:{line}" for line in (3, 4, 5, 6)]


def test_a_sentence_is_an_english_string_that_can_be_said_again() -> None:
    instant = datetime(2027, 3, 14, 7, tzinfo=UTC)
    sentence = Sentence.of(
        Sentence("Open now: %(phase)s, until %(instant)s.", phase="Autumn 1644 Movement", instant=instant),
        Sentence("Nothing you sent before has changed."))
    assert sentence == (
        "Open now: Autumn 1644 Movement, until Sun 14 Mar 2027, 07:00 GMT. Nothing you sent before has "
        "changed.")
    assert language("de").value(sentence) == (
        "Jetzt offen: Autumn 1644 Movement, bis So, 14. März 2027, 07:00 GMT. An dem, was Sie vorher "
        "geschickt haben, ist nichts geändert.")


def test_a_language_without_a_catalogue_is_english() -> None:
    assert language("tlh").code == ENGLISH
    assert language("../../etc/passwd").say("The news") == "The news"
    assert [language(code).say("The news") for code in LANGUAGES] == ["The news", "Das Neueste"]


def test_what_was_set_aside_is_said_in_the_players_language() -> None:
    """LET-10: in German letters the sentences about sheets that do not count were English."""
    english = {"A": ("A sheet was received and set aside: the photograph is blurred; the sheet is cut off.",
                     "A mail was received and set aside: its sender could not be proved.",
                     "A sheet was received after the deadline and does not count.",
                     "A sheet was received and set aside: his cat sat on it.")}
    german = [language("de").value(sentence) for sentence in translatable(english)["A"]]
    assert german == [
        ("Ein Blatt ist eingegangen und wurde beiseitegelegt: das Foto ist unscharf; das Blatt ist "
        "abgeschnitten."),
        "Eine Mail ist eingegangen und wurde beiseitegelegt: der Absender ließ sich nicht nachweisen.",
        "Ein Blatt ist nach der Frist eingegangen und zählt nicht.",
        # What the coordinator typed stays as typed.
        "Ein Blatt ist eingegangen und wurde beiseitegelegt: his cat sat on it.",
    ]
    # In English nothing changes.
    assert translatable(english) == english


def test_a_power_has_its_article_in_english_alone() -> None:
    """In the middle of a sentence: "the Crown" and "the Ottoman Empire", in German the bare name."""
    names, articled = ("Ottoman Empire", "The Crown", "Ormond"), {"Ottoman Empire"}
    sentences = [powers_in_row(names, articled), powers_in_row(names, articled, starts=True)]
    assert [language("en").value(sentence) for sentence in sentences] == [
        "the Ottoman Empire, the Crown and Ormond", "The Ottoman Empire, the Crown and Ormond"]
    assert {language("de").value(sentence) for sentence in sentences} == {
        "Ottoman Empire, The Crown und Ormond"}


def test_a_day_is_written_as_its_language_writes_it() -> None:
    day = date(2027, 4, 5)
    assert [language(code).value(day) for code in ("en", "de")] == ["5 Apr 2027", "5. April 2027"]
