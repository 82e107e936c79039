"""Who gets which letter, and when. A letter is put into the outbox in the transaction of its event.

Doors: `results.ResultsAnnouncer` for an approved phase, `answers.replies.Replies` for one mail,
`broadcasts.Broadcasts` for letters to all, `reminders.Reminders` and `previews.Previews`.

- `letter_context`: what every writer of letters shares.
- `kinds`: all kinds of letters. Each is declared, with its preview, in the module that sends it.
- `answers`: letters about one mail: receipts, refusals, sheets on hold;
  `answers.receipts` shows what a receipt states, and draws the sheet as the machine read it.
- `coordinator_notices`: what waits for a person, or came back, or was not sent.
- `results`: results to all, requests to those who must act; `results_facts` is what results say.
- `attachments`, `order_sheets`, `current_map`, `postal_packs`: the files that go with letters.
- `broadcasts`: welcome, moved deadline, correction, hand-over.
- `reminders`: 12 and 48 hours before a deadline, for players who asked.
- `links`: a player's own secret link.
- `previews`: each kind of letter as it would read now.

It imports neither `web` nor `desk`.
"""
