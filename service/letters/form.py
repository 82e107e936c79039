"""How the parts of a letter are set: as text of 72 columns, or as HTML. A letter has one template for both.

A template calls the parts by name, one on a line: `title`, `para`, `heading`, `item`, `copy`, `mail`,
`address`, `small`. A value from outside reaches a part as one line, so no name can forge a header or a
paragraph; HTML escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from service.letters.language import N_, Language
from service.letters.outcomes import translatable
from service.mail.sending.compose import one_line

LONGEST = 500
"""Most characters of one value from outside; the rest is cut off."""
DONE, FAILED = "✓", "✗"
_THANKS = N_("Thank you for playing.")
_CLOSINGS = {
    "Spring": N_("May the roads dry quickly and the post come early. Thank you for playing."),
    "Summer": N_("May the days be long and the post quick. Thank you for playing."),
    "Autumn": N_("May long evenings leave you time for letters. Thank you for playing."),
    "Fall": N_("May long evenings leave you time for letters. Thank you for playing."),
    "Winter": N_("Keep warm, and thank you for your letters."),
}


def closings() -> tuple[str, ...]:
    """The messages that close a letter with results, by season and for any other."""
    return tuple(dict.fromkeys([*_CLOSINGS.values(), _THANKS]))


def mail_link(address: str, subject: str) -> str:
    """A link that opens a mail with address and subject filled in (RFC 6068)."""
    return f"mailto:{quote(address, safe='@')}?subject={quote(subject, safe='')}"


@dataclass(frozen=True, slots=True)
class Form:
    """The parts of a letter in one language, as text or, with `is_markup`, as HTML. `longest` is the most
    characters of one value; `own_words` are a game's own by message. What a method returns is marked as set:
    neither cut nor escaped once more."""

    language: Language
    is_markup: bool
    longest: int = LONGEST
    own_words: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> dict[str, Callable[..., Any]]:
        """The parts by the names that templates call them."""
        parts = (
            self.title, self.para, self.heading, self.item, self.done, self.failed, self.copy, self.mail,
            self.address, self.small, self.small_copy, self.small_item, self.strong, self.rule, self.link,
            self.joined, self.either, self.picture, self.sheet, self.duration, self.spaced, self.with_power,
            self.season_words, self.outcome,
        )
        return {"_": self.say, "ngettext": self.count, "version": self.language.version, "told": self.clean,
                **{part.__name__: part for part in parts}}

    # Words

    def clean(self, value: Any) -> Markup:
        """A value as one line, cut if it is too long, in the reader's language where that is known."""
        if isinstance(value, Markup):
            return value
        line = one_line(str(self.language.value(value)), self.longest)
        return escape(line) if self.is_markup else Markup(line)  # noqa: S704 - text has no markup

    def outcome(self, words: str) -> Markup:
        """The outcome of an order, or the rule that it rests on, in the reader's language."""
        return self.clean(translatable(words))

    def say(self, message: str, **values: Any) -> Markup:
        """A message in the reader's language with its blanks filled."""
        return self._filled(self._worded(message, self.language.catalogue.gettext(message)), values)

    def count(self, singular: str, plural: str, number: int, **values: Any) -> Markup:
        """One of two messages by a number, which is the blank "%(number)s"."""
        ours = self.language.catalogue.ngettext(singular, plural, number)
        words = self._worded(singular if number == 1 else plural, ours)
        return self._filled(words, {"number": number, **values})

    def _worded(self, message: str, ours: str) -> str:
        """The game's own words for a message, else ours. A coordinator writes words, never markup."""
        words = self.own_words.get(message)
        if words is None:
            return ours
        return str(escape(words)) if self.is_markup else words

    def _filled(self, message: str, values: dict[str, Any]) -> Markup:
        cleaned = {name: self.clean(value) for name, value in values.items()}
        if self.is_markup:
            return Markup(message) % cleaned  # noqa: S704 - a message of the catalogue
        return Markup(message % {name: str(value) for name, value in cleaned.items()})  # noqa: S704

    def either(self, values: Sequence[Any]) -> Markup:
        """Names in a row after a "no": "A, B or C"."""
        cleaned = [self.clean(value) for value in values]
        if len(cleaned) < 2:
            return Markup("").join(cleaned)
        return self.say("%(first)s or %(last)s", first=Markup(", ").join(cleaned[:-1]), last=cleaned[-1])

    def joined(self, values: Sequence[Any]) -> Markup:
        """Names in a row: "A, B and C"."""
        cleaned = [self.clean(value) for value in values]
        if len(cleaned) < 2:
            return Markup("").join(cleaned)
        return self.say("%(first)s and %(last)s", first=Markup(", ").join(cleaned[:-1]), last=cleaned[-1])

    def with_power(self, pairs: Sequence[tuple[str, str]]) -> list[Markup]:
        """Units with their powers: "Army Kent (The Crown)"."""
        return [self.say("%(unit)s (%(power)s)", unit=unit, power=power) for unit, power in pairs]

    def spaced(self, *words: Any) -> Markup:
        """Words with a space between them; those that are "" are left out."""
        return Markup(" ").join(self.clean(each) for each in words if each)

    def season_words(self, season: str) -> Markup:
        """The line that closes a letter with results, by its season."""
        return self.say(_CLOSINGS.get(season, _THANKS))

    def duration(self, span: timedelta) -> str:
        """See `Language.duration`."""
        return self.language.duration(span)

    def when(self, zone: str) -> Callable[[datetime], str]:
        """A function that writes an instant for a reader of a time zone."""
        return lambda moment: self.language.instant(moment, zone)

    def strong(self, words: Any) -> Markup:
        """Words that must not be missed."""
        return self._tag("strong", self.clean(words))

    def rule(self, words: Any) -> Markup:
        """The short reference to a rule, at the end of a line."""
        cleaned = self.clean(words)
        if self.is_markup:
            return Markup('<small class="rule">({})</small>').format(cleaned)
        return Markup(f"({cleaned})")  # noqa: S704

    def link(self, url: str, words: Any, text: str = "") -> Markup:
        """Words that lead to an address; in text `text`, or the words alone. An address that is its own
        words may be broken behind each slash."""
        if self.is_markup:
            if words == url:
                words = Markup("/<wbr>").join(one_line(url, LONGEST).split("/"))
            return Markup('<a href="{}">{}</a>').format(one_line(url, LONGEST), self.clean(words))
        return self.clean(text or words)

    # Parts, each on its own lines

    def title(self, words: Any) -> Markup:
        """The first words of a letter."""
        return self._tag("h1", self.clean(words), "\n")

    def heading(self, words: Any) -> Markup:
        """The heading of a list or of a few paragraphs."""
        cleaned = self.clean(words)
        return self._tag("h2", cleaned) if self.is_markup else Markup(f"\n{cleaned.upper()}")  # noqa: S704

    def para(self, *lines: Any, kind: str = "") -> Markup:
        """A paragraph of one line or more; a line that is "" is left out."""
        cleaned = [self.clean(line) for line in lines if line]
        if not self.is_markup:
            return Markup("\n" + "\n".join(cleaned))  # noqa: S704
        start = Markup('<p class="{}">').format(kind) if kind else Markup("<p>")
        return start + Markup("<br>\n").join(cleaned) + Markup("</p>")

    def small(self, *lines: Any) -> Markup:
        """A paragraph in small print: what proves the letter, and who needs to check it will look for."""
        return self.para(*lines, kind="small")

    def item(self, words: Any, sign: str = "-") -> Markup:
        """One line of a list."""
        cleaned = self.clean(words)
        if not self.is_markup:
            return Markup(f"{sign} {cleaned}")  # noqa: S704
        if sign == "-":
            return Markup("<li>{}</li>").format(cleaned)
        kind = "done" if sign == DONE else "failed"
        return Markup('<li class="{}"><span class="tick">{} </span>{}</li>').format(kind, sign, cleaned)

    def small_item(self, words: Any) -> Markup:
        """One line of a list in small print."""
        cleaned = self.clean(words)
        return Markup('<li class="small">{}</li>').format(cleaned) if self.is_markup else self.item(cleaned)

    def done(self, words: Any) -> Markup:
        """A line of a list: an order that went as it was written."""
        return self.item(words, DONE)

    def failed(self, words: Any) -> Markup:
        """A line of a list: an order that did not."""
        return self.item(words, FAILED)

    def copy(self, words: Any) -> Markup:
        """A line to copy: it is never broken."""
        return self._copied(self.clean(words), "copy")

    def small_copy(self, words: Any) -> Markup:
        """A line to copy in small print, such as a digest."""
        return self._copied(self.clean(words), "copy small")

    def mail(self, address: str, subject: str) -> Markup:
        """A subject to copy, which in HTML opens a mail with address and subject filled in (LET-08)."""
        cleaned = self.clean(subject)
        if self.is_markup:
            cleaned = self.link(mail_link(one_line(address), one_line(str(subject), LONGEST)), cleaned)
        return self._copied(cleaned, "copy mail")

    def address(self, url: str) -> Markup:
        """An address on the web, which leads there in HTML."""
        return self._copied(self.link(url, url), "copy")

    def picture(self, content_id: str, words: Any) -> Markup:
        """A picture that comes with the letter; its alternative text shows what it shows (LET-09). In text
        there is none."""
        if not self.is_markup:
            return Markup()
        return Markup('<p><img src="cid:{}" alt="{}"></p>').format(content_id, self.clean(words))

    def sheet(self, lines: Sequence[Any]) -> Markup:
        """A few lines as they are on a sheet of paper; "" is an empty line."""
        cleaned = [self.clean(line) for line in lines]
        if self.is_markup:
            return Markup('<p class="copy">{}</p>').format(Markup("<br>").join(cleaned))
        return Markup("\n" + "\n".join(f"    {line}" if line else "" for line in cleaned))  # noqa: S704

    def _copied(self, words: Markup, kind: str) -> Markup:
        if self.is_markup:
            return Markup('<p class="{}">{}</p>').format(kind, words)
        return Markup(f"\n    {words}")  # noqa: S704

    def _tag(self, name: str, words: Markup, before: str = "") -> Markup:
        if not self.is_markup:
            return Markup(f"{before}{words}")  # noqa: S704
        return Markup(f"<{name}>{{}}</{name}>").format(words)  # noqa: S704


def with_lists(html: str) -> str:
    """HTML in which every run of list items is in a list."""
    # A letter that ends with a list has no line end after its last item.
    return re.sub(r"(?:<li[ >].*</li>(?:\n+|$))+", lambda run: f"<ul>\n{run.group()}</ul>\n", html)
