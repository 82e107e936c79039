// Draw a box on a page to fill in where a missed line stands. Without this script the four numbers are typed.
"use strict";
(() => {
  const form = document.querySelector(".add-line");
  if (!form) return;
  for (const hint of form.querySelectorAll(".scripted-box")) hint.hidden = false;
  const percent = (event, picture) => {
    const at = picture.getBoundingClientRect();
    return [(event.clientX - at.left) / at.width, (event.clientY - at.top) / at.height]
      .map((share) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10);
  };
  for (const picture of document.querySelectorAll("img.whole")) {
    let from = null;
    picture.parentElement.addEventListener("dragstart", (event) => event.preventDefault());
    picture.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") return; // a finger scrolls the page
      from = percent(event, picture);
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointerup", (event) => {
      if (!from) return;
      const to = percent(event, picture);
      const moved = Math.abs(to[0] - from[0]) > 1 && Math.abs(to[1] - from[1]) > 0.5;
      if (moved) {
        form.elements.left.value = Math.min(from[0], to[0]);
        form.elements.right.value = Math.max(from[0], to[0]);
        form.elements.top.value = Math.min(from[1], to[1]);
        form.elements.bottom.value = Math.max(from[1], to[1]);
        form.elements.page.value = picture.dataset.page;
        picture.parentElement.addEventListener("click", (click) => click.preventDefault(), { once: true });
        form.elements.text.focus();
      }
      from = null;
    });
  }
})();
