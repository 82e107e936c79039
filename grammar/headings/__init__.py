"""Subject lines of mails and headings of sheets: which game, power, season and year a sheet is for.

Doors: `subject.parse_subject` (a mail's subject line), `sheet.parse_sheet_heading` (the first rows of a
sheet), `automaton.heading_automaton` (headings over characters, for a decoder of handwriting).

- `values`: games as a reader must know them; a heading, or the complaint about one.
- `tokens`: a line as words and numbers, without reply prefixes.
- `names`: names of games and powers against what was written.
- `dates`: season, year, kind of paper and version.

Nothing here depends on a mail, a database or the orders below the heading.
"""
