// What HTML cannot do: copy a link, show progress as it comes, and keys. Every page works without.
(() => {
  "use strict";
  const root = document.documentElement.dataset.root || "/";
  const say = (text) => {
    const place = document.getElementById("spoken");
    if (place) place.textContent = text;
  };

  // Copies.
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", async () => {
      const text = button.dataset.copy;
      let copied = false;
      try {
        await navigator.clipboard.writeText(text);
        copied = true;
      } catch {
        const field = document.createElement("textarea");
        field.value = text;
        document.body.append(field);
        field.select();
        copied = document.execCommand("copy");
        field.remove();
        button.focus();
      }
      const name = button.dataset.name || button.textContent;
      button.dataset.name = name;
      button.textContent = copied ? "Copied" : "Not copied";
      say(copied ? "Link copied" : "The link could not be copied");
      setTimeout(() => { button.textContent = name; }, 2000);
    });
  }

  // Progress: lines as they come, then the page as it is when all is done.
  for (const place of document.querySelectorAll("[data-live]")) {
    const source = new EventSource(place.dataset.live);
    let spoken = Date.now();
    source.addEventListener("progress", (event) => {
      const told = JSON.parse(event.data);
      const line = place.querySelector("[data-line]");
      if (line && told.line) line.textContent = told.line;
      if (told.line && Date.now() - spoken > 5000) { spoken = Date.now(); say(told.line); }
      const bar = place.querySelector("progress");
      if (bar && told.total) { bar.max = told.total; bar.value = told.done; }
    });
    source.addEventListener("part", (event) => {
      const told = JSON.parse(event.data);
      for (const [id, text] of Object.entries(told)) {
        const part = document.getElementById(id);
        if (!part) continue;
        if (part instanceof HTMLProgressElement) { part.max = text[1]; part.value = text[0]; }
        else part.textContent = text;
      }
    });
    source.addEventListener("done", () => { source.close(); location.reload(); });
    // Who cannot listen looks again now and then, as without this script.
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return;
      const wait = Math.min(60, Number(sessionStorage.getItem("wait") || 5));
      sessionStorage.setItem("wait", wait * 2);
      const again = () => {
        // Nobody is interrupted at what they do.
        const isBusy = document.querySelector("main details[open]") || /^(input|select|textarea)$/i.test(document.activeElement?.tagName);
        if (isBusy) setTimeout(again, wait * 1000); else location.reload();
      };
      setTimeout(again, wait * 1000);
    });
    source.addEventListener("open", () => sessionStorage.removeItem("wait"));
    addEventListener("pagehide", () => source.close());
  }

  // What was just done is said once.
  const here = new URL(location.href);
  if (here.searchParams.has("said")) {
    here.searchParams.delete("said");
    history.replaceState(null, "", here);
  }

  // Keys, as the sheet behind "?" lists them.
  if (document.documentElement.dataset.keys === "off") return;
  const sheet = document.getElementById("keys");
  const items = [...document.querySelectorAll(".list > li, .grid > li")];
  let at = -1;
  const go = (step) => {
    if (!items.length) return;
    items[at]?.classList.remove("at");
    at = Math.min(items.length - 1, Math.max(0, at + step));
    items[at].classList.add("at");
    items[at].scrollIntoView({ block: "nearest" });
    items[at].querySelector("a, button")?.focus({ preventScroll: true });
  };
  const places = { h: "", a: "add", s: "search", c: "check", e: "explore", r: "robots", p: "copies", u: "account", w: "webfeeds" };
  let before = "";
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const field = event.target;
    if (field instanceof HTMLElement && (field.isContentEditable || /^(input|textarea|select)$/i.test(field.tagName))) {
      if (event.key === "Escape") field.blur();
      return;
    }
    const key = event.key;
    if (before === "g") {
      before = "";
      if (key in places) { event.preventDefault(); location.href = root + places[key]; }
      return;
    }
    const link = (rel) => document.querySelector(`a[rel~="${rel}"]`)?.click();
    const done = {
      g: () => { before = "g"; setTimeout(() => { before = ""; }, 1500); },
      "?": () => { if (sheet && !sheet.open) sheet.showModal(); },
      "/": () => document.querySelector("input[type=search]")?.focus(),
      j: () => go(1),
      k: () => go(-1),
      n: () => link("next"),
      u: () => link("up"),
      y: () => document.querySelector("button[data-copy]")?.click(),
      R: () => document.querySelector("form[data-poll]")?.requestSubmit(),
    }[key];
    if (done) { event.preventDefault(); done(); }
  });
})();
