"""The words of letters and public pages in a reader's language: gettext catalogues, and numbers, lists, dates
and spans of time as that language writes them (LET-10).

English is the language of the code: its sentences are the messages. Another language is one catalogue,
`templates/languages/<code>.po`, compiled to the `.mo` next to it (`python -m tools.catalogue`). Orders and
the names of phases stay in the game's language, because a sheet is written and read in it. A game may have
its own sentences in place of ours, language by language (BEY-07). """

from __future__ import annotations

import gettext
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from adjudicator.calendar import Phase

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}
"""The languages that a player may choose, each by its own name."""


def N_(message: str) -> str:  # noqa: N802 - the name that gettext's tools know
    """Mark a message for the catalogues; it is translated where it is used."""
    return message


class Sentence(str):  # noqa: SLOT000 - a string with fields of its own cannot have slots
    """A sentence in English that can be stated in another language: its message, and the values of its
    blanks.

    It is an ordinary string, so code that is independent of languages passes it on and stores it.
    """

    message: str
    values: dict[str, Any]

    @classmethod
    def of(cls, *sentences: str) -> str:
        """Sentences one after the other, those that are "" left out; each can still be stated in another
        language."""
        parts = [sentence for sentence in sentences if sentence]
        if len(parts) < 2:
            return parts[0] if parts else ""
        return cls(" ".join(f"%(part{number})s" for number in range(len(parts))),
                   **{f"part{number}": part for number, part in enumerate(parts)})

    def __new__(cls, message: str, **values: Any) -> Self:
        """The sentence with its blanks filled; `message` has named blanks such as "%(power)s"."""
        english = language(ENGLISH)
        filled = {name: english.value(value) for name, value in values.items()}
        sentence = super().__new__(cls, message % filled)
        sentence.message, sentence.values = message, values
        return sentence


def sentence_of(fault: Exception) -> str:
    """The sentence of an exception as it was raised: a `Sentence` can still be stated in another language."""
    # str() has its English words alone.
    return fault.args[0] if fault.args and isinstance(fault.args[0], str) else str(fault)


def in_sentence(name: str, articled: Collection[str] = ()) -> str:
    """A power's name as the middle of a sentence has it: "the Crown" of "The Crown", and "the Confederacy" of
    one among `articled`, the names that take an article in English. Another language may have the bare name,
    so what has an article is a `Sentence`."""
    if name.startswith("The "):
        return Sentence(N_("the %(capital)s"), capital=name.removeprefix("The "))
    return Sentence(N_("the %(name)s"), name=name) if name in articled else name


def at_start(name: str, articled: Collection[str] = ()) -> str:
    """A power's name as the first word of a sentence: "The Crown", "The Confederacy", "Montrose"."""
    return Sentence(N_("The %(name)s"), name=name) if name in articled else name


def powers_in_row(names: Sequence[str], articled: Collection[str] = (), *, starts: bool = False) -> str:
    """Names of powers in a row, in the middle of a sentence or, with `starts`, as its first words."""
    return in_row([(at_start if starts and not place else in_sentence)(name, articled)
                   for place, name in enumerate(names)])


def in_row(names: Sequence[str]) -> str:
    """Names in a row, "A, B and C", each of which can still be stated in another language; "" for none."""
    if len(names) < 2:
        return names[0] if names else ""
    first, *others, last = names
    for other in others:
        first = Sentence("%(first)s, %(other)s", first=first, other=other)
    return Sentence("%(first)s and %(last)s", first=first, last=last)


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `code` is a key of `LANGUAGES`."""

    code: str
    catalogue: gettext.NullTranslations

    def say(self, message: str, **values: Any) -> str:
        """A message with its blanks filled."""
        return self.catalogue.gettext(message) % {name: self.value(value) for name, value in values.items()}

    def count(self, singular: str, plural: str, number: int, **values: Any) -> str:
        """One of two messages by a number; each may have the blank "%(number)s"."""
        filled = {name: self.value(value) for name, value in values.items()}
        return self.catalogue.ngettext(singular, plural, number) % {"number": number, **filled}

    def value(self, value: Any) -> Any:
        """The value of a blank: a `Sentence`, a day and an instant (UTC) in this language, the rest as it
        is."""
        if isinstance(value, datetime):
            return self.instant(value)
        if isinstance(value, date):
            return self.say("%(day)s %(month)s %(year)s", day=value.day, year=value.year,
                            month=self.say(_MONTHS[value.month - 1]))
        return self.say(value.message, **value.values) if isinstance(value, Sentence) else value

    def join(self, values: Sequence[str]) -> str:
        """Names in a row: "A", "A and B", "A, B and C"; "" for none."""
        if len(values) < 2:
            return "".join(values)
        return self.say("%(first)s and %(last)s", first=", ".join(values[:-1]), last=values[-1])

    def instant(self, moment: datetime, zone: str = "") -> str:
        """An instant in a letter: GMT first, then the player's own clock (CAL-13).

        "Sun 14 Mar 2027, 07:00 GMT (08:00 your time)". The day is repeated if the player's differs. A time
        zone that is not known, or has GMT's time then, is left out.
        """
        gmt = self.say("%(day)s, %(time)s GMT", day=self.day(moment, year=True), time=f"{moment:%H:%M}")
        if not zone:
            return gmt
        try:
            local = moment.astimezone(ZoneInfo(zone))
        except (ZoneInfoNotFoundError, ValueError):
            return gmt
        # One time printed twice would look like two.
        if not local.utcoffset():
            return gmt
        time = f"{local:%H:%M}"
        if local.date() == moment.date():
            return self.say("%(gmt)s (%(time)s your time)", gmt=gmt, time=time)
        return self.say("%(gmt)s (%(day)s, %(time)s your time)", gmt=gmt, day=self.day(local), time=time)

    def day(self, moment: datetime, *, year: bool = False) -> str:
        """A day: "Sun 14 Mar 2027", or without its year."""
        blanks = {"weekday": self.say(_WEEKDAYS[moment.weekday()]), "day": moment.day,
                  "month": self.say(_MONTHS[moment.month - 1])}
        if year:
            return self.say("%(weekday)s %(day)s %(month)s %(year)s", **blanks, year=moment.year)
        return self.say("%(weekday)s %(day)s %(month)s", **blanks)

    def duration(self, span: timedelta) -> str:
        """A span of time in its two largest units, "3 days 4 hours", rounded down to minutes; "no time" when
        it is over."""
        minutes = max(0, int(span.total_seconds() // 60))
        days, hours, rest = minutes // 1440, minutes % 1440 // 60, minutes % 60
        words = [
            *([self.count("%(number)s day", "%(number)s days", days)] if days else []),
            *([self.count("%(number)s hour", "%(number)s hours", hours)] if hours else []),
            *([self.count("%(number)s minute", "%(number)s minutes", rest)] if rest else []),
        ]
        return " ".join(words[:2]) if words else self.say("no time")

    def version(self, version: int | None) -> str:
        """The words "version 3", or "without a version number"."""
        if version is None:
            return self.say("without a version number")
        return self.say("version %(number)s", number=version)


def sheet_on_file(version: int | None, received_at: datetime) -> Sentence:
    """A player's own sheet as letters name it: "version 2, received Sun 14 Mar 2027, 07:00 GMT"."""
    number = Sentence("without a version number") if version is None else Sentence(
        "version %(number)s", number=version)
    return Sentence("%(version)s, received %(instant)s", version=number, instant=received_at)


def say_in(code: str, message: str, /, **values: object) -> str:
    """A message in the language of a code, for `service.mail.sending.compose.Say`."""
    return language(code).say(message, **values)


_WEEKDAYS = (N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun"))
_MONTHS = (N_("Jan"), N_("Feb"), N_("Mar"), N_("Apr"), N_("May"), N_("Jun"), N_("Jul"), N_("Aug"), N_("Sep"),
           N_("Oct"), N_("Nov"), N_("Dec"))


@cache
def language(code: str) -> Language:
    """The language of a code; English for one that has no catalogue."""
    compiled = files("templates") / "languages" / f"{code}.mo"
    if code not in LANGUAGES or code == ENGLISH:
        return Language(ENGLISH, gettext.NullTranslations())
    with compiled.open("rb") as file:
        return Language(code, gettext.GNUTranslations(file))


def phase_words(phase: Phase) -> str:
    """A phase as players write it: "Autumn 1644 Retreat Orders"."""
    return f"{phase} Orders"


@dataclass(frozen=True, slots=True)
class OwnWording:
    """The sentences that a game words by itself: (language, message, words)."""

    sentences: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of_option(cls, stored: Mapping[str, Mapping[str, str]]) -> OwnWording:
        """The wording that a game's row keeps, by language and message."""
        return cls(tuple((code, message, words) for code, by_message in sorted(stored.items())
                         for message, words in sorted(by_message.items())))

    def of(self, code: str) -> dict[str, str]:
        """Words by message, in one language."""
        return {message: words for language_code, message, words in self.sentences if language_code == code}


OUR_WORDING = OwnWording()
"""The wording of a game that never reworded anything."""
