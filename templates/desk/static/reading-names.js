// Names and words completed while typing. Lexical only: every name of the board is offered always. Forgiving of accents,
// "&" for "and", articles, hyphens and a slip of the hand.
"use strict";

const MOST = 6;

export function fold(text) {
  return text.normalize("NFKD").replace(/[\u0300-\u036f'’‘`]/g, "").toLowerCase().replace(/&/g, " and ")
    .replace(/[-‐-―/(),.]/g, " ").replace(/\s+/g, " ").trim().replace(/^the (?=.)/, "");
}

// Letters to change, add, leave out or swap to make one text of the other; more than `most` is told as most + 1.
export function slips(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before = [];
  let last = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let cost = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) cost = Math.min(cost, before[j - 2] + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[other.length];
}

export class Names {
  constructor(words) {
    this.entries = words.names.map(([spelling, name]) => ({ key: fold(spelling), name, own: fold(spelling) === fold(name) }));
    for (const word of [...words.verbs, ...words.units]) this.entries.push({ key: fold(word), name: word, own: true, plain: true });
    this.known = new Set(this.entries.filter((one) => !one.plain).map((one) => one.key));
    this.plain = new Set([...words.verbs, ...words.units].flatMap((word) => fold(word).split(" ")));
    for (const sign of ["a", "f", "h", "s", "c", "r", "-", "->", "", "army", "fleet", "to", "and", "proxy", "build", "remove", "send", "supply", "disbands"]) this.plain.add(sign);
  }

  // How far an entry is from what was typed: 0 is best, null is no match.
  far(entry, typed) {
    if (entry.key.startsWith(typed)) return (entry.own ? 0 : 1) + (entry.key === typed ? -0.5 : 0);
    if (entry.plain) return null;
    if (typed.length > 1 && entry.key.includes(" " + typed)) return 2;
    const most = typed.length < 4 ? 0 : typed.length < 7 ? 1 : 2;
    if (!most || entry.key[0] !== typed[0]) return null;
    const found = Math.min(...[0, 1, -1].map((n) => slips(typed, entry.key.slice(0, typed.length + n), most)));
    return found <= most ? 2 + found : null;
  }

  search(text) {
    const typed = fold(text);
    if (!typed) return [];
    const best = new Map();
    for (const entry of this.entries) {
      const far = this.far(entry, typed);
      if (far !== null && (!best.has(entry.name) || best.get(entry.name) > far)) best.set(entry.name, far);
    }
    return [...best].sort((a, b) => a[1] - b[1] || a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1)).slice(0, MOST).map((pair) => pair[0]);
  }

  // What the words before the caret may become: the longest run of words that begins a name, at most five back.
  complete(text, caret) {
    const starts = [];
    for (const found of text.slice(0, caret).matchAll(/[^\s]+/g)) {
      if (fold(found[0])) starts.push(found.index);
      else starts.length = 0; // no name goes across a dash
    }
    if (!starts.length || /\s$/.test(text.slice(0, caret))) return { start: caret, end: caret, names: [] };
    for (const start of starts.slice(-5)) {
      const piece = text.slice(start, caret);
      const names = this.search(piece);
      const typed = fold(piece);
      const whole = this.entries.some((one) => one.key.startsWith(typed));
      if (names.length && (whole || start === starts[starts.length - 1])) return { start, end: caret, names };
    }
    return { start: caret, end: caret, names: [] };
  }

  // The places in a text where a name stands or should stand, as [start, end) pairs.
  slots(text) {
    const words = [...text.matchAll(/[^\s]+/g)].map((found) => ({ at: found.index, end: found.index + found[0].length, key: fold(found[0]) }));
    const found = [];
    let n = 0;
    while (n < words.length) {
      let size = Math.min(6, words.length - n);
      while (size && !(words[n].key && words[n + size - 1].key && this.known.has(fold(text.slice(words[n].at, words[n + size - 1].end))))) size -= 1;
      if (size && !(size === 1 && this.plain.has(words[n].key))) {
        found.push([words[n].at, words[n + size - 1].end]);
        n += size;
      } else if (this.plain.has(words[n].key)) {
        n += 1;
      } else {
        const last = found[found.length - 1];
        if (last && last[2] && n && last[1] === words[n - 1].end) last[1] = words[n].end;
        else found.push([words[n].at, words[n].end, true]);
        n += 1;
      }
    }
    return found.map(([start, end]) => [start, end]);
  }
}
