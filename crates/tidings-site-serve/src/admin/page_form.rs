//! What somebody typed into the form of a page.

use tidings_http::form::Form;
use tidings_site::{
    Alias, AliasOf, Draft, Editor, ObjectId, PageMeta, Place, first_heading, path::named,
};

use super::fields::{items, some};
use super::frame::sentence;
use crate::state::SiteState;

/// What the form has, as it was typed.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    pub(super) title: String,
    pub(super) alias: String,
    pub(super) tags: String,
    pub(super) roles: String,
    pub(super) nav_title: String,
    pub(super) nav_parent: String,
    pub(super) nav_order: String,
    pub(super) is_noindex: bool,
    /// What else crawlers are told, which stays.
    pub(super) robots: String,
    pub(super) body: String,
}

/// What is wrong with it, by the name of the field.
#[derive(Debug, Default)]
pub(super) struct Wrong(Vec<(&'static str, String)>);

impl Wrong {
    pub(super) fn add(&mut self, field: &'static str, problem: impl Into<String>) {
        self.0.push((field, problem.into()));
    }

    /// For the template.
    pub(super) fn at(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == field).map(|(_, problem)| problem.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The page that is written: one that there is, or a new one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Of<'a> {
    pub(super) id: Option<ObjectId>,
    /// None for a new one.
    pub(super) place: Option<&'a Place>,
    pub(super) is_plain: bool,
}

impl Written {
    pub(super) fn of_form(form: &Form) -> Self {
        let text = |name| form.get(name).to_owned();
        Self {
            title: text("title"),
            alias: text("alias"),
            tags: text("tags"),
            roles: text("roles"),
            nav_title: text("nav_title"),
            nav_parent: text("nav_parent"),
            nav_order: text("nav_order"),
            is_noindex: form.is("noindex"),
            robots: text("robots"),
            // Forms are sent with the line ends of the network, and files have those of Unix.
            body: form.exact("body").replace("\r\n", "\n"),
        }
    }

    pub(super) fn of_draft(draft: &Draft) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (is_noindex, robots) = split_robots(draft.robots.as_deref().unwrap_or_default());
        Self {
            title: text(&draft.title),
            alias: text(&draft.alias),
            tags: draft.tags.join(", "),
            roles: draft.roles.join(", "),
            nav_title: text(&draft.nav_title),
            nav_parent: text(&draft.nav_parent),
            nav_order: draft.nav_order.map(|order| order.to_string()).unwrap_or_default(),
            is_noindex,
            robots,
            body: String::from_utf8_lossy(&draft.body).into_owned(),
        }
    }

    /// What is told to crawlers, all in all.
    pub(super) fn told(&self) -> Option<String> {
        let noindex = self.is_noindex.then_some("noindex");
        let others = self.robots.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
        some(&noindex.into_iter().chain(others).collect::<Vec<_>>().join(", "))
    }

    /// As the editor takes it, over what the form does not have; or what is wrong with it.
    pub(super) fn draft(
        &self,
        state: &SiteState,
        of: Of<'_>,
        known: Draft,
    ) -> Result<Draft, Wrong> {
        let mut wrong = Wrong::default();
        let has_name = !self.title.is_empty() || of.is_plain && first_heading(&self.body).is_some();
        if !has_name {
            wrong.add("title", "A page needs a title.");
        }
        if let Err(problem) = check_alias(state, of, &self.alias, &self.title) {
            wrong.add("alias", problem);
        }
        if !of.is_plain && !self.roles.is_empty() {
            wrong.add("roles", "Pages of this layout have no roles of their own; give it a tag.");
        }
        let nav_parent = self.parent(state, of).unwrap_or_else(|problem| {
            wrong.add("nav_parent", problem);
            None
        });
        let nav_order = match self.nav_order.parse::<i32>() {
            Ok(order) => Some(order),
            Err(_) if self.nav_order.is_empty() => None,
            Err(_) => {
                wrong.add("nav_order", "This has to be a whole number, such as 10, or nothing.");
                None
            }
        };
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(Draft {
            title: some(&self.title),
            alias: some(&self.alias),
            tags: items(&self.tags),
            roles: items(&self.roles),
            nav_title: some(&self.nav_title),
            nav_parent,
            nav_order,
            robots: self.told(),
            body: self.body.clone().into_bytes(),
            mime: if known.mime.is_empty() { "text/markdown".to_owned() } else { known.mime },
            original_filename: known.original_filename,
        })
    }

    /// What it is below in menus: an id, or the address of a page.
    fn parent(&self, state: &SiteState, of: Of<'_>) -> Result<Option<String>, String> {
        if self.nav_parent.is_empty() {
            return Ok(None);
        }
        let found = match ObjectId::parse(&self.nav_parent) {
            Some(id) => state.cache.any(id),
            None => named(&format!("/{}", self.nav_parent.trim_start_matches('/')))
                .and_then(|name| state.cache.find(&name)),
        };
        let found = found.ok_or("There is no such page: this is the alias or the id of one.")?;
        if Some(found.id) == of.id {
            return Err("A page cannot be below itself.".to_owned());
        }
        // Only the plain layout can name it by its alias.
        let is_alias = of.is_plain && ObjectId::parse(&self.nav_parent).is_none();
        Ok(Some(if is_alias { self.nav_parent.clone() } else { found.id.to_string() }))
    }
}

/// Says what keeps an object from having that alias, or the one that it gets without.
pub(super) fn check_alias(
    state: &SiteState,
    of: Of<'_>,
    alias: &str,
    title: &str,
) -> Result<(), String> {
    let reserved = state.cache.reserved();
    let given = Alias::parse(alias, AliasOf::Text, reserved);
    let alias = match (given.map_err(|error| sentence(&error.to_string()))?, of.place) {
        (Some(alias), _) => alias,
        (None, Some(Place::File { path })) => {
            let alias = Alias::of_page(path, reserved);
            alias.map_err(|_| {
                format!("Without an alias it goes by its file, and {path} cannot be one.")
            })?
        }
        (None, None) if of.is_plain => {
            if title.is_empty() {
                return Err("Give it an alias or a title to be called by.".to_owned());
            }
            let name = Editor::file_name_of(title).map_err(|error| error.to_string())?;
            let alias = Alias::of_page(&format!("{name}.md"), reserved);
            alias.map_err(|_| {
                format!("By its title it would be {name:?}, which is reserved; give it an alias.")
            })?
        }
        // By its id alone.
        (None, _) => return Ok(()),
    };
    match state.cache.find(alias.as_str()).filter(|other| Some(other.id) != of.id) {
        Some(other) => Err(taken(alias.as_str(), &other)),
        None => Ok(()),
    }
}

fn taken(alias: &str, other: &PageMeta) -> String {
    format!(
        "{:?} ({}) has the alias {alias:?} already; take another one.",
        &*other.title,
        other.place.path(other.id)
    )
}

/// Whether search engines are to leave it out, and what else they are told.
fn split_robots(robots: &str) -> (bool, String) {
    let words: Vec<String> = robots
        .split([',', ' '])
        .map(|word| word.trim().to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let is_none = words.iter().any(|word| word == "none");
    let is_noindex = is_none || words.iter().any(|word| word == "noindex");
    let mut others: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "noindex" | "none"))
        .collect();
    if is_none {
        others.push("nofollow");
    }
    (is_noindex, others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_else_crawlers_are_told_stays() {
        assert_eq!(split_robots("NoIndex, nofollow"), (true, "nofollow".to_owned()));
        assert_eq!(split_robots("none"), (true, "nofollow".to_owned()));
        assert_eq!(split_robots("noarchive"), (false, "noarchive".to_owned()));
        let written = Written { is_noindex: true, robots: "nofollow".into(), ..Written::default() };
        assert_eq!(written.told().as_deref(), Some("noindex, nofollow"));
        assert_eq!(Written::default().told(), None);
    }
}
