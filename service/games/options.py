"""The names of a game's options, as its row keeps them."""

from __future__ import annotations

HOUSE_RULES = "house_rules"
"""The game's option: the house rules, of those that were ever changed, as they were when it began."""

FIRST_COUNTS = "first_counts"
"""The game's option: whether the first sheet of a power counts, and not the latest version (Q-60)."""

TYPED = "typed_orders"
"""The game's option: whether orders may be typed into the mail itself."""

ORDER_LANGUAGES = "order_languages"
"""The game's option: a list of the languages whose order words count beside the English ones (WRD-07)."""

GAZETTE = "gazette"
"""The game's option: whether each game year ends with a printed gazette (BEY-02)."""

PLAIN_GAZETTE = "gazette_without_omens"
"""The game's option: whether that gazette leaves out weather and omens."""

ENDED = "ended"
"""The game's option: how its coordinator declared it ended; absent for a victory, which the judge finds."""

OPENED = "opened_by"
"""The game's option: the powers whose players agreed that the public may see the game once it is over."""

COMMANDS = "mail_commands"
"""The game's option: whether players may ask for answers by a word in the subject (BOX-11)."""

OWN_WORDING = "own_wording"
"""The game's option: the sentences of its letters that the coordinator words, by language and by our English
message (`service.letters.own_wording`)."""
