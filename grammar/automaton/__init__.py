"""The order grammar over characters, with a price for each: what a decoder of handwriting walks.

Door: `order_lines.order_automaton(forms, lexicon)`. The automaton gives `start`, `arcs(state)`, `end(state)`,
`symbols` and `sign(letter)`; `accepts(text)` tests a text.

- `order_lines`: order forms joined to the tree of spellings.
- `spelling_tree`: every word and name as one tree of letters.
- `lazy_states`: states that are made when they are first reached; base of the heading automaton too.
- `symbols`: the characters that count.
- `prices`: what a word costs, in nats.

Nothing here depends on the map, the position or the ink.
"""
