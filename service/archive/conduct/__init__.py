"""Whether the keeper of a record behaved: the rules C1 to C20 of docs/record.md, for records of format 2.

Door: `check.check_conduct`. Each fault names its entry and its rule. The package reads an archive and writes
nothing.

- `facts`: the open entries in a form in which the rules can ask for them.
- `kept_mails`: what an archive keeps in memory of its mails and letters.
- `sheets`: which sheet counted, and whether what is said of sheets stays (C1 to C5).
- `lines`: which lines counted, and who decided them (C6 to C8).
- `phases`: clock, board, seats and options (C9 to C14, C17, C19).
- `telling`: what letters and players' archives must say (C15, C16, C18).
"""
