//! What is wrong with the content, for those who mend it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::PoisonError;

use tidings_site::{Fault, Finding, ObjectId, Place};

use crate::state::SiteState;

/// All findings, also that of the theme.
pub(super) fn all(state: &SiteState) -> Vec<Finding> {
    let mut findings = state.cache.findings();
    // The theme is read when a page is made.
    let _ = state.shell();
    let theme = state.theme_finding.lock().unwrap_or_else(PoisonError::into_inner).clone();
    findings.extend(theme);
    findings
}

/// What to do about one of that kind.
pub(super) fn remedy(fault: Fault) -> &'static str {
    match fault {
        Fault::Unreadable => "Give the server the right to read it, or remove it.",
        Fault::Metadata => {
            "Mend the sidecar or the front matter on disk; until then it is not served."
        }
        Fault::NoSidecar => {
            "Put its sidecar beside it, or remove the blob; until then it is not served."
        }
        Fault::Alias => {
            "Give it an alias of letters, digits and hyphens; until then it is not served."
        }
        Fault::ReservedAlias => "Give it another alias: this one is kept for the site itself.",
        Fault::DuplicateAlias => {
            "Give one of them another alias; until then only the first is served."
        }
        Fault::DuplicateId => "Save it once here, and it gets an id of its own.",
        Fault::NoTitle => "Give it a title or a first heading.",
        Fault::Large => "Divide it into several pages.",
        Fault::Rules => "Mend the file on disk; until then the last good rules stay in force.",
        Fault::Misspelt => "Write it as it is meant; until then it is for nobody.",
        Fault::UnknownKey => "Write the key that is meant, or take it out.",
        Fault::UnknownTag => "Add the tag to tags.yaml, or take it out.",
        Fault::Guarded => "Write the file again; until then it stays as restricted as it was.",
        Fault::Inherited => "Link to the files in a public page if they are for everybody.",
        Fault::PublicFile => "Put the file beside the page, or restrict its folder.",
        Fault::Away => "Mount the disk again, or put a file into the folder.",
        Fault::Theme => "Mend the theme; until then another is used.",
        Fault::Unwatched => "Raise the limit; until then changes are seen some seconds late.",
        _ => "See what it says.",
    }
}

/// In a few words.
pub(super) fn heading(fault: Fault) -> &'static str {
    match fault {
        Fault::Unreadable => "Could not be read",
        Fault::Metadata => "Metadata that cannot be understood",
        Fault::NoSidecar => "No sidecar",
        Fault::Alias => "Alias that cannot be one",
        Fault::ReservedAlias => "Reserved alias",
        Fault::DuplicateAlias => "Alias of another",
        Fault::DuplicateId => "Id of another",
        Fault::NoTitle => "No title",
        Fault::Large => "Too long for a page",
        Fault::Rules => "Tags or roles",
        Fault::Misspelt => "Misspelt restriction",
        Fault::UnknownKey => "Unknown key",
        Fault::UnknownTag => "Unknown tag",
        Fault::Guarded => "Restriction that was lost",
        Fault::Inherited => "Restricted by a page",
        Fault::PublicFile => "Public file of a restricted page",
        Fault::Away => "Folder that is away",
        Fault::Theme => "Theme",
        Fault::Unwatched => "Not watched",
        _ => "Something else",
    }
}

/// All kinds that an object can have, for a filter.
pub(super) const OF_OBJECTS: [Fault; 13] = [
    Fault::Unreadable,
    Fault::Metadata,
    Fault::NoSidecar,
    Fault::Alias,
    Fault::ReservedAlias,
    Fault::DuplicateAlias,
    Fault::DuplicateId,
    Fault::NoTitle,
    Fault::Large,
    Fault::Misspelt,
    Fault::UnknownKey,
    Fault::UnknownTag,
    Fault::Guarded,
];

/// By the blob's path from the content root: a finding may be about the sidecar beside it.
pub(super) fn by_object(findings: Vec<Finding>) -> BTreeMap<String, Vec<Finding>> {
    let mut all: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        all.entry(blob_of(&finding.place).to_owned()).or_default().push(finding);
    }
    all
}

fn blob_of(place: &str) -> &str {
    place.strip_suffix(".ron").filter(|blob| blob.starts_with("content/")).unwrap_or(place)
}

/// The objects that can be edited here, of all that findings are about, by the blob's path.
pub(super) fn editable(state: &SiteState, findings: &[Finding]) -> HashMap<String, ObjectId> {
    let files: HashSet<&str> =
        findings.iter().filter_map(|finding| finding.place.strip_prefix("pages/")).collect();
    let mut known = HashMap::new();
    if !files.is_empty() {
        let metas = state.cache.select(files.len(), |meta| match &meta.place {
            Place::File { path } => files.contains(&**path),
            Place::Version { .. } => false,
        });
        known.extend(metas.iter().map(|meta| (meta.place.path(meta.id), meta.id)));
    }
    for finding in findings {
        let blob = blob_of(&finding.place);
        // What is left out for its alias can be read, and so be given another.
        let is_alias = matches!(finding.fault, Fault::Alias | Fault::ReservedAlias);
        let id = match blob.strip_prefix("pages/") {
            Some(path) => is_alias.then(|| ObjectId::of_path(path)),
            None => version_of(blob).filter(|id| is_alias || state.cache.any(*id).is_some()),
        };
        if let Some(id) = id {
            known.entry(blob.to_owned()).or_insert(id);
        }
    }
    known
}

/// The id in `content/<shard>/<id>.<number>`.
fn version_of(blob: &str) -> Option<ObjectId> {
    let name = blob.strip_prefix("content/")?.split('/').nth(1)?;
    ObjectId::parse(name.split('.').next()?)
}

/// Which object a finding is about, if it can be edited here.
pub(super) fn object<'k>(
    known: &'k HashMap<String, ObjectId>,
    finding: &Finding,
) -> Option<&'k ObjectId> {
    known.get(blob_of(&finding.place))
}
