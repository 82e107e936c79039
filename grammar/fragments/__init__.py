"""Order forms as text, one file a phase kind, and what other languages add to them.

`words`, `places`, `movement`, `retreat` and `adjustment` are joined to every wording (`grammar.compose`);
`german` and `french` where a game has switched them on (`languages`).
"""
