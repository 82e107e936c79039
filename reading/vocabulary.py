"""From a variant's data to the grammar: its names and order forms, and orders as canonical text.

Lexical only: names, spellings and forms, nothing of a position. Built once for each variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudicator.calendar import PhaseKind
from adjudicator.geo import Board
from adjudicator.orders import Order
from grammar import lexicon as lexicons
from grammar.complaint import Candidate
from grammar.compose import Forms, compose
from grammar.fragments.languages import languages_named
from grammar.headings.values import KnownGame, KnownPower
from grammar.lexicon import Lexicon
from grammar.order_starts import OrderStarts, order_starts
from grammar.parse import ParsedLine, parse_line
from grammar.print import canonical
from maps.variant import Variant

SEVERAL = "; "
"""Separator of orders in canonical text, for a line that gives several ("Armies X and Y hold")."""


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The words of a sheet's lines: the names of one game and the order forms of one phase kind, or of
    several if the phase is not known."""

    lexicon: Lexicon
    forms: tuple[Forms, ...]

    @property
    def starts(self) -> OrderStarts:
        """How an order begins in this game."""
        return order_starts(self.lexicon, self.forms)

    def for_phase(self, kind: PhaseKind | None) -> Vocabulary:
        """The same for one phase kind; unchanged if `kind` is None or has no forms here."""
        forms = tuple(forms for forms in self.forms if forms.phase is kind)
        if not forms or len(self.forms) == 1:
            return self
        return Vocabulary(self.lexicon, forms)


# By the identity of what a lexicon is made of, which has no hash, since it holds mappings. That is kept alive
# next to the lexicon, so that no other object gets its identity. Variants of one board share a lexicon.
_LEXICONS: dict[tuple[int | str, ...], tuple[tuple[object, ...], Lexicon]] = {}


def lexicon_of(variant: Variant) -> Lexicon:
    """Every name a sheet of this variant may use; made once."""
    sources = (variant.board, variant.kinds, variant.names, variant.powers, variant.short_forms)
    key: tuple[int | str, ...] = (*map(id, sources), *variant.languages)
    if key not in _LEXICONS:
        lexicon = lexicons.build_lexicon(
            variant.board, variant.kinds, variant.names, variant.powers.values(), variant.short_forms,
            languages_named(variant.languages))
        _LEXICONS[key] = (sources, lexicon)
    return _LEXICONS[key][1]


def forms_of(variant: Variant, kind: PhaseKind) -> Forms:
    """Every order form of one phase kind of this variant."""
    return compose(kind, variant.wording, tuple(variant.rules.FORMS.items()), variant.languages)


def all_forms(variant: Variant) -> list[Forms]:
    """The forms of every phase kind the variant's calendar has, in its order."""
    kinds = dict.fromkeys(kind for _, kind in variant.calendar.steps)
    return [forms_of(variant, kind) for kind in kinds]


def vocabulary_of(variant: Variant, kind: PhaseKind | None = None) -> Vocabulary:
    """The vocabulary of one phase kind of a variant, or of all if `kind` is None."""
    forms = tuple(all_forms(variant)) if kind is None else (forms_of(variant, kind),)
    return Vocabulary(lexicon_of(variant), forms)


def known_game(variant: Variant, name: str = "", aliases: Sequence[str] = ()) -> KnownGame:
    """A game for the parser of headings; without a name, any game of the variant."""
    powers = tuple(
        KnownPower(power.name, (power.id, *power.aliases, power.person)) for power in variant.powers.values()
    )
    starts = order_starts(lexicon_of(variant), tuple(all_forms(variant)))
    return KnownGame(name, tuple(aliases), powers, variant.calendar.steps, starts)


def printed(orders: Sequence[Order], board: Board) -> str | None:
    """Canonical text of the orders of one line; None without orders."""
    return SEVERAL.join(canonical(order, board) for order in orders) or None


def candidate_json(candidate: Candidate, board: Board) -> dict[str, object]:
    """One reading as a line keeps it: {"text", "order", "score"}."""
    order = printed(candidate.orders, board)
    return {"text": order, "order": order, "score": round(candidate.score, 4)}


def parse_typed(variant: Variant, kind: PhaseKind, power: str, text: str) -> ParsedLine:
    """The reading of a typed line, by its words alone."""
    return parse_line(text, lexicon=lexicon_of(variant), forms=forms_of(variant, kind), power=power)


def orders_of(variant: Variant, kind: PhaseKind, power: str, text: str, line: int) -> list[Order]:
    """The orders of one line of canonical text, tied to its line.

    Raises ValueError if the text is not canonical: we wrote it, so that is our own fault.
    """
    orders: list[Order] = []
    for part in text.split(SEVERAL):
        parsed = _parse_canonical(variant, kind, power, part)
        if parsed.complaint is not None:
            raise ValueError(f"line {line}: the stored order is not canonical text ({parsed.complaint.code})")
        orders += [replace(order, line=line) for order in parsed.orders]
    return orders


# The same text is parsed when a game is judged, twice when it is approved, and for each preview. By identity,
# as for the lexicons; both are kept alive next to what they gave.
_CANONICAL: dict[tuple[int, int, str, str], tuple[Lexicon, Forms, ParsedLine]] = {}
MOST_CANONICAL = 20_000
"""Lines of canonical text whose reading a process keeps."""


def _parse_canonical(variant: Variant, kind: PhaseKind, power: str, text: str) -> ParsedLine:
    """The orders of our own text, once for each text."""
    lexicon, forms = lexicon_of(variant), forms_of(variant, kind)
    key = (id(lexicon), id(forms), power, text)
    known = _CANONICAL.get(key)
    if known is None:
        if len(_CANONICAL) >= MOST_CANONICAL:
            _CANONICAL.clear()
        known = lexicon, forms, parse_line(
            text, lexicon=lexicon, forms=forms, power=power, as_written=True)
        _CANONICAL[key] = known
    return known[2]
