// Keys of the desk. Every key has a visible control; this only presses it. Matched by character, not by position,
// so that AZERTY and Dvorak work, and off while a text field has the focus or a browser combination is pressed.
"use strict";
(function () {
  // One decision is one request. A second press while the first is on its way would repeat the same key, which the
  // server takes for the same decision; but on a form with another answer it would be lost, so it is not sent at all.
  let busy = false;

  function typing(element) {
    return element && (/^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) || element.isContentEditable);
  }

  function control(key) {
    if (key === "enter") return document.querySelector("[data-accept]") || document.querySelector("[data-go]");
    for (const element of document.querySelectorAll("[data-key]")) {
      if (element.dataset.key.toLowerCase() === key) return element;
    }
    return null;
  }

  document.addEventListener("keydown", function (event) {
    if (document.documentElement.dataset.reading) return; // the reading page has its own keys
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing || busy) return;
    const focused = document.activeElement;
    if (typing(focused)) {
      if (event.key === "Escape") focused.blur();
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "enter" && focused && /^(A|BUTTON|SUMMARY)$/.test(focused.tagName)) return;
    const field = document.querySelector("[data-focus]");
    if (field && key === field.dataset.focus.toLowerCase()) {
      event.preventDefault();
      field.focus();
      field.select();
      return;
    }
    const steps = [...document.querySelectorAll("[data-step]")];
    if (steps.length && (key === "j" || key === "k")) {
      event.preventDefault();
      // From outside the list, J goes to its first entry, which Enter would take too.
      const at = steps.indexOf(focused), to = key === "j" ? at + 1 : Math.max(at - 1, 0);
      steps[Math.min(to, steps.length - 1)].focus();
      return;
    }
    const target = control(key);
    if (target) {
      event.preventDefault();
      target.click();
    }
  });

  document.addEventListener("submit", function (event) {
    if (event.defaultPrevented) return;
    if (busy) {
      event.preventDefault();
      return;
    }
    busy = true;
    document.body.setAttribute("aria-busy", "true");
  });
  window.addEventListener("pageshow", function () {
    busy = false;
    document.body.removeAttribute("aria-busy");
  });

  // What moves has a day and an hour now, from which the form begins.
  for (const select of document.querySelectorAll("select[data-fills]")) {
    select.addEventListener("change", function () {
      for (const [name, value] of Object.entries(select.selectedOptions[0].dataset)) {
        select.form.elements[name].value = value;
      }
    });
  }

  const toggle = document.querySelector("[data-raw-toggle]");
  if (toggle) toggle.addEventListener("click", function (event) {
    event.preventDefault();
    const raw = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(raw));
    for (const picture of toggle.closest(".ink").querySelectorAll("picture > *")) {
      const name = picture.tagName === "IMG" ? "src" : "srcset";
      const address = picture.getAttribute(name);
      picture.setAttribute(name, raw ? address + "&raw=1" : address.replace("&raw=1", ""));
    }
  });
})();
