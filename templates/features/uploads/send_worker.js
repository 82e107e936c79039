"use strict";
// Keeps the page for photographs and its scripts at hand where there is no net. The net always goes first; nothing that is
// sent passes through here, and no other page of the site.
const KEPT = "galloper-send-1";
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith((async () => {
    try {
      const answer = await fetch(event.request), kept = await caches.open(KEPT);
      if (answer.ok) await kept.put(event.request, answer.clone());
      // A link that has ended is no page to come back to.
      else if (answer.status === 404) await kept.delete(event.request);
      return answer;
    } catch (error) {
      const kept = await caches.match(event.request);
      if (kept) return kept;
      throw error;
    }
  })());
});
