"""The act that words a kind of letter of a game in one language (BEY-07)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.facts.events import Event
from service.features.own_wording.sentences import (
    LetterSentence,
    as_option,
    faults_of,
    reworded,
    sentences_of,
)
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.options import options_of, with_options
from service.games.refused import Refused
from service.letters.language import LANGUAGES, OwnWording


@dataclass(frozen=True, slots=True)
class WordingChange:
    """A game's wording of its letters before and after."""

    before: OwnWording
    after: OwnWording


@dataclass(frozen=True, slots=True)
class RewordLetter(Act[WordingChange]):
    """Words the sentences of a kind of letter: `words` by message, ours where it has none. Letters that left
    before are not changed, and the same words again are not a second act."""

    game: str
    kind: str
    language: str
    words: Mapping[str, str]

    def check(self, table: ActTable) -> None:
        """Refuse words that would lose a fact."""
        table.game(self.game)
        for fault in faults_of(self._sentences, self.words).values():
            raise Refused(f"Nothing was saved: {fault}")

    def change(self, table: ActTable) -> WordingChange:
        """Keep them with the game."""
        game = table.game(self.game)
        before = OwnWording.of_option(options_of(game).own_wording)
        after = reworded(before, self.language, self._sentences, self.words)
        if after != before:
            game.options = with_options(game, own_wording=as_option(after))
        return WordingChange(before, after)

    def event(self, table: ActTable, outcome: WordingChange, letters: int) -> LoggedEvent | None:
        """How many sentences of the letter were the game's own, and are."""
        if outcome.after == outcome.before:
            return None
        return LoggedEvent(Event.OPTION_CHANGED, self.game, {
            "option": "own_wording", "from": self._count(outcome.before), "to": self._count(outcome.after),
            "why": f"{self.kind.replace('_', ' ')}, {LANGUAGES[self.language]}"})

    @property
    def _sentences(self) -> tuple[LetterSentence, ...]:
        return sentences_of(self.kind, self.language)

    def _count(self, wording: OwnWording) -> str:
        own = wording.of(self.language)
        number = sum(sentence.message in own for sentence in self._sentences)
        return "our words" if not number else "1 own sentence" if number == 1 else f"{number} own sentences"
