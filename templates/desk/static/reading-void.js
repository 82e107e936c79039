// The box of a void line: it cannot be read, or two readings are equally good and both are kept for the results.
"use strict";

import { combination } from "./reading-keys.js";

export class VoidBox {
  // `decide(kept, shown)` is called with the two readings that are kept, or with none; `tell` shows a sentence; `left` is
  // called when the box is left without a decision.
  constructor(decide, tell, left) {
    this.decide = decide;
    this.tell = tell;
    this.left = left;
  }

  // Open the box of a line, or close it; a line with one reading or none is void at once.
  open(part) {
    const box = part.querySelector("details.void");
    if (!box) {
      this.decide([], "");
      return;
    }
    box.open = !box.open;
    for (const one of box.querySelectorAll("input")) one.checked = false;
    if (box.open) (box.querySelector("[data-void=both]") || box.querySelector("[data-void=plain]")).focus();
  }

  close(part) {
    const box = part.querySelector("details.void[open]");
    if (box) box.open = false;
  }

  // The two that are ticked.
  kept(part) {
    const two = [...part.querySelectorAll("details.void input:checked")];
    if (two.length !== 2) {
      this.tell("Choose two readings, or take “cannot be read”.");
      return;
    }
    const texts = two.map((one) => one.closest("label").textContent.trim().replace(/^\S+\s+/, ""));
    this.decide(two.map((one) => one.value), texts.join(" or "));
  }

  // Returns whether the key was used here: a number ticks a reading, and the second one decides.
  key(event, part) {
    const box = part.querySelector("details.void[open]");
    if (!box || combination(event)) return false;
    if (event.key === "Escape") {
      box.open = false;
      this.left();
      return true;
    }
    const one = /^[1-5]$/.test(event.key) ? box.querySelector("input[data-at='" + event.key + "']") : null;
    if (!one) return false;
    one.checked = !one.checked;
    if (box.querySelectorAll("input:checked").length === 2) this.kept(part);
    return true;
  }
}
