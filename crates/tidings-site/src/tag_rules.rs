//! What tags say about who may see what they are on: `state/sys/tags.yaml` and `roles.yaml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::spelling::is_near;
use crate::text::Text;
use crate::yaml;

/// The longest file that is read.
const LONGEST: usize = 4 * 1024 * 1024;

/// How the roles of several tags on one object go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessRule {
    /// A role of any of them is enough.
    Union,
    /// It has to be a role of all of them.
    Intersect,
}

/// One tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// What people call it.
    pub name: String,
    /// Who may see what it is on; everybody, if there are none.
    pub roles: Vec<String>,
    /// How its roles go together with those of others.
    pub access_rule: Option<AccessRule>,
}

impl Tag {
    /// Whether who may see what it is on has to have a role of all tags.
    fn is_strict(&self) -> bool {
        self.access_rule == Some(AccessRule::Intersect)
    }
}

/// All tags, by their ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagRules {
    /// The tags.
    pub tags: BTreeMap<String, Tag>,
}

/// Why tags or roles cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct TagRulesError {
    /// The line, from 1; 0 if it is the whole file.
    pub line: u64,
    /// The column, from 1.
    pub column: u64,
    /// What is wrong there.
    pub reason: String,
}

/// Rules that may be a part of others, and so do not replace the last ones.
#[derive(Debug)]
pub(crate) struct RefusedRules {
    /// Why.
    pub(crate) reason: String,
    /// The last rules with what these restrict more; none if these cannot be read.
    pub(crate) stricter: Option<TagRules>,
}

impl From<yaml::Problem> for TagRulesError {
    fn from(problem: yaml::Problem) -> Self {
        Self { line: problem.line, column: problem.column, reason: problem.reason }
    }
}

/// A tag as it is in the file.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Written {
    name: Option<Text>,
    roles: Option<Vec<Text>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access_rule: Option<AccessRule>,
}

/// The tags as they are in the file.
type WrittenTags = BTreeMap<String, Option<Written>>;

impl TagRules {
    /// Reads them: a map of ids to `name`, `roles` and `access_rule` (`union` or `intersect`). An empty
    /// file has none.
    pub fn parse(yaml: &[u8]) -> Result<Self, TagRulesError> {
        Ok(Self::of_written(Self::read(yaml)?.unwrap_or_default()))
    }

    fn read(yaml: &[u8]) -> Result<Option<WrittenTags>, TagRulesError> {
        Ok(yaml::read(utf8(yaml)?, LONGEST)?)
    }

    fn of_written(written: WrittenTags) -> Self {
        let tags = written.into_iter().map(|(id, tag)| {
            let tag = tag.unwrap_or_default();
            let name = tag.name.map(|name| name.0).filter(|name| !name.trim().is_empty());
            let roles = tag.roles.unwrap_or_default().into_iter().map(|role| role.0);
            let roles = clean(roles);
            let name = name.unwrap_or_else(|| id.clone());
            (id, Tag { name, roles, access_rule: tag.access_rule })
        });
        Self { tags: tags.collect() }
    }

    /// Reads rules that replace others, and refuses a file that says nothing or may be a part of one: rules
    /// that are being written, or were cut off by a full disk, open nothing. In a file that is written in
    /// place, each restriction that ends has to be named. `is_moved` is true of a file that was written
    /// elsewhere and then renamed, and so is complete.
    pub(crate) fn parse_replacing(
        yaml: &[u8],
        last: Option<&[u8]>,
        is_moved: bool,
    ) -> Result<Self, RefusedRules> {
        let nothing = |reason| RefusedRules { reason, stricter: None };
        let written = Self::read(yaml).map_err(|error| nothing(error.to_string()))?;
        let Some(written) = written else {
            let reason = "it is empty; write {} into it if there are no tags";
            return Err(nothing(reason.to_owned()));
        };
        let said: BTreeMap<String, (bool, bool)> = written
            .iter()
            .map(|(id, tag)| {
                let said = tag.as_ref().map(|tag| (tag.roles.is_some(), tag.access_rule.is_some()));
                (id.clone(), said.unwrap_or_default())
            })
            .collect();
        let rules = Self::of_written(written);
        let Some(last_text) = last else { return Ok(rules) };
        let Ok(last) = Self::parse(last_text) else { return Ok(rules) };
        let text = yaml.trim_ascii();
        let is_closed = text.starts_with(b"{") && text.ends_with(b"}");
        let mut wider = last.tags.iter().filter(|(id, tag)| rules.widens(id, tag)).peekable();
        if is_moved || is_closed || wider.peek().is_none() {
            return Ok(rules);
        }
        let refused = |reason: &str| RefusedRules {
            reason: reason.to_owned(),
            stricter: Some(last.with_restrictions_of(&rules)),
        };
        if last_text.starts_with(yaml) {
            return Err(refused(
                "it has only the beginning of what it had; add a line of comment if that is all of it",
            ));
        }
        if !yaml.ends_with(b"\n") {
            return Err(refused("its last line does not end; end it if that is all of it"));
        }
        let is_unsaid = |id: &String, last: &Tag| {
            let (has_roles, has_rule) = said.get(id).copied().unwrap_or_default();
            match rules.tags.get(id) {
                Some(now) if !now.roles.is_empty() => last.is_strict() && !has_rule,
                _ if last.roles.is_empty() => !has_roles && !has_rule,
                _ => !has_roles,
            }
        };
        if let Some((id, _)) = wider.find(|(id, last)| is_unsaid(id, last)) {
            return Err(refused(&format!(
                "the tag {id:?}, or a line of it, is missing; write `roles: []` if it restricts nothing, or \
                 write another file and rename it to this one"
            )));
        }
        Ok(rules)
    }

    /// These rules with what others restrict more.
    fn with_restrictions_of(&self, others: &Self) -> Self {
        let mut tags = self.tags.clone();
        for (id, other) in &others.tags {
            let tag = tags.entry(id.clone()).or_insert_with(|| Tag {
                name: other.name.clone(),
                roles: Vec::new(),
                access_rule: None,
            });
            let is_narrower = other.roles.iter().all(|role| tag.roles.contains(role));
            if !other.roles.is_empty() && (tag.roles.is_empty() || is_narrower) {
                tag.roles.clone_from(&other.roles);
            }
            // `union` could let one role of several be enough.
            if other.is_strict() {
                tag.access_rule = other.access_rule;
            }
        }
        Self { tags }
    }

    /// Whether a tag lets more people see what it is on, by these rules, than it did.
    fn widens(&self, id: &str, last: &Tag) -> bool {
        let Some(now) = self.tags.get(id) else {
            return last.is_strict() || !last.roles.is_empty();
        };
        let is_new = |role: &String| !last.roles.contains(role);
        let has_other_roles = now.roles.is_empty() || now.roles.iter().any(is_new);
        // Without a rule, roles have to be of all tags.
        let is_looser = match now.access_rule {
            Some(AccessRule::Union) => last.access_rule != Some(AccessRule::Union),
            Some(AccessRule::Intersect) => false,
            None => last.is_strict(),
        };
        is_looser || !last.roles.is_empty() && has_other_roles
    }

    /// Writes them as they are read.
    #[must_use]
    pub fn write(&self) -> String {
        let tags = self.tags.iter().map(|(id, tag)| {
            let roles = tag.roles.iter().cloned().map(Text).collect();
            let (name, roles) = (Some(Text(tag.name.clone())), Some(roles));
            (id, Written { name, roles, access_rule: tag.access_rule })
        });
        written(&tags.collect::<BTreeMap<_, _>>())
    }

    /// The tag with roles that another, which is not known, is probably meant to be.
    #[must_use]
    pub fn meant_by(&self, tag: &str) -> Option<&str> {
        if self.tags.contains_key(tag) {
            return None;
        }
        let mut restricting = self.tags.iter().filter(|(_, it)| !it.roles.is_empty());
        restricting.find(|(id, it)| is_near(tag, id) || is_near(tag, &it.name)).map(|(id, _)| &**id)
    }

    /// Who may see what has these tags. Those that are not known say nothing, unless they are probably
    /// misspelt forms of tags with roles: then nobody may.
    ///
    /// A tag without roles restricts nothing, but its rule counts. If rules differ, the stricter one
    /// goes; without a rule, roles have to be of all tags.
    #[must_use]
    pub fn access<'t>(&self, tags: impl IntoIterator<Item = &'t str>) -> Access {
        let tags: Vec<&str> = tags.into_iter().collect();
        if tags.iter().any(|tag| self.meant_by(tag).is_some()) {
            return Access::Deny;
        }
        let known: Vec<&Tag> = tags.into_iter().filter_map(|tag| self.tags.get(tag)).collect();
        let has_rule = |rule| known.iter().any(|tag| tag.access_rule == Some(rule));
        let is_union = has_rule(AccessRule::Union) && !has_rule(AccessRule::Intersect);
        let mut sets = known.iter().filter(|tag| !tag.roles.is_empty()).map(|tag| &tag.roles);
        let Some(first) = sets.next() else { return Access::Public };
        let mut allowed: BTreeSet<&String> = first.iter().collect();
        for roles in sets {
            if is_union {
                allowed.extend(roles);
            } else {
                allowed.retain(|role| roles.contains(role));
            }
        }
        Access::any_of(allowed.into_iter().cloned())
    }
}

/// The ways in which roles are listed.
#[derive(Deserialize)]
#[serde(untagged)]
enum Roles {
    List(Vec<Role>),
    Within { roles: Option<Vec<Role>> },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Role {
    Name(Text),
    Map { id: Option<Text>, name: Option<Text> },
}

/// Reads the roles that there are: a list of names, or of maps with an `id` or a `name`, as such or
/// under `roles`. An empty file has none.
pub fn parse_roles(yaml: &[u8]) -> Result<Vec<String>, TagRulesError> {
    let read: Option<Roles> = yaml::read(utf8(yaml)?, LONGEST)?;
    let roles = match read {
        None => Vec::new(),
        Some(Roles::List(roles)) => roles,
        Some(Roles::Within { roles }) => roles.unwrap_or_default(),
    };
    let names = roles.into_iter().map(|role| match role {
        Role::Name(name) => name.0,
        // Where there are both, tags and people refer to the id.
        Role::Map { id, name } => id.or(name).unwrap_or_default().0,
    });
    Ok(clean(names))
}

/// Writes them as a list of names, which is what the other program reads, in their order, so that
/// changes are small.
#[must_use]
pub fn write_roles(roles: &[String]) -> String {
    written(&roles.iter().collect::<BTreeSet<_>>())
}

fn written(value: &impl Serialize) -> String {
    // Only a writer that fails could make this fail, and a text does not.
    serde_saphyr::to_string(value).unwrap_or_default()
}

/// Without blanks, and each once.
fn clean(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = names.map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty() && seen.insert(name.clone())).collect()
}

fn utf8(yaml: &[u8]) -> Result<&str, TagRulesError> {
    let yaml = yaml.strip_prefix(b"\xef\xbb\xbf").unwrap_or(yaml);
    std::str::from_utf8(yaml).map_err(|error| {
        let before = &yaml[..error.valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() as u64 + 1;
        TagRulesError { line, column, reason: "it is not UTF-8; save it as that".to_owned() }
    })
}

#[cfg(test)]
mod tests;
