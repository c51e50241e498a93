//! The tiles of a grid.

use std::collections::HashMap;

use tidings_base::text::counted;
use tidings_http::text_format::Time;
use tidings_store::{Millis, Site, State as PostState, Tile};
use tidings_web::Url;

use super::pictures::Marker;
use super::{author_of, details, title_of, trouble, writer_of};
use crate::api::Problem;
use crate::parts::web;
use crate::state::State;

/// Whose posts they are.
#[derive(Debug, Clone)]
pub(super) struct Whose {
    pub(super) author: String,
    /// Where their picture is to be had from us.
    pub(super) icon: Option<String>,
    /// What stands for them if they have no picture.
    pub(super) initial: String,
    pub(super) tiles: u32,
}

impl Whose {
    pub(super) fn of(state: &State, site: &Site) -> Self {
        let details = details(site);
        let author = author_of(site, &details);
        let icon = details.icon.as_deref().and_then(|icon| Url::parse(icon).ok());
        let initial = author.chars().find(|letter| letter.is_alphanumeric());
        Self {
            icon: icon.and_then(|icon| Marker::of(state, site).address(&icon)),
            initial: initial.map(|letter| letter.to_uppercase().to_string()).unwrap_or_default(),
            author,
            tiles: site.settings.tiles,
        }
    }
}

/// What is on a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The lead of a post.
    Lead,
    /// A post that was not fetched yet.
    Waiting,
    /// A post that could not be.
    Failing,
    /// A post that was, and made room for others.
    Forgotten,
    /// Posts that share a tile.
    Shared,
}

/// A tile, as pages show it.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) id: i64,
    pub(super) kind: Kind,
    /// What the post is called.
    pub(super) title: String,
    pub(super) whose: Whose,
    pub(super) key: String,
    pub(super) time: Time,
    /// Who wrote it, if that is not whose webfeed it is.
    pub(super) writer: Option<String>,
    /// The host that a post of somebody else is on.
    pub(super) repost: Option<String>,
    /// Where it is itself, if it is somebody else's.
    pub(super) original: Option<String>,
    /// When it was found to say something else than before.
    pub(super) edited: Option<Time>,
    /// Which version of it frames are asked for with.
    pub(super) version: Millis,
    pub(super) is_read: bool,
    /// Why there is no lead.
    pub(super) reason: String,
    /// How many share it, in words.
    pub(super) more: String,
    /// Why they do.
    pub(super) policy: String,
}

impl Shown {
    pub(super) fn of(tile: &Tile, whose: &Whose, now: Millis) -> Self {
        let post = &tile.post;
        let kind = match post.state {
            _ if tile.posts > 1 => Kind::Shared,
            PostState::Well => Kind::Lead,
            PostState::Failing | PostState::PartlyFailing => Kind::Failing,
            PostState::New | PostState::Paused if post.is_forgotten => Kind::Forgotten,
            PostState::New | PostState::Paused => Kind::Waiting,
        };
        let host = Url::parse(&post.url).ok();
        let host = host.and_then(|url| url.host_str().map(str::to_owned));
        let posts = if whose.tiles == 0 {
            counted(tile.posts, "post", "posts")
        } else {
            counted(tile.posts, "more post", "more posts")
        };
        Self {
            id: post.id,
            kind,
            title: title_of(post),
            whose: whose.clone(),
            key: tile.site_key.clone(),
            time: Time::of(post.seen_at, now),
            writer: writer_of(post, &whose.author),
            repost: host.filter(|_| post.is_repost),
            original: web(&post.url).filter(|_| post.is_repost).map(str::to_owned),
            edited: post.edited_at.map(|edited| Time::of(edited, now)),
            version: post.edited_at.unwrap_or_default(),
            is_read: tile.is_read && kind != Kind::Shared,
            reason: trouble(post).unwrap_or_default(),
            more: posts,
            policy: policy(whose.tiles),
        }
    }

    pub(super) fn is_lead(&self) -> bool {
        self.kind == Kind::Lead
    }

    /// What is said of a post that can be asked for once more.
    pub(super) fn trouble(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Failing => Some("It could not be fetched"),
            Kind::Forgotten => Some("It is no longer kept"),
            _ => None,
        }
    }

    /// Who wrote it, and who shows it, in words.
    pub(super) fn by(&self) -> String {
        match (&self.writer, &self.repost) {
            (Some(writer), Some(_)) => format!("{writer}, reposted by {}", self.whose.author),
            (Some(writer), None) => writer.clone(),
            (None, Some(_)) => format!("{0}, reposted by {0}", self.whose.author),
            (None, None) => self.whose.author.clone(),
        }
    }

    pub(super) fn is_shared(&self) -> bool {
        self.kind == Kind::Shared
    }
}

/// How many tiles a webfeed has, in words.
pub(super) fn policy(tiles: u32) -> String {
    match tiles {
        0 => "All that this webfeed posts on one day shares a tile.".to_owned(),
        tiles => format!("This webfeed has {} a day.", counted(tiles, "tile", "tiles")),
    }
}

/// Whose the posts on these tiles are, by the numbers of their webfeeds.
pub(super) async fn whose(state: &State, tiles: &[Tile]) -> Result<HashMap<i64, Whose>, Problem> {
    let mut ids: Vec<i64> = tiles.iter().map(|tile| tile.post.site_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let sites = state.store.sites_by_ids(&ids).await?;
    Ok(sites.iter().map(|site| (site.id, Whose::of(state, site))).collect())
}

/// Tiles, as pages show them. Those of a webfeed that was removed a moment ago are left out.
pub(super) fn shown(tiles: &[Tile], whose: &HashMap<i64, Whose>, now: Millis) -> Vec<Shown> {
    let one = |tile: &Tile| Some(Shown::of(tile, whose.get(&tile.post.site_id)?, now));
    tiles.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use tidings_store::Post;

    use super::*;

    #[test]
    fn tiles_say_what_is_on_them() {
        let post = Post {
            id: 7,
            site_id: 1,
            url: "https://b.example/x".to_owned(),
            place: 1,
            seen_at: 0,
            is_repost: true,
            state: PostState::Failing,
            reason: Some("it hangs".to_owned()),
            failures: 1,
            is_forgotten: false,
            title: Some("  ".to_owned()),
            author: None,
            sections: 0,
            edited_at: None,
        };
        let mut tile = Tile { post, posts: 1, is_read: true, site_key: "a".to_owned() };
        let mut whose =
            Whose { author: "Ada".to_owned(), icon: None, initial: "A".to_owned(), tiles: 3 };
        let one = Shown::of(&tile, &whose, 0);
        assert_eq!((one.kind, one.reason.as_str(), one.is_read), (Kind::Failing, "it hangs", true));
        assert_eq!((one.repost.as_deref(), one.title.as_str()), (Some("b.example"), "b.example/x"));
        // As versions before this one recorded it.
        tile.post.reason = Some("https://b.example/x answered 503".to_owned());
        assert_eq!(Shown::of(&tile, &whose, 0).reason, "https://b.example/x answered 503");
        (tile.post.state, tile.post.is_forgotten) = (PostState::New, true);
        let one = Shown::of(&tile, &whose, 0);
        assert_eq!(one.trouble(), Some("It is no longer kept"));
        assert!(one.reason.contains("took its room"), "{}", one.reason);
        tile.posts = 7;
        let one = Shown::of(&tile, &whose, 0);
        assert!(one.kind == Kind::Shared && one.more == "7 more posts" && !one.is_read);
        assert_eq!(one.policy, "This webfeed has 3 tiles a day.");
        whose.tiles = 0;
        assert_eq!(Shown::of(&tile, &whose, 0).more, "7 posts");
        assert_eq!(policy(1), "This webfeed has 1 tile a day.");
        assert!(policy(0).contains("shares a tile"));
    }
}
