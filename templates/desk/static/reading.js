// The reading page: one line after the other by keyboard. A decision is on the screen at once; saving goes on behind it.
// Without this script every control is a plain form or link that does the same.
"use strict";

import { Queue } from "./reading-queue.js";
import { Names } from "./reading-names.js";
import { EditBox } from "./reading-edit.js";
import { Lines } from "./reading-lines.js";
import { Knife, dress, larger, raw, straighten, turn } from "./reading-picture.js";
import { Keys, combination, typing } from "./reading-keys.js";
import { Screen, capital } from "./reading-screen.js";
import { VoidBox } from "./reading-void.js";

const root = document.getElementById("reading");
const { phase, me } = root.dataset;
const keys = new Keys(JSON.parse(root.dataset.keys));
const lines = new Lines(phase, me);
const screen = new Screen(root, lines, keys);
const queue = new Queue(phase, me, root.dataset.token, (found) => screen.saved(found), answered);
const voids = new VoidBox((kept, shown) => decide("void", kept.length ? { kept, shown } : {}), (text) => screen.tell(text), () => screen.work.focus());
const STATES = { "not-order": "not an order", void: "void", close: "void", skip: "skipped", second: "skipped", edit: "read", said: "read" };

let current = 0;
let highlight = 0;
let names = null;
let edit = null;
let knife = null;
let pointer = null;
let waiting = null; // what must be answered before the next step: a line cut anew, or an undoing of before this page
let shown = ""; // the version of the line as it was shown: what somebody else does to it meanwhile is a difference
const differences = [];

const newKey = () => crypto.getRandomValues(new Uint32Array(4)).reduce((key, n) => key + n.toString(36).padStart(7, "0"), "");
const copy = (entry) => ({ id: entry.id, state: entry.state, version: entry.version, text: entry.text, order: entry.order, by: entry.by, asked: entry.asked, carried: entry.carried, stage: entry.stage, both: entry.both });
const part = () => screen.work.firstElementChild;
const offers = () => [...part().querySelectorAll(".reading")];

const RETRY = 2000;
const ANEW = 1500;
let missing = 0; // a line that could not be fetched when its turn came
let retry = 0;

// Showing ------------------------------------------------------------------------------------------------------------

async function show(id) {
  let next = screen.work.firstElementChild;
  if (Number(next.dataset.line) !== id) {
    try {
      next = await lines.part(id);
    } catch (error) {
      screen.tell("The next line could not be fetched. All decisions are kept. The page tries again by itself; J tries at once.");
      missing = id;
      clearTimeout(retry);
      retry = setTimeout(again, RETRY);
      return;
    }
  }
  if (missing) screen.hush();
  missing = 0;
  stop();
  current = id;
  shown = lines.byId.get(id).version;
  screen.show(next, id);
  dress(next);
  highlight = 0;
  mark(0);
  edit = new EditBox(next.querySelector(".words"), next.querySelector(".completions"), () => names);
  history.replaceState(null, "", "/desk/" + phase + "?line=" + id);
  lines.ahead(id);
  here();
  if ("awaited" in next.dataset) setTimeout(() => awaitAnew(id, 40), ANEW);
}

// Go on to a line that could not be fetched at first, unless the person has begun to type.
function again() {
  if (edit && document.activeElement === edit.box) retry = setTimeout(again, RETRY);
  else if (missing) show(missing);
}

// The machine reads a newly cut line in the background. Its reading never replaces what is on screen, where somebody is
// about to press a key: a note announces it, and it appears when the line is shown again.
async function awaitAnew(id, left) {
  if (current !== id || !left || !("awaited" in part().dataset) || !lines.waits(lines.byId.get(id))) return;
  if (await lines.readAnew(id)) {
    if (current === id) screen.tell("The machine has read this line again, as it is cut now. " + keys.map.next.toUpperCase() + " and " + keys.map.previous.toUpperCase() + " come back to it with the new reading.");
  } else setTimeout(() => awaitAnew(id, left - 1), ANEW);
}

function mark(at) {
  const found = offers();
  if (!found.length) return;
  highlight = (at + found.length) % found.length;
  screen.highlight(found, highlight);
}

function onward(from) {
  const next = lines.next(from);
  if (next) show(next.id);
  else finish();
}

function finish() {
  screen.finish();
  if (!queue.acts.length) location.assign("/desk/" + phase);
}

// Deciding -----------------------------------------------------------------------------------------------------------

function decide(what, said = {}) {
  if (waiting) return;
  const entry = lines.byId.get(current);
  const act = { key: newKey(), do: what, line: current, seen: shown, ...said };
  const before = [copy(entry)];
  Object.assign(entry, {
    state: STATES[what] || "read", version: act.key, by: me, asked: what === "second" ? me : "",
    text: said.shown || said.text || entry.text, order: said.order || null, both: [], carried: false,
  });
  delete act.shown;
  delete act.order;
  done({ key: act.key, kind: "decide", before, after: [copy(entry)] });
  queue.add(act);
  onward(current);
}

function done(one) {
  lines.undo.push(one);
  lines.redo = [];
  const entry = lines.byId.get(one.after[0].id);
  lines.recent.unshift({ key: one.key, state: entry.state, text: entry.order || entry.text, name: entry.name, line: entry.id, by: me });
  screen.recent();
}

function accept(button) {
  const what = button.dataset.offer;
  const text = button.dataset.text;
  const order = button.querySelector(".order").textContent;
  const known = order === "no order of this phase" ? null : order;
  decide(what, what === "said" ? { text, order: known } : { shown: text, order: known });
}

function words() {
  const text = edit.box.value.trim().replace(/\s+/g, " ");
  if (text) decide("edit", { text });
  else screen.tell("No words were typed. Nothing was changed.");
}

function acceptSure(others) {
  const key = newKey();
  const before = others.map(([id]) => copy(lines.byId.get(id)));
  for (const [id, , what] of others) {
    const entry = lines.byId.get(id);
    const first = entry.first && entry.first.do === what ? entry.first : {};
    Object.assign(entry, { state: "read", version: others.length > 1 ? key + "." + id : key, by: me, asked: "", carried: false, text: first.text || entry.text, order: first.order || null });
  }
  done({ key, kind: "accept", before, after: others.map(([id]) => copy(lines.byId.get(id))) });
  queue.add({ key, do: "accept", others });
  onward(current);
}

function reshape(what, said) {
  const key = newKey();
  waiting = { key };
  screen.tell("One moment: the line is cut and read again.");
  queue.add({ key, do: what, line: current, seen: shown, ...said });
}

function step(back, target) {
  const [from, to] = back ? [lines.undo, lines.redo] : [lines.redo, lines.undo];
  const one = target ? from.find((other) => other.key === target) || { key: target } : from[from.length - 1];
  if (!one || waiting) {
    if (!one) screen.tell(back ? "There is no decision of yours to undo." : "There is nothing to do again.");
    return;
  }
  const known = one.before && (!target || one === from[from.length - 1]);
  const key = newKey();
  if (known) {
    from.pop();
    to.push(one);
    for (const state of back ? one.before : one.after) Object.assign(lines.byId.get(state.id), state);
    lines.recent = lines.recent.filter((other) => other.key !== one.key);
    if (!back) lines.recent.unshift({ key: one.key, state: one.after[0].state, text: one.after[0].order || one.after[0].text, name: lines.byId.get(one.after[0].id).name, line: one.after[0].id, by: me });
    screen.recent();
  } else {
    waiting = { key };
    screen.tell("One moment: the server is taking that back.");
  }
  queue.add({ key, do: back ? "undo" : "redo", target: one.key });
  if (!known) return;
  if (back) show(one.before[0].id);
  else onward(one.after[one.after.length - 1].id);
}

// What the server says -----------------------------------------------------------------------------------------------

async function answered(answer, acts) {
  const waited = waiting && answer.acts.find((one) => one.key === waiting.key);
  let refused = false;
  for (const one of answer.acts) refused = told(one, acts.find((act) => act.key === one.key)) || refused;
  if (answer.closed) screen.tell(answer.closed);
  if (!answer.states) return;
  const anew = lines.adopt(answer.states, (id) => queue.touches(id));
  if (!queue.acts.length) {
    lines.stacks(answer);
    screen.recent();
  }
  await lines.renew(answer.offers, current);
  if (anew) {
    lines.parts.clear();
    await lines.load();
  }
  if (waited) {
    waiting = null;
    screen.hush();
    const about = waited.about || [];
    const open = about.filter((id) => lines.byId.has(id));
    if (waited.saved && open.length) {
      lines.parts.delete(open[0]);
      show((open.map((id) => lines.byId.get(id)).find((entry) => lines.waits(entry)) || lines.byId.get(open[0])).id);
    } else if (waited.saved && !about.length) {
      screen.tell("There is nothing to take back, or it has decisions of its own: take those back first.");
    }
  } else if (anew && !lines.byId.has(current)) {
    onward(0);
  } else {
    screen.stand(current);
    for (const one of answer.acts) differ(one);
    if (refused) onward(current);
  }
  if (!queue.acts.length && !lines.left() && screen.finished) location.assign("/desk/" + phase);
}

// Two people read a line differently: tell the one whose decision made it so.
function differ(one) {
  const entry = (one.about || []).map((id) => lines.byId.get(id)).find((line) => line && line.stage === "differs");
  if (!entry || !one.saved) return;
  screen.tell(capital(entry.name) + " of " + entry.power + " is read differently: " + entry.both.map((said) => said.by + " “" + said.text + "”").join(", ")
    + ". Both are kept; it counts once both of you read the same, and " + keys.map.void.toUpperCase() + " on it makes it void.");
}

// Show what was not saved as intended; returns whether something was refused.
function told(one, act) {
  if (one.complaint) screen.tell(one.complaint + " Your words were kept as written; " + keys.map.undo.toUpperCase() + " takes them back.");
  if (one.refused) {
    lines.undo = lines.undo.filter((other) => other.key !== one.key);
    screen.tell(one.refused);
  }
  if (one.overtaken) {
    const mine = lines.undo.find((other) => other.key === one.key);
    const meant = mine && mine.after && mine.after.find((state) => state.id === one.overtaken);
    lines.undo = lines.undo.filter((other) => other.key !== one.key);
    differences.push({ line: one.overtaken, act, said: meant ? meant.state + (meant.order || act.text ? ": " + (meant.order || act.text) : "") : act.do });
    if (differences.length === 1) setTimeout(() => screen.difference(differences[0]), 0);
  }
  return Boolean(one.refused);
}

function settleDifference(mine) {
  const { line, act } = differences.shift();
  const entry = lines.byId.get(line);
  if (differences.length) screen.difference(differences[0]);
  else screen.hideDifference();
  if (line === current) shown = entry.version;
  if (!mine) return;
  queue.add({ ...act, stored: undefined, key: newKey(), seen: entry.version });
  screen.tell("Yours is saved in its place; the other stays in the log.");
}

async function here() {
  try {
    const response = await fetch("/desk/" + phase + "/here", {
      method: "POST", redirect: "manual", headers: { "Content-Type": "application/json", "X-Galloper-Token": queue.token },
      body: JSON.stringify({ line: current }),
    });
    if (response.ok) screen.others((await response.json()).others[String(current)] || "");
  } catch (error) {
    screen.others("");
  }
}

// Modes: the place of a break, and two decisions about one line --------------------------------------------------------

function stop() {
  if (knife) knife.close();
  knife = null;
  voids.close(part());
}

function inBreak(event) {
  if (!knife) return false;
  const by = { ArrowLeft: -0.01, ArrowRight: 0.01 }[event.key];
  if (by) knife.move(event.shiftKey ? by * 5 : by);
  else if (event.key === "Enter") {
    const at = knife.place;
    stop();
    reshape("break", { at });
  } else if (event.key === "Escape") stop();
  else return false;
  return true;
}

function inDifference(event) {
  const choice = { t: false, y: true }[event.key.toLowerCase()];
  if (!differences.length || screen.differs.hidden || choice === undefined || combination(event)) return false;
  settleDifference(choice);
  return true;
}

// Actions ------------------------------------------------------------------------------------------------------------

const go = (entry) => (entry ? show(entry.id) : screen.tell("There are no more lines that way."));
const actions = {
  accept: () => (offers().length ? accept(offers()[highlight]) : actions.edit()),
  up: () => mark(highlight - 1),
  down: () => mark(highlight + 1),
  edit: () => {
    const chosen = offers()[highlight];
    const open = !lines.byId.size || lines.waits(lines.byId.get(current)) || !edit.box.value;
    edit.open(chosen && open ? chosen.dataset.text : null, chosen ? [...chosen.querySelectorAll("mark:not(.gap)")].map((one) => one.textContent) : [],
      offers().filter((one) => one !== chosen).map((one) => one.querySelector(".order").textContent), Boolean(chosen));
  },
  "not-order": () => decide("not-order"),
  void: () => voids.open(part()),
  skip: () => decide("skip"),
  second: () => decide("second"),
  undo: () => step(true),
  redo: () => step(false),
  next: () => go(lines.beside(current, 1)),
  previous: () => go(lines.beside(current, -1)),
  "next-sheet": () => go(lines.sheet(current, 1)),
  "previous-sheet": () => go(lines.sheet(current, -1)),
  page: () => {
    const sheet = part().querySelector("details.sheet");
    if (sheet) sheet.open = !sheet.open;
  },
  why: () => {
    const reasons = part().querySelector("details.why-open");
    if (reasons) reasons.open = !reasons.open;
  },
  raw: () => part().querySelector("[data-do=raw]") && raw(part(), part().querySelector("[data-do=raw]")),
  "zoom-in": () => larger(part(), 0.5),
  "zoom-out": () => larger(part(), -0.5),
  rotate: () => turn(part(), 90),
  join: () => (part().querySelector("[data-do=join]") ? reshape("join", {}) : screen.tell("There is no line below this one on its page.")),
  break: () => {
    if (!part().querySelector(".frame")) return;
    straighten(part());
    knife = new Knife(part(), pointer);
    screen.tell("Put the cut between two words: ← and → move it, Enter breaks the line there, Esc cancels.");
  },
  "accept-sure": () => screen.surely(current),
  goto: () => screen.goto(),
  order: () => {
    lines.unsureFirst = screen.ordered(!lines.unsureFirst);
    lines.ahead(current);
  },
  help: () => screen.help(),
};
for (let n = 1; n <= 5; n += 1) {
  actions["reading-" + n] = () => (offers()[n - 1] ? accept(offers()[n - 1]) : screen.tell("This line has no reading " + n + "."));
}

function jump() {
  const box = root.querySelector("#jump");
  const entry = screen.wanted(box.value, current);
  screen.work.focus();
  if (entry) show(entry.id);
  else screen.tell("No power or line is called “" + box.value + "”.");
}

function run(name) {
  if (!lines.byId.size || waiting) return;
  if (name !== "break") screen.hush();
  actions[name]();
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || screen.keys.open || !lines.byId.size) return;
  const focused = document.activeElement;
  if (edit && focused === edit.box) return inEdit(event);
  if (typing(focused)) {
    if (event.key === "Escape") screen.work.focus();
    return;
  }
  if (inDifference(event) || voids.key(event, part()) || inBreak(event)) {
    event.preventDefault();
    return;
  }
  const name = keys.action(event);
  if (!name || (event.repeat && !["up", "down", "zoom-in", "zoom-out"].includes(name))) return;
  if (name === "accept" && focused && /^(A|BUTTON|SUMMARY|INPUT)$/.test(focused.tagName)) return;
  event.preventDefault();
  run(name);
});

function inEdit(event) {
  if (combination(event)) return;
  if (edit.key(event)) event.preventDefault();
  else if (event.key === "Escape") screen.work.focus();
}

root.addEventListener("click", (event) => {
  const control = event.target.closest("[data-do], [data-void], [data-difference], [data-undo], #again, [data-close]");
  if (!control || !lines.byId.size || ["edit", "goto"].includes(control.dataset.do)) return;
  event.preventDefault();
  if (event.detail && !control.closest("details")) screen.work.focus({ preventScroll: true }); // a click, not a key
  if (control.dataset.void) return control.dataset.void === "two" ? voids.kept(part()) : decide(control.dataset.void === "both" ? "close" : "void");
  if (control.dataset.difference) return settleDifference(control.dataset.difference === "mine");
  if (control.dataset.undo) return step(true, control.dataset.undo);
  if (control.id === "again") return queue.again();
  if (control.matches("[data-close]")) return screen.keys.close();
  run(control.dataset.do);
});

root.addEventListener("submit", (event) => {
  if (!lines.byId.size || event.target.closest("#keys, .late")) return;
  event.preventDefault();
  if (event.target.matches(".edit")) words();
  else if (event.target.matches(".goto")) jump();
  else if (event.target.closest(".surely")) acceptSure(screen.chosenSure());
});
document.addEventListener("pointermove", (event) => {
  pointer = { x: event.clientX, y: event.clientY };
});
window.addEventListener("beforeunload", (event) => {
  if (!queue.acts.length) return;
  event.preventDefault();
  event.returnValue = "";
});

async function start() {
  window.readingLines = lines; // to look at from the browser's console
  current = Number(part().dataset.line);
  await lines.load();
  document.documentElement.dataset.reading = "on";
  lines.unsureFirst = screen.ordered(null);
  screen.begin();
  screen.saved(queue); // what an earlier page left unsaved is said at once
  await show(current);
  const found = await fetch("/desk/" + phase + "/words", { redirect: "manual" });
  names = found.ok ? new Names(await found.json()) : null;
  window.readingNames = names;
  queue.send();
}

start().catch(() => screen.tell("The page could not fetch its lines. Every control still works, one page at a time."));
setInterval(here, 20000);
