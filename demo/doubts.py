"""The doubtful lines of a turn: shown with what the reader thought, decided by the script or the visitor."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from demo.coordinator import NAME, PASSWORD, DecidedLine, ScriptedCoordinator
from demo.story import Story
from demo.teller import Teller
from demo.waiting import Patience
from service.store.engine import Store
from service.store.tables import LineRow

HAND_SECONDS = 1.5
"""Between two looks whether the visitor has read everything."""

MOST_READINGS = 3
"""Readings that are printed of a line; the desk shows all of them."""

NO_REASON = "from its writer's list; this line was not noted as hard to read"


@dataclass(slots=True)
class DoubtfulLines:
    """Shows doubtful lines. `folder`: where their pictures are put; `title`, `name_of`: the phase that is
    read and its powers' ids by name; `count`: lines shown so far."""

    story: Story
    store: Store
    coordinator: ScriptedCoordinator
    teller: Teller
    patience: Patience
    folder: Path
    title: str = ""
    ids: Mapping[str, str] | None = None
    count: int = 0

    def read_by_script(self, phase_id: int, title: str, ids: Mapping[str, str]) -> int:
        """Let the script decide every open line of a phase, and show each; how many there were. `ids`: power
        by its name."""
        self.title, self.ids = title, ids
        self.coordinator.tell = self._show
        written = {name: self.story.written_lines(title, power) for name, power in ids.items()}
        if self.count == 0 and not self.coordinator.is_read(phase_id):
            self.teller.say(
                "The reader is not sure of every line, so the coordinator looks at those. Here it is a "
                "script, and it sees no pictures: a person looked at them beforehand and wrote down what "
                "they show.", indent=2)
        return self.coordinator.read_lines(phase_id, written)

    def read_by_hand(self, phase_id: int) -> None:
        """Wait until the visitor has decided every open line of a phase."""
        if self.coordinator.is_read(phase_id):
            self.teller.say("No line of this phase is in doubt: there is nothing to read by hand.", indent=2)
            return
        self.teller.say("Now it is your turn: the lines of which the reader is not sure wait for you.",
                        indent=2)
        self.teller.link("desk", f"{self.coordinator.base}/desk/{phase_id}")
        self.teller.link("sign in as", f"{NAME}, password {PASSWORD}")
        self.teller.say("Take your time. The demo continues by itself after the last decision.", indent=2)
        began = time.monotonic()
        while not self.coordinator.is_read(phase_id):
            self.patience.check()
            self.teller.move(f"waiting for you at the desk ({time.monotonic() - began:.0f} s)")
            time.sleep(HAND_SECONDS)
        self.teller.say("You have read every line.", indent=2)

    def _show(self, line: DecidedLine) -> None:
        with self.store() as session:
            row = session.get_one(LineRow, line.line_id)
            scores = {str(reading["order"] or reading["text"]): float(reading["score"])
                      for reading in row.candidates}
            ordinal, first_text = row.ordinal, row.text
        self.count += 1
        picture = self.folder / f"{_file_name(self.title, line.power)}-{ordinal}.jpg"
        self.folder.mkdir(exist_ok=True)
        picture.write_bytes(self.coordinator.fetch(f"/images/line/{line.line_id}.jpg"))
        self.teller.say()
        self.teller.say(f"{line.power}, row {ordinal} of the sheet. The reader thinks:", indent=2)
        readings = sorted(line.readings, key=lambda text: -scores.get(text, 0.0))
        for text in readings[:MOST_READINGS]:
            share = f"{100 * scores[text]:4.1f} %" if text in scores else "as typed before"
            self.teller.say(f"{share}  {text}", indent=6, hang=8)
        if not line.readings:
            self.teller.say(f"nothing that is an order: “{first_text}”", indent=6)
        self.teller.link("the picture", str(picture))
        reason = self._reason(line)
        act = {"edit": f"types “{line.text}”", "not-order": "marks it as no order"}.get(
            line.act, f"takes “{line.text}”")
        self.teller.say(f"The coordinator {act}: {reason}.", indent=2, hang=4)

    def _reason(self, line: DecidedLine) -> str:
        power = (self.ids or {}).get(line.power, line.power)
        return self.story.reasons_of(self.title, power).get(line.order, NO_REASON)


def _file_name(title: str, power: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", f"{title} {power}".lower()).strip("-")
