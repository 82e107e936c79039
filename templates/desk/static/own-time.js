"use strict";
// Adds the visitor's own time behind each GMT time. Without it the page says everything all the same.
for (const time of document.querySelectorAll("td time[datetime], time.own-too[datetime]")) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  const inside = time.matches(".own-too"); // within a sentence, in brackets
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (at.getTimezoneOffset() === 0) continue;
  const said = at.toLocaleString("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  const own = document.createElement("span");
  own.className = "own";
  const words = `${said} your time` + (zone && !inside ? ` (${zone.replace("_", " ")})` : "");
  own.textContent = inside ? ` (${words})` : words;
  time.after(own);
}
