//! The tags, which say who may see what they are on, and the roles.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use askama::Template;
use axum::body::Body;
use axum::http::StatusCode;
use tidings_http::form::Form;
use tidings_site::{AccessRule, Stamp, Tag, TagRules, parse_roles};

use super::effect::Effect;
use super::fields::items;
use super::frame::{Frame, Refused, Result, Visit, sentence};
use crate::site_response::Answer;
use crate::state::SiteState;

const TAGS: &str = "state/sys/tags.yaml";
const ROLES: &str = "state/sys/roles.yaml";
/// The longest of these files.
const MOST: usize = 4 << 20;
/// How much the form may be.
const MOST_FORM: usize = 4 << 20;
/// How long an id or a name may be.
const LONGEST: usize = 100;

#[derive(Template)]
#[template(path = "admin/tags.html")]
struct Page {
    f: Frame,
    rows: Vec<Row>,
    added: Row,
    roles: String,
    known_roles: Vec<String>,
    seen: String,
    problem: Option<String>,
    effect: Option<Effect>,
    /// What a form says that agrees to it.
    agreed: String,
    /// Why the tags cannot be changed here.
    broken: Option<String>,
}

/// A tag as it was typed.
#[derive(Debug, Clone, Default)]
struct Row {
    id: String,
    name: String,
    roles: String,
    rule: String,
    is_removed: bool,
    count: usize,
    wrong: Option<String>,
}

/// A file of these, with what says whether it is still the same.
fn read(state: &SiteState, path: &str) -> std::result::Result<(Vec<u8>, String), String> {
    match state.cache.root().read(path, MOST) {
        Ok((bytes, stamp)) if !bytes.trim_ascii().is_empty() => Ok((bytes, word(Some(stamp)))),
        // The last good ones are in force, and are not to be replaced by none at all.
        Ok((_, stamp)) => Ok((state.cache.last_rules(path).unwrap_or_default(), word(Some(stamp)))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Ok((state.cache.last_rules(path).unwrap_or_default(), word(None)))
        }
        Err(error) => Err(format!("{path} could not be read: {error}.")),
    }
}

fn word(stamp: Option<Stamp>) -> String {
    stamp.map_or_else(
        || "none".to_owned(),
        |stamp| {
            let (changed, nanos) = (stamp.changed_seconds, stamp.changed_nanos);
            format!("{}.{}.{changed}.{nanos}", stamp.inode, stamp.length)
        },
    )
}

fn rules(state: &SiteState) -> std::result::Result<(TagRules, String), String> {
    let (bytes, seen) = read(state, TAGS)?;
    let rules = TagRules::parse(&bytes).map_err(|error| format!("{TAGS}, {error}."))?;
    Ok((rules, seen))
}

fn roles(state: &SiteState) -> std::result::Result<(Vec<String>, String), String> {
    let (bytes, seen) = read(state, ROLES)?;
    let roles = parse_roles(&bytes).map_err(|error| format!("{ROLES}, {error}."))?;
    Ok((roles, seen))
}

/// The ids of the tags and the roles that there are: those that are listed, and those that are used.
pub(super) fn known(state: &SiteState) -> (Vec<String>, Vec<String>) {
    let rules = rules(state).map(|(rules, _)| rules).unwrap_or_default();
    let listed = roles(state).map(|(roles, _)| roles).unwrap_or_default();
    let used = rules.tags.values().flat_map(|tag| tag.roles.iter().cloned());
    let roles: BTreeSet<String> = listed.into_iter().chain(used).collect();
    (rules.tags.into_keys().collect(), roles.into_iter().collect())
}

/// How many objects have each tag.
fn uses(state: &SiteState) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    state.cache.each(|meta| {
        for tag in meta.tags.iter() {
            match counts.get_mut(&**tag) {
                Some(count) => *count += 1,
                None => drop(counts.insert(tag.to_string(), 1)),
            }
        }
    });
    counts
}

fn rule_name(rule: Option<AccessRule>) -> &'static str {
    match rule {
        None => "",
        Some(AccessRule::Union) => "union",
        Some(AccessRule::Intersect) => "intersect",
    }
}

/// The page as things are.
async fn as_it_is(visit: &Visit<'_>) -> std::result::Result<Page, Refused> {
    let (rules, roles, uses) =
        visit.blocking(|state| (rules(state), roles(state), uses(state))).await?;
    let known_roles = visit.blocking(|state| known(state).1).await?;
    let mut problem = None;
    let (rules, seen, broken) = match rules {
        Ok((rules, seen)) => (rules, seen, None),
        Err(reason) => (TagRules::default(), String::new(), Some(reason)),
    };
    let roles = roles.map(|(roles, _)| roles).unwrap_or_else(|reason| {
        problem = Some(reason);
        Vec::new()
    });
    let rows = rules.tags.into_iter().map(|(id, tag)| Row {
        name: tag.name,
        roles: tag.roles.join(", "),
        rule: rule_name(tag.access_rule).to_owned(),
        count: uses.get(&id).copied().unwrap_or_default(),
        id,
        ..Row::default()
    });
    Ok(Page {
        f: visit.frame("tags", "Tags and roles"),
        rows: rows.collect(),
        added: Row::default(),
        roles: roles.join("\n"),
        known_roles,
        seen,
        problem,
        effect: None,
        agreed: String::new(),
        broken,
    })
}

pub(super) async fn page(visit: &Visit<'_>) -> Result {
    let page = as_it_is(visit).await?;
    Ok(visit.show(StatusCode::OK, &page))
}

/// A row of the form.
fn row(form: &Form, key: &str, uses: &HashMap<String, usize>) -> Row {
    let field = |name: &str| form.get(&format!("{name}.{key}")).to_owned();
    let id = field("id");
    Row {
        count: uses.get(&id).copied().unwrap_or_default(),
        name: field("name"),
        roles: field("roles"),
        rule: field("rule"),
        is_removed: form.is(&format!("remove.{key}")),
        id,
        wrong: None,
    }
}

impl Row {
    /// The tag, or what is wrong with it.
    fn tag(&self) -> std::result::Result<Tag, String> {
        let is_fit = |text: &str| {
            text.len() <= LONGEST && !text.chars().any(|one| one.is_control() || one == ',')
        };
        if self.id.is_empty() {
            return Err("A tag needs an id.".to_owned());
        }
        if !is_fit(&self.id) || !is_fit(&self.name) {
            return Err(format!("An id or a name has no commas, and at most {LONGEST} bytes."));
        }
        let access_rule = match self.rule.as_str() {
            "" => None,
            "union" => Some(AccessRule::Union),
            "intersect" => Some(AccessRule::Intersect),
            _ => return Err("A rule is union or intersect.".to_owned()),
        };
        let name = if self.name.is_empty() { self.id.clone() } else { self.name.clone() };
        Ok(Tag { name, roles: items(&self.roles), access_rule })
    }
}

/// Saves the tags; if that lets others see something, or not, only once that was said.
pub(super) async fn save(visit: &Visit<'_>, body: Body) -> Result {
    let form = visit.form(body, MOST_FORM).await?;
    let mut page = as_it_is(visit).await?;
    if page.broken.is_some() {
        return Ok(visit.show(StatusCode::CONFLICT, &page));
    }
    let uses = visit.blocking(|state| uses(state)).await?;
    let keys = form.names().filter_map(|name| name.strip_prefix("id."));
    let keys: Vec<&str> = keys.filter(|key| *key != "new").collect();
    page.rows = keys.into_iter().map(|key| row(&form, key, &uses)).collect();
    page.added = row(&form, "new", &uses);
    let current = std::mem::take(&mut page.seen);
    let is_same = current == form.get("seen");
    page.seen = current;
    if !is_same {
        let reason = "Somebody else changed the tags meanwhile. What you typed is below: compare it with \
            theirs (load this page in another window) and save it again.";
        page.problem = Some(reason.to_owned());
        return Ok(visit.show(StatusCode::CONFLICT, &page));
    }
    let Some(rules) = gathered(&mut page) else {
        return Ok(visit.show(StatusCode::UNPROCESSABLE_ENTITY, &page));
    };
    let tried = rules.clone();
    let effect = visit.blocking(move |state| Effect::of(state, &tried)).await?;
    let agreed = effect.word(&rules);
    if !effect.is_none() && form.get("agreed") != agreed {
        (page.effect, page.agreed) = (Some(effect), agreed);
        return Ok(visit.show(StatusCode::OK, &page));
    }
    let editor = visit.editor();
    let saved = visit.changing(move |_| editor.save_tags(&rules)).await?;
    saved.map_err(|error| visit.edit_failed(&error))?;
    Ok(visit.go("tags?said=tags"))
}

/// All tags that are to be; none if something is wrong with one, which is said there.
fn gathered(page: &mut Page) -> Option<TagRules> {
    let mut tags: BTreeMap<String, Tag> = BTreeMap::new();
    let mut is_well = true;
    let added = Some(&mut page.added)
        .filter(|row| !(row.id.is_empty() && row.name.is_empty() && row.roles.is_empty()));
    for row in page.rows.iter_mut().chain(added).filter(|row| !row.is_removed) {
        let tag = row.tag().and_then(|tag| match tags.contains_key(&row.id) {
            true => Err("There is a tag of that id already.".to_owned()),
            false => Ok(tag),
        });
        match tag {
            Ok(tag) => drop(tags.insert(row.id.clone(), tag)),
            Err(problem) => {
                row.wrong = Some(problem);
                is_well = false;
            }
        }
    }
    is_well.then_some(TagRules { tags })
}

pub(super) async fn save_roles(visit: &Visit<'_>, body: Body) -> Result {
    let form = visit.form(body, MOST_FORM).await?;
    let roles = items(form.exact("roles"));
    let is_fit = |role: &String| role.len() <= LONGEST && !role.chars().any(char::is_control);
    if let Some(bad) = roles.iter().find(|role| !is_fit(role)) {
        let reason =
            sentence(&format!("{bad:?} is too long for a role: {LONGEST} bytes are enough"));
        return not_roles(visit, &form, reason).await;
    }
    let editor = visit.editor();
    let saved = visit.changing(move |_| editor.save_roles(&roles)).await?;
    saved.map_err(|error| visit.edit_failed(&error))?;
    Ok(visit.go("tags?said=roles"))
}

async fn not_roles(
    visit: &Visit<'_>,
    form: &Form,
    reason: String,
) -> std::result::Result<Answer, Refused> {
    let mut page = as_it_is(visit).await?;
    page.roles = form.exact("roles").to_owned();
    page.problem = Some(reason);
    Ok(visit.show(StatusCode::UNPROCESSABLE_ENTITY, &page))
}
