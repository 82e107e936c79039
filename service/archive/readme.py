"""The README of an archive: what a stranger needs who finds the file in twenty years."""

README = """\
A GAME OF POSTAL DIPLOMACY, AS IT WAS RECORDED

This file is an ordinary ZIP archive. Everything in it is plain text (UTF-8), JSON, or a picture.

manifest.json    what this is: the game, when the archive was made, how many entries its record has,
                 and the root, a number of 64 digits that covers all of them.
record.jsonl     the record of the game, one entry a line, in the order in which things happened.
positions/       the board before each phase, for reading; record.jsonl says the same.
photographs/     each photographed sheet as it arrived, named by its SHA-256. Only in the
                 coordinator's archive.
pictures/        the same, squared and evened, from which its lines were read. Only in the
                 coordinator's archive.
tables.jsonl     the rows of the program's tables, to continue the game elsewhere. Only in the
                 coordinator's archive.
mails/ letters/  each mail that came in and went out, named by its SHA-256. Only in the coordinator's archive.

HOW THE RECORD IS CHECKED

An entry has a number "n", a "leaf" and a "link". Most have a "salt" and a "body" too; those that were
never told to all players lack them in the players' archive, and only their digests are here.

  inner = SHA-256 of: the salt, a line feed, the body written as JSON with its keys sorted, without blanks
  head = the body's "what", a blank, and the "phase" that it "tells", "-" where it tells none
  leaf = SHA-256 of: the head, a line feed, the inner digest (where manifest.json says "format" 1: the inner
         digest itself)
  link = SHA-256 of: the link before, a line feed, n, a line feed, the leaf
  the link before the first entry = SHA-256 of: "galloper record 2" (or 1), a line feed, the game's short name

All digests are written in 64 lower-case hexadecimal digits, all text is UTF-8. The last link is the root.
Results letters name the root as it was when they were written, and receipts name the leaf of the sheet
they are for, so whoever has kept a letter can tell whether this archive is the same record. The last 64
bytes of this file are the SHA-256 of all bytes before them.

FROM AN ORDER TO ITS INK

A "judged" entry has the "line" of each order. The last "reading" of the executed sheet before it has
that line's "box": its four corners in pixels of the photograph as it is shown, from the top left of the
writing. A "decision" says where a person read the line otherwise than the machine.

CHECKERS

With Python:  python3 verify_record.py THIS_FILE LETTER.eml ...
With Galloper:  galloper verify THIS_FILE LETTER.eml ...
The full description is docs/record.md of Galloper.
"""
