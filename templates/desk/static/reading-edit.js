// The edit box: E fills it with the highlighted reading and selects the name in doubt; Tab completes a name or goes to the
// next one, Enter accepts, Esc leaves.
"use strict";

export class EditBox {
  // `names` is a function that gives the Names or null while they are on their way.
  constructor(box, list, names) {
    this.box = box;
    this.list = list;
    this.names = names;
    this.found = null;
    this.at = 0;
    box.addEventListener("input", () => this.look());
    box.addEventListener("blur", () => this.close());
    list.addEventListener("mousedown", (event) => {
      const item = event.target.closest("li");
      event.preventDefault();
      if (item) this.take([...list.children].indexOf(item));
    });
  }

  open(text, doubtful) {
    if (text !== null) this.box.value = text;
    this.box.focus();
    const names = this.names();
    const slots = names ? names.slots(this.box.value) : [];
    const slot = slots.find(([start, end]) => doubtful.some((word) => (" " + this.box.value.slice(start, end) + " ").includes(" " + word + " "))) || slots[slots.length - 1];
    if (slot) this.box.setSelectionRange(slot[0], slot[1]);
    else this.box.select();
  }

  look() {
    const names = this.names();
    this.found = names ? names.complete(this.box.value, this.box.selectionStart) : null;
    this.at = 0;
    this.draw();
  }

  draw() {
    const shown = this.found ? this.found.names : [];
    this.list.replaceChildren(...shown.map((name, n) => {
      const item = document.createElement("li");
      item.textContent = name;
      if (n === this.at) item.className = "chosen";
      return item;
    }));
    this.list.hidden = !shown.length;
    if (shown.length) {
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

  // Whether the key was used here.
  key(event) {
    const open = Boolean(this.found && this.found.names.length);
    if (event.key === "Tab" && open && !event.shiftKey) {
      this.take(this.at);
      return true;
    }
    if (event.key === "Tab") return this.hop(event.shiftKey ? -1 : 1);
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const size = this.found.names.length;
      this.at = (this.at + (event.key === "ArrowDown" ? 1 : size - 1)) % size;
      this.draw();
      return true;
    }
    if (event.key === "Escape" && open) {
      this.close();
      return true;
    }
    return false;
  }

  // To the next name of the text; false behind the last one, so that Tab then leaves the box as everywhere.
  hop(step) {
    const names = this.names();
    const slots = names ? names.slots(this.box.value) : [];
    const { selectionStart: from, selectionEnd: to } = this.box;
    const next = step > 0 ? slots.find(([start]) => start >= to) : slots.filter(([, end]) => end <= from).pop();
    if (!next) return false;
    this.box.setSelectionRange(next[0], next[1]);
    return true;
  }
}
