"""A page of rows with their ink to lines with candidates. Forms and names only: no position, no database.

Door: `page.PageReader`, `vocabulary.vocabulary_of`, `completions.words_of`.

- `page`: the stages in order. `line`, `status`: what they give.
- `join_rows`: which rows are one order. `text_only`: the same for rows without posteriors.
- `decode`: a line's ink to hypotheses. `features`: what its confidence is computed from.
- `own_hand`, `other_looks`: waiting lines read again.
- `heading`: the heading by its ink. `classify`: heading, order or neither. `review`: who must look at a line.
- `vocabulary`: a variant's names and forms for the grammar. `completions`: words that the edit box completes.

Imports `adjudicator`, `grammar`, `maps` and `ocr`; nothing of `service`.
"""
