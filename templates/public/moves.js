"use strict";
(() => {
  // Folds text as the list was folded: case, accents, stops, hyphens, a leading article and & make no difference.
  const fold = (text) => text.replace(/&/g, " and ").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/['’`.]/g, "").replace(/[^0-9a-z]+/g, " ").trim().replace(/^the (?=\S)/, "");
  const find = document.getElementById("find"), box = document.getElementById("wanted"), told = document.getElementById("told");
  const sections = [...document.querySelectorAll("section")].map((at) => ({ at, names: at.dataset.n.split("|") }));
  const heads = [...document.querySelectorAll("h2")];
  // Edit distance, counted up to `most`: insertions, deletions, replacements, swaps of two neighbours.
  const apart = (a, b, most) => {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let older = [], last = Array.from({ length: b.length + 1 }, (_, k) => k);
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      for (let k = 1; k <= b.length; k++) {
        row[k] = Math.min(last[k] + 1, row[k - 1] + 1, last[k - 1] + (a[i - 1] !== b[k - 1]));
        if (i > 1 && k > 1 && a[i - 1] === b[k - 2] && a[i - 2] === b[k - 1]) row[k] = Math.min(row[k], older[k - 2] + 1);
      }
      older = last; last = row;
    }
    return last[b.length];
  };
  const choose = (wanted) => {
    const by = (fits) => sections.filter((s) => s.names.some(fits));
    const whole = by((n) => n === wanted);
    const begun = by((n) => n.startsWith(wanted) || n.includes(" " + wanted));
    if (begun.length) return [...new Set([...whole, ...begun])];
    const most = wanted.length > 7 ? 3 : wanted.length > 4 ? 2 : 1;
    const near = sections.map((s) => [Math.min(...s.names.map((n) => Math.min(apart(wanted, n, most), apart(wanted, n.slice(0, wanted.length), most)))), s])
      .filter(([far]) => far <= most).sort((a, b) => a[0] - b[0]);
    return near.map(([, s]) => s);
  };
  const show = () => {
    const wanted = fold(box.value), found = wanted ? choose(wanted) : [];
    for (const s of sections) {
      s.at.hidden = Boolean(wanted && found.length) && !found.includes(s);
      s.at.classList.toggle("on", found.length === 1 && found[0] === s);
    }
    for (const h of heads) h.hidden = Boolean(wanted && found.length);
    told.textContent = !wanted ? "" : found.length ? (found.length === 1 ? told.dataset.one : `${told.dataset.many} ${found.length}`) : told.dataset.none;
  };
  box.addEventListener("input", show);
  addEventListener("hashchange", () => {
    // A link to a place that the search has hidden brings the whole list back.
    const at = document.getElementById(location.hash.slice(1));
    if (at && at.hidden) { box.value = ""; show(); at.scrollIntoView(); }
  });
  find.hidden = false;
})();
