"use strict";
// Sheets that wait on this device until they are sent: in IndexedDB, so that a closed page loses none. Each has an id that
// it keeps however often it is sent, so it arrives once. `self.sheetStore` has put, remove and all, each a promise.
(() => {
  const NAME = "galloper-sheets", TABLE = "sheets";
  const opened = () => new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(TABLE, { keyPath: "id" });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  const act = async (mode, work) => {
    const base = await opened();
    try {
      return await new Promise((resolve, reject) => {
        const change = base.transaction(TABLE, mode), asked = work(change.objectStore(TABLE));
        // Only a completed transaction is on the disk.
        change.oncomplete = () => resolve(asked.result);
        change.onerror = change.onabort = () => reject(change.error);
      });
    } finally { base.close(); }
  };
  self.sheetStore = {
    put: (sheet) => act("readwrite", (table) => table.put(sheet)),
    remove: (id) => act("readwrite", (table) => table.delete(id)),
    // Those of another link on the same device stay out of sight.
    all: async (link) => (await act("readonly", (table) => table.getAll())).filter((sheet) => sheet.link === link).sort((a, b) => a.taken.localeCompare(b.taken)),
  };
})();
