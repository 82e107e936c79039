// Passkeys: a form with `data-passkey` asks that address what the device is to sign, and sends the answer.
"use strict";

(() => {
  const forms = document.querySelectorAll("form[data-passkey]");
  if (!window.PublicKeyCredential || !navigator.credentials) return;

  const bytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const named = (keys) => (keys || []).map((key) => ({ ...key, id: bytes(key.id) }));

  async function asked(form) {
    const fields = new URLSearchParams();
    for (const name of ["csrf", "password", "code"]) {
      if (form.elements[name]) fields.set(name, form.elements[name].value);
    }
    const answer = await fetch(form.dataset.passkey, { method: "POST", body: fields });
    if (answer.ok) return answer.json();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    throw new Error(page.querySelector("main [role=alert]")?.textContent || "The site did not answer. Try again.");
  }

  async function made(options) {
    const key = await navigator.credentials.create({
      publicKey: {
        ...options, challenge: bytes(options.challenge), user: { ...options.user, id: bytes(options.user.id) },
        excludeCredentials: named(options.excludeCredentials),
      },
    });
    return { ...outside(key), response: {
      clientDataJSON: text(key.response.clientDataJSON), attestationObject: text(key.response.attestationObject),
    } };
  }

  async function signed(options) {
    const key = await navigator.credentials.get({
      publicKey: {
        ...options, challenge: bytes(options.challenge), allowCredentials: named(options.allowCredentials),
      },
    });
    return { ...outside(key), response: {
      clientDataJSON: text(key.response.clientDataJSON),
      authenticatorData: text(key.response.authenticatorData), signature: text(key.response.signature),
      userHandle: key.response.userHandle ? text(key.response.userHandle) : null,
    } };
  }

  const outside = (key) => ({ id: key.id, rawId: text(key.rawId), type: key.type });

  for (const form of forms) {
    form.hidden = false;
    const said = form.querySelector("[role=alert]");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      said.hidden = true;
      try {
        const options = await asked(form);
        form.elements.answer.value = JSON.stringify(await (options.user ? made(options) : signed(options)));
        // The password was shown once, and the answer stands without it.
        if (form.elements.password) form.elements.password.value = "";
        form.submit();
      } catch (fault) {
        // The device's own words ("The operation either timed out or was not allowed") help nobody.
        said.textContent = fault.name === "Error" ? fault.message
          : fault.name === "InvalidStateError" ? "This device has a passkey for this site already."
          : "The device made no passkey, or it was taken back. Nothing was changed; try again.";
        said.hidden = false;
      }
    });
  }
  for (const note of document.querySelectorAll("[data-no-passkey]")) note.hidden = true;
})();
