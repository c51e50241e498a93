//! What notices an attack: a server that must never be asked, and what is wrong with the page that is open.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::corpus::{Kind, Payload, Places};
use crate::stage::LOADED;
use crate::support::server::{Reply, Server};

/// A picture of one point.
pub(crate) const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54,
    0x78, 0xda, 0x63, 0x64, 0xf8, 0xcf, 0x50, 0x0f, 0, 0x03, 0x86, 0x01, 0x80, 0x5a, 0x34, 0x7d,
    0x6b, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// In every page, before anything of it runs.
pub(crate) const HOOK: &str = "
    window.refused = [];
    addEventListener('message', (event) => { window.__pwned = String(event.data); });
    addEventListener('error', (event) => { if (event.error) window.__broken = String(event.error); });
    document.addEventListener('securitypolicyviolation', (event) =>
      refused.push(`${event.violatedDirective} ${event.blockedURI}`));
    document.addEventListener('load', (event) => { event.target.isLoaded = true; }, true);
    for (const name of ['alert', 'confirm', 'prompt', 'open'])
      window[name] = () => { window.__pwned = name; };";

/// What is wrong with the page that is open, whatever is in its frames.
const WRONG: &str = "
    const wrong = [];
    if (window.__pwned !== undefined) wrong.push(`script: ${window.__pwned}`);
    if (window.__broken !== undefined) wrong.push(`script of ours: ${window.__broken}`);
    for (const one of window.refused || []) wrong.push(`request: the policy had to refuse ${one}`);
    if (!document.title.endsWith(' · Tidings')) wrong.push(`script: the title is ${document.title}`);
    for (const { name } of performance.getEntriesByType('resource'))
      if (new URL(name).origin !== location.origin) wrong.push(`request: ${name}`);
    // All that is around frames is ours.
    for (const one of document.querySelectorAll('*')) {
      const text = one.outerHTML.slice(0, 120);
      for (const { name, value } of one.attributes) {
        if (name.startsWith('on') || name === 'style' || name === 'srcdoc') wrong.push(`escape: ${name} in ${text}`);
        if (/^(href|src|action|formaction|data|xlink:href)$/.test(name)) {
          const url = URL.parse(value, document.baseURI) || { protocol: value };
          if (!/^https?:$/.test(url.protocol)) wrong.push(`escape: ${text}`);
          if (!/^(a|use)$/.test(one.localName) && url.origin !== location.origin) wrong.push(`escape: ${text}`);
          if (one.localName === 'img' && !url.pathname.startsWith('/webfeeds/pictures/')) wrong.push(`escape: ${text}`);
        }
      }
      if (/^(object|embed|base|math|video|audio|template|style|frame|applet|use|animate|marquee|canvas)$/.test(one.localName)) wrong.push(`escape: ${text}`);
      if (one.localName === 'meta' && one.httpEquiv) wrong.push(`escape: ${text}`);
      if (one.localName === 'iframe') {
        const may = one.getAttribute('sandbox');
        if (may !== '' && may !== 'allow-popups allow-popups-to-escape-sandbox') wrong.push(`escape: ${text}`);
        if (!one.title.trim()) wrong.push(`escape: no title: ${text}`);
        if (!new URL(one.src || '/', location.href).pathname.startsWith('/webfeeds/posts/')) wrong.push(`escape: ${text}`);
        let isOpen = false;
        try { isOpen = Boolean(one.contentDocument); } catch { /* as it should be */ }
        if (isOpen) wrong.push(`escape: a frame of our own origin: ${text}`);
      }
    }
    for (const script of document.scripts)
      if (!/^\\/(tidings|reader)\\.js$/.test(new URL(script.src || '/inline', location.href).pathname)) wrong.push('escape: a script that is not ours');
    if (document.querySelectorAll('main').length !== 1) wrong.push('escape: another main');
    // What is ours is hit where it is.
    const hit = (one, part) => {
      const box = one.getBoundingClientRect();
      for (const [x, y] of [[.5, .5], [.1, .1], [.9, .9]]) {
        const [left, top] = [box.left + box.width * x, box.top + box.height * y];
        if (left < 0 || top < 0 || left >= innerWidth || top >= innerHeight || !box.width) continue;
        const there = document.elementFromPoint(left, top);
        if (!there || !part(there)) wrong.push(`escape: ${there && there.outerHTML.slice(0, 80)} lies over ${one.outerHTML.slice(0, 80)}`);
      }
    };
    for (const tile of document.querySelectorAll('.tile')) {
      for (const one of tile.querySelectorAll('.cover')) hit(one, (there) => there === one || one.contains(there));
      for (const one of tile.querySelectorAll('.byline')) hit(one, (there) => tile.contains(there));
    }
    for (const one of document.querySelectorAll('.strip [data-back], .strip nav a, .strip button, .top a.brand, .toolbar a, .crumbs a'))
      hit(one, (there) => one.contains(there) || there.contains(one));
    return { wrong, at: location.href, look: LOOK };";

/// Frames as the plain view has them, many at once.
const FRAMES: &str = "
    const list = document.querySelector('main');
    for (const path of arguments[0]) {
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox');
      frame.className = 'flow';
      frame.title = path;
      frame.src = path;
      list.append(frame);
    }";

/// How the reader looks, apart from what posts say.
const LOOK: &str = "['html', 'body', 'main', '[data-back]', '.strip'].map((what) => {
      const one = document.querySelector(what);
      if (!one) return null;
      const style = getComputedStyle(one);
      return ['display', 'position', 'visibility', 'color', 'backgroundColor', 'fontSize', 'fontFamily', 'transform', 'opacity', 'zIndex', 'pointerEvents', 'cursor', 'overflow', 'width'].map((name) => style[name]).join('|');
    })";

/// The documents of frames, as the browser's own parser reads them: what would do anything in them.
const PARSED: &str = "
    const pages = await Promise.all(arguments[0].map(async (path) => {
      const answer = await fetch(path);
      return [path, new DOMParser().parseFromString(await answer.text(), 'text/html')];
    }));
    const wrong = [];
    const bad = /^(script|iframe|frame|frameset|object|embed|applet|portal|fencedframe|form|input|button|select|textarea|base|link|svg|math|template|noscript|slot|video|audio|source|track|canvas|dialog|plaintext|xmp|image|marquee|area|map|keygen)$/;
    for (const [path, page] of pages) {
      for (const one of page.querySelectorAll('*')) {
        const text = `${path}: ${one.outerHTML.slice(0, 100)}`;
        if (bad.test(one.localName) || one.namespaceURI !== 'http://www.w3.org/1999/xhtml') wrong.push(text);
        if (/^(style|title|meta)$/.test(one.localName) && one.parentElement !== page.head) wrong.push(text);
        if (one.localName === 'meta' && one.httpEquiv) wrong.push(text);
        for (const { name, value } of one.attributes) {
          if (/^on|^(srcdoc|formaction|action|ping|background|poster|data|xlink:href|srcset|autofocus|contenteditable|accesskey|tabindex|slot|part|is|popover)$/.test(name)) wrong.push(`${name} ${text}`);
          if (name === 'href' && !/^(https?:\\/\\/|mailto:|tel:)/.test(value)) wrong.push(text);
          if (name === 'src' && !value.startsWith('/webfeeds/pictures/')) wrong.push(text);
        }
        if (one.localName === 'a' && one.href && (one.target !== '_blank' || !one.relList.contains('noopener') || !one.relList.contains('noreferrer'))) wrong.push(text);
      }
      // And its styles, as the browser's own parser reads them.
      for (const style of page.querySelectorAll('style')) {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(style.textContent);
        const walk = (rules) => { for (const rule of rules) {
          if (/^CSS(Import|FontFace|Namespace|Property|Page|FontFeatureValues|FontPaletteValues|CounterStyle|ViewTransition|Function|StartingStyle|Scope)/.test(rule.constructor.name)) wrong.push(`${path}: ${rule.constructor.name}`);
          for (const found of rule.cssText.matchAll(/url\\(\\s*[\"']?([^\"')]*)/g))
            if (!found[1].startsWith('/webfeeds/pictures/')) wrong.push(`${path}: ${found[0]}`);
          if (rule.style && /fixed|sticky/.test(rule.style.position)) wrong.push(`${path}: ${rule.cssText.slice(0, 90)}`);
          if (rule.selectorText && /:host|::part|::slotted/.test(rule.selectorText)) wrong.push(`${path}: ${rule.selectorText}`);
          if (rule.cssRules) walk(rule.cssRules);
        } };
        walk(sheet.cssRules);
      }
    }
    return wrong;";

/// What came of it all.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) pages: usize,
    pub(crate) frames: usize,
    pub(crate) scripts: Vec<String>,
    pub(crate) requests: Vec<String>,
    pub(crate) escapes: Vec<String>,
}

impl Tally {
    fn take(&mut self, whose: &str, told: &Value) {
        for one in told.as_array().unwrap() {
            let (text, line) = (one.as_str().unwrap(), format!("{whose}: {one}"));
            let list = match text.split(':').next() {
                Some("script") => &mut self.scripts,
                Some("request") => &mut self.requests,
                _ => &mut self.escapes,
            };
            list.push(line);
        }
    }

    /// The first of them, which are enough to see what is wrong.
    pub(crate) fn some(&self) -> Vec<&String> {
        self.all().into_iter().take(30).collect()
    }

    pub(crate) fn all(&self) -> Vec<&String> {
        self.scripts.iter().chain(&self.requests).chain(&self.escapes).collect()
    }
}

/// A browser, a server that must never be asked, and one that the posts are on.
pub(crate) struct Trap {
    pub(crate) browser: Browser,
    pub(crate) beacon: Server,
    pub(crate) home: Server,
    downloads: tempfile::TempDir,
}

impl Trap {
    pub(crate) fn set() -> Option<Self> {
        let browser = Browser::with_fewer_walls()?;
        browser.before_all(HOOK);
        let downloads = tempfile::tempdir().unwrap();
        let folder = json!({ "behavior": "allow", "downloadPath": downloads.path() });
        browser.own("Page.setDownloadBehavior", &folder);
        let (beacon, home) = (Server::start(), Server::start());
        let trap = Self { browser, beacon, home, downloads };
        let places = trap.places();
        let html = |text: &str| Reply::ok(places.fill(text, 0)).with("Content-Type", "text/html");
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"{js}\"><image href=\"{url}\"/></svg>";
        let svg = Reply::ok(places.fill(svg, 0)).with("Content-Type", "image/svg+xml");
        trap.home.put("/pic.png", Reply::ok(PNG).with("Content-Type", "image/png"));
        trap.home.put("/hostile.svg", svg);
        trap.home.put("/redirect-elsewhere", Reply::redirect(trap.beacon.url("/redirected")));
        trap.home.put("/page-as-picture", html("<script>{js}</script>"));
        // Whoever gets so far gets a script.
        for path in ["/", "/s.js", "/f"] {
            trap.beacon.put(path, html("<script>{js}</script>"));
        }
        Some(trap)
    }

    pub(crate) fn places(&self) -> Places {
        let host = |server: &Server| format!("127.0.0.1:{}", server.port());
        Places { beacon: host(&self.beacon), home: host(&self.home) }
    }

    /// Puts a post there that is a payload.
    pub(crate) fn put(&self, path: &str, payload: &Payload) {
        let Payload { head, body, sheet, .. } = payload;
        let link = sheet.as_ref().map(|sheet| {
            let css = Reply::ok(sheet.clone()).with("Content-Type", "text/css");
            self.home.put(&format!("{path}.css"), css);
            format!("<link rel=stylesheet href=\"{path}.css\">")
        });
        let link = link.unwrap_or_default();
        let html = format!(
            "<!DOCTYPE html>\n<meta name=author content=Mallory>{link}{head}\n\
             <section>{body}</section>\n<section>{body}</section>\n"
        );
        self.home.put(path, Reply::ok(html).with("Content-Type", "text/html"));
    }

    /// Waits until all frames of the page have come.
    #[track_caller]
    pub(crate) fn loaded(&self) {
        self.browser.until("all frames have come", || {
            self.browser.try_script(LOADED, Vec::new()) == Some(Value::Bool(true))
        });
    }

    /// What is wrong with the page that is open to all appearances, where it is, and how it looks.
    pub(crate) fn wrong(&self) -> Value {
        self.browser.script(&WRONG.replace("LOOK", LOOK))
    }

    /// Looks at a page with all its frames; how it looks.
    #[track_caller]
    pub(crate) fn open(&self, tally: &mut Tally, whose: &str, url: &str) -> Value {
        self.browser.open(url);
        self.loaded();
        tally.pages += 1;
        self.check(tally, whose, url)
    }

    /// Adds frames to the page that is open, as other pages have them, and looks at it.
    #[track_caller]
    pub(crate) fn frames(&self, tally: &mut Tally, whose: &str, paths: &[String]) {
        let url = self.browser.at();
        assert!(self.browser.try_script(FRAMES, vec![json!(paths)]).is_some());
        self.loaded();
        self.check(tally, whose, &url);
    }

    /// Looks at the page that is open.
    #[track_caller]
    pub(crate) fn check(&self, tally: &mut Tally, whose: &str, url: &str) -> Value {
        let told = self.wrong();
        tally.take(whose, &told["wrong"]);
        if told["at"] != url {
            tally.escapes.push(format!("{whose}: the reader is at {}", told["at"]));
        }
        if self.browser.windows() != 1 {
            // A link that somebody pressed may open one, beside where the post is.
            for place in self.browser.close_others() {
                if !place.starts_with(&self.home.url("/")) {
                    tally.scripts.push(format!("{whose}: a window at {place}"));
                }
            }
        }
        told["look"].clone()
    }

    /// Presses what a payload begins with.
    pub(crate) fn press(&self) {
        let top =
            "return document.querySelector('.screens iframe')?.getBoundingClientRect().top ?? 0";
        let top = self.browser.script(top).as_f64().unwrap();
        for (x, y) in [(40.0, 36.0), (14.0, 12.0)] {
            self.browser.click_at(x, top + y);
        }
    }

    /// Reads documents of frames with the browser's own parser.
    #[track_caller]
    pub(crate) fn parsed(&self, tally: &mut Tally, paths: &[String]) {
        let script = format!("return (async function () {{ {PARSED} }}).apply(null, arguments);");
        let told = self.browser.try_script(&script, vec![json!(paths)]);
        let told = told.expect("the documents are read");
        for one in told.as_array().unwrap() {
            tally.escapes.push(one.to_string());
        }
    }

    /// What the servers and the folder of downloads tell at the end, and a line about all of it.
    pub(crate) fn close(&self, tally: &mut Tally, kinds: &[Kind], payloads: usize) -> String {
        for request in self.beacon.log() {
            tally.requests.push(format!("{} {}", request.method, request.path));
        }
        if self.beacon.connections() > 0 && self.beacon.log().is_empty() {
            tally.requests.push(format!("{} connections", self.beacon.connections()));
        }
        for request in self.home.log() {
            let agent = request.header("User-Agent").unwrap_or_default();
            // Somebody who follows a link does so openly, and says no more than that.
            let is_page = request.header("Sec-Fetch-Dest") == Some("document");
            let is_link =
                is_page && request.header("Referer").is_none() || request.path == "/favicon.ico";
            if !agent.starts_with("tidings") && !is_link {
                tally.requests.push(format!("{} {} by {agent}", request.method, request.path));
            }
        }
        if self.browser.has_alert() {
            tally.scripts.push("something is asked in a window".to_owned());
        }
        for file in std::fs::read_dir(self.downloads.path()).unwrap() {
            tally.escapes.push(format!("a download: {:?}", file.unwrap().file_name()));
        }
        let names: Vec<String> = kinds.iter().map(|kind| kind.name()).collect();
        format!(
            "hostile ({}): {payloads} payloads on {} pages with {} frames; scripts run: {}; requests elsewhere: {}; escapes: {}",
            names.join(", "),
            tally.pages,
            tally.frames,
            tally.scripts.len(),
            tally.requests.len(),
            tally.escapes.len()
        )
    }
}
