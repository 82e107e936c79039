// The tray of the Post page: files may be dropped on the box, and what is chosen or taken goes in at once. While the
// machine reads, the page looks again by itself. Without this script the box is a plain form.
"use strict";
(function () {
  if (document.querySelector("[data-awaited]")) {
    let touched = false;
    for (const kind of ["input", "change"]) document.addEventListener(kind, () => (touched = true), true);
    // What somebody ticked or typed stays.
    setInterval(() => touched || document.hidden || location.reload(), 8000);
  }
  const form = document.querySelector("[data-drop]");
  if (!form) return;
  const told = form.querySelector("[data-told]");
  const [files, camera] = form.querySelectorAll("input[type=file]");
  form.querySelector(".scripted-drop").hidden = false;
  // Who pressed it after the pictures had gone read that nothing was put in the tray.
  form.querySelector("button").hidden = true;
  const send = () => {
    told.textContent = "The pictures are on their way.";
    form.requestSubmit();
  };
  for (const box of [files, camera]) box.addEventListener("change", () => box.files.length && send());
  const over = (event, on) => {
    event.preventDefault();
    form.classList.toggle("over", on);
  };
  form.addEventListener("dragover", (event) => over(event, true));
  form.addEventListener("dragleave", (event) => over(event, false));
  form.addEventListener("drop", (event) => {
    over(event, false);
    if (!event.dataTransfer.files.length) return;
    files.files = event.dataTransfer.files;
    send();
  });
})();
