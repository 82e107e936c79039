// A box above each long table or list that shows only the rows with the words typed there. Without this script the whole
// of it stays as it is.
"use strict";
(function () {
  const FEW = 8; // rows that are seen at a glance
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  // Ticks every box of a name that belongs to the form and whose row is shown.
  document.querySelectorAll("[data-tick]").forEach((button) => {
    button.closest("[hidden]").hidden = false;
    button.addEventListener("click", () => {
      for (const box of button.form.elements) {
        if (box.name === button.dataset.tick && !box.closest("li, tr").hidden) box.checked = true;
      }
    });
  });
  document.querySelectorAll("[data-filter]").forEach((table, n) => {
    const rows = [...(table.tBodies ? table.tBodies[0].rows : table.children)];
    if (rows.length < FEW) return;
    const words = rows.map((row) => plain(row.textContent));
    const noun = table.dataset.filter;
    const label = Object.assign(document.createElement("label"), { className: "filter", textContent: "Find among these " + noun + ": " });
    const box = Object.assign(document.createElement("input"), { type: "search", id: "filter-" + n, autocomplete: "off", spellcheck: false });
    const told = Object.assign(document.createElement("span"), { className: "dim" });
    told.setAttribute("role", "status");
    label.append(box);
    const line = Object.assign(document.createElement("p"), { className: "filter-line" });
    line.append(label, " ", told);
    table.before(line);
    box.addEventListener("input", () => {
      const wanted = plain(box.value).split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, index) => {
        row.hidden = !wanted.every((word) => words[index].includes(word));
        if (!row.hidden) shown += 1;
      });
      told.textContent = wanted.length ? shown + " of " + rows.length + " " + noun + " shown" : "";
    });
  });
})();
