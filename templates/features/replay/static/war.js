"use strict";
// Shows one plate at a time: by buttons, slider, arrow keys, and strokes of a finger. Without it all stand below each other.
(() => {
  const plates = [...document.querySelectorAll("figure.plate")], steps = document.getElementById("steps");
  const slider = document.getElementById("step"), where = document.getElementById("where");
  const back = document.getElementById("back"), on = document.getElementById("on");
  if (!steps || plates.length < 2) return;
  const show = (number) => {
    const index = Math.min(Math.max(number, 1), plates.length);
    plates.forEach((plate, at) => { plate.hidden = at !== index - 1; });
    slider.value = String(index);
    where.textContent = plates[index - 1].querySelector("h2").textContent + " (" + index + "/" + plates.length + ")";
    back.setAttribute("aria-disabled", String(index === 1));
    on.setAttribute("aria-disabled", String(index === plates.length));
    // The next plate is fetched while this one is looked at.
    const next = plates[index] && plates[index].querySelector("img");
    if (next) next.loading = "eager";
  };
  // The bar names the phase; below it the name would stand a second time.
  plates.forEach((plate) => { plate.querySelector("figcaption").hidden = true; });
  const at = () => Number(slider.value);
  steps.hidden = false;
  steps.addEventListener("submit", (event) => event.preventDefault());
  back.addEventListener("click", () => show(at() - 1));
  on.addEventListener("click", () => show(at() + 1));
  slider.addEventListener("input", () => show(at()));
  document.addEventListener("keydown", (event) => {
    if (event.target === slider || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowRight") show(at() + 1);
    if (event.key === "ArrowLeft") show(at() - 1);
  });
  let from = null;
  document.addEventListener("touchstart", (event) => { from = event.touches.length === 1 ? event.touches[0] : null; }, { passive: true });
  document.addEventListener("touchend", (event) => {
    const to = event.changedTouches[0];
    if (from && Math.abs(to.clientX - from.clientX) > 60 && Math.abs(to.clientY - from.clientY) < 40 && !event.target.closest("form")) {
      show(at() + (to.clientX < from.clientX ? 1 : -1));
    }
    from = null;
  }, { passive: true });
  const wanted = plates.findIndex((plate) => "#" + plate.id === location.hash);
  show(wanted < 0 ? 1 : wanted + 1);
})();
