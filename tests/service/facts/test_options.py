"""The options of a game: what each takes and refuses, by file, form and command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

from grammar.fragments.languages import LANGUAGES
from service.config import ConfigError
from service.facts.options import (
    KEPT,
    REVIEW_WORDS,
    SETTLED,
    THRESHOLDS,
    YES_OR_NO,
    DeclaredEnd,
    GameOptions,
    ReviewMode,
    StoredOptions,
    stored_form,
    threshold_words,
)
from service.games.beacons import CHAINS
from service.games.create import read_game_file
from service.games.ending import DECLARED
from service.games.options import OptionFault, option_from_text, options_of, stored_options, with_options
from service.store.tables import GameRow

FILE = """
name = "Typo"
variant = "standard"
start = 2030-03-01
player = [{name="A", mail=["a@x.example"]}]
[seats]
Austria = "A"
[options]
"""
RIGHT: dict[str, list[Any]] = {
    **{name: [True, False] for name in YES_OR_NO},
    "order_languages": [[], ["german"], ["french", "german"]],
    "review": ["none", "doubtful", "all"],
    "auto_score": [0, 0.5, 0.97, 1, 2.0],
}
WRONG: dict[str, list[Any]] = {
    **{name: ["no", "yes", "true", "", 0, 1, 1.0, [], {}] for name in YES_OR_NO},
    "order_languages": ["german", ["klingon"], [1], [["german"]], True, {"german": True}],
    "review": ["some", "None", "", True, 0, ["all"]],
    "auto_score": ["high", "0.9", True, [0.9], -0.1, 2.1, 95, float("nan"), float("inf")],
}


def _file(folder: Path, options: str) -> Path:
    path = folder / "game.toml"
    path.write_text(FILE + options, "utf-8")
    return path


def test_every_option_has_values_here_and_a_sentence() -> None:
    assert set(RIGHT) == set(WRONG) == set(GameOptions.model_fields)
    for name, field in StoredOptions.model_fields.items():
        assert (field.description or "").endswith("."), name


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in RIGHT for value in RIGHT[name]])
def test_a_right_value_is_taken_from_a_file_and_stored_as_it_was_written(
    tmp_path: Path, name: str, value: Any
) -> None:
    new = read_game_file(_file(tmp_path, f"{name} = {json.dumps(value)}"))
    assert stored_form(new.options) == {name: value}


@pytest.mark.parametrize(("name", "value"), [
    (name, value) for name in WRONG for value in WRONG[name] if not isinstance(value, dict)])
def test_a_wrong_value_of_a_file_is_refused_by_the_option(tmp_path: Path, name: str, value: Any) -> None:
    text = str(value) if isinstance(value, float) else json.dumps(value)
    with pytest.raises(ConfigError, match=rf"game\.toml: options\.{name}: write"):
        read_game_file(_file(tmp_path, f"{name} = {text}"))


@pytest.mark.parametrize("name", sorted(KEPT))
def test_no_file_and_no_command_sets_what_the_program_writes(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=f"options.{name}: there is no such option"):
        read_game_file(_file(tmp_path, f"{name} = 1"))
    with pytest.raises(OptionFault, match=f"options.{name}: there is no such option"):
        option_from_text(name, "1")


def test_every_fault_is_told_in_one_sentence_with_the_nearest_name(tmp_path: Path) -> None:
    """shared case: a game file with misspelt options."""
    with pytest.raises(ConfigError) as caught:
        read_game_file(_file(tmp_path, 'frist_counts = true\ncomands = true\nauto_score = "high"'))
    sentence = str(caught.value)
    assert "options.frist_counts: there is no such option (did you mean first_counts?)" in sentence
    assert "options.comands: there is no such option" in sentence
    assert "options.auto_score: write a number" in sentence


@given(st.text(), st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()))
def test_whatever_is_written_is_taken_with_its_type_or_refused(name: str, value: object) -> None:
    for each in (name, *GameOptions.model_fields):
        try:
            options = stored_options({each: value})
        except OptionFault as fault:
            sentence = str(fault)
        else:
            sentence = ""
            assert each in StoredOptions.model_fields
            assert stored_options(stored_form(options)) == options
        assert not sentence or sentence.startswith(f"options.{each}")


@given(st.sampled_from(sorted(GameOptions.model_fields)), st.text())
def test_a_text_of_a_command_becomes_a_value_that_a_row_takes_or_is_refused(name: str, text: str) -> None:
    try:
        value = option_from_text(name, text)
    except OptionFault as fault:
        sentence = str(fault)
    else:
        sentence = ""
        assert name not in SETTLED
        assert value is None or getattr(GameOptions.model_validate({name: value}), name) == value
    assert not sentence or sentence.startswith(f"options.{name}")


@pytest.mark.parametrize(("name", "text", "value"), [
    ("units_on_map", "yes", True), ("units_on_map", "no", False), ("review", "all", ReviewMode.ALL),
    ("auto_score", "0.95", 0.95), ("auto_score", "", None),
])
def test_a_command_writes_yes_or_no_a_word_or_a_number(name: str, text: str, value: object) -> None:
    assert option_from_text(name, text) == value


def test_a_row_keeps_what_was_set_and_nothing_else() -> None:
    game = GameRow(id="g", name="G", variant="w3k", options={"gazette": False, "start": "2030-03-01"})
    assert with_options(game, auto_score=0.9) == {**game.options, "auto_score": 0.9}
    assert with_options(game, gazette=True, start=None) == {"gazette": True}
    assert with_options(game, return_address=("A", "B"))["return_address"] == ["A", "B"]
    with pytest.raises(OptionFault, match=r"options\.gazete: .*did you mean gazette"):
        with_options(game, gazete=True)
    assert not options_of(game).gazette
    assert not options_of(game).first_counts, "what is missing has its default"


def test_a_row_with_a_wrong_option_is_named() -> None:
    game = GameRow(id="typo", name="G", variant="w3k", options={"units_on_map": "no"})
    with pytest.raises(OptionFault, match=r"The game typo has .* options\.units_on_map: write true or false"):
        options_of(game)


def test_options_do_not_change() -> None:
    with pytest.raises(ValidationError):
        GameOptions().gazette = True


def test_words_and_names_that_others_have_too_are_the_same() -> None:
    assert set(REVIEW_WORDS) == set(ReviewMode)
    schema = StoredOptions.model_json_schema()["properties"]
    assert schema["order_languages"]["items"]["enum"] == list(LANGUAGES)
    assert [schema["beacon"]["anyOf"][0]["const"]] == list(CHAINS)
    assert DeclaredEnd.model_json_schema()["properties"]["kind"]["enum"] == [str(kind) for kind in DECLARED]


@pytest.mark.parametrize(("score", "words"), [
    (None, "as sure as the site requires"), (0.95, "at least 95 per cent sure"),
    (0.97, "at least 97 per cent sure"),
    (1.5, THRESHOLDS[2.0]), (2.0, THRESHOLDS[2.0]),
])
def test_a_threshold_in_words(score: float | None, words: str) -> None:
    assert threshold_words(score) == words
