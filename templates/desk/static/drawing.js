// While letters are made: brings the count up to date every two seconds, and loads the page anew at the end.
(() => {
  "use strict";
  const ID = "drawing";
  const look = async () => {
    let page = null;
    try {
      const answer = await fetch(location.pathname, { credentials: "same-origin" });
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch {
      return; // the server is away for a moment: the next look asks again
    }
    const fresh = page.getElementById(ID);
    if (fresh === null) {
      location.replace(location.pathname);
    } else {
      document.getElementById(ID).replaceChildren(...fresh.childNodes);
    }
  };
  setInterval(look, 2000);
})();
