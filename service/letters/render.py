"""One function for each letter: values in, a finished letter out. Nothing is sent here and nothing is looked
up.

Every letter has a subject in the canonical pattern, text of at most 72 columns, and the same words as HTML. A
value from outside reaches a template as one line, so no name can forge a header or a paragraph; HTML escapes
it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from adjudicator.calendar import Phase
from service.letters.facts import (
    AcknowledgementFacts,
    AdjustmentFacts,
    AnnouncementFacts,
    AnswerFacts,
    CommandFacts,
    CorrectionFacts,
    DeadlineFacts,
    GameInfo,
    GameOverFacts,
    HandOverFacts,
    HeldFacts,
    NoticeFacts,
    PackFacts,
    PostedFacts,
    ReceiptFacts,
    Recipient,
    RejectionFacts,
    ReminderFacts,
    ResultsFacts,
    RetreatFacts,
    SignUpFacts,
    WelcomeFacts,
)
from service.letters.form import DONE, FAILED, Form, with_lists
from service.letters.gazette.compose import compose
from service.letters.language import ENGLISH, language, phase_words
from service.letters.news import news_of, own_orders, sections
from service.mail.sending.compose import Attachment, OutLetter, one_line

COLUMNS = 72
PROOF = "receipt.json"
"""The file of a receipt by which a player proves her sheet alone."""
_SIGNS = ("- ", f"{DONE} ", f"{FAILED} ")
"""What the line of a list begins with."""
LONGEST = 500
"""Most characters of one value from outside; the rest is cut off."""

KINDS = (
    "receipt", "receipt_late", "receipt_posted", "rejection", "held", "coordinator_notice", "draft_results",
    "retreat_request",
    "final_results", "adjustment", "year_end_results", "welcome", "deadline_moved", "correction",
    "reminder", "postal_pack", "hand_over", "announcement", "acknowledgement", "answer", "command",
    "game_over",
)  # fmt: skip
"""The letters of a game."""

LINK = "link"
"""The letter that brings a player's sign-in link. It belongs to no game."""

SIGN_UP = "sign_up"
"""The letter about a place on the list for a game that is to be. It belongs to no game."""

ANSWER_KINDS = ("receipt", "receipt_late", "rejection", "held", "command")
"""Those that answer one mail. Their key has the digest of that mail."""


def receipt(
    game: GameInfo, to: Recipient, facts: ReceiptFacts, pictures: Sequence[Attachment] = ()
) -> OutLetter:
    """The machine's receipt for a sheet (OUT-02). It says what arrived, never what it means."""
    signed = facts.sheet.signed
    proof = [] if signed is None else [Attachment(PROOF, "application/json", signed.file())]
    return _letter("receipt", game, facts.sheet.phase, to, facts, key=facts.sheet.digest,
                   answers=facts.message_ids, attached=[*pictures, *proof])


def receipt_late(game: GameInfo, to: Recipient, facts: ReceiptFacts) -> OutLetter:
    """The answer to a sheet that came after the deadline and is not executed (CAL-03, Q-34)."""
    return _letter("receipt_late", game, facts.sheet.phase, to, facts, key=facts.sheet.digest,
                   answers=facts.message_ids)


def receipt_posted(game: GameInfo, to: Recipient, facts: PostedFacts) -> OutLetter:
    """The receipt for a letter that came by post (SUB-16)."""
    return _letter("receipt_posted", game, facts.phase, to, facts, key=facts.key)


def rejection(
    game: GameInfo | None, to: Recipient, facts: RejectionFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """The answer to a mail that cannot be used: why, and how to mend it (OUT-03). `game` is None if the mail
    names none."""
    return _letter("rejection", game, None, to, facts, key=facts.mail.key, answers=facts.mail.message_ids,
                   attached=attached)


def held(game: GameInfo | None, to: Recipient, facts: HeldFacts) -> OutLetter:
    """The answer to a mail that waits for the coordinator."""
    return _letter("held", game, None, to, facts, key=facts.mail.key, answers=facts.mail.message_ids)


def acknowledgement(game: GameInfo | None, to: Recipient, facts: AcknowledgementFacts) -> OutLetter:
    """Says at once that a letter reached the coordinator, and that it was not read as orders (BOX-10). `game`
    is None if it may be about several."""
    return _letter("acknowledgement", game, None, to, facts, key=facts.mail.key,
                   answers=facts.mail.message_ids)


def answer(game: GameInfo | None, to: Recipient, facts: AnswerFacts) -> OutLetter:
    """The coordinator's own words to one player (BOX-10)."""
    letter = _letter("answer", game, None, to, facts, key=facts.mail.key, answers=facts.mail.message_ids)
    return replace(letter, by_person=True)


def command(
    game: GameInfo, to: Recipient, facts: CommandFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """The answer to a mail command (BOX-11)."""
    return _letter("command", game, None, to, facts, key=facts.mail.key, answers=facts.mail.message_ids,
                   attached=attached)


def coordinator_notice(game: GameInfo | None, to: Recipient, facts: NoticeFacts) -> OutLetter:
    """Tells the coordinator that something waits for a person."""
    return _letter("coordinator_notice", game, None, to, facts, key=facts.key)


def draft_results(
    game: GameInfo, phase: Phase, to: Recipient, facts: ResultsFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """Results of a movement phase before retreats (OUT-04)."""
    return _results("draft_results", game, phase, to, facts, attached)


def retreat_request(
    game: GameInfo, phase: Phase, to: Recipient, facts: RetreatFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """Asks the owner of dislodged units for their retreats (OUT-05)."""
    return _letter("retreat_request", game, phase, to, facts, attached=attached)


def final_results(
    game: GameInfo, phase: Phase, to: Recipient, facts: ResultsFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """Results after retreats; in Autumn with ownership and every power's offer or demand (OUT-06, OUT-07)."""
    return _results("final_results", game, phase, to, facts, attached)


def adjustment(
    game: GameInfo, phase: Phase, to: Recipient, facts: AdjustmentFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """A power's own offer to build or demand to remove (OUT-07)."""
    return _letter("adjustment", game, phase, to, facts, attached=attached)


def year_end_results(
    game: GameInfo, phase: Phase, to: Recipient, facts: ResultsFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """Results of a Winter, with the map of control (OUT-08)."""
    return _results("year_end_results", game, phase, to, facts, attached)


def welcome(
    game: GameInfo, phase: Phase, to: Recipient, facts: WelcomeFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """What a player needs to begin (OUT-01)."""
    # The picture that the HTML shows is the filled sheet.
    sample = next((file.content_id for file in attached if file.content_id), "")
    return _letter("welcome", game, phase, to, facts, attached=attached, more={"sample": sample})


def deadline_moved(
    game: GameInfo, to: Recipient, facts: DeadlineFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """A deadline was moved: old, new, why, what else moves and what does not (OUT-12)."""
    return _letter("deadline_moved", game, facts.phase, to, facts, key=facts.key, attached=attached)


def correction(
    game: GameInfo, phase: Phase, to: Recipient, facts: CorrectionFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """Corrects an error in results that were sent, with a picture of the right words. The earlier letter
    stays valid in everything else."""
    return _letter("correction", game, phase, to, facts, key=facts.key, attached=attached)


def reminder(game: GameInfo, to: Recipient, facts: ReminderFacts) -> OutLetter:
    """Says that a deadline draws near and nothing is on file, and nothing about the game (OUT-11)."""
    key = f"{facts.hours}h-{facts.closing.deadline.isoformat()}"
    return _letter("reminder", game, facts.closing.phase, to, facts, key=key)


def postal_pack(
    game: GameInfo, phase: Phase, to: Recipient, facts: PackFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """The pack that the coordinator prints and posts at a year's end: envelopes, results, map (OUT-10,
    Q-12)."""
    return _letter("postal_pack", game, phase, to, facts, attached=attached)


def game_over(
    game: GameInfo, phase: Phase, to: Recipient, facts: GameOverFacts, attached: Sequence[Attachment] = ()
) -> OutLetter:
    """Tells how the game ended, with standings, what was counted, and thanks to all by name (BEY-03)."""
    return _letter("game_over", game, phase, to, facts, attached=attached)


def hand_over(game: GameInfo, to: Recipient, facts: HandOverFacts) -> OutLetter:
    """Tells of a new coordinator: who, from when, and the root of the record at the change."""
    return _letter("hand_over", game, None, to, facts, key=facts.key)


def announcement(game: GameInfo, to: Recipient, facts: AnnouncementFacts) -> OutLetter:
    """Tells everybody in a game of its table: an absence, a pause, another player, a draw (BEY-04)."""
    return _letter("announcement", game, None, to, facts, key=facts.key)


def sign_up_letter(to: Recipient, facts: SignUpFacts) -> OutLetter:
    """A person's place on the list for a game that is to be."""
    return _letter(SIGN_UP, None, None, to, facts, key=facts.key)


def link_letter(to: Recipient, address: str, until: datetime, for_game: str = "") -> OutLetter:
    """A player's link, good until `until` (UTC): to the entry, where the web `address` works once, or to the
    page that takes photographs for the game of the name `for_game`."""
    values = {"game": None, "to": to, "address_of_link": address, "until": until, "for_game": for_game}
    subject, text, html = _rendered(LINK, values)
    # The end of the address tells one link from another; the whole secret stays out of the key.
    return OutLetter(f"{LINK}/{to.address}/{address[-16:]}", LINK, to.address, subject, text, html)


def _results(
    kind: str, game: GameInfo, phase: Phase, to: Recipient, facts: ResultsFacts,
    attached: Sequence[Attachment],
) -> OutLetter:
    """Results: the news, then the reader's own orders, then the others' (LET-07)."""
    return _letter(kind, game, phase, to, facts, attached=attached, more={
        **results_values(facts, to.power), "own": own_orders(facts, to.power),
        "gazette": None if facts.gazette is None else compose(facts.gazette, language(to.language).code)})


def results_values(facts: ResultsFacts, power: str = "") -> dict[str, Any]:
    """What results are written from, in their letter and in their picture; `power` is the reader's own."""
    units = facts.units
    return {"news": news_of(facts), "powers": sections(facts, power),
            "removals": len(units.removed) + len(units.by_rule) + len(units.by_lot)}


def results_html_parts(game: GameInfo, facts: ResultsFacts) -> dict[str, Markup]:
    """The parts of written results as HTML in the game's language, for their picture: the same words as the
    letter's (OUT-13). Keys: "news", "orders", "units", "holdings"."""
    # A picture has no links.
    values = {"game": game, "facts": replace(facts, proofs=replace(facts.proofs, ink_url="")),
              **results_values(facts)}
    jinja = letter_environment(ENGLISH, markup=True)
    return {
        name: Markup(with_lists(jinja.get_template(f"_{name}.jinja").render(values)))  # noqa: S704
        for name in ("news", "orders", "units", "holdings")
    }


def end_words(game: GameInfo, facts: GameOverFacts) -> Markup:
    """How a game ended, as HTML in the game's language, for its printed sheet."""
    template = letter_environment(ENGLISH, markup=True).get_template("_end_words.jinja")
    return Markup(template.render(game=game, facts=facts))  # noqa: S704 - set by the template


def _letter(
    kind: str,
    game: GameInfo | None,
    phase: Phase | None,
    to: Recipient,
    facts: Any,
    *,
    key: str = "",
    answers: Sequence[str] = (),
    attached: Sequence[Attachment] = (),
    more: dict[str, Any] | None = None,
) -> OutLetter:
    values = {
        "game": game, "phase": phase, "to": to, "facts": facts,
        # A picture that the HTML shows is not named as a file, and the proof's own sentence names it.
        "attached": [file.name for file in attached if not file.content_id and file.name != PROOF],
        "paragraphs": _paragraphs,
        **(more or {}),
    }
    # Two players may share one address (POST-04): the power is part of the key.
    named = [game.id if game else "-", str(phase) if phase else "-", kind, to.address, to.power, key]
    subject, text, html = _rendered(kind, values)
    return OutLetter(
        # The slash separates the parts of a key, so no part may have one.
        key="/".join(one_line(part).replace("/", "-") for part in named if part),
        kind=kind, recipient=to.address, subject=subject, text=text, html=html,
        attachments=tuple(attached), game_id=game.id if game else None, replies_to=tuple(answers),
        list_name=game.name if game else None,
    )


def _rendered(kind: str, values: dict[str, Any]) -> tuple[str, str, str]:
    """Subject, text and HTML of a letter, from its one template."""
    to: Recipient = values["to"]
    code = language(to.language).code
    text, html = letter_environment(code, markup=False), letter_environment(code, markup=True)
    game: GameInfo | None = values["game"]
    own_words = game.wording.of(code) if game else {}
    text_values, html_values = (
        {**values, "when": form.when(to.zone),
         **(replace(form, own_words=own_words).names() if own_words else {})}
        for form in (form_of(code, markup=markup) for markup in (False, True))
    )
    written = text.get_template(f"{kind}.jinja")
    # The block has no place in `_letter.jinja`, so the words of a subject are in no body.
    subject = one_line("".join(written.blocks["subject"](written.new_context(text_values))))
    body = with_lists(html.get_template(f"{kind}.jinja").render(html_values).strip())
    page = html.get_template("_page.html").render(
        body=Markup(body), subject=subject, language=code)  # noqa: S704 - set by the template above
    return subject, wrap_text(written.render(text_values)), page


@cache
def form_of(code: str, *, markup: bool) -> Form:
    """The parts of letters in a language, as text or HTML."""
    return Form(language(code), markup)


@cache
def letter_environment(code: str, *, markup: bool) -> Environment:
    """The templates of letters in a language. A name without a value is an error, never a blank."""
    form = form_of(code, markup=markup)
    jinja = Environment(
        loader=PackageLoader("templates", "mail"), autoescape=markup,  # noqa: S701
        undefined=StrictUndefined, finalize=form.clean, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    jinja.globals |= {**form.names(), "is_markup": markup}
    jinja.filters |= {"phase": phase_words, "digest": digest_words}
    return jinja


def instant_words(moment: datetime, zone: str = "") -> str:
    """An instant in a letter: GMT first, then the player's own clock (CAL-13).

    "Sun 14 Mar 2027, 07:00 GMT (08:00 your time)". The day is repeated if the player's differs. A time zone
    that is not known is left out.
    """
    return language(ENGLISH).instant(moment, zone)


def duration(span: timedelta) -> str:
    """A span of time in its two largest units, "3 days 4 hours", rounded down to minutes; "no time" when it
    is over."""
    return language(ENGLISH).duration(span)


def digest_words(digest: str) -> str:
    """The first twelve characters of a digest in groups of four, so that people can read them to one
    another."""
    short = digest[:12]
    return " ".join(short[start : start + 4] for start in range(0, len(short), 4))


def wrap_text(text: str) -> str:
    """Text at 72 columns, with no more than one empty line in a row. A list item goes on below its first
    word. A line that goes on in the next ends with a blank, the 73rd at most."""
    lines: list[str] = []
    for line in text.strip().split("\n"):
        bare = line.rstrip()
        # A subject or an address to copy is indented by four spaces: a line end inside would spoil it.
        if len(bare) <= COLUMNS or bare.startswith("    "):
            lines.append(bare)
            continue
        indent = " " * (len(bare) - len(bare.lstrip())) + ("  " if bare.lstrip()[:2] in _SIGNS else "")
        # Addresses on the web stay whole, even where that makes a line longer than 72 columns.
        pieces = textwrap.wrap(
            bare, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        # A blank says that the line goes on (RFC 3676).
        lines += [*(f"{piece} " for piece in pieces[:-1]), pieces[-1]]
    spaced = "\n".join(lines)
    # Blocks that a template left out leave their empty lines.
    while "\n\n\n" in spaced:
        spaced = spaced.replace("\n\n\n", "\n\n")
    return spaced + "\n"


def _paragraphs(words: str) -> list[list[str]]:
    """Free words as paragraphs of lines; a line is cut into pieces that `_one_value` leaves whole."""
    paragraphs = re.split(r"\n[ \t]*\n", words.replace("\r\n", "\n").strip())
    return [
        [piece for line in paragraph.split("\n") for piece in textwrap.wrap(line, LONGEST) or [""]]
        for paragraph in paragraphs
    ]


def _one_value(value: Any) -> Any:
    # Markup is what the template itself wrote, such as an included block; it has line ends that must stay.
    return value if isinstance(value, Markup) else one_line(str(value), LONGEST)


@cache
def environment(folder: str, *, markup: bool) -> Environment:
    """The templates of one folder of `templates/`. A name without a value is an error, never a blank."""
    # Plain text needs no HTML escapes; `finalize` takes out what is dangerous in it: line ends and control
    # characters.
    return Environment(
        loader=PackageLoader("templates", folder), autoescape=markup,  # noqa: S701
        undefined=StrictUndefined,
        finalize=_one_value, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
