//! What is wrong with the document of a frame, found without a browser: it is read by the strictest of
//! rules, so that whatever was not written by us is noticed.

use crate::support::follower::Answer;

const ELEMENTS: &[&str] = &[
    "script",
    "style",
    "iframe",
    "frame",
    "frameset",
    "noframes",
    "object",
    "embed",
    "applet",
    "param",
    "portal",
    "fencedframe",
    "form",
    "input",
    "button",
    "select",
    "option",
    "textarea",
    "datalist",
    "output",
    "label",
    "fieldset",
    "keygen",
    "isindex",
    "base",
    "meta",
    "link",
    "svg",
    "math",
    "template",
    "noscript",
    "slot",
    "video",
    "audio",
    "source",
    "track",
    "canvas",
    "dialog",
    "plaintext",
    "xmp",
    "listing",
    "noembed",
    "title",
    "body",
    "html",
    "head",
    "image",
    "marquee",
    "area",
    "map",
    "bgsound",
    "layer",
    "model",
    "permission",
    "geolocation",
];
const ATTRIBUTES: &[&str] = &[
    "srcdoc",
    "formaction",
    "action",
    "ping",
    "background",
    "poster",
    "data",
    "xlink:href",
    "srcset",
    "imagesrcset",
    "autofocus",
    "contenteditable",
    "accesskey",
    "tabindex",
    "name",
    "slot",
    "part",
    "is",
    "form",
    "popover",
    "popovertarget",
    "download",
    "manifest",
    "longdesc",
    "usemap",
    "codebase",
    "classid",
    "cite",
    "http-equiv",
    "nonce",
    "attributionsrc",
    "itemid",
    "content",
    "lowsrc",
    "dynsrc",
    "draggable",
    "spellcheck",
    "inert",
    "data-live",
];
const STYLES: &[&str] = &[
    "@import",
    "@font-face",
    "@namespace",
    "@property",
    "@document",
    "@page",
    "@charset",
    "image-set(",
    "expression(",
    "{behavior:",
    ";behavior:",
    "-moz-binding",
    "position:fixed",
    "position:sticky",
    ":host",
    "::part",
    "::slotted",
    "element(",
    "paint(",
    "cross-fade(",
    "src(",
    "progid:",
];
const PICTURES: &str = "/webfeeds/pictures/";

/// What is wrong with a style sheet. What stands in its strings is no matter, unless it is an address.
fn styled(css: &str, wrong: &mut Vec<String>) {
    let css = css.to_ascii_lowercase();
    let mut bare = String::new();
    let mut open: Option<(char, bool)> = None;
    let mut letters = css.chars();
    while let Some(letter) = letters.next() {
        match open {
            _ if letter == '\\' => drop(letters.next()),
            Some((quote, _)) if letter == quote => {
                open = None;
                bare.push(letter);
            }
            Some((_, is_address)) => bare.extend(is_address.then_some(letter)),
            None => {
                if matches!(letter, '"' | '\'') {
                    open = Some((letter, bare.ends_with("url(")));
                }
                bare.push(letter);
            }
        }
    }
    for bad in STYLES.iter().filter(|bad| bare.contains(**bad)) {
        wrong.push(format!("{bad} in a style"));
    }
    for (at, _) in bare.match_indices("url(") {
        let place = bare[at + 4..].trim_start_matches(['"', '\'', ' ']);
        if !place.starts_with(PICTURES) {
            wrong.push(format!("url({place:.60}"));
        }
    }
}

/// One tag, from after its `<` on: its length, or nothing if it is none that we write.
fn tag(text: &str, wrong: &mut Vec<String>) -> Option<usize> {
    let mut rest = text.strip_prefix('/').unwrap_or(text);
    let is_end = rest.len() < text.len();
    let length = |rest: &str, of: fn(char) -> bool| rest.find(|c| !of(c)).unwrap_or(rest.len());
    let of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let of_attribute = |c: char| c.is_ascii_lowercase() || c == '-';
    let (name, after) = rest.split_at(length(rest, of_name));
    rest = after;
    if name.is_empty() {
        return None;
    }
    if ELEMENTS.contains(&name) {
        wrong.push(format!("<{name}>"));
    }
    let (mut target, mut rel, mut leads) = (String::new(), String::new(), false);
    loop {
        if let Some(after) = rest.strip_prefix('>') {
            let blank =
                target == "_blank" && rel.contains("noopener") && rel.contains("noreferrer");
            if leads && !blank {
                wrong.push(format!("a link with target {target:?} and rel {rel:?}"));
            }
            return Some(text.len() - after.len());
        }
        rest = rest.strip_prefix(' ').filter(|_| !is_end)?;
        let (attribute, after) = rest.split_at(length(rest, of_attribute));
        if attribute.is_empty() {
            return None;
        }
        let value = match after.strip_prefix("=\"") {
            Some(after) => {
                let (value, after) = after.split_once('"')?;
                rest = after;
                value
            }
            None => {
                rest = after;
                ""
            }
        };
        if attribute.starts_with("on") || ATTRIBUTES.contains(&attribute) {
            wrong.push(format!("<{name} {attribute}>"));
        }
        match attribute {
            "href" => {
                leads = true;
                let is_known = ["http://", "https://", "mailto:", "tel:"]
                    .iter()
                    .any(|is| value.starts_with(is));
                if name != "a" || !is_known {
                    wrong.push(format!("<{name} href={value:.60}>"));
                }
            }
            "src" if name != "img" || !value.starts_with(PICTURES) => {
                wrong.push(format!("<{name} src={value:.60}>"));
            }
            "style" => styled(&value.replace("&quot;", "\"").replace("&amp;", "&"), wrong),
            "target" => value.clone_into(&mut target),
            "rel" => value.clone_into(&mut rel),
            _ => {}
        }
    }
}

/// What is wrong with the answer that a frame is.
pub(crate) fn wrong_with(answer: &Answer, may_open: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    if answer.status != 200 {
        wrong.push(format!("status {}", answer.status));
    }
    let header = |name| answer.header(name).unwrap_or_default();
    let policy = header("Content-Security-Policy");
    let sandbox =
        if may_open { "sandbox allow-popups allow-popups-to-escape-sandbox" } else { "sandbox" };
    let wanted = [
        "default-src 'none'",
        "img-src 'self'",
        "style-src 'unsafe-inline'",
        "frame-ancestors 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        sandbox,
    ];
    if policy.split("; ").collect::<Vec<_>>() != wanted {
        wrong.push(format!("the policy is {policy}"));
    }
    for (name, value) in [
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Type", "text/html; charset=utf-8"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ] {
        if header(name) != value {
            wrong.push(format!("{name} is {}", header(name)));
        }
    }
    if !header("Permissions-Policy").contains("camera=()") {
        wrong.push("cameras are no matter".to_owned());
    }
    let text = answer.text();
    let Some((head, body)) = text.split_once("\n</head>\n<body>") else {
        wrong.push("there is no head".to_owned());
        return wrong;
    };
    let body = body.strip_suffix("</body>\n</html>\n").unwrap_or_else(|| {
        wrong.push("something is after the page".to_owned());
        body
    });
    let mut styles = head.split("<style>");
    let before = styles.next().unwrap_or_default();
    if before.matches('<').count() != 8 || !before.starts_with("<!doctype html>\n<html") {
        wrong.push(format!("a head that begins with {before}"));
    }
    for style in styles {
        match style.trim_end().strip_suffix("</style>") {
            Some(css) if !css.contains("</") => styled(css, &mut wrong),
            Some(_) => wrong.push("a style ends early".to_owned()),
            None => wrong.push("something is between styles".to_owned()),
        }
    }
    let mut rest = body;
    while let Some((_, tagged)) = rest.split_once('<') {
        match tag(tagged, &mut wrong) {
            Some(length) => rest = &tagged[length..],
            None => {
                wrong.push(format!("no tag of ours: <{tagged:.60}"));
                rest = tagged;
            }
        }
    }
    wrong
}

#[test]
fn whoever_finds_nothing_has_to_be_able_to() {
    let find = |tagged: &str| {
        let mut wrong = Vec::new();
        if tag(tagged, &mut wrong).is_none() {
            wrong.push("no tag".to_owned());
        }
        wrong
    };
    for good in [
        "p>",
        "/p>",
        "br>",
        "details open>",
        "p class=\"a\" title=\"b\">",
        "a href=\"https://x/\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">",
        "img src=\"/webfeeds/pictures/0/x\" alt=\"\">",
        "p style=\"color:red\">",
    ] {
        assert_eq!(find(good), Vec::<String>::new(), "{good}");
    }
    for bad in [
        "P>",
        " p>",
        "!-- -->",
        "script>",
        "p onclick=\"x\">",
        "p class=a>",
        "p\nclass=\"a\">",
        "a href=\"javascript:x\" target=\"_blank\" rel=\"noopener noreferrer\">",
        "a href=\"https://x/\">",
        "img src=\"http://x/\">",
        "p style=\"background:url(http://x/)\">",
        "p style=\"position:fixed\">",
        "p class=\"a",
        "/p class=\"a\">",
    ] {
        assert!(!find(bad).is_empty(), "{bad} is not found");
    }
    let styles = |css: &str| {
        let mut wrong = Vec::new();
        styled(css, &mut wrong);
        wrong
    };
    assert!(styles("p{color:red;content:\"@import url(x)\"}").is_empty());
    assert!(styles("p{background:url(\"/webfeeds/pictures/0/x\")}").is_empty());
    for bad in ["@import \"x\";", "p{background:URL(x)}", "p{a:url(\"//x\")}", "p{x:expression(y)}"]
    {
        assert!(!styles(bad).is_empty(), "{bad} is not found");
    }
}
