//! Where links in a post lead within the reader: to other places of it, and to other posts.

use std::collections::HashMap;

use tidings_store::{Post, Site};
use tidings_webfeed::Post as Page;

use crate::api::Problem;
use crate::state::State;

/// How many links of a section are looked up.
const MAX_LINKS: usize = 50;
/// How a link begins that was made safe.
const LINK: &str = "<a href=\"";

/// Points links of a section to other sections, and to posts that are in the reader, there.
pub(super) async fn within_reader(
    state: &State,
    site: &Site,
    post: &Post,
    page: &mut Page,
    number: usize,
) -> Result<(), Problem> {
    let Some(at) = number.checked_sub(1).filter(|at| *at < page.sections.len()) else {
        return Ok(());
    };
    let html = &page.sections[at].html;
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    for address in addresses(html).take(MAX_LINKS) {
        if known.contains_key(address) {
            continue;
        }
        let inside = match address.strip_prefix('#') {
            Some(_) if has_id(html, address) => None,
            Some(_) => page.sections.iter().position(|section| has_id(&section.html, address)).map(
                |section| format!("{}webfeeds/posts/{}#s{}", state.root, post.id, section + 1),
            ),
            None => {
                let plain = address.replace("&amp;", "&");
                let plain = plain.split('#').next().unwrap_or_default();
                let id = state.store.post_id(site.id, plain).await?;
                // A link to the post itself is one to the original.
                id.filter(|id| *id != post.id)
                    .map(|id| format!("{}webfeeds/posts/{id}", state.root))
            }
        };
        known.insert(address.to_owned(), inside);
    }
    let pointed = pointed(html, &known);
    page.sections[at].html = pointed;
    Ok(())
}

/// The addresses of all links, as they are written.
fn addresses(html: &str) -> impl Iterator<Item = &str> {
    html.split(LINK).skip(1).filter_map(|rest| rest.split_once('"').map(|(address, _)| address))
}

/// Whether an element has the id that an address within a page names. Values of attributes have no quotes
/// in them, and texts have none.
fn has_id(html: &str, address: &str) -> bool {
    html.contains(&format!(" id=\"{}\"", address.trim_start_matches('#')))
}

/// The section with those addresses that are known to lead somewhere in the reader.
fn pointed(html: &str, known: &HashMap<String, Option<String>>) -> String {
    let mut text = String::with_capacity(html.len());
    let mut parts = html.split(LINK);
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push_str(LINK);
        let Some((address, rest)) = part.split_once('"') else {
            text.push_str(part);
            continue;
        };
        match known.get(address) {
            Some(Some(inside)) => {
                text.push_str(inside);
                // A frame leads nowhere but to a window of its own.
                text.push('"');
                if address.starts_with('#') {
                    text.push_str(" target=\"_blank\" rel=\"noopener noreferrer nofollow\"");
                }
            }
            _ => {
                text.push_str(address);
                text.push('"');
            }
        }
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_where_they_are_known_to_lead() {
        let html = "<section><a href=\"#x\">a</a> &lt;a href=&quot;#x&quot;<a href=\"https://a.example/?a&amp;b\" target=\"_blank\">b</a><a href=\"#y\">c</a></section>";
        let known = HashMap::from([
            ("#x".to_owned(), Some("/posts/1#s2".to_owned())),
            ("https://a.example/?a&amp;b".to_owned(), Some("/posts/2".to_owned())),
            ("#y".to_owned(), None),
        ]);
        assert_eq!(addresses(html).collect::<Vec<_>>(), ["#x", "https://a.example/?a&amp;b", "#y"]);
        assert_eq!(
            pointed(html, &known),
            "<section><a href=\"/posts/1#s2\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">a</a> &lt;a href=&quot;#x&quot;<a href=\"/posts/2\" target=\"_blank\">b</a><a href=\"#y\">c</a></section>"
        );
    }
}
