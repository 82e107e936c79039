// The tray of the Post page: files may be dropped on the box, and a picture taken goes in at once. Without this script
// the box is a plain form.
"use strict";
(function () {
  const form = document.querySelector("[data-drop]");
  if (!form) return;
  const told = form.querySelector("[data-told]");
  const [files, camera] = form.querySelectorAll("input[type=file]");
  form.querySelector(".scripted-drop").hidden = false;
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
