// Acts that wait for the server. Each is kept in the browser's local storage until the server has acknowledged it, and
// sent again after a lost connection, a reload or a closed tab: its id makes a repeated delivery harmless.
"use strict";

const WAITS = [500, 1000, 2000, 4000, 8000];
const AT_ONCE = 50;

export class Queue {
  // `changed(queue)` is called whenever the number of unsaved acts or the trouble changes, `answered(json, acts)` with
  // each answer of the server.
  constructor(phase, me, token, changed, answered) {
    this.address = "/desk/" + phase + "/acts";
    this.phase = phase;
    this.me = me;
    this.place = "galloper.acts." + phase + "." + me + ".";
    this.token = token;
    this.changed = changed;
    this.answered = answered;
    this.acts = this.left();
    this.sending = false;
    this.tries = 0;
    this.count = 0;
    this.trouble = "";
    this.out = false; // whether this browser is signed out, or somebody else is signed in
    this.timer = 0;
  }

  left() {
    const found = [];
    try {
      for (let at = 0; at < localStorage.length; at += 1) {
        const name = localStorage.key(at);
        if (name.startsWith(this.place)) found.push([name, JSON.parse(localStorage.getItem(name))]);
      }
    } catch (error) {
      return [];
    }
    return found.sort((a, b) => (a[0] < b[0] ? -1 : 1)).map((pair) => ({ ...pair[1], stored: pair[0] }));
  }

  add(act) {
    this.count += 1;
    const stored = this.place + String(Date.now()).padStart(15, "0") + String(this.count).padStart(6, "0") + "." + act.key;
    try {
      localStorage.setItem(stored, JSON.stringify(act));
    } catch (error) {
      this.trouble = "This browser keeps no copy; stay on the page until all is saved.";
    }
    this.acts.push({ ...act, stored });
    this.changed(this);
    this.send();
  }

  again() {
    this.tries = 0;
    this.send();
  }

  touches(line) {
    return this.acts.some((act) => act.line === line || (act.others || []).some((one) => one[0] === line));
  }

  async send() {
    if (this.sending || !this.acts.length) return;
    this.sending = true;
    clearTimeout(this.timer);
    const batch = this.acts.slice(0, AT_ONCE);
    let wait = null;
    try {
      const response = await fetch(this.address, {
        method: "POST", redirect: "manual", credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-Galloper-Token": this.token },
        body: JSON.stringify({ acts: batch.map(({ stored, ...act }) => act) }),
      });
      if (response.ok) {
        this.took(await response.json(), batch);
      } else {
        wait = await this.refused(response, batch);
      }
    } catch (error) {
      wait = this.lost("The server does not answer.");
    }
    this.sending = false;
    this.changed(this);
    if (wait !== null) this.timer = setTimeout(() => this.send(), wait);
    else if (this.acts.length) this.send();
  }

  took(answer, batch) {
    this.tries = 0;
    this.trouble = "";
    this.out = false;
    this.drop(batch);
    this.answered(answer, batch);
  }

  drop(batch) {
    for (const act of batch) {
      try {
        localStorage.removeItem(act.stored);
      } catch (error) {
        continue;
      }
    }
    this.acts = this.acts.filter((act) => !batch.includes(act));
  }

  lost(why, out = false) {
    const wait = WAITS[Math.min(this.tries, WAITS.length - 1)];
    this.tries += 1;
    this.out = out;
    this.trouble = why + " Your decisions are kept here and sent again automatically.";
    return wait;
  }

  async refused(response, batch) {
    if (response.type === "opaqueredirect" || response.status === 401) return this.lost("You are signed out.", true);
    if (response.status === 403) {
      const fresh = await fetch("/desk/" + this.phase + "/lines", { redirect: "manual" });
      if (!fresh.ok) return this.lost("You are signed out.", true);
      const found = await fresh.json();
      // What one person decided is never saved under the name of another who has signed in meanwhile.
      if (found.me !== this.me) return this.lost("This browser is signed in as " + found.me + " now; these are decisions of " + this.me + ".", true);
      this.token = found.token;
      return this.lost("Signed in again.");
    }
    if (response.status >= 500) return this.lost("The server has a fault.");
    // The server will never accept what it cannot understand: say so and drop it, or later acts would wait for ever.
    this.drop(batch.slice(0, 1));
    this.answered({ acts: [{ key: batch[0].key, refused: "The server could not use this decision. Make it again." }] }, batch.slice(0, 1));
    return 0;
  }
}
