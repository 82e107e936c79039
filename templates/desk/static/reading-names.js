// Names and words completed while typing. Lexical only: every name of the board is offered always. Forgiving of accents,
// "&" for "and", articles, hyphens and a slip of the hand. Names that the readings of the line have come first.
"use strict";

const MOST = 6;
const LONGEST = 9;
const BRIEF = 4;
const JOINING = new Set(["and", "of", "the"]);

export function fold(text) {
  return text.normalize("NFKD").replace(/[\u0300-\u036f'’‘`]/g, "").toLowerCase().replace(/&/g, " and ")
    .replace(/[-‐-―/(),.]/g, " ").replace(/\s+/g, " ").trim().replace(/^the (?=.)/, "");
}

// Edit distance with swaps of neighbours; anything above `most` is returned as most + 1.
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

// True if each typed word begins a word of the key, in order: "not ca" is Nottingham Castle.
function begins(key, typed) {
  const words = key.split(" ");
  let n = 0;
  for (const part of typed.split(" ")) {
    while (n && JOINING.has(words[n]) && !words[n].startsWith(part)) n += 1;
    if (!words[n] || !words[n].startsWith(part)) return false;
    n += 1;
  }
  return true;
}

export class Names {
  constructor(words) {
    this.entries = words.names.map(([spelling, name]) => ({ key: fold(spelling), name, own: fold(spelling) === fold(name) }));
    for (const word of [...words.verbs, ...words.units]) this.entries.push({ key: fold(word), name: word, own: true, plain: true });
    const places = this.entries.filter((one) => !one.plain);
    this.known = new Set(places.map((one) => one.key));
    this.brief = new Map(); // the board's own short spelling of a name
    for (const [spelling, name] of words.names) {
      if (spelling.length <= BRIEF && spelling.length < name.length && !this.brief.has(name)) this.brief.set(name, spelling);
    }
    this.read = new Set(); // names that the readings of the line have
    this.coasts = new Set(places.filter((one) => one.name.includes("/")).map((one) => fold(one.name.split("/")[1])));
    this.plain = new Set([...words.verbs, ...words.units].flatMap((word) => fold(word).split(" ")));
    for (const sign of ["a", "f", "h", "s", "c", "r", "-", "->", ">", "", "army", "fleet", "to", "and", "proxy", "build", "remove", "send", "supply", "disbands"]) this.plain.add(sign);
  }

  // Sets the texts of all readings of the line that is being typed.
  reading(texts) {
    this.read = new Set(texts.flatMap((text) => this.slots(text).map(([start, end]) => text.slice(start, end))));
  }

  // Rank of an entry for what was typed: lower is better, null is no match. A complete spelling of a name, such as
  // the board's short one, comes before names that only begin so.
  far(entry, typed) {
    if (entry.key === typed) return -1;
    if (entry.key.startsWith(typed)) return entry.own ? 0 : 1;
    if (entry.plain) return null;
    if (this.short(typed) && begins(entry.key, typed)) return 1.5;
    if (typed.length > 1 && entry.key.includes(" " + typed)) return 2;
    const most = typed.length < 4 ? 0 : typed.length < 7 ? 1 : 2;
    if (!most || entry.key[0] !== typed[0]) return null;
    const found = Math.min(...[0, 1, -1].map((n) => slips(typed, entry.key.slice(0, typed.length + n), most)));
    return found <= most ? 2 + found : null;
  }

  // True if what was typed may be the beginnings of several words of a name.
  short(typed) {
    const first = typed.split(" ")[0];
    return first.length > 1 && first !== typed && !this.plain.has(first);
  }

  search(text) {
    const typed = fold(text);
    if (!typed) return [];
    const best = new Map();
    for (const entry of this.entries) {
      const far = this.far(entry, typed);
      if (far !== null && (!best.has(entry.name) || best.get(entry.name) > far)) best.set(entry.name, far);
    }
    const read = (name) => (this.read.has(name) ? 0 : 1);
    return [...best].sort((a, b) => a[1] - b[1] || read(a[0]) - read(b[0]) || a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1))
      .slice(0, MOST).map((pair) => pair[0]);
  }

  // Completions for the words before the caret: the longest run of at most five words that begins a name. A dash may
  // have no blanks around it; then the text after it may be a name of its own.
  complete(text, caret) {
    const starts = [];
    for (const found of text.slice(0, caret).matchAll(/[^\s]+/g)) {
      if (!fold(found[0])) starts.length = 0; // no name goes across a dash
      for (const part of found[0].matchAll(/[^-‐-―]+/g)) starts.push(found.index + part.index);
    }
    if (!starts.length || /\s$/.test(text.slice(0, caret))) return { start: caret, end: caret, names: [] };
    for (const start of starts.slice(-5)) {
      const piece = text.slice(start, caret);
      const names = this.search(piece);
      const typed = fold(piece);
      const short = this.short(typed);
      const whole = this.entries.some((one) => one.key.startsWith(typed) || (short && !one.plain && begins(one.key, typed)));
      if (names.length && (whole || start === starts[starts.length - 1])) return { start, end: caret, names };
    }
    return { start: caret, end: caret, names: [] };
  }

  // Names similar to one that was read: the place without its coast, with another coast, longer names with the same
  // beginning, then names one or two letters away. By letters alone.
  near(text) {
    const typed = fold(text);
    const base = fold(text.split("/")[0]);
    const word = base.split(" ")[0];
    const best = new Map();
    for (const entry of this.entries) {
      if (entry.plain || !entry.own || entry.key === typed) continue;
      let far = null;
      if (entry.key === base) far = 0;
      else if (entry.key.startsWith(base)) far = 1;
      else if (word.length > 3 && entry.key.startsWith(word)) far = 2;
      else if (base.length > 3 && slips(base, entry.key, 2) <= 2) far = 3;
      if (far !== null && !best.has(entry.name)) best.set(entry.name, far);
    }
    return [...best].sort((a, b) => a[1] - b[1] || a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1)).map((pair) => pair[0]);
  }

  // The places in a text where a name, with its coast, is or should be, as [start, end) pairs.
  slots(text) {
    const words = [...text.matchAll(/[^\s/‐-―-]+|[‐-―-]+/g)].map((found) => ({ at: found.index, end: found.index + found[0].length, key: fold(found[0]) }));
    const found = [];
    let n = 0;
    while (n < words.length) {
      const size = this.named(text, words, n);
      if (size && !(size === 1 && this.plain.has(words[n].key))) {
        n += size;
        const coast = text[words[n - 1].end] === "/" ? this.coast(text, words, n) : 0;
        found.push([words[n - size].at, words[n - 1 + coast].end]);
        n += coast;
      } else if (this.plain.has(words[n].key)) {
        n += 1;
      } else {
        const last = found[found.length - 1];
        if (last && last[2] && n && (last[1] === words[n - 1].end || this.hyphen(words, n, last[1]))) last[1] = words[n].end;
        else found.push([words[n].at, words[n].end, true]);
        n += 1;
      }
    }
    return found.map(([start, end]) => [start, end]);
  }

  // True if only a hyphen without blanks is between a place's end and the n-th word.
  hyphen(words, n, end) {
    return n > 1 && !words[n - 1].key && words[n - 1].at === end && words[n - 1].end === words[n].at;
  }

  // Number of words from the n-th on, dashes included, that form the longest name of the board; 0 for none.
  named(text, words, n) {
    let size = Math.min(LONGEST, words.length - n);
    while (size && !(words[n].key && words[n + size - 1].key && this.known.has(fold(text.slice(words[n].at, words[n + size - 1].end))))) size -= 1;
    return size;
  }

  // Number of words from the n-th on that name a coast: those of a coast of the board, else the word after a slash.
  coast(text, words, n) {
    for (let size = Math.min(3, words.length - n); size > 1; size -= 1) {
      if (this.coasts.has(fold(text.slice(words[n].at, words[n + size - 1].end)))) return size;
    }
    return n < words.length ? 1 : 0;
  }
}
