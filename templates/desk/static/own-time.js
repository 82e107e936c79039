"use strict";
// Adds the visitor's local time after each GMT time. Without this script nothing is missing but that.
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
