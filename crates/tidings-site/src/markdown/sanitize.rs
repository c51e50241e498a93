//! What becomes of the HTML that people write into their pages.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use ammonia::Builder;

use super::url::{Use, is_safe};

/// Takes away whatever could run, load or pose as something of the site's.
pub(super) fn clean(html: &str) -> String {
    POLICY.clean(html).to_string()
}

/// Those that go with all that is in them: what they hold is no text of the page, or is read in
/// another way than the rest of it.
const DROPPED: [&str; 17] = [
    "applet",
    "iframe",
    "math",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "option",
    "plaintext",
    "script",
    "select",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "xmp",
];

/// Elements that are let through besides the usual ones.
const ELEMENTS: [&str; 8] =
    ["audio", "input", "picture", "section", "source", "tfoot", "track", "video"];

const ANYWHERE: [&str; 9] =
    ["aria-hidden", "aria-label", "class", "dir", "id", "lang", "role", "tabindex", "title"];

/// No `name` and no `target` anywhere; `rel` is set.
const ATTRIBUTES: [(&str, &[&str]); 19] = [
    ("audio", &["controls", "loop", "muted", "preload", "src"]),
    ("data", &["value"]),
    ("details", &["open"]),
    ("div", &["align"]),
    ("h1", &["align"]),
    ("h2", &["align"]),
    ("h3", &["align"]),
    ("h4", &["align"]),
    ("h5", &["align"]),
    ("h6", &["align"]),
    ("img", &["decoding", "loading", "sizes", "srcset"]),
    ("input", &["checked"]),
    ("li", &["value"]),
    ("ol", &["reversed", "type"]),
    ("p", &["align"]),
    ("source", &["height", "media", "sizes", "src", "srcset", "type", "width"]),
    ("time", &["datetime"]),
    ("track", &["default", "kind", "label", "src", "srclang"]),
    (
        "video",
        &[
            "controls",
            "height",
            "loop",
            "muted",
            "playsinline",
            "poster",
            "preload",
            "src",
            "width",
        ],
    ),
];

static POLICY: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut policy = Builder::default();
    policy
        .add_tags(ELEMENTS)
        .rm_tags(["area", "map"])
        .clean_content_tags(HashSet::from(DROPPED))
        .generic_attributes(HashSet::from(ANYWHERE))
        .link_rel(Some("noopener"))
        // Which schemes are let through is for the filter to say, as it is in Markdown.
        .add_url_schemes([
            "data", "feed", "gemini", "git", "gopher", "matrix", "sftp", "sips", "urn",
        ])
        // An input is a box of a task list, whatever it was before.
        .set_tag_attribute_value("input", "type", "checkbox")
        .set_tag_attribute_value("input", "disabled", "")
        .attribute_filter(filter);
    for (element, attributes) in ATTRIBUTES {
        policy.add_tag_attributes(element, attributes);
    }
    policy
});

fn filter<'v>(element: &str, attribute: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let is_kept = match attribute {
        "src" if element == "img" => is_safe(value, Use::Image),
        "cite" | "href" | "poster" | "src" => is_safe(value, Use::Link),
        "srcset" => {
            value.split([',', ' ', '\t', '\n', '\r', '\u{c}']).all(|part| is_safe(part, Use::Link))
        }
        "id" => is_id(value),
        "tabindex" => value == "0",
        _ => true,
    };
    is_kept.then_some(Cow::Borrowed(value))
}

/// A `:` is in the ids of themes, and of footnotes of ours.
fn is_id(id: &str) -> bool {
    let note = id.strip_prefix("fnref:").or_else(|| id.strip_prefix("fn:"));
    match note {
        Some(note) => note.bytes().all(|byte| byte.is_ascii_digit() || byte == b':'),
        None => !id.is_empty() && !id.contains(':'),
    }
}
