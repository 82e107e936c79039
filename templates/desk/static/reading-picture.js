// The picture of a line: raw or stretched, larger and smaller, turned; and the mark where a line is to be broken.
"use strict";

const OVERLAP = 0.45; // both as in service/web/crops.py
const MOST_ROWS = 5;
const turned = new Map();
let zoom = 1;

function addresses(part, change) {
  for (const one of part.querySelectorAll("picture > *")) {
    const name = one.tagName === "IMG" ? "src" : "srcset";
    const found = new URL(one.getAttribute(name), location.href);
    change(found.searchParams);
    one.setAttribute(name, found.pathname + found.search);
  }
}

export function raw(part, button) {
  const on = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(on));
  addresses(part, (query) => (on ? query.set("raw", "1") : query.delete("raw")));
}

export function turn(part, by) {
  const page = part.dataset.page;
  turned.set(page, ((turned.get(page) || 0) + by) % 360);
  dress(part);
}

// Turn the picture upright before somebody points at a place on it.
export function straighten(part) {
  turned.delete(part.dataset.page);
  dress(part);
}

export function larger(part, by) {
  zoom = Math.min(4, Math.max(1, zoom + by));
  dress(part);
}

// Apply the chosen zoom and turn to a part that is being shown.
export function dress(part) {
  const frame = part.querySelector(".frame");
  if (!frame) return;
  frame.dataset.zoom = String(zoom * 2);
  const angle = turned.get(part.dataset.page) || 0;
  frame.classList.toggle("sideways", angle % 180 !== 0);
  const current = new URL(part.querySelector("img.crop").getAttribute("src"), location.href).searchParams.get("turn") || "0";
  if (String(angle) === current) return;
  addresses(part, (query) => (angle ? query.set("turn", String(angle)) : query.delete("turn")));
  const page = part.querySelector(".sheet img");
  const address = new URL(page.getAttribute("src"), location.href);
  address.searchParams.set("turn", String(angle));
  page.setAttribute("src", address.pathname + address.search);
}

// The mark of a break: at the pointer if that is over the ink, else in the middle; arrows move it.
export class Knife {
  constructor(part, pointer) {
    this.frame = part.querySelector(".frame");
    this.mark = part.querySelector(".knife");
    this.picture = part.querySelector("img.crop");
    const box = this.picture.getBoundingClientRect();
    const inside = pointer && pointer.x > box.left && pointer.x < box.right && pointer.y > box.top && pointer.y < box.bottom;
    const shown = this.rows();
    this.place = inside ? this.ofPointer((pointer.x - box.left) / box.width, (pointer.y - box.top) / box.height, shown) : 0.5;
    this.draw();
    this.mark.hidden = false;
  }

  // The number of pieces each written row is folded into, and the number of rows shown below each other.
  rows() {
    const fold = Number(new URL(this.picture.currentSrc || this.picture.src).searchParams.get("fold") || 0);
    const ratio = Number(this.frame.dataset.ratio);
    if (fold < 1 || ratio <= fold) return [1, 1];
    if (Number(this.frame.dataset.rows) < 2) return [Math.min(MOST_ROWS, Math.ceil((ratio / fold - OVERLAP) / (1 - OVERLAP))), 1];
    const pieces = Number(this.frame.dataset.pieces);
    const high = (this.picture.naturalWidth * (pieces - (pieces - 1) * OVERLAP) * Number(this.frame.dataset.row)) / ratio;
    return [pieces, Math.max(1, Math.round(this.picture.naturalHeight / (high * 13 / 12)) / pieces)]; // empty ones are left out
  }

  // A long line is shown in rows that overlap a little; a place is a share of the unfolded line.
  shape(rows) {
    const width = 1 / (rows - (rows - 1) * OVERLAP);
    return { width, step: width * (1 - OVERLAP) };
  }

  ofPointer(x, y, [rows, written]) {
    const { width, step } = this.shape(rows);
    const row = Math.min(rows * written - 1, Math.floor(y * rows * written)) % rows;
    return Math.min(0.97, Math.max(0.03, row * step + x * width));
  }

  move(by) {
    this.place = Math.min(0.97, Math.max(0.03, this.place + by));
    this.draw();
  }

  draw() {
    const [rows, written] = this.rows();
    const { width, step } = this.shape(rows);
    const row = Math.min(rows - 1, Math.floor(this.place / step));
    const cell = this.picture.getBoundingClientRect();
    const frame = this.frame.getBoundingClientRect();
    const left = cell.left - frame.left + this.frame.scrollLeft + ((this.place - row * step) / width) * cell.width;
    this.mark.style.left = left + "px";
    this.mark.style.top = cell.top - frame.top + (row / rows / written) * cell.height + "px";
    this.mark.style.height = cell.height / rows / written + "px";
  }

  close() {
    this.mark.hidden = true;
  }
}
