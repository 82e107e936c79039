"""The record: one hash chain of entries for each game (docs/record.md).

Doors: `sessions.sessions` makes the sessions whose writes are entered, `chain.root` is the end of a chain,
`chain.find_entry` checks a digest of a letter, `chain.log_lines` is the log as a file;
`references.root_mark` is what letters name, `references.letter_file` the file in which they have it.

- `sessions`: calls `chain` before a commit that has something to enter.
- `chain`: adds entries.
- `entries`: the content of an entry for each kind of fact; `judged_entry`: that of a judged phase.
- `notable`: what results must mention: entries made by hand, late, or against the usual way.
- `references`: places in the record, and sentences about lots, as letters and maps print them.

It imports `games` and `store`, and neither `mail` nor `web`.
"""
