"use strict";
// The page for photographs: camera with hints, and a tray of sheets that are sent when there is a net. Without this script
// the form below it does the same with chosen files. What was read on a sheet is shown nowhere.
(() => {
  const form = document.getElementById("send"), camera = document.getElementById("camera"), tray = document.getElementById("tray");
  if (!self.indexedDB || !self.fetch) return;
  const link = location.pathname, byId = (id) => document.getElementById(id), waits = byId("waits"), status = byId("told");
  const text = (name) => document.querySelector('#texts [data-text="' + name + '"]').textContent;
  const tell = (words) => { if (status) status.textContent = words; };
  const LONG = 1600; // pixels at which a picture is looked at, as the server does

  // Pictures of the sheet at hand
  let pages = [];
  const element = (name, words, act) => {
    const made = document.createElement(name);
    if (words) made.textContent = words;
    if (act) { made.type = "button"; made.addEventListener("click", act); }
    return made;
  };
  const drawn = async (source, canvas, long) => {
    const bitmap = source instanceof Blob ? await createImageBitmap(source) : source;
    const width = bitmap.videoWidth || bitmap.width, height = bitmap.videoHeight || bitmap.height, scale = Math.min(1, long / Math.max(width, height));
    canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  };
  const wordsOf = ({ hints }) => (hints.length ? hints.map((hint) => text("hint-" + hint)).join(" ") : text("hint-good"));
  const showPages = async () => {
    const list = byId("pages");
    list.replaceChildren();
    for (const [index, page] of pages.entries()) {
      const item = element("li"), canvas = element("canvas"), words = element("p");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", text("page") + " " + (index + 1));
      item.append(canvas, words, element("button", text("remove"), () => { pages.splice(index, 1); showPages(); }));
      list.append(item);
      try { words.textContent = text("page") + " " + (index + 1) + ": " + wordsOf(frameHints(await drawn(page, canvas, LONG))); }
      // A picture that this browser cannot open, such as HEIC, may open here all the same.
      catch { canvas.remove(); words.textContent = text("page") + " " + (index + 1) + ": " + (page.name || page.type || "?"); }
    }
    byId("take-in").hidden = !pages.length;
  };
  const choose = () => {
    pages.push(...form.elements.photograph.files);
    form.elements.photograph.value = "";
    showPages();
  };

  // Camera
  const video = byId("video"), frame = document.createElement("canvas");
  let stream = null, timer = 0;
  const look = async () => {
    if (!stream) return;
    if (video.videoWidth) {
      const words = wordsOf(frameHints(await drawn(video, frame, LONG)));
      // Said once: a reader of the screen must not hear it three times a second.
      if (byId("hint").textContent !== words) byId("hint").textContent = words;
    }
    timer = setTimeout(look, 400);
  };
  const close = () => {
    clearTimeout(timer);
    if (stream) stream.getTracks().forEach((track) => track.stop());
    stream = null; byId("finder").hidden = true; byId("open").hidden = false;
  };
  const taken = async () => {
    const still = async () => {
      const shot = new ImageCapture(stream.getVideoTracks()[0]).takePhoto();
      return Promise.race([shot, new Promise((_, fail) => setTimeout(() => fail(new Error("slow")), 5000))]);
    };
    try { return await still(); }
    catch {
      await drawn(video, frame, 8000);
      return new Promise((resolve) => frame.toBlob(resolve, "image/jpeg", 0.92));
    }
  };
  if (form && navigator.mediaDevices && navigator.mediaDevices.getUserMedia) {
    camera.hidden = false;
    byId("open").addEventListener("click", async () => {
      try {
        stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: { ideal: "environment" }, width: { ideal: 3840 }, height: { ideal: 2160 } }, audio: false });
      } catch { tell(text("no-camera")); return; }
      video.srcObject = stream;
      byId("finder").hidden = false; byId("open").hidden = true;
      await video.play();
      look();
    });
    byId("take").addEventListener("click", async () => { byId("take").disabled = true; const shot = await taken(); byId("take").disabled = false; pages.push(shot); showPages(); });
    byId("shut").addEventListener("click", close);
    self.addEventListener("pagehide", close);
  }

  // Tray
  const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const digests = async (photographs) => (self.crypto && crypto.subtle ? Promise.all(photographs.map(async (page) => hex(await crypto.subtle.digest("SHA-256", await page.arrayBuffer())))) : []);
  const show = async () => {
    const sheets = await sheetStore.all(link);
    tray.hidden = !sheets.length;
    // The server has not heard of those that wait here, so it may propose one of their numbers again.
    if (form) {
      const used = sheets.filter((sheet) => sheet.place === form.elements.place.value).map((sheet) => Number(sheet.version));
      const next = Math.min(999, Math.max(0, ...used) + 1), proposed = form.elements.version;
      if (Number(proposed.value) < next) proposed.value = String(next);
    }
    waits.replaceChildren();
    for (const sheet of sheets) {
      const item = element("li"), head = element("strong", sheet.words + ", " + text("version") + " " + sheet.version);
      item.append(head, element("p", sheet.state === "here" ? sheet.told : (sheet.told || text("waiting"))));
      if (sheet.state === "here") for (const digest of sheet.digests) item.append(element("p", digest));
      item.querySelectorAll("p + p").forEach((line) => line.classList.add("address"));
      if (sheet.state !== "here") for (const [index, page] of sheet.photographs.entries()) {
        const save = element("a", text("save") + " " + (index + 1));
        save.href = URL.createObjectURL(page); save.download = "sheet-v" + sheet.version + "-" + (index + 1) + "." + ((page.type.split("/")[1]) || "jpg");
        item.append(save, " ");
      }
      item.append(element("button", text(sheet.state === "here" ? "clear" : "discard"), async () => {
        if (sheet.state !== "here" && !confirm(text("sure"))) return;
        await sheetStore.remove(sheet.id); show();
      }));
      waits.append(item);
    }
  };
  // The sheet of which the words below the form are: they must not stay "on this device" once it has arrived.
  let toldOf = "";
  const once = async (sheet) => {
    const body = new FormData();
    body.append("csrf", document.querySelector("input[name=csrf]").value); body.append("place", sheet.place);
    body.append("version", sheet.version); body.append("nonce", sheet.id);
    sheet.photographs.forEach((page, index) => body.append("photograph", page, "photograph-" + (index + 1)));
    let answer;
    try { answer = await fetch(link, { method: "POST", body, headers: { Accept: "application/json" }, credentials: "omit", cache: "no-store" }); }
    catch { sheet.told = text("no-net"); return sheetStore.put(sheet); }
    if (answer.ok) {
      const arrival = await answer.json(), own = sheet.digests;
      const same = own.length && own.join() === arrival.photographs.join();
      sheet.told = text("arrived") + " " + arrival.when + ". " + (arrival.late ? text("late") + " " : "") + text("receipt") + " " + (same ? text("same") : text("digest"));
      sheet.digests = arrival.photographs; sheet.state = "here"; sheet.photographs = [];
      if (toldOf === sheet.id) tell(text("arrived") + " " + arrival.when + ", " + text("version") + " " + sheet.version + ".");
      return sheetStore.put(sheet);
    }
    // Ours to mend or a matter of time: it waits. Anything else is for its player to decide.
    let words = "";
    try { words = (await answer.json()).sentence || ""; } catch { /* a page of somebody between us */ }
    sheet.told = words || text(answer.status === 404 ? "gone" : answer.status === 413 ? "large" : "no-net");
    // Sent again by itself it would be refused again, every half minute and with all of its bytes.
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 408 && answer.status !== 429) {
      sheet.state = "refused";
      if (toldOf === sheet.id) tell(sheet.told);
    }
    return sheetStore.put(sheet);
  };
  let sending = false, again = false;
  const sendAll = async (byHand) => {
    if (sending) { again = true; return; }
    sending = true;
    try {
      for (const sheet of await sheetStore.all(link)) if (sheet.state === "waits" || (byHand && sheet.state === "refused")) { await once(sheet); await show(); }
    } finally { sending = false; if (again) { again = false; sendAll(); } }
  };
  const nonce = () => hex(crypto.getRandomValues(new Uint8Array(16)));
  let keeping = false;
  // A second tap while the first is being kept would send the same pages once more.
  const keep = async () => {
    if (keeping || !pages.length) return;
    keeping = true;
    try { await kept(); } finally { keeping = false; }
  };
  const kept = async () => {
    const place = form.elements.place, chosen = place.selectedOptions ? place.selectedOptions[0].textContent : place.dataset.words;
    if (!form.reportValidity()) return;
    if (pages.reduce((bytes, page) => bytes + page.size, 0) > Number(form.dataset.most)) { tell(text("large")); return; }
    if (pages.length > Number(form.dataset.files)) { tell(text("many")); return; }
    const sheet = { id: nonce(), link, place: place.value, words: chosen, version: form.elements.version.value, photographs: pages, taken: new Date().toISOString(), state: "waits", told: "", digests: await digests(pages) };
    try { await sheetStore.put(sheet); }
    catch { tell(text("no-room")); return; }
    pages = []; showPages(); close();
    tell(text("kept")); toldOf = sheet.id;
    await show(); sendAll();
  };
  // Where no phase takes orders there is no form, and what waits is sent all the same: a letter says what counts.
  if (form) {
    form.elements.photograph.addEventListener("change", choose);
    form.elements.photograph.required = false;
    byId("plain").hidden = true;
    byId("take-in").addEventListener("click", keep);
    form.addEventListener("submit", (event) => { event.preventDefault(); if (pages.length) keep(); });
  }
  byId("try").addEventListener("click", () => sendAll(true));
  self.addEventListener("online", () => sendAll(false));
  setInterval(() => { if (!document.hidden) sendAll(); }, 30000);
  show().then(() => sendAll(false));
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/public/send/worker.js").then(async () => {
    // This page was loaded before there was a worker to keep it.
    const parts = [...document.querySelectorAll("script[src], link[rel=stylesheet]")].map((part) => part.src || part.href);
    await (await caches.open("galloper-send-1")).addAll([link, ...parts]);
    document.body.dataset.kept = "yes";
  }).catch(() => {});
})();
