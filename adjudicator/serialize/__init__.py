"""Positions, orders and resolutions as JSON: one reader and one writer.

Doors: `codec` (dump and load for the database, exact), `cases.CaseReader` and `answers.answer` (the
contract's JSON of `adjudicate`), `order_json` (one order in it), `answers.case_of` (a judged phase as
such a case). `case_fields` reads single fields and reports a wrong one by its path.

Imports nothing above `adjudicator`; no file and no database.
"""
