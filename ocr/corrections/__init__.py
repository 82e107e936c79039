"""What the writer corrected: crossed-out writing, inserted words, carets, and ink that no row explains.

Door: `strike.detect_strike`, `crossed_blocks.crossed_rows`, `inserted_words.insertion_spots`,
`apply.attach_insertions`, `apply.corrected_lines`.

- `strike`, `strike_marks`, `hairline`: is a row, or a word of it, crossed out?
- `crossed_blocks`: rows under a mark over several, such as an X.
- `inserted_words`, `carets`: words written above a row, and the row without their ink.
- `apply`: insertions attached to their rows; a line as its writer corrected it.

Stands above `layout`: a correction can only be found once the rows are known.
"""
