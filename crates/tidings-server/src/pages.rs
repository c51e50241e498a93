//! Plain pages: what is followed, and where its feeds are.

use tidings_store::{Site, SiteFilter};
use tidings_syndication::{SiteReport, report};

use crate::api::Problem;
use crate::html::{escaped, link, page};
use crate::state::State;

/// How many sites one page lists.
const MOST_SITES: u32 = 100;

/// All sites that are followed, a page of them after a key.
pub(crate) async fn index(state: &State, after: Option<String>) -> Result<String, Problem> {
    let filter = SiteFilter { after, limit: MOST_SITES, ..SiteFilter::default() };
    let sites = state.store.sites(filter).await?;
    let counts = state.store.counts().await?;
    let mut body = String::from("<h1>Tidings</h1>\n");
    body.push_str(&format!(
        "<p class=\"soft\">{} sites are followed. {} · {}</p>\n",
        counts.sites,
        link("/feeds.opml", "All feeds (OPML)"),
        link("/api/openapi.json", "API"),
    ));
    if sites.is_empty() {
        body.push_str(
            "<p>Nothing is followed yet. <code>tidings follow https://example.com/</code> changes \
             that.</p>\n",
        );
    } else {
        body.push_str("<ul>\n");
        for site in &sites {
            body.push_str(&format!("<li>{}</li>\n", line(state, site)));
        }
        body.push_str("</ul>\n");
    }
    if sites.len() >= MOST_SITES as usize
        && let Some(last) = sites.last()
    {
        let key = url::form_urlencoded::byte_serialize(last.key.as_bytes()).collect::<String>();
        body.push_str(&format!("<p>{}</p>\n", link(&format!("/?after={key}"), "More")));
    }
    Ok(page("Tidings", "", &body))
}

fn line(state: &State, site: &Site) -> String {
    let name = site.title.as_deref().unwrap_or(&site.url);
    let told = report(site, &[], &state.base);
    let trouble = match &site.reason {
        Some(reason) => format!("<br><span class=\"bad\">{}</span>", escaped(reason)),
        None => String::new(),
    };
    format!(
        "{} <span class=\"soft\">{}</span> · {}{trouble}",
        link(&format!("/sites/{}", site.key), name),
        escaped(&site.url),
        link(&told.feeds.atom, "Atom"),
    )
}

/// A site: how it is, and the feeds of its collections. None if it is not followed.
pub(crate) async fn site(state: &State, key: &str) -> Result<Option<String>, Problem> {
    let Some(site) = state.store.site(key).await? else { return Ok(None) };
    let collections = state.store.collections(site.id).await?;
    let told = report(&site, &collections, &state.base);
    let name = told.title.as_deref().unwrap_or(&told.url);
    let mut head = String::new();
    let mut body = format!("<p>{}</p>\n<h1>{}</h1>\n", link("/", "All sites"), escaped(name));
    body.push_str(&facts(&told));
    for collection in &told.collections {
        let name = collection.title.as_deref().unwrap_or(&collection.identity);
        head.push_str(&format!(
            "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"{}\" href=\"{}\">\n",
            escaped(name),
            escaped(&collection.feeds.atom)
        ));
        body.push_str(&format!(
            "<h2>{}</h2>\n<p>{}</p>\n",
            escaped(name),
            link(&collection.identity, &collection.identity)
        ));
        if let Some(reason) = &collection.reason {
            body.push_str(&format!("<p class=\"bad\">{}</p>\n", escaped(reason)));
        }
        body.push_str(&format!(
            "<p class=\"soft\">{} in {}. {} · {} · {} · {}</p>\n",
            counted(collection.changes, "change", "changes"),
            counted(collection.batches, "batch", "batches"),
            link(&collection.feeds.atom, "Atom"),
            link(&collection.feeds.rss, "RSS"),
            link(&collection.feeds.json, "JSON Feed"),
            link(&collection.feeds.changes, "each change"),
        ));
    }
    Ok(Some(page(name, &head, &body)))
}

/// `1 change`, `2 changes`.
fn counted(number: i64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn facts(told: &SiteReport) -> String {
    let mut facts = String::from("<dl>\n");
    let mut fact = |name: &str, value: String| {
        facts.push_str(&format!("<dt>{name}</dt><dd>{value}</dd>\n"));
    };
    fact("Site", link(&told.url, &told.url));
    let state = format!("{:?}", told.state).to_lowercase();
    match &told.reason {
        Some(reason) => {
            fact("State", format!("{state}: <span class=\"bad\">{}</span>", escaped(reason)))
        }
        None => fact("State", state),
    }
    fact("Followed by", escaped(&told.found_by));
    fact("Last poll", escaped(told.polled_at.as_deref().unwrap_or("none yet")));
    fact("Next poll", escaped(told.next_poll_at.as_deref().unwrap_or("none: paused")));
    let quality = &told.quality;
    if quality.documents > 0 {
        let found = format!(
            "{} errors, {} warnings, {} notes",
            quality.errors, quality.warnings, quality.notes
        );
        fact("Its documents", found);
    }
    if told.left_out > 0 {
        fact("Left out", format!("{} more collections", told.left_out));
    }
    fact(
        "Whole site",
        format!("{} · {}", link(&told.feeds.atom, "Atom"), link(&told.feeds.rss, "RSS")),
    );
    facts.push_str("</dl>\n");
    facts
}
