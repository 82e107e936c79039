"""Letters from values: a kind and its facts in, a finished letter out. Nothing is sent here and nothing is
looked up.

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

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined
from markupsafe import Markup

from adjudicator.calendar import Phase
from service.facts import design
from service.feature import TEMPLATES, templates_in
from service.letters.facts import GameInfo, GameOverFacts, Recipient, ResultsFacts
from service.letters.form import DONE, FAILED, Form, with_lists
from service.letters.kinds import F, LetterKind
from service.letters.language import ENGLISH, N_, language, phase_words
from service.letters.news import news_of, own_orders, sections
from service.mail.sending.compose import Attachment, OutLetter, one_line

COLUMNS = 72
MAIL = "mail"
"""The folder of `templates/` with the parts that all letters share."""
_SIGNS = ("- ", f"{DONE} ", f"{FAILED} ")
"""What the line of a list begins with."""
LONGEST = 500
"""Most characters of one value from outside; the rest is cut off."""


def letter(
    kind: LetterKind[F],
    game: GameInfo | None,
    to: Recipient,
    facts: F,
    *,
    phase: Phase | None = None,
    attached: Sequence[Attachment] = (),
) -> OutLetter:
    """A letter of a kind from its facts. `game` is None if it is about none, or about several; `phase` is the
    one that it is about, where its facts do not name it."""
    about, proof = phase or facts.letter_phase, facts.proof
    values = {
        "game": game, "phase": about, "to": to, "facts": facts,
        # A picture that the HTML shows is not named as a file. Nor is the proof: its own sentence names it.
        "attached": [file.name for file in attached if not file.content_id],
        "shown": next((file.content_id for file in attached if file.content_id), ""),
        "paragraphs": _paragraphs,
        **kind.values(facts, to),
    }
    # Two players may share one address (POST-04): the power is part of the key.
    named = [game.id if game else "-", str(about) if about else "-", kind.name, to.address, to.power,
             facts.letter_key]
    subject, text, html = _rendered(kind, values)
    return OutLetter(
        # The slash separates the parts of a key, so no part may have one.
        key="/".join(one_line(part).replace("/", "-") for part in named if part),
        kind=kind.name, recipient=to.address, subject=subject, text=text, html=html,
        attachments=(*attached, *([] if proof is None else [proof])),
        game_id=game.id if game else None, replies_to=facts.replies_to,
        list_name=game.name if game else None, by_person=facts.is_by_person, rank=kind.rank,
        addressee=kind.addressee,
    )


def results_of_reader(facts: ResultsFacts, to: Recipient) -> dict[str, Any]:
    """What the template of results needs next to the facts: the news, then the reader's own orders, then the
    others' (LET-07)."""
    return {**results_values(facts, to.power), "own": own_orders(facts, to.power),
            "added": {name: part.words(language(to.language).code) for name, part in facts.parts.items()}}


def results_values(facts: ResultsFacts, power: str = "") -> dict[str, Any]:
    """The facts of results, in their letter and in their picture; `power` is the reader's own."""
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


CHART = N_("What each power held, year by year")
"""The caption of the chart of centres, and its description."""


def end_words(game: GameInfo, facts: GameOverFacts) -> Markup:
    """How a game ended, as HTML in the game's language, for its printed sheet."""
    template = letter_environment(ENGLISH, markup=True).get_template("_end_words.jinja")
    return Markup(template.render(game=game, facts=facts))  # noqa: S704 - set by the template


def _rendered(kind: LetterKind[F], values: dict[str, Any]) -> tuple[str, str, str]:
    """Subject, text and HTML of a letter, from its one template."""
    to: Recipient = values["to"]
    code = language(to.language).code
    text, html = (
        letter_environment(code, markup=markup, folder=kind.folder) for markup in (False, True))
    game: GameInfo | None = values["game"]
    own_words = game.wording.of(code) if game else {}
    text_values, html_values = (
        {**values, "when": form.when(to.zone),
         **(replace(form, own_words=own_words).names() if own_words else {})}
        for form in (form_of(code, markup=markup) for markup in (False, True))
    )
    written = text.get_template(f"{kind.name}.jinja")
    # The block has no place in `_letter.jinja`, so the words of a subject are in no body.
    subject = one_line("".join(written.blocks["subject"](written.new_context(text_values))))
    body = with_lists(html.get_template(f"{kind.name}.jinja").render(html_values).strip())
    page = html.get_template("_page.html").render(
        body=Markup(body), subject=subject, language=code)  # noqa: S704 - set by the template above
    return subject, wrap_text(written.render(text_values)), page


@cache
def form_of(code: str, *, markup: bool) -> Form:
    """The parts of letters in a language, as text or HTML."""
    return Form(language(code), markup)


@cache
def letter_environment(code: str, *, markup: bool, folder: str = MAIL) -> Environment:
    """The templates of letters in a language: those of a folder, made of the parts that all letters share. A
    name without a value is an error, never a blank."""
    form = form_of(code, markup=markup)
    jinja = Environment(
        loader=ChoiceLoader([*(PackageLoader("templates", each) for each in dict.fromkeys((folder, MAIL))),
                             FileSystemLoader(TEMPLATES)]),
        autoescape=markup,  # noqa: S701
        undefined=StrictUndefined, finalize=form.clean, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, auto_reload=False,
    )  # fmt: skip
    jinja.globals |= {**form.names(), "is_markup": markup, "slot": templates_in, "em": design.em,
                      "light": design.values(), "dark": design.values(design.Scheme.DARK)}
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
        # A blank states that the line goes on (RFC 3676).
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
    """The templates of one folder of `templates/`, and those of features. A name without a value is an error,
    never a blank."""
    # Plain text needs no HTML escapes; `finalize` takes out what is dangerous in it: line ends and control
    # characters.
    jinja = Environment(
        loader=ChoiceLoader([PackageLoader("templates", folder), FileSystemLoader(TEMPLATES)]),
        autoescape=markup,  # noqa: S701
        undefined=StrictUndefined,
        finalize=_one_value, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, auto_reload=False,
    )  # fmt: skip
    jinja.globals |= {"design": design.values(), "em": design.em}
    return jinja
