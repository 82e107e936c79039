// Keys by character: the same letter does the same on every keyboard (AZERTY, Dvorak), whatever its position.
"use strict";

// "v", "Shift+u", "Enter", "]": Shift matters for letters, other characters are as printed. Caps Lock is ignored,
// since the event reports Shift by itself.
export function nameOf(event) {
  const key = event.key;
  if (key.length !== 1) return key;
  const low = key.toLowerCase();
  return low !== key.toUpperCase() && event.shiftKey ? "Shift+" + low : low;
}

// Browser shortcuts are never used. AltGr is no shortcut: on many keyboards "[" and "]" need it.
export function combination(event) {
  if (event.getModifierState && event.getModifierState("AltGraph")) return false;
  return event.ctrlKey || event.altKey || event.metaKey;
}

export function typing(element) {
  return Boolean(element) && (element.isContentEditable || /^(TEXTAREA|SELECT)$/.test(element.tagName)
    || (element.tagName === "INPUT" && !/^(checkbox|radio|button|submit)$/.test(element.type)));
}

export class Keys {
  constructor(map) {
    this.off = Boolean(map.off);
    this.map = map;
    this.actions = new Map(Object.entries(map).filter(([name]) => name !== "off").map(([name, key]) => [key, name]));
  }

  action(event) {
    const undo = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z";
    if (undo) return "undo";
    if (combination(event)) return null;
    const name = this.actions.get(nameOf(event)) || null;
    const single = event.key.length === 1;
    return this.off && single ? null : name;
  }

  // Show this person's keys on the controls.
  label(root) {
    for (const control of root.querySelectorAll("[data-do]")) {
      const key = this.map[control.dataset.do];
      const sign = control.querySelector("kbd:last-of-type") || (control.labels && control.labels[0] && control.labels[0].querySelector("kbd"));
      if (!key || !sign) continue;
      const said = key.replace("Shift+", "Shift+\u200b").replace(/(^|\u200b)([a-z])$/, (_, a, b) => a + b.toUpperCase());
      if (sign.textContent !== said.replace("\u200b", "")) sign.textContent = said.replace("\u200b", "");
      if (key.length === 1 || key.startsWith("Shift+")) control.setAttribute("aria-keyshortcuts", key);
    }
  }
}
