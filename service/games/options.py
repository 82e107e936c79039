"""The names of a game's options, as its row keeps them."""

from __future__ import annotations

FIRST_COUNTS = "first_counts"
"""The game's option: whether the first sheet of a power counts, and not the latest version (Q-60)."""

TYPED = "typed_orders"
"""The game's option: whether orders may be typed into the mail itself."""
