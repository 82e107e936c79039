// A line that is marked as wrong is sent behind the page's back, so that its reader goes on where they are. Without this
// script each mark loads the page again.
"use strict";
(function () {
  const told = document.getElementById("told");
  document.querySelector("[data-proof]")?.addEventListener("submit", async function (event) {
    event.preventDefault();
    event.stopPropagation();
    const form = event.target, item = form.closest("li"), button = form.querySelector("button");
    button.disabled = true;
    let ok = false;
    try {
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual", credentials: "same-origin" });
      ok = answer.type === "opaqueredirect";
    } catch {
      ok = false;
    }
    item.classList.toggle("marked", ok);
    button.disabled = ok;
    told.hidden = false;
    told.textContent = ok
      ? document.querySelectorAll(".proof .marked").length + " marked: they wait at the desk, where U takes a mark back. Reload this page before you note that every line was compared."
      : "The mark was not saved. Press it again, or reload the page; nothing else was changed.";
  });
})();
