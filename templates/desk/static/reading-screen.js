// Everything around the line on the reading page: position, saved state, last decisions, boxes that open.
"use strict";

import { fold } from "./reading-names.js";

const LAST = 5;
const ORDER = "galloper.least-sure-first";

export function capital(words) {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

export class Screen {
  constructor(root, lines, keys) {
    this.root = root;
    this.lines = lines;
    this.keymap = keys;
    this.work = root.querySelector("#work");
    this.keys = root.querySelector("dialog#keys");
    this.differs = root.querySelector("#difference");
    this.finished = false;
    this.clock();
  }

  $(id) {
    return this.root.querySelector("#" + id);
  }

  begin() {
    this.work.tabIndex = -1;
    this.recent();
  }

  show(part, id) {
    if (part !== this.work.firstElementChild) this.work.replaceChildren(part);
    this.keymap.label(this.root);
    this.stand(id);
    this.sure(id);
    this.speak();
    const inside = document.activeElement;
    if (!inside || inside === document.body) this.work.focus({ preventScroll: true });
  }

  // What a screen reader says once another line is shown: its place, and the reading that Enter takes.
  speak() {
    const offers = this.work.querySelectorAll(".reading");
    const words = (part) => offers[0].querySelector(part).textContent.trim();
    this.$("spoken").textContent = this.$("where").textContent + ". " + (offers.length
      ? "Reading 1 of " + offers.length + ": " + words(".order") + ", " + words(".sure") : "No reading");
  }

  // The text above the ink, and the note on the line's state.
  stand(id) {
    const entry = this.lines.byId.get(id);
    if (!entry) return;
    const of = this.lines.all.length;
    const left = this.lines.left();
    const sheets = Math.max(...this.lines.all.map((one) => one.sheet));
    const strong = document.createElement("strong");
    strong.textContent = left + " left";
    this.$("where").replaceChildren(entry.power + " · " + entry.name + (entry.number ? " of " + entry.numbered : "") + " · sheet " + entry.sheet + " of " + sheets + " · ", strong);
    this.root.querySelector(".progress .meter rect").setAttribute("width", String((100 * (of - left)) / (of || 1)));
    document.title = document.title.replace(/^[^·]*/, capital(entry.name) + " ");
    const note = this.work.querySelector(".stands");
    const asked = entry.asked && note.textContent.includes("second reader");
    if (asked || entry.both.length || note.textContent.startsWith("Another person has read") || entry.state === "auto" || (note.textContent.startsWith("Crossed out") && !entry.by)) return;
    if (this.lines.waits(entry)) {
      note.hidden = !entry.asked;
      note.textContent = entry.asked === this.lines.me ? "You asked for a second reader." : entry.asked ? entry.asked + " asks for a second reader. Their reading is not shown." : "";
      return;
    }
    note.hidden = false;
    if (entry.stage === "second") {
      note.textContent = "You read this line as " + entry.state + (entry.order ? ": " + entry.order : "") + ". It counts once a second person reads the same; yours is not shown to them.";
      return;
    }
    note.replaceChildren("This line is settled as ", Object.assign(document.createElement("strong"), { textContent: entry.state }), (entry.order ? ": " + entry.order : "") + (entry.carried ? ", carried over from the version before" : "") + ". A new decision replaces that one.");
  }

  highlight(found, at) {
    found.forEach((button, n) => {
      button.classList.toggle("first", n === at);
      button.setAttribute("aria-current", String(n === at));
      const holder = button.querySelector(".keys");
      const enter = [...holder.children].find((one) => one.textContent === "Enter");
      if (n === at && !enter) holder.prepend(Object.assign(document.createElement("kbd"), { textContent: "Enter" }), " ");
      if (n !== at && enter) enter.remove();
    });
  }

  saved(queue) {
    const place = this.$("saved");
    const number = queue.acts.length;
    place.classList.toggle("unsaved", Boolean(number && queue.trouble));
    if (!number) {
      place.textContent = "All saved";
    } else if (!queue.trouble) {
      place.textContent = number + " not yet saved";
    } else {
      const again = Object.assign(document.createElement("button"), { type: "button", id: "again", textContent: "try again" });
      const door = Object.assign(document.createElement("a"), { href: "/sign-in", target: "_blank", textContent: "Sign in again in another tab" });
      place.replaceChildren(number + " not yet saved. " + queue.trouble + " ", ...(queue.out ? [door, ", or "] : []), again);
    }
  }

  others(name) {
    this.$("others").textContent = name ? name + " is reading this line" : "";
  }

  tell(text) {
    const place = this.$("tell");
    place.hidden = false;
    place.textContent = text;
  }

  hush() {
    this.$("tell").hidden = true;
  }

  recent() {
    const list = this.$("done") || this.root.querySelector(".recent").appendChild(Object.assign(document.createElement("ol"), { id: "done" }));
    list.replaceChildren(...this.lines.recent.slice(0, LAST).map((one) => {
      const item = document.createElement("li");
      const entry = this.lines.byId.get(one.line);
      const name = (entry ? entry.power + ", " : "") + one.name;
      const add = (kind, text, style) => item.append(Object.assign(document.createElement(kind), { textContent: text, className: style }), " ");
      add("span", one.state, "state");
      add("span", (one.text || "—").replace("\n", " or "), "words-read");
      add("span", name + "; " + one.by, "dim");
      const undo = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: "undo" });
      undo.dataset.undo = one.key;
      undo.setAttribute("aria-label", "undo the decision about " + name);
      item.append(undo);
      return item;
    }));
  }

  // The open lines of this sheet whose best reading is sure.
  sure(id) {
    const sheet = this.lines.byId.get(id).sheet;
    const found = this.lines.all.filter((one) => one.sheet === sheet && one.state === "open" && one.stage !== "second" && one.first && one.first.sure === "sure" && one.first.order && one.first.do !== "said");
    this.$("sure").replaceChildren(...found.map((one) => {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", name: "one", checked: true, value: one.id + " " + one.version + " " + one.first.do });
      const label = Object.assign(document.createElement("label"), { className: "plain" });
      label.append(box, " " + one.name + ": " + one.first.text);
      const item = document.createElement("li");
      item.append(label);
      return item;
    }));
    this.$("none-sure").hidden = found.length > 0;
    this.$("take-sure").hidden = !found.length;
  }

  surely(id) {
    const box = this.root.querySelector("details.surely");
    box.open = !box.open;
    if (!box.open) return this.work.focus();
    this.sure(id);
    const button = this.$("take-sure");
    (button.hidden ? box.querySelector("summary") : button).focus();
    box.scrollIntoView({ block: "nearest" });
    return undefined;
  }

  chosenSure() {
    this.root.querySelector("details.surely").open = false;
    this.work.focus();
    return [...this.root.querySelectorAll("#sure input:checked")].map((one) => {
      const [id, version, what] = one.value.split(" ");
      return [Number(id), version, what];
    });
  }

  goto() {
    const box = this.$("jump");
    box.value = "";
    box.focus();
  }

  // The line meant by "7" (of the sheet that is read), "Montrose", "mont" or "montrose 3"; null for none.
  wanted(text, current) {
    const [, name, number] = text.trim().toLowerCase().match(/^(.*?)\s*((?:\d+[a-z]*)?)$/);
    const here = this.lines.byId.get(current);
    if (!name) return this.lines.all.find((one) => here && one.sheet === here.sheet && one.number === number) || null;
    const own = this.lines.all.filter((one) => fold(one.power).startsWith(fold(name)) || one.power.toLowerCase().startsWith(name.toLowerCase()));
    if (number) return own.find((one) => one.number === number) || null;
    return own.find((one) => this.lines.waits(one)) || own[0] || null;
  }

  // Sets the order in which open lines come; null reads the stored choice.
  ordered(wanted) {
    let on = wanted;
    try {
      if (wanted === null) on = localStorage.getItem(ORDER) === "yes";
      else localStorage.setItem(ORDER, wanted ? "yes" : "no");
    } catch (error) {
      on = Boolean(wanted);
    }
    this.root.querySelector("[data-do=order]").setAttribute("aria-pressed", String(on));
    return on;
  }

  help() {
    this.keys.showModal();
  }

  difference({ line, said }) {
    const entry = this.lines.byId.get(line);
    const theirs = entry.both.filter((one) => one.by !== this.lines.me).map((one) => one.by + " “" + one.text + "”").join(", ");
    const now = theirs || entry.order || (entry.text || "").replace("\n", " or ");
    const paragraph = Object.assign(document.createElement("p"), {
      textContent: capital(entry.name) + " of " + entry.power + " was decided by " + (entry.by || "another person") + " while you read it. Nothing was overwritten.",
    });
    const table = document.createElement("dl");
    for (const [word, text] of [["Theirs", entry.state + (now ? ": " + now : "")], ["Yours", said]]) {
      table.append(Object.assign(document.createElement("dt"), { textContent: word }), Object.assign(document.createElement("dd"), { textContent: text }));
    }
    table.className = "pairs";
    const buttons = document.createElement("p");
    for (const [key, choice, word] of [["T", "theirs", "keep theirs"], ["Y", "mine", "save yours in its place"]]) {
      const button = Object.assign(document.createElement("button"), { type: "button" });
      button.dataset.difference = choice;
      button.append(Object.assign(document.createElement("kbd"), { textContent: key }), " " + word);
      buttons.append(button, " ");
    }
    this.differs.replaceChildren(paragraph, table, buttons);
    this.differs.hidden = false;
    this.differs.focus();
  }

  hideDifference() {
    this.differs.hidden = true;
    this.work.focus();
  }

  finish() {
    this.finished = true;
    this.tell("Every line is read. The last decisions are being saved.");
  }

  clock() {
    const place = this.root.querySelector("#clock");
    const ahead = Date.parse(this.root.dataset.now) - Date.now();
    const draw = () => {
      const now = new Date(Date.now() + ahead);
      place.dateTime = now.toISOString();
      place.textContent = now.toUTCString().replace(/^(\w+), 0?(\d+) (\w+) \d+ (\d+:\d+).*$/, "$1 $2 $3, $4 GMT");
    };
    setInterval(draw, 5000);
  }
}
