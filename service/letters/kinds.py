"""The facts of a kind of letter, as one value for each kind.

A kind is declared next to what sends it, in `service.notices` or a feature, with its facts, and has one
template of its name.
`service.notices.kinds` puts all of them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from adjudicator.calendar import Phase, PhaseKind
from service.letters.facts import LetterFacts, Recipient
from service.mail.sending.compose import Addressee, Rank

F = TypeVar("F", bound=LetterFacts)


class Contents(StrEnum):
    """What a letter may give away to a person of the site who opens it before the deadline."""

    PLAIN = "plain"
    SHEET = "sheet"
    """The contents of a sheet: sealed like the sheet (DESK-02)."""
    LINK = "link"
    """A link that opens its reader's own pages, and so what they sent: shown to no one else, at any
    time."""


@dataclass(frozen=True, slots=True)
class Sample(Generic[F]):
    """What a preview is written from. `basis` shows which of its facts are the game's and which are made up
    because they have not happened yet. `phase`: see `render.letter`."""

    facts: F
    basis: str
    phase: Phase | None = None


@dataclass(frozen=True, slots=True)
class Occasion(Generic[F]):
    """When letters of a kind leave, for a coordinator who looks at them beforehand: `receivers` and `when` in
    words, and `sample`, called with the `service.notices.previews.Previews` of one power. `phases`: the kind
    of phase without which a game has no such letter, or None."""

    receivers: str
    when: str
    # `Any`: previews need the database, which is above letters.
    sample: Callable[[Any], Sample[F]]
    phases: PhaseKind | None = None


def _no_values(_facts: object, _to: Recipient) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class LetterKind(Generic[F]):
    """A kind of letter. All that differs from kind to kind is here, in its facts or in its template.

    `name`: its word in the database, and its template's name in `templates/<folder>`; it never changes.
    `title`: what a coordinator calls it. `occasion`: None for letters of no game, which have no preview.
    `addressee`: who is to get it if the player has left the seat since. `answers_mail`: it answers one mail,
    whose digest is in its key. `is_counted`: it counts against the answers that one address gets in a day.
    `values`: what its template needs beside the facts. `former`: words in the database of kinds that were
    joined with it, whose letters are read as of this kind.
    """

    name: str
    facts: type[F]
    title: str
    occasion: Occasion[F] | None = None
    rank: Rank = Rank.USUAL
    addressee: Addressee = Addressee.PLAYER
    answers_mail: bool = False
    is_counted: bool = False
    contents: Contents = Contents.PLAIN
    values: Callable[[F, Recipient], Mapping[str, Any]] = _no_values
    folder: str = "mail"
    former: tuple[str, ...] = ()


AnyKind = LetterKind[Any]


@dataclass(frozen=True, slots=True)
class LetterKinds:
    """The kinds of letters of a site, by name: those of the core in the order of a game, then those of its
    features."""

    by_name: Mapping[str, AnyKind]

    @classmethod
    def of(cls, *groups: Iterable[AnyKind]) -> LetterKinds:
        """All kinds of several groups. Raises ValueError if two have one name: a letter's row has only the
        name."""
        kinds = [kind for group in groups for kind in group]
        by_name = {kind.name: kind for kind in kinds}
        if len(by_name) < len(kinds):
            raise ValueError(f"two kinds of letters have one name: {sorted(kind.name for kind in kinds)}")
        return cls(by_name)

    def names(self, wanted: Callable[[AnyKind], bool]) -> tuple[str, ...]:
        """The words in the database of all kinds that are wanted, such as those that answer a mail."""
        return tuple(word for word, kind in self._by_word.items() if wanted(kind))

    @property
    def _by_word(self) -> Mapping[str, AnyKind]:
        return {word: kind for name, kind in self.by_name.items() for word in (name, *kind.former)}

    @property
    def answers(self) -> tuple[str, ...]:
        """The kinds that answer one mail. Their key has the digest of that mail."""
        return self.names(lambda kind: kind.answers_mail)

    @property
    def addressees(self) -> Mapping[str, Addressee]:
        """Who is to get a letter of each kind, for `service.mail.sending.outbox.send_due`."""
        return {word: kind.addressee for word, kind in self._by_word.items()}

    def contents_of(self, name: str) -> Contents:
        """What letters of a kind may give away; of a kind that the site does not have, the worst."""
        kind = self._by_word.get(name)
        return Contents.LINK if kind is None else kind.contents

    def of_game(self, phases: Iterable[PhaseKind]) -> Mapping[str, AnyKind]:
        """The kinds of letters that a game with phases of these kinds has, and that can be looked at
        beforehand."""
        present = {None, *phases}
        return {name: kind for name, kind in self.by_name.items()
                if kind.occasion is not None and kind.occasion.phases in present}
