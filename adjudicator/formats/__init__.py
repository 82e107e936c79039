"""Games in the formats of other programs: values in, bytes out, and back.

Doors: `forms` (which formats there are; recognized, read and written), with its own modules for each of them:
`diplomacy_game` (the saved game of the Python package `diplomacy`), `jdip_writer` and `jdip_reader` (jDip's
saved game), `datc_cases` (jDip's text of test cases); `judge_again.check` judges what was read. Parts:
`game_log` (the value that all of them take and give, and names as those programs write them), `order_text`
(their orders), `classic` (which boards they can hold), `jdip_words`, `jsx` (XML of Java objects).

Callers pass only what is public. Imports the standard library and the judge, and opens no file.
"""
