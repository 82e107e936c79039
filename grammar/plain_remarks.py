"""Remarks next to an order that change nothing: a closed list of words, because what else players write in
parentheses may be another order, a wish or a condition ("(plan B)", "(subject to French agreement)")."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import lru_cache

from grammar.lexicon import PLACE, POWER, Lexicon

USUAL_REMARKS = (
    "thiswillcutanysupport", "thiscutsanysupport", "tocutanysupport", "sameaslasttime", "sameasbefore",
    "sameaslastturn", "aswehaveagreed", "aswediscussed", "asinmyletter", "asiwrotetoyou")
"""Remarks as players write them, without spaces; each is long enough to be known however badly it is read."""
_SHORT_REMARKS = frozenset((
    "nochange", "nochanges", "firstseason", "secondseason", "1stseason", "2ndseason"))
_PLAIN = frozenset((
    # What the order does.
    "cut", "cuts", "cutting", "bounce", "bounces", "bounced", "bouncing", "standoff", "stand", "off", "self",
    "block", "blocks", "blocking", "stop", "stops", "keep", "keeps", "out", "attack", "attacks", "defensive",
    "defence", "cover", "covers", "covering", "supported", "succeeds", "works",
    # What was agreed, and in which words.
    "as", "agreed", "arranged", "discussed", "promised", "planned", "announced", "said", "wrote", "letter",
    "see", "final",
    "again", "same", "revised", "amended", "time", "turn", "year", "spring", "autumn", "new",
    # How it is done, courtesies and cheers.
    "quickly", "swiftly", "boldly", "bravely", "proudly", "gladly", "finally",
    "sorry", "apologies", "thanks", "thank", "good", "luck", "ha", "haha", "lol", "hurrah", "revenge",
    "surprise", "long", "live", "god", "save", "king", "queen", "friend", "friends", "enemy", "take",
    # Asides.
    "promise", "kept", "phone", "telephone", "usual", "always", "home", "glory", "course", "obviously",
    "naturally", "dear", "old", "great", "nice", "lovely", "best", "wishes", "regards", "deal", "pact",
    "treaty", "honour", "peace", "love", "bless", "alas", "oh", "well", "ok", "okay"))
_BETWEEN = frozenset((
    "a", "an", "the", "this", "that", "it", "which", "i", "we", "you", "he", "him", "them", "my", "our",
    "your", "his", "their", "me", "us", "is", "are", "will", "of", "from", "by", "in", "on", "at", "for",
    "to", "against", "with", "and", "any", "all", "here", "there", "just", "s", "about", "over", "per",
    "so", "too", "very", "have", "has", "had", "was", "were", "be", "been", "its", "what", "they", "she",
    "her"))
"""Words between the others of a remark, some of which orders have too."""
_SUPPORTS = frozenset((
    "support", "supports", "unterstutzung", "unterstuetzung", "soutien", "soutiens"))
"""Said of what is cut. Elsewhere they are an order ("(support Berlin)") or a condition ("(with support)")."""
_CUTS = frozenset(("cut", "cuts", "cutting", "coupe", "couper", "schneidet", "schneiden"))
_EFFECTS = _CUTS | frozenset((
    "block", "blocks", "stop", "stops", "bounce", "bounces", "bounced", "supported"))
"""Next to one of these a place is whom the order concerns; alone it may be another goal."""


def is_plain(texts: Sequence[str], lexicon: Lexicon, alike: Callable[[str, str], bool] = str.__eq__) -> bool:
    """True if the folded words of a remark change no order. `alike` shows whether a word is a known one,
    where letters may be misread."""

    def among(word: str, known: frozenset[str]) -> bool:
        return any(alike(word, other) for other in known)

    def is_known(word: str) -> bool:
        # "(+King)" is half an order where kings are pieces, and no cheer.
        if word in lexicon.kind_words:
            return False
        if among(word, _PLAIN | _BETWEEN | lexicon.plain_words) or among(word, _name_words(lexicon, POWER)):
            return True
        if among(word, _SUPPORTS):
            return is_cut
        return has_effect and among(word, _name_words(lexicon, PLACE))

    written = [word for word in texts if word.isalnum()]
    if "".join(written) in {*_SHORT_REMARKS, *USUAL_REMARKS}:
        return True
    is_cut = any(among(word, _CUTS) for word in written)
    has_effect = is_cut or any(among(word, _EFFECTS) for word in written)
    return all(map(is_known, written))


def is_plain_aside(texts: Sequence[str], lexicon: Lexicon, order_words: Container[str]) -> bool:
    """True if the folded words behind an order, without parentheses around them, change no order. What an
    order may have is none of them, but for the words between."""
    written = [word for word in texts if word.isalnum()]
    if "".join(written) in {*_SHORT_REMARKS, *USUAL_REMARKS}:
        return True
    plain = (_PLAIN | lexicon.plain_words | lexicon.courtesies) - lexicon.kind_words
    content = [word for word in written if word not in _BETWEEN]
    return bool(content) and all(word in plain and word not in order_words for word in content)


@lru_cache(maxsize=16)
def _name_words(lexicon: Lexicon, terminal: str) -> frozenset[str]:
    """Every word of a place's or a power's name."""
    return frozenset(word for name in lexicon.names if name.terminal == terminal for word in name.words)
