// Keys of the desk. Every key has a visible control; this only presses it. Matched by character, not by position,
// so that AZERTY and Dvorak work, and off while a text field has the focus or a browser combination is pressed.
"use strict";
(function () {
  function typing(element) {
    return element && (element.tagName === "INPUT" || element.tagName === "TEXTAREA" || element.isContentEditable);
  }
  function control(key) {
    for (const element of document.querySelectorAll("[data-key]")) {
      if (element.dataset.key.toLowerCase() === key) return element;
    }
    return key === "1" ? document.querySelector(".reading.first") : null;
  }
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (typing(document.activeElement)) {
      if (event.key === "Escape") document.activeElement.blur();
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "enter" && document.activeElement && /^(A|BUTTON)$/.test(document.activeElement.tagName)) return;
    const field = document.querySelector("[data-focus]");
    if (key === "e" && field) { event.preventDefault(); field.focus(); field.select(); return; }
    const go = key === "enter" ? document.querySelector("[data-go]") : null;
    const target = control(key) || go;
    if (target) { event.preventDefault(); target.click(); }
  });
  const toggle = document.querySelector("[data-raw-toggle]");
  if (toggle) toggle.addEventListener("click", function () {
    const crop = document.querySelector(".crop");
    const other = crop.dataset.raw; crop.dataset.raw = crop.getAttribute("src"); crop.src = other;
  });
  // One decision is one request: a second press while the first is on its way would repeat the key, which is
  // harmless, but it would also land on the next line.
  for (const form of document.querySelectorAll("form")) form.addEventListener("submit", function () {
    for (const button of document.querySelectorAll("button")) setTimeout(function () { button.disabled = true; }, 0);
  });
})();
