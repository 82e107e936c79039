"""The house rules that results cite are published to players (Q-18 among them), with the answer that is
played."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

import maps
from adjudicator import rules
from maps.rulings import BadRulings, rulings
from service.games.rulings import rules_of
from service.notices.results import ResultsAnnouncer
from service.public.rules import anchor, curly
from tests.support.public_site import BASE
from tests.support.table import Table

W3K = maps.load("w3k")


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<br>", " ", re.sub(r"<(?!br)[^>]+>", "", page))).split())


def test_every_house_rule_that_results_cite_has_its_paragraph_on_the_page(client: TestClient) -> None:
    """Q-15 to Q-39: a player who reads "(house rules, Q-18)" finds it."""
    page = client.get("/public/rules/w3k").text
    cited = {
        str(citation).removeprefix("house rules, ")
        for citation in W3K.rules.citations.values()
        if str(citation).startswith("house rules")
    }
    assert {"Q-18", "Retreats", "Own units"} <= cited
    for name in cited:
        assert f'<p id="{anchor(name)}"><strong>{name}</strong>' in page, name


def test_the_answer_that_is_played_is_given_and_no_other(client: TestClient) -> None:
    """Q-18: the board has Szykman's rule; Q-21: an own attack does not disrupt a conversion."""
    page_text = words(client.get("/public/rules/w3k").text)
    assert ("Q-18. What becomes of a convoy that hangs on a fight which the army it carries would decide? "
            "Here: The convoy is disrupted") in page_text
    # The board has Szykman's rule; this is the sentence of the other answer.
    assert "the army stays, and so does whoever attacks its fleets" not in page_text
    assert "disrupt a conversion? Here: No: it is like cutting support." in page_text


def test_a_colon_stays_with_its_rule(client: TestClient) -> None:
    """Without it "No one must retreat the retreat phase" states the opposite."""
    page_text = words(client.get("/public/rules/w3k").text)
    assert "Nobody must retreat: the retreat phase is passed over" in page_text
    assert " :" not in page_text


def test_another_answer_of_the_board_is_another_sentence() -> None:
    other = replace(W3K, rules=rules.load("w3k", {**W3K.rules.values, "convoy_paradox": "all_hold"}, {}))
    (ruling,) = [ruling for ruling in rulings(maps.folder("w3k"), other) if ruling.name == "Q-18"]
    assert ruling.answer == "The army stays, and so does whoever attacks its fleets."


def test_the_page_has_none_of_our_own_signs(client: TestClient) -> None:
    """No file, no key of a table, no number of a requirement but those that results cite."""
    page_text = words(client.get("/public/rules/w3k").text)
    assert not re.search(r"`|\*\*|\.csv|\.toml|_|maps/|\([A-Z]{2,4}-\d\d\)", page_text)
    for value in W3K.rules.values:
        assert value not in page_text or "_" not in value


def test_a_board_without_house_rules_has_no_page_and_no_link(client: TestClient) -> None:
    # The last one would leave the folder of the boards if it were taken as a path.
    for slug in ("standard", "nowhere", "..%2Fw3k"):
        assert client.get(f"/public/rules/{slug}").status_code == 404


def test_the_games_page_and_its_results_lead_there(client: TestClient, table: Table) -> None:
    assert 'href="/public/rules/w3k"' in client.get(f"/public/{table.game}").text
    writer = table.writer
    writer = replace(writer, sender=replace(writer.sender, base_url=f"{BASE}/"))
    table.announce = ResultsAnnouncer(writer)
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    table.approve_phase(table.phase().id, "ada")
    sent = table.letters("final_results")
    assert len(sent) == len(table.variant.powers)
    for letter in sent:
        assert f"{BASE}/public/rules/w3k" in table.words(letter)
        twin = table.message(letter).get_body(("html",))
        assert twin is not None
        assert f'<a href="{BASE}/public/rules/w3k">' in twin.get_content()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("**Q-1, `no_such`.** What? `yes`: so.", "Q-1 is about 'no_such'"),
        (("**Q-18, `convoy_paradox`.** What? `szykman`: "
          "so."), "Q-18 should answer for each of szykman, all_hold"),
    ],
)
def test_a_ruling_that_does_not_fit_its_board_is_our_fault_and_named(
    text: str, sentence: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("board")
    (folder / "rulings.md").write_text(f"# Rulings\n\n## Play\n\n{text}\n", encoding="utf-8")
    with pytest.raises(BadRulings, match=sentence):
        rulings(folder, W3K)


@pytest.mark.parametrize("slug", [slug for slug in maps.variants() if rules_of(slug)])
def test_the_rules_are_said_in_the_readers_language_under_the_same_anchors(
    client: TestClient, slug: str
) -> None:
    """REL-03: results cite a rule by its English name, so its place on the page stays."""
    english = client.get(f"/public/rules/{slug}").text
    german = client.get(f"/public/rules/{slug}", headers={"accept-language": "de"}).text
    assert re.findall(r'<p id="([^"]+)"', german) == re.findall(r'<p id="([^"]+)"', english)
    text = words(german)
    assert "Hausregeln" in text
    for rule in rules_of(slug):
        assert not (rule.text and curly(rule.text) in text), rule
        assert not (rule.answer and curly(rule.answer) in text), rule
