// What HTML cannot do in the reader: keys and buttons from screen to screen, where one is, and the way
// back to the very place in the grid. Every page works without.
(() => {
  "use strict";
  const seen = () => { try { return JSON.parse(sessionStorage.getItem("read") || "[]"); } catch { return []; } };
  const remember = (ids) => { try { sessionStorage.setItem("read", JSON.stringify(ids)); } catch { /* then not */ } };

  // A grid that the browser kept does not know yet what was read since, whether it kept the page or, short of
  // memory, only its bytes.
  const grid = document.querySelector(".grid[data-marks]");
  const [arrival] = performance.getEntriesByType("navigation");
  if (grid) {
    addEventListener("pageshow", (event) => {
      if (!event.persisted && arrival?.type !== "back_forward") { remember([]); return; }
      for (const id of seen()) {
        const tile = document.getElementById(`p${id}`);
        if (!tile || tile.classList.contains("shared")) continue;
        tile.classList.add("read");
        tile.querySelector(".seen")?.removeAttribute("hidden");
      }
    });
  }

  // The next tiles come when one gets to the last of them.
  const list = document.querySelector(".grid");
  const more = () => document.querySelector(".pager a[rel=next]");
  if (list && more()) {
    let loading = null;
    const load = () => loading ??= (async () => {
      const link = more();
      if (!link) return false;
      const answer = await fetch(link.href, { credentials: "same-origin" });
      if (!answer.ok) return false;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const tile of page.querySelectorAll(".grid > .tile")) {
        if (!document.getElementById(tile.id)) list.append(document.adoptNode(tile));
      }
      const next = page.querySelector(".pager a[rel=next]");
      if (next) link.href = next.href; else link.closest("nav").remove();
      return true;
    })().catch(() => false).finally(() => { loading = null; });
    const end = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      load().then((loaded) => {
        const link = more();
        // Seen again, if it still is.
        if (loaded && link) { end.unobserve(link); end.observe(link); }
      });
    }, { rootMargin: "100% 0px" });
    end.observe(more());
    // Who comes back finds as many as there were, and so the same place.
    const key = `tiles ${location.pathname}${location.search}`;
    const count = () => list.querySelectorAll(".tile").length;
    addEventListener("pagehide", () => { try { sessionStorage.setItem(key, `${count()} ${scrollY}`); } catch { /* then not */ } });
    if (arrival?.type === "back_forward") {
      let stored = "";
      try { stored = sessionStorage.getItem(key) || ""; } catch { /* then not */ }
      const [tiles, top] = stored.split(" ").map(Number);
      (async () => {
        while (count() < tiles && await load()) { /* one page after the other */ }
        if (tiles > 60) scrollTo(0, top);
      })();
    }
  }

  const screens = document.getElementById("screens");
  if (!screens) return;
  if (screens.dataset.read) remember([...seen(), screens.dataset.read]);
  const sections = [...screens.querySelectorAll(":scope > section[id]")];
  const place = document.getElementById("at");
  const buttons = [...document.querySelectorAll("[data-step]")];
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
  let at = 0;

  const show = () => {
    // Tab goes into the section that is to be seen, and Shift+Tab out of it. Keys that are pressed there are
    // not told to us: the browser scrolls by them, and at the end goes on to the next.
    sections.forEach((section, number) => {
      const frame = section.querySelector("iframe");
      if (frame) frame.tabIndex = number === at ? 0 : -1;
    });
    const text = sections[at]?.dataset.at || "";
    if (place && text) place.textContent = text;
    for (const button of buttons) {
      const to = at + Number(button.dataset.step);
      button.setAttribute("aria-disabled", String(to < 0 || to >= sections.length));
    }
  };
  const go = (to) => {
    const next = Math.min(sections.length - 1, Math.max(0, to));
    sections[next]?.scrollIntoView({ behavior: isCalm.matches ? "auto" : "smooth", block: "start" });
  };
  for (const button of buttons) {
    button.addEventListener("click", () => go(at + Number(button.dataset.step)));
  }
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      at = sections.indexOf(entry.target);
      show();
      // Who was in a frame that is gone from view is in the post again, where keys do something.
      const focus = document.activeElement;
      if (focus instanceof HTMLIFrameElement && focus.parentElement !== entry.target) {
        screens.focus({ preventScroll: true });
      }
    }
  }, { root: screens, threshold: 0.6 });
  for (const section of sections) observer.observe(section);
  show();

  // A place in the address would be one more step back to the grid.
  document.querySelector("a.skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    screens.focus();
  });

  // Back to the grid as it was left, if that is where we come from.
  const link = document.querySelector("[data-back]");
  const home = new URL(link.href);
  const isFromThere = () => {
    try {
      const from = new URL(document.referrer);
      return history.length > 1 && from.origin === home.origin && from.pathname === home.pathname;
    } catch { return false; }
  };
  const leave = () => { if (isFromThere()) history.back(); else location.href = home.href; };
  link.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    leave();
  });

  if (document.documentElement.dataset.keys === "off") return;
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target;
    const isOn = (names) => target instanceof HTMLElement && names.test(target.tagName);
    if (isOn(/^(input|textarea|select)$/i)) return;
    const key = event.key === " " && event.shiftKey ? "Shift+ " : event.key;
    // The space bar presses what has the focus.
    if (key.endsWith(" ") && isOn(/^(button|a|summary)$/i)) return;
    const done = {
      ArrowDown: () => go(at + 1), j: () => go(at + 1), " ": () => go(at + 1), PageDown: () => go(at + 1),
      ArrowUp: () => go(at - 1), k: () => go(at - 1), "Shift+ ": () => go(at - 1), PageUp: () => go(at - 1),
      Home: () => go(0), End: () => go(sections.length - 1), Escape: leave, u: leave,
    }[key];
    if (done) { event.preventDefault(); done(); }
  });
})();
