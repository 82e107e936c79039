"""Text to orders and back: order forms and names of a game, literal and misread lines, headings, printing.

Doors: `compose.compose` (order forms), `lexicon.build_lexicon` (names), `parse.parse_line` and `parse_page`
(typed text), `nearest_orders.nearest_orders` (misread text), `interpret.orders_in_text` (text of the
automaton), `print.canonical` and `prose`. README.md is a map of the seven ways a line is read.

- `headings`: subject lines and headings of sheets. `automaton`: the grammar over characters, with prices.
- `fragments`: the order forms as Lark text (`seldom.lark` for a keyboard alone); `terminal_table` reads them
  as a machine.
- `words`, `edit_costs`, `lattice`, `exact_edges`, `fuzzy_edges`, `candidates`: characters to candidates.
- `build_orders`, `order_traits`: from a tree to orders, and traits of their words.
- `impossible`: what a unit of a kind can never do, and what follows for a line.
- `order_starts`, `respellings`, `remarks`, `complaint`: how lines begin, what they may have been, what is no
  order, and why.

Imports `adjudicator` only; never `maps`, `ocr` or a position.
"""
