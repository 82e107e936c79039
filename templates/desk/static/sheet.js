// Draw a box on a page to place a missed line, or to correct the box of a line. Without this script the four numbers
// are typed.
"use strict";
(() => {
  const SIDES = ["left", "top", "right", "bottom"];
  const add = document.querySelector(".add-line");
  const fix = document.querySelector(".fix-box");
  let form = add || fix; // the one that was used last
  if (!form) return;
  for (const hint of document.querySelectorAll(".scripted-box")) hint.hidden = false;
  document.addEventListener("focusin", (event) => {
    form = event.target.closest(".add-line, .fix-box") || form;
  });
  // A page and a line of another page do not go together: choosing one sets the other.
  const below = (page) => [...add.elements.after.options].filter((option) => option.dataset.page === page);
  if (add && add.elements.page.options) {
    add.elements.page.addEventListener("change", () => {
      const lines = below(add.elements.page.value);
      add.elements.after.value = lines.length ? lines[lines.length - 1].value : "0";
    });
    add.elements.after.addEventListener("change", () => {
      const page = add.elements.after.selectedOptions[0].dataset.page;
      if (page) add.elements.page.value = page;
    });
  }
  // Start from the present box.
  const now = () => {
    const box = fix.elements.line.selectedOptions[0].dataset.box.split(" ");
    SIDES.forEach((side, n) => { fix.elements[side].value = box[n]; });
  };
  if (fix) {
    for (const option of fix.elements.line.options) option.textContent = option.textContent.replace(/, now [^,]*$/, "");
    fix.elements.line.addEventListener("change", now);
    now();
  }
  const percent = (event, picture) => {
    const at = picture.getBoundingClientRect();
    return [(event.clientX - at.left) / at.width, (event.clientY - at.top) / at.height]
      .map((share) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10);
  };
  const drawn = (from, to, page) => {
    const sides = [Math.min(from[0], to[0]), Math.min(from[1], to[1]), Math.max(from[0], to[0]), Math.max(from[1], to[1])];
    if (form === fix && fix.elements.line.selectedOptions[0].dataset.page !== page) return; // a line stays on its page
    SIDES.forEach((side, n) => { form.elements[side].value = sides[n]; });
    if (form === add) {
      form.elements.page.value = page;
      // Below the last line that begins above the box.
      const above = below(page).filter((option) => Number(option.dataset.top || 0) < (sides[1] + sides[3]) / 2);
      form.elements.after.value = above.length ? above[above.length - 1].value : "0";
    }
    (form === add ? form.elements.text : form.querySelector("button")).focus();
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
      if (Math.abs(to[0] - from[0]) > 1 && Math.abs(to[1] - from[1]) > 0.5) {
        picture.parentElement.addEventListener("click", (click) => click.preventDefault(), { once: true });
        drawn(from, to, picture.dataset.page);
      }
      from = null;
    });
  }
})();
