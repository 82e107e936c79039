"""Every letter renders, states the same in both forms, and lets no sender's words forge anything."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from jinja2 import UndefinedError

import templates
from adjudicator.outcome import Result
from service.bootstrap import letter_kinds
from service.facts.refusals import RefusalReason
from service.games.results import ShownOrder, ShownPower
from service.intake.verdicts import explanations
from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.letters import render
from service.letters.facts import AnsweredMail, GameInfo, Recipient, ResultsFacts
from service.letters.form import with_lists
from service.letters.news import news_of
from service.mail.authentication.trust import NOBODY
from service.mail.sending.compose import compose
from service.notices.answers.replies import REJECTION, RejectionFacts
from service.notices.results_facts import DRAFT_RESULTS, FINAL_RESULTS, YEAR_END_RESULTS
from tests.support import letters_samples as samples

NASTY = "\r\nBcc: victim@example.org\r\n\r\n<script>alert('x')</script>&\x00\u2028" + "long " * 100
LETTERS = samples.every_letter()
FOLDER = Path(templates.__file__).parent


class _Words(HTMLParser):
    """The words a reader of the HTML sees."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: set[str] = set()
        self._skip = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._skip += tag in {"style", "head"}

    def handle_endtag(self, tag: str) -> None:
        self._skip -= tag in {"style", "head"}

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.words += data.split()


def parsed_html(html: str | None) -> _Words:
    parser = _Words()
    parser.feed(html or "")
    return parser


def words(text: str) -> list[str]:
    return [word for word in text.split() if word != "-"]


def joined(pieces: list[str]) -> str:
    # Headings are capitals in text and large in HTML.
    return "".join(piece for piece in pieces if piece != "-").casefold()


def test_every_kind_has_its_template_and_a_sample() -> None:
    kinds = letter_kinds().by_name.values()
    assert {letter.kind for letter in LETTERS.values()} == {
        kind.name for kind in kinds if kind.occasion is not None}
    for folder in {kind.folder for kind in kinds}:
        names = {path.name for path in (FOLDER / folder).glob("*.jinja") if not path.name.startswith("_")}
        assert names == {f"{kind.name}.jinja" for kind in kinds if kind.folder == folder}


@pytest.mark.parametrize("name", LETTERS)
def test_text_and_html_say_the_same_words(name: str) -> None:
    letter = LETTERS[name]
    assert len(words(letter.text)) > 15
    # Words that touch a tag are split in HTML: compared without the spaces.
    assert joined(parsed_html(letter.html).words) == joined(words(letter.text))


@pytest.mark.parametrize("name", LETTERS)
def test_lines_fit_72_columns_but_for_what_is_copied(name: str) -> None:
    """A line that goes on in the next ends with one blank (RFC 3676), which no one sees; no other has
    one."""
    for line in LETTERS[name].text.splitlines():
        assert len(line.rstrip()) <= 72 or line.startswith("    ")
        assert line in {line.rstrip(), f"{line.rstrip()} "}
    assert "\n\n\n" not in LETTERS[name].text


@pytest.mark.parametrize("name", LETTERS)
def test_no_sender_forges_a_header_a_paragraph_or_a_script(name: str) -> None:
    letter = samples.every_letter(NASTY)[name]
    # U+2028 too: str.splitlines ends a line at it.
    assert not re.search(r"[\r\n\x00\u2028]", letter.subject)
    assert len(letter.subject) <= 200
    raw = compose(letter, "Galloper <orders@w3k.example>", samples.AT)
    message = message_from_bytes(raw, policy=policy.default)
    assert message["Bcc"] is None
    assert message["To"] == letter.recipient
    assert message["Subject"].startswith(letter.subject.split()[0])
    assert "script" not in parsed_html(letter.html).tags
    # A line that goes on in the next is one line (RFC 3676), wherever its words happen to be broken.
    flowed = letter.text.replace(" \n", " ")
    assert not [line for line in flowed.splitlines() if line.startswith("Bcc:")]
    assert "\x00" not in letter.text


def test_a_list_is_one_also_at_the_end_of_a_letter() -> None:
    """The last entries of the record stood left of the letter's margin, outside of any list."""
    items = "<li>Entry 210: late.</li>\n<li>Entry 211: posted.</li>"
    assert with_lists(f"<p>Note:</p>\n{items}") == f"<p>Note:</p>\n<ul>\n{items}</ul>\n"
    assert with_lists(f"{items}\n<p>Then:</p>") == f"<ul>\n{items}\n</ul>\n<p>Then:</p>"


def test_no_letter_carries_another_players_address() -> None:
    # The coordinator alone learns from whom a mail came (BOX-10).
    for letter in (letter for letter in LETTERS.values() if letter.kind != "coordinator_notice"):
        addresses = set(re.findall(r"(?<!cid:)\b[\w.]+@[\w.]+\w", letter.text + (letter.html or "")))
        # The site's own address is where orders go; any other would be a player's.
        assert addresses <= {"orders@w3k.example"}


def test_letters_have_keys_of_their_own_and_answers_are_threaded() -> None:
    keys = [letter.key for name, letter in LETTERS.items() if " " not in name]
    assert len(set(keys)) == len(keys)
    assert LETTERS["receipt"].replies_to == ("<a10@mailbox.example>",)
    again = samples.every_letter()
    assert {n: letter.key for n, letter in again.items()} == {n: letter.key for n, letter in LETTERS.items()}


def test_two_players_at_one_address_get_a_letter_each() -> None:
    game = GameInfo("edgehill", "Edgehill", "Wars", "orders@w3k.example", "Ada")
    keys = {
        render.letter(DRAFT_RESULTS, game, Recipient("home@post.example", power), samples.results(),
            phase=samples.MOVEMENT).key
        for power in ("Montrose", "Argyll")
    }
    assert len(keys) == 2


def test_subjects_follow_the_canonical_pattern() -> None:
    assert LETTERS["receipt"].subject == ("Powick Bridge - Montrose - Autumn 1644 - Movement Orders - v2 "
                                          "received")
    assert LETTERS["receipt bare"].subject == ("Powick Bridge - Montrose - Autumn 1644 - Movement Orders - "
                                               "received")
    assert LETTERS["draft_results"].subject == (
        "Powick Bridge - Montrose - Autumn 1644 - Draft Results before retreats"
    )
    assert LETTERS["adjustment demand"].subject == (
        "Powick Bridge - Montrose - Winter 1645 - Adjustment Orders - removals wanted"
    )


@pytest.mark.parametrize(
    ("moment", "zone", "expected"),
    [
        # The first two are worked dates of requirement CAL: 07:00 GMT is 08:00 in London after the clocks
        # change.
        (datetime(2027, 3, 14, 7, tzinfo=UTC), "", "Sun 14 Mar 2027, 07:00 GMT"),
        (datetime(2027, 3, 29, 7, tzinfo=UTC), "Europe/London", ("Mon 29 Mar 2027, 07:00 GMT (08:00 your "
                                                                 "time)")),
        (datetime(2027, 3, 29, 7, tzinfo=UTC), "America/Mexico_City", ("Mon 29 Mar 2027, 07:00 GMT (01:00 "
                                                                       "your time)")),
        (datetime(2027, 3, 29, 7, tzinfo=UTC), "America/Los_Angeles", ("Mon 29 Mar 2027, 07:00 GMT (00:00 "
                                                                       "your time)")),
        (datetime(2027, 1, 4, 7, tzinfo=UTC), "Pacific/Honolulu", ("Mon 4 Jan 2027, 07:00 GMT (Sun 3 Jan, "
                                                                   "21:00 your time)")),
        (datetime(2027, 3, 14, 7, tzinfo=UTC), "Nowhere/Land", "Sun 14 Mar 2027, 07:00 GMT"),
        (datetime(2027, 3, 14, 7, tzinfo=UTC), "../../etc/passwd", "Sun 14 Mar 2027, 07:00 GMT"),
    ],
)
def test_times_are_told_in_gmt_first(moment: datetime, zone: str, expected: str) -> None:
    assert render.instant_words(moment, zone) == expected


def test_time_left_is_told_in_two_units() -> None:
    assert render.duration(timedelta(days=1, hours=12, minutes=57)) == "1 day 12 hours"
    assert render.duration(timedelta(minutes=1)) == "1 minute"
    assert render.duration(timedelta(minutes=-5)) == "no time"
    flat = re.sub(r"\s+", " ", LETTERS["rejection"].text)
    assert "Time left: 1 day 12 hours, until Sun 14 Mar 2027, 07:00 GMT." in flat


def test_results_show_every_part() -> None:
    text = re.sub(r"\s+", " ", LETTERS["draft_results"].text)
    for part in (
        "THE CROWN", "✓ Army London moves to Surrey.",
        "✗ Army Oxford supports Army London to Surrey: support cut by Army Berkshire's attack on Oxford.",
        "A line read as “Army Durham” or as “Army Derby”: void, the unit holds.",
        "Army Exeter had no order and holds.",
        "MONTROSE - No sheet was received. - Army Inverness had no order and holds.",
        "HAMILTON - No orders on the sheet.",
        "Army Derbyshire (Newcastle), dislodged by the attack from Nottinghamshire",
        "Fleet Wexford (Confederacy)",
        "The Crown: 7 centres, 5 units. Gained Oxford. May build 2 units.",
        "Montrose: 1 centre, 3 units. Lost Orkney, Aberdeen. Must remove 2 units.",
        "Hamilton: 6 centres, 6 units.",
        "The war is won by the Crown.", "Montrose and Ormond together meet the condition for a draw.",
        "- The Crown, version 2", "2 sheets counted:", "Attached: map.pdf.",
    ):  # fmt: skip
        assert part in text


def result_lines(*orders: ShownOrder) -> list[str]:
    """The lines of a results letter about these orders, each on one line."""
    facts = ResultsFacts(powers=(ShownPower("The Crown", orders),))
    game = GameInfo("edgehill", "Edgehill", "Wars", "orders@w3k.example", "Ada")
    letter = render.letter(FINAL_RESULTS, game, Recipient("a@b.example", "Montrose"), facts,
        phase=samples.MOVEMENT)
    text = letter.text.replace(" \n  ", " ").partition("THE CROWN\n")[2].partition("\n\n")[0]
    return text.splitlines()


def test_a_success_is_said_once_and_a_failure_gives_its_reason_once_with_the_rule_at_the_end() -> None:
    """LET-07. The sentences are those that the judge writes."""
    assert result_lines(
        ShownOrder("Army Worcestershire holds", Result.SUCCEEDS, "holds", "holds (handbook, Unit orders)",
                   None, rule="handbook, Unit orders"),
        ShownOrder("Army Exeter moves to Devon", Result.SUCCEEDS, "moves", "moves to Devon", None),
        ShownOrder("Army Lindsey moves to Kesteven", Result.SUCCEEDS, "moves",
                   "moves to Kesteven, where Army Kesteven is dislodged (2 against 1) (handbook, Convoys)",
                   None, rule="handbook, Convoys"),
        ShownOrder("Army Norfolk moves to Kesteven", Result.FAILS, "bounced",
                   "stood off by Army Lindsey (1 against 1) (rule 4)", None, rule="rule 4"),
        ShownOrder("Army Kent moves to Surrey", Result.VOID, "void", "void: there is no Army Kent", None),
        ShownOrder("Army Devon is under the orders of Argyll", Result.SUCCEEDS, "handed over, dislodged", "",
                   None, dislodged=True),
        ShownOrder("Army York moves to Kent", Result.FAILS, "bounced, dislodged",
                   "stood off at Kent by Army X", None, dislodged=True),
    ) == [
        "✓ Army Worcestershire holds.",
        "✓ Army Exeter moves to Devon.",
        "✓ Army Lindsey moves to Kesteven, where Army Kesteven is dislodged (2 against 1).",
        "✗ Army Norfolk moves to Kesteven: stood off by Army Lindsey (1 against 1). (rule 4)",
        "✗ Army Kent moves to Surrey: void, there is no Army Kent.",
        "✗ Army Devon is under the orders of Argyll: handed over, dislodged.",
        "✗ Army York moves to Kent: stood off at Kent by Army X, and the unit is dislodged.",
    ]


def test_results_open_with_the_news_and_the_readers_own_power() -> None:
    """LET-07: news first, then the reader's orders, then the others'; proofs are below the signature."""
    text = LETTERS["final_results"].text
    order = [text.index(part) for part in (
        "Dear Graham Jones,", "THE NEWS", "No sheet came from Montrose.", "\nMONTROSE\n", "\nTHE CROWN\n",
        "WHAT COMES NEXT", "coordinator of Powick Bridge", "- The Crown, version 2")]
    assert order == sorted(order)
    crown = render.letter(FINAL_RESULTS,
        GameInfo("edgehill", "Edgehill", "Wars", "orders@w3k.example", "Ada"),
            Recipient("a@b.example", "The Crown"), samples.results(), phase=samples.MOVEMENT).text
    assert "3 of your 4 orders did not go as you wrote them." in crown
    assert crown.index("\nTHE CROWN\n") < crown.index("\nMONTROSE\n")


def test_the_news_names_who_sent_nothing_and_whose_unit_was_turned_back() -> None:
    """LET-07: a unit that is dislodged has a separate line, and what was set aside came."""
    bounced = ShownOrder("Army Kent moves to Surrey", Result.FAILS, "bounced", "", None, unit="Army Kent")
    lost = ShownOrder("Army York moves to Kent", Result.FAILS, "bounced, dislodged", "", None,
                      unit="Army York", dislodged=True)
    news = news_of(ResultsFacts(powers=(
        ShownPower("The Crown", (bounced, lost)), ShownPower("Montrose", (), sheet=False),
        ShownPower("Argyll", (), sheet=False, set_aside=("by mistake",)))))
    assert (news.silent, news.set_aside) == (("Montrose",), ("Argyll",))
    assert news.turned_back == (("Army Kent", "The Crown"),)


def test_powers_of_whom_there_is_nothing_to_tell_are_named_together() -> None:
    """LET-07: nine headings with "No sheet was received" told nothing at a Winter's end, and a list of them
    said again what the news said."""
    game = GameInfo("edgehill", "Edgehill", "Wars", "orders@w3k.example", "Ada")
    silent = tuple(ShownPower(name, (), sheet=False) for name in ("Argyll", "Ormond", "Kerry"))
    facts = ResultsFacts(powers=silent)
    text = render.letter(YEAR_END_RESULTS, game, Recipient("a@b.example", "Ormond"), facts,
        phase=samples.WINTER).text
    assert "No sheet came from Argyll, Ormond or Kerry." in text
    assert text.count("Argyll") == 1
    assert "ORMOND\n- No sheet was received." in text
    assert "\nARGYLL\n" not in text
    alone = ResultsFacts(powers=(ShownPower("Argyll", (), sheet=False),))
    text = render.letter(YEAR_END_RESULTS, game, Recipient("a@b.example", "Ormond"), alone,
        phase=samples.WINTER).text
    assert "ARGYLL\n- No sheet was received." in text


def test_what_went_wrong_is_bold_and_nothing_else_of_an_order() -> None:
    """LET-07."""
    html = LETTERS["draft_results"].html or ""
    lines = re.findall(r"<li class=\"(done|failed)\">(.*)</li>", html)
    assert {kind: "<strong>" in line for kind, line in lines} == {"done": False, "failed": True}


def test_receipts_say_nothing_of_the_board() -> None:
    for name in ("receipt", "receipt bare", "receipt_late"):
        assert not re.search(r"\b(legal|illegal|valid|invalid|Army|Fleet)\b", LETTERS[name].text)
    assert "No person has read your orders yet." in LETTERS["receipt"].text


def test_offers_and_demands() -> None:
    assert "Montrose may build 2 units in Winter 1645." in LETTERS["adjustment"].text
    demand = re.sub(r"\s+", " ", LETTERS["adjustment demand"].text)
    assert "Montrose must remove one unit in Winter 1645." in demand
    assert "chosen by lot" in demand
    assert "chosen by lot" not in LETTERS["adjustment"].text


@pytest.mark.parametrize("reason", [
    reason for reason in RefusalReason
    if reason not in {RefusalReason.OWN_MAIL, RefusalReason.BOUNCE, RefusalReason.RECEIPT,
                      RefusalReason.AUTO_REPLY, RefusalReason.DUPLICATE}
])  # fmt: skip
def test_every_reason_has_its_sentence_and_its_mending(reason: RefusalReason) -> None:
    context = IntakeContext(frozenset(), NOBODY, ())
    explanation = explanations.explain(
        Verdict(VerdictKind.REJECTED, reason, sender="graham.j@mailbox.example"), context
    )
    letter = render.letter(REJECTION, None, Recipient("graham.j@mailbox.example"), RejectionFacts(
        AnsweredMail("k", samples.AT, "x"), explanation.problem, explanation.reassurance, explanation.remedy,
        explanation.subject))
    flat = re.sub(r"\s+", " ", letter.text)
    assert explanation.problem.endswith(".")
    assert explanation.problem in flat
    assert explanation.remedy.endswith(".")
    assert explanation.remedy in flat


def test_a_template_never_leaves_a_name_blank() -> None:
    template = render.letter_environment("en", markup=False).get_template("receipt.jinja")
    with pytest.raises(UndefinedError):
        template.render(game=None)


@pytest.mark.parametrize("name", [
    "welcome", "receipt", "reminder plain", "rejection", "retreat_request", "adjustment",
])
def test_a_tap_opens_a_mail_with_address_and_subject_filled_in(name: str) -> None:
    """LET-08. The link is read back by the standard library, as RFC 6068 has it."""
    links = re.findall(r'href="(mailto:[^"]+)"', LETTERS[name].html or "")
    assert links
    for link in links:
        address, _, query = unescape(link).removeprefix("mailto:").partition("?")
        assert address == "orders@w3k.example"
        assert parse_qs(query) == {"subject": [samples.SUBJECT]}
    # The same subject can be copied from the text, in one line.
    assert f"    {samples.SUBJECT}\n" in LETTERS[name].text


@pytest.mark.parametrize("name", LETTERS)
def test_html_is_made_for_a_telephone_for_the_dark_and_for_no_styles_at_all(name: str) -> None:
    """LET-09: looked at by eye at 360 pixels; here what makes it so is not lost."""
    html = LETTERS[name].html or ""
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in html
    assert '<meta name="color-scheme" content="light dark">' in html
    assert "@media (prefers-color-scheme: dark)" in html
    # Without styles the words are in order and distinguished by tags alone.
    body = html.partition("<main>")[2]
    assert "style=" not in body
    assert not re.search(r"<(table|font|div)\b", body)
    assert all(len(words) > 40 for words in re.findall(r'<img [^>]*alt="([^"]*)"', body))
    assert body.count("<img ") == len(re.findall(r'<img [^>]*alt="', body))


def test_every_letter_of_a_game_greets_and_is_signed_by_name() -> None:
    """LET-08: and states whom an answer reaches."""
    for name, letter in LETTERS.items():
        if letter.game_id and letter.recipient.startswith("graham"):
            assert letter.text.startswith("Dear Graham Jones,\n") or letter.kind == "answer", name
            assert "\nAda\ncoordinator of Powick Bridge\n" in letter.text, name
            assert "To write to the coordinator, answer this mail." in letter.text, name
