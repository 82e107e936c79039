"""One German word for one thing (REL-03): the terms of letters and pages, and words that are not used for
them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import templates

TERMS = {
    "game": ("Partie", r"Spiele?s?"),
    "deadline": ("Frist", r"Termine?s?|Schluss"),
    "version": ("Version", r"Fassung(?:en|snummer)?"),
    "receipt": ("Quittung", r"Empfangsbestätigung(?:en)?"),
    "digest, fingerprint": ("Fingerabdruck", r"Prüfwerte?s?|Prüfsummen?|Hashwerte?"),
    "seed": ("Saat", r"Startwerte?s?"),
    "beacon": ("Zufallssender", r"Zufallsgebers?"),
    "convoy": ("Konvoi", r"Geleit"),
    "cut (support)": ("unterbrochen", r"gestört(?:e[nrs]?)?"),
    "turned back, bounced, stood off": ("zurückgeworfen", r"abgewiesen|abgewehrt"),
    "set aside": ("beiseitegelegt", r"zurückgelegt(?:e[nrs]?)?|weggelegt(?:e[nrs]?)?"),
    # "aufgehoben" may also mean annulled.
    "kept": ("aufbewahrt", r"aufgehoben"),
    "postal address": ("Postanschrift", r"Postadressen?"),
    "house rules": ("Hausregeln", r"Hausordnung"),
    "coordinator": ("Spielleitung", r"Spielleiter(?:in)?s?|Koordinator(?:in)?"),
    "power": ("Macht", r"Mächtige|Großmacht"),
    "site": ("Website", r"Site|Webseite"),
}
"""An English term to the German one and a pattern of words that would be a second one."""


def strings() -> list[str]:
    with (Path(templates.__file__).parent / "languages" / "de.po").open("rb") as file:
        catalogue = read_po(file, locale="de")
    texts = [message.string or "" for message in catalogue if message.id]
    return [each for text in texts for each in ([text] if isinstance(text, str) else text)]


@pytest.mark.parametrize("term", TERMS)
def test_a_thing_has_one_german_word(term: str) -> None:
    word, others = TERMS[term]
    texts = strings()
    assert any(word.casefold() in text.casefold() for text in texts)
    # "das klassische Spiel" is the game by its rules, and a heading of the house rules is "Spiel".
    wrong = [text for text in texts if re.search(rf"\b(?:{others})\b", text)
             and "klassische Spiel" not in text and text != "Spiel"]
    assert wrong == []
