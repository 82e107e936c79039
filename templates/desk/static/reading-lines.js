// The page's data on lines: the state of each, what can be undone, and the parts of the page fetched ahead.
"use strict";

const AHEAD = 4;
const WAITING = ["open", "skipped"];

export class Lines {
  constructor(phase, me) {
    this.address = "/desk/" + phase;
    this.me = me;
    this.all = [];
    this.byId = new Map();
    this.parts = new Map();
    this.undo = [];
    this.redo = [];
    this.recent = [];
    this.unsureFirst = false;
  }

  async load() {
    const response = await fetch(this.address + "/lines", { redirect: "manual" });
    if (!response.ok) throw new Error("lines");
    const found = await response.json();
    this.all = found.lines;
    this.byId = new Map(this.all.map((entry) => [entry.id, entry]));
    this.stacks(found);
    return found;
  }

  stacks(found) {
    const known = new Map([...this.undo, ...this.redo].map((one) => [one.key, one]));
    const kept = (one) => known.get(one.key) || one;
    this.undo = found.undo.map(kept);
    this.redo = found.redo.map(kept);
    this.recent = found.recent;
  }

  // Take over the lines' states from the server, except for lines with an act that is not answered yet. Returns whether
  // the lines themselves have changed (some were joined or broken).
  adopt(states, busy) {
    const same = states.length === this.all.length && states.every((state) => this.byId.has(state.id));
    for (const state of states) {
      const entry = this.byId.get(state.id);
      if (!entry || busy(state.id)) continue;
      // What two people read is written in the line's part of the page, so that part must be fetched again.
      if (entry.stage !== state.stage || JSON.stringify(entry.both) !== JSON.stringify(state.both)) this.parts.delete(state.id);
      Object.assign(entry, state);
    }
    return !same;
  }

  waits(entry) {
    return WAITING.includes(entry.state);
  }

  left() {
    return this.all.filter((entry) => this.waits(entry)).length;
  }

  // The next line for a person after this one: open ones and those that ask for a second reader, skipped ones last.
  next(id) {
    const at = this.all.findIndex((entry) => entry.id === id) + 1;
    const turned = [...this.all.slice(at), ...this.all.slice(0, at)].filter((entry) => entry.id !== id || this.waits(entry));
    const mine = turned.filter((entry) => entry.state === "open" || (entry.asked && entry.asked !== this.me));
    if (this.unsureFirst) mine.sort((a, b) => (a.first ? a.first.share : 0) - (b.first ? b.first.share : 0));
    return mine.find((entry) => entry.id !== id) || mine[0] || turned.find((entry) => entry.state === "skipped") || null;
  }

  beside(id, step) {
    const at = this.all.findIndex((entry) => entry.id === id);
    return this.all[at + step] || null;
  }

  sheet(id, step) {
    const wanted = this.byId.get(id).sheet + step;
    const sheet = this.all.filter((entry) => entry.sheet === wanted);
    return sheet.find((entry) => this.waits(entry)) || sheet[0] || null;
  }

  // A line's part of the page with its pictures loaded; fetched once and cached.
  part(id) {
    if (!this.parts.has(id)) {
      const asked = this.fetchPart(id);
      this.parts.set(id, asked);
      asked.catch(() => this.parts.delete(id));
    }
    return this.parts.get(id);
  }

  async fetchPart(id) {
    const response = await fetch(this.address + "/line/" + id, { redirect: "manual" });
    if (!response.ok) throw new Error("line " + id);
    const holder = document.createElement("div");
    holder.innerHTML = await response.text();
    const part = holder.firstElementChild;
    const crop = part.querySelector("img.crop");
    if (crop) await crop.decode().catch(() => null);
    return part;
  }

  // The parts needed next, in that order.
  async ahead(id) {
    const wanted = [];
    let at = this.byId.get(id);
    for (let n = 0; n < AHEAD && at; n += 1) {
      const from = at;
      at = this.all.slice(this.all.indexOf(from) + 1).find((entry) => this.waits(entry)) || null;
      if (at) wanted.push(at.id);
    }
    const next = this.next(id);
    if (next) wanted.unshift(next.id);
    for (const step of [1, -1]) {
      const near = this.beside(id, step);
      if (near) wanted.push(near.id);
    }
    for (const one of new Set(wanted)) await this.part(one).catch(() => null);
    const keep = new Set([id, ...wanted]);
    for (const one of this.parts.keys()) {
      if (this.parts.size > 60 && !keep.has(one)) this.parts.delete(one);
    }
  }

  // The part of a newly cut line, once the machine has read it: null until then, or when the server does not answer.
  async readAnew(id) {
    const part = await this.fetchPart(id).catch(() => null);
    if (!part || "awaited" in part.dataset) return null;
    this.parts.set(id, Promise.resolve(part));
    return part;
  }

  // Forget the parts whose first offer has changed since they were fetched.
  async renew(offers, current) {
    for (const [id, first] of Object.entries(offers)) {
      const asked = this.parts.get(Number(id));
      if (!asked || Number(id) === current) continue;
      const part = await asked.catch(() => null);
      if (part && part.dataset.first !== first) this.parts.delete(Number(id));
    }
  }
}
