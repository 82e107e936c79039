// The edit box: E fills it with the highlighted reading and selects the name in doubt, with names that other readings have
// in its place and names near it below; Tab completes a name or goes to the next one, Enter accepts, Esc leaves. Of a line
// without a reading nearly every word is wrong, so all of it is selected.
"use strict";

const MOST_NEAR = 6;
const UNIT = /^(A|F|Army|Fleet)$/;

export class EditBox {
  // `names` is a function that returns the Names, or null until they are loaded.
  constructor(box, list, names) {
    this.box = box;
    this.list = list;
    this.names = names;
    this.found = null;
    this.at = 0; // the one that Tab takes; -1 while names are only offered beside a selected one
    this.chose = false; // whether an arrow went there
    this.others = [];
    box.addEventListener("input", () => this.look());
    box.addEventListener("blur", () => this.close());
    list.addEventListener("mousedown", (event) => {
      const item = event.target.closest("li");
      event.preventDefault();
      if (item) this.take([...list.children].indexOf(item));
    });
  }

  // `others` are the texts of the readings that are not highlighted; `read` is whether the machine has a reading.
  open(text, doubtful, others, read) {
    this.others = others;
    if (text !== null) this.box.value = text;
    this.box.focus();
    const names = this.names();
    if (names) names.reading([this.box.value, ...others]);
    const slots = names && read ? names.slots(this.box.value) : [];
    let run = this.run(doubtful);
    let slot = slots.find(([start, end]) => run && start < run[1] && run[0] < end);
    const doubted = !slot && names ? this.doubted(slots) : null;
    if (doubted) run = slot = doubted;
    const chosen = run ? [Math.min(run[0], slot ? slot[0] : run[0]), Math.max(run[1], slot ? slot[1] : run[1])] : slots[slots.length - 1];
    if (chosen) this.box.setSelectionRange(chosen[0], chosen[1]);
    else this.box.select();
    if (slot || (chosen && !run)) this.near(slot || chosen);
  }

  // If the readings differ only in the order's form (`-` or `S`): the name that most of them read differently, or null.
  // A person who picks a reading for its form still has a name to correct.
  doubted(slots) {
    const other = slots.map(() => 0);
    for (const [text, there] of this.others.map((one) => [one, this.names().slots(one)])) {
      if (there.length !== slots.length) continue;
      slots.forEach((slot, n) => { other[n] += text.slice(...there[n]) === this.box.value.slice(...slot) ? 0 : 1; });
    }
    const most = Math.max(0, ...other);
    return most ? slots[other.indexOf(most)] : null;
  }

  // Offer names for this slot, with none of them selected.
  near(slot) {
    const names = this.names();
    if (!names) return;
    const [start, end] = slot;
    const [from, to] = [this.box.selectionStart, this.box.selectionEnd];
    if (from !== start || to !== end) return this.close();
    const there = names.slots(this.box.value);
    const n = there.findIndex(([at]) => at === start);
    const now = this.box.value.slice(start, end);
    const read = this.others.map((text) => [text, names.slots(text)]).filter(([, slots]) => slots.length === there.length)
      .map(([text, slots]) => text.slice(...slots[n]));
    const found = [...new Set([...read.slice(0, 2), ...names.near(now), ...read])].filter((name) => name !== now).slice(0, MOST_NEAR);
    this.found = { start, end, names: found };
    this.at = -1;
    this.chose = false;
    this.draw();
  }

  // The first words in which the readings differ, as [start, end); null if they do not differ.
  run(doubtful) {
    const words = [...this.box.value.matchAll(/[^\s]+/g)];
    while (doubtful.length > 1 && UNIT.test(doubtful[0])) doubtful.shift(); // a missing unit is seldom what is wrong
    const first = words.findIndex((word) => word[0] === doubtful[0]);
    if (first < 0) return null;
    let last = first;
    while (doubtful[last - first + 1] && words[last + 1] && words[last + 1][0] === doubtful[last - first + 1]) last += 1;
    return [words[first].index, words[last].index + words[last][0].length];
  }

  look() {
    const names = this.names();
    this.found = names ? names.complete(this.box.value, this.box.selectionStart) : null;
    this.at = 0;
    this.chose = false;
    this.draw();
  }

  draw() {
    const shown = this.found ? this.found.names : [];
    this.list.replaceChildren(...shown.map((name, n) => {
      const item = document.createElement("li");
      item.textContent = name;
      const short = this.names().brief.get(name);
      if (short) item.append(" ", Object.assign(document.createElement("small"), { textContent: short }));
      if (n === this.at) item.className = "chosen";
      return item;
    }));
    this.list.hidden = !shown.length;
    if (shown.length && this.at >= 0) {
      const tab = document.createElement("kbd");
      tab.textContent = "Tab";
      this.list.children[this.at].append(" ", tab);
    }
  }

  close() {
    this.found = null;
    this.draw();
  }

  take(n) {
    const { start, end, names } = this.found;
    const rest = this.box.value.slice(end);
    const gap = rest === "" || /^\s/.test(rest) ? "" : " ";
    const more = rest === "" ? " " : gap;
    this.box.value = this.box.value.slice(0, start) + names[n] + more + rest;
    const caret = start + names[n].length + more.length;
    this.box.setSelectionRange(caret, caret);
    this.close();
  }

  // Returns whether the key was used here.
  key(event) {
    const open = Boolean(this.found && this.found.names.length);
    const takes = (event.key === "Tab" && !event.shiftKey) || (event.key === "Enter" && this.chose);
    if (takes && open && this.at >= 0) {
      this.take(this.at);
      return true;
    }
    if (event.key === "Tab") return this.hop(event.shiftKey ? -1 : 1);
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const size = this.found.names.length;
      this.at = event.key === "ArrowDown" ? (this.at + 1) % size : (this.at <= 0 ? size : this.at) - 1;
      this.chose = true;
      this.draw();
      return true;
    }
    if (event.key === "Escape" && open) {
      this.close();
      return true;
    }
    return false;
  }

  // Go to the next name of the text; false after the last one, so that Tab then leaves the box as usual.
  hop(step) {
    const names = this.names();
    const slots = names ? names.slots(this.box.value) : [];
    const { selectionStart: from, selectionEnd: to } = this.box;
    const next = step > 0 ? slots.find(([start]) => start >= to) : slots.filter(([, end]) => end <= from).pop();
    if (!next) return false;
    this.box.setSelectionRange(next[0], next[1]);
    this.near(next);
    return true;
  }
}
