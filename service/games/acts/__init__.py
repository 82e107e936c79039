"""Every act of a person that changes a game or a sheet, each as one frozen value.

Door: `act.perform(act, table)`. An act has a check, a change, an event and letters; pages, commands and mails
make the value and perform it, and hold nothing of what it does.

- `act`: the shape of an act, the table on which it is performed, and the door of its letters.
- `games`: a game begun, an option changed.
- `deadlines`: a deadline or a year moved, a pause. `phases`: a phase rolled back, unsealed, judged without
  the mailbox. `lots`: lots without a seed or a beacon. `seats`: addresses and holders of a power.
- `sheets`: a sheet chosen, refused, filed for another power. `lines`: lines decided and added.
- `results`: results corrected, another coordinator. `ending`: a draw agreed on, an end declared, a game
  that is over shown to all. `boards`: faults of a board, one kept under a new name.

A new act: its value here, a handler of a few lines, and, if it writes to players, one function of the door
`act.Circulars`, which `service.notices.broadcasts` fills. `perform` alone enters what a person did;
`records.log_event` is the machine's and has no place for a name. An act whose refusals
are read by players in their language, or that belongs to one feature alone, has the same shape in its own
room: `notices.announcements` (days away), `notices.postal_packs`, `mail.sending.hold`, `record.game_key`,
`archive.forget`, `archive.copies`, `public.entry_acts`, `web.accounts`, and modules of features.
"""
