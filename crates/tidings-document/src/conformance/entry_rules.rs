//! One entry after the other.

use super::head_rules::{intervals, push};
use super::rules::{Hit, Rules};
use super::{Profile, Spec};
use crate::{Capability, Change, Entry, Form, Link, Metadata, Moment, PATCH, Rule, rule};

impl Rules {
    pub(super) fn check_entry(&mut self, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        let md = &entry.metadata;
        self.duplicate(entry, hits);
        match self.capability {
            None => self.plain(entry, hits),
            Some(Capability::Description) => self.description(entry, hits),
            Some(Capability::CapabilityList) => self.capability_list(entry, hits),
            Some(capability) if self.form == Form::Index || capability.lists_packages() => {
                self.part(capability, entry, hits)
            }
            Some(capability) if capability.is_archive() => self.archived(entry, hits),
            Some(capability) if capability.lists_changes() => self.change(capability, entry, hits),
            Some(Capability::ResourceDumpManifest) => self.path(md, hits),
            Some(_) => {}
        }
        if let Some(capability) = self.capability {
            self.not_used(capability, md, hits);
            for link in &entry.links {
                self.link(capability, link, hits);
            }
        }
        if self.spec == Spec::V1_0
            && entry.lastmod.is_none()
            && !self.capability.is_some_and(Capability::lists_changes)
        {
            let version =
                |link: &Link<'_>| ["memento", "timegate", "timemap"].iter().any(|rel| link.is(rel));
            if entry.links.iter().any(version) {
                push(
                    hits,
                    rule::resourcesync::MEMENTO_LASTMOD,
                    "",
                    "an entry with versions, but without lastmod",
                );
            }
        }
        intervals(md, hits);
    }

    fn duplicate(&mut self, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        // Changes come again; bitstreams of one resource may, too.
        let once = self.form == Form::Index
            || !self
                .capability
                .is_some_and(|capability| capability.lists_changes() || capability.is_manifest());
        let Some(seen) = self.seen.as_mut().filter(|_| once) else { return };
        if seen.again(&entry.loc) {
            let rule = match self.capability {
                Some(Capability::ResourceList) if self.form == Form::List => {
                    rule::resourcesync::RESOURCELIST_DUPLICATE
                }
                _ => rule::sitemap::DUPLICATE,
            };
            push(hits, rule, "loc>", format!("{:?} again", entry.loc));
        }
    }

    fn plain(&mut self, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        self.resourcesync |= !entry.metadata.is_empty() || !entry.links.is_empty();
        if self.profile == Profile::Sitemap
            && let Some(folder) = self.url.as_deref().and_then(|url| folder(url, self.form))
            && !entry.loc.starts_with(folder)
            && folder.strip_suffix('/') != Some(&*entry.loc)
        {
            push(
                hits,
                rule::sitemap::OUTSIDE,
                "loc>",
                format!("{} is not below {folder}", entry.loc),
            );
        }
    }

    fn description(&mut self, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        let wanted = match self.form {
            Form::List => Capability::CapabilityList,
            Form::Index => Capability::Description,
        };
        match entry.metadata.capability {
            Some(capability) if capability != wanted => {
                push(
                    hits,
                    rule::resourcesync::DESCRIPTION_CAPABILITY,
                    "capability=",
                    format!("an entry with the capability {capability}"),
                );
            }
            None if self.profile == Profile::Ifcc && self.form == Form::List => {
                push(hits, rule::ifcc::DESCRIPTION_CAPABILITY, "", "an entry without a capability");
            }
            // The rs:md may be left out, but not its capability.
            None if self.form == Form::List && !entry.metadata.is_empty() => {
                push(
                    hits,
                    rule::resourcesync::DESCRIPTION_CAPABILITY,
                    "rs:md",
                    "an entry whose rs:md has no capability",
                );
            }
            _ => {}
        }
        if self.profile == Profile::Ifcc && self.form == Form::List {
            if entry.link("describes").is_none() {
                push(
                    hits,
                    rule::ifcc::DESCRIPTION_DESCRIBES,
                    "",
                    "an entry without a link describes",
                );
            }
            if entry.link("describedby").is_none() {
                push(
                    hits,
                    rule::ifcc::DESCRIPTION_DESCRIBEDBY,
                    "",
                    "an entry without a link describedby",
                );
            }
        }
    }

    fn capability_list(&mut self, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        let Some(capability) = entry.metadata.capability else {
            if self.form == Form::List {
                push(
                    hits,
                    rule::resourcesync::CAPABILITYLIST_ENTRY,
                    "",
                    "an entry without a capability",
                );
            }
            return;
        };
        if self.form == Form::Index {
            return;
        }
        self.change_lists += u64::from(capability == Capability::ChangeList);
        let wrong = capability.is_manifest()
            || matches!(capability, Capability::Description | Capability::CapabilityList);
        if wrong {
            push(
                hits,
                rule::resourcesync::CAPABILITYLIST_WRONG,
                "capability=",
                format!("an entry with the capability {capability}"),
            );
        } else if self.listed.contains(&capability) {
            push(
                hits,
                rule::resourcesync::CAPABILITYLIST_TWICE,
                "capability=",
                format!("a second {capability}"),
            );
        } else {
            self.listed.push(capability);
        }
    }

    /// An entry that is a package, or a document under an index.
    fn part(&mut self, capability: Capability, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        let md = &entry.metadata;
        let changes = matches!(capability, Capability::ChangeList | Capability::ChangeDump);
        if self.form == Form::List {
            let (missing, mixed) = match changes {
                false => {
                    (rule::resourcesync::RESOURCEDUMP_TYPE, rule::resourcesync::RESOURCEDUMP_FORMAT)
                }
                true => {
                    (rule::resourcesync::CHANGEDUMP_TYPE, rule::resourcesync::CHANGEDUMP_FORMAT)
                }
            };
            match &md.media_type {
                Some(format)
                    if self
                        .format
                        .as_ref()
                        .is_some_and(|first| !first.eq_ignore_ascii_case(format)) =>
                {
                    push(hits, mixed, "type=", format!("a package of type {format}"));
                }
                Some(format) if self.format.is_none() => {
                    self.format = Some(format.clone().into_owned())
                }
                _ => {}
            }
            if md.media_type.is_none() || md.length.is_none() {
                push(hits, missing, "rs:md", "a package without type or length");
            }
        }
        if changes {
            self.interval(capability, md, hits);
        }
    }

    /// The interval of a part: after the one before it, which is closed.
    fn interval(&mut self, capability: Capability, md: &Metadata<'_>, hits: &mut Vec<Hit>) {
        let list = capability == Capability::ChangeList;
        let Some(from) = md.from else {
            let rule = if list {
                rule::resourcesync::CHANGELISTINDEX_ENTRY
            } else {
                rule::resourcesync::CHANGEDUMP_ENTRY
            };
            return push(hits, rule, "rs:md", "an entry without from");
        };
        let before = self.interval.replace((from, md.until));
        let Some((earlier, closed)) = before else { return };
        if from.is_before(earlier) {
            let rule = if list {
                rule::resourcesync::CHANGELISTINDEX_ORDER
            } else {
                rule::resourcesync::CHANGEDUMP_ORDER
            };
            push(hits, rule, "from=", format!("from {from} after one from {earlier}"));
        } else if list && closed.is_none() {
            push(
                hits,
                rule::resourcesync::CHANGELISTINDEX_OPEN,
                "from=",
                format!("the list before, from {earlier}, is open"),
            );
        }
    }

    fn archived(&mut self, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        let md = &entry.metadata;
        if md.at.is_none() && md.from.is_none() {
            push(
                hits,
                rule::resourcesync::ARCHIVE_ENTRY,
                "",
                "an entry that says nothing of its time",
            );
        }
    }

    /// An entry that is a change.
    fn change(&mut self, capability: Capability, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        let md = &entry.metadata;
        let (missing, undated) = match capability {
            Capability::ChangeList => (
                rule::resourcesync::CHANGELIST_CHANGE,
                Some(rule::resourcesync::CHANGELIST_LASTMOD),
            ),
            Capability::ChangeDumpManifest => (
                rule::resourcesync::CHANGEMANIFEST_CHANGE,
                Some(rule::resourcesync::CHANGEMANIFEST_LASTMOD),
            ),
            _ => (rule::resourcesync::NOTIFICATION_CHANGE, None),
        };
        if md.change.is_none() {
            push(hits, missing, "rs:md", "an entry that does not say what changed");
        }
        if let Some(rule) = undated.filter(|_| self.spec == Spec::V1_0 && entry.lastmod.is_none()) {
            push(hits, rule, "", "an entry without lastmod");
        }
        if self.profile == Profile::Ifcc
            && capability == Capability::ChangeList
            && md.datetime.is_none()
        {
            push(hits, rule::ifcc::CHANGELIST_DATETIME, "rs:md", "a change without datetime");
        }
        if let Some(datetime) = md.datetime.filter(|_| self.allows_1_1()) {
            if !std::mem::replace(&mut self.dated, true) {
                // What was known until now were times of last modification.
                self.latest = None;
            }
            self.in_range(datetime, hits);
        }
        self.order(capability, entry, hits);
        if capability == Capability::ChangeDumpManifest {
            self.path(md, hits);
        }
    }

    fn in_range(&self, datetime: Moment, hits: &mut Vec<Hit>) {
        if let Some(from) = self.document.from.filter(|from| datetime.is_before(*from)) {
            push(
                hits,
                rule::resourcesync::DATETIME_RANGE,
                "datetime=",
                format!("datetime {datetime} is before from {from}"),
            );
        }
        if let Some(until) = self.document.until.filter(|until| until.is_before(datetime)) {
            push(
                hits,
                rule::resourcesync::DATETIME_RANGE,
                "datetime=",
                format!("datetime {datetime} is after until {until}"),
            );
        }
    }

    /// Forward chronological order, as far as the times of the changes are known. A `lastmod` is
    /// such a time in 1.0 only; where the version is not known, it gives a reason to suspect.
    fn order(&mut self, capability: Capability, entry: &Entry<'_>, hits: &mut Vec<Hit>) {
        let (time, certain) = match (self.spec, entry.metadata.datetime) {
            (Spec::V1_0, _) => (entry.lastmod, true),
            (_, Some(datetime)) => (Some(datetime), true),
            (Spec::V1_1, None) => return,
            (Spec::Auto, None) if self.dated => return,
            (Spec::Auto, None) => (entry.lastmod, false),
        };
        let Some(time) = time else { return };
        match self.latest {
            Some(latest) if time.is_before(latest) => {
                let rule = match capability {
                    _ if !certain => rule::resourcesync::CHANGELIST_ORDER_LASTMOD,
                    Capability::ChangeDumpManifest => rule::resourcesync::CHANGEMANIFEST_ORDER,
                    _ => rule::resourcesync::CHANGELIST_ORDER,
                };
                let about =
                    if entry.metadata.datetime.is_some() { "datetime=" } else { "lastmod>" };
                push(hits, rule, about, format!("{time} after {latest}"));
            }
            _ => self.latest = self.latest.max(Some(time)),
        }
    }

    /// Where a manifest's bitstream lies.
    fn path(&self, md: &Metadata<'_>, hits: &mut Vec<Hit>) {
        let changes = self.capability == Some(Capability::ChangeDumpManifest);
        let rules = match changes {
            false => (
                rule::resourcesync::MANIFEST_PATH,
                rule::resourcesync::MANIFEST_SLASH,
                rule::resourcesync::MANIFEST_UNSAFE,
            ),
            true => (
                rule::resourcesync::CHANGEMANIFEST_PATH,
                rule::resourcesync::CHANGEMANIFEST_SLASH,
                rule::resourcesync::CHANGEMANIFEST_UNSAFE,
            ),
        };
        let deleted = changes && md.change == Some(Change::Deleted);
        match &md.path {
            None if !deleted => push(hits, rules.0, "rs:md", "an entry without path"),
            None => {}
            Some(path) => {
                if deleted {
                    push(
                        hits,
                        rule::resourcesync::CHANGEMANIFEST_DELETED,
                        "path=",
                        format!("a deletion with path {path}"),
                    );
                }
                path_form(path, rules.1, rules.2, hits);
            }
        }
    }

    /// Attributes that mean nothing in this kind of document.
    fn not_used(&self, capability: Capability, md: &Metadata<'_>, hits: &mut Vec<Hit>) {
        use Capability::{ChangeDump, ChangeDumpArchive, ChangeList, ChangeListArchive};
        use Capability::{ResourceDump, ResourceDumpArchive, ResourceList, ResourceListArchive};
        let notification = matches!(
            capability,
            Capability::ChangeNotification | Capability::FrameworkNotification
        );
        let changes = self.form == Form::List && capability.lists_changes() || notification;
        let snapshot = match capability {
            ResourceList => self.form == Form::Index,
            ResourceDump | ResourceListArchive | ResourceDumpArchive => true,
            _ => notification,
        };
        let interval = match capability {
            ChangeList => self.form == Form::Index,
            ChangeDump | ChangeListArchive | ChangeDumpArchive => true,
            _ => notification,
        };
        let manifest = capability.is_manifest() && self.form == Form::List;
        // Of most entries nothing of this is said.
        let said =
            md.change.is_some() | md.datetime.is_some() | md.at.is_some() | md.completed.is_some();
        if !(said | md.from.is_some() | md.until.is_some() | md.path.is_some()) {
            return;
        }
        let unused = [
            (md.change.is_some() && !changes, rule::resourcesync::CHANGE_NOT_USED, "change="),
            (md.datetime.is_some() && !changes, rule::resourcesync::DATETIME_NOT_USED, "datetime="),
            (md.at.is_some() && !snapshot, rule::resourcesync::ENTRY_AT_NOT_USED, "at="),
            (
                md.completed.is_some() && !snapshot,
                rule::resourcesync::ENTRY_AT_NOT_USED,
                "completed=",
            ),
            (md.from.is_some() && !interval, rule::resourcesync::ENTRY_FROM_NOT_USED, "from="),
            (md.until.is_some() && !interval, rule::resourcesync::ENTRY_FROM_NOT_USED, "until="),
            (md.path.is_some() && !manifest, rule::resourcesync::PATH_NOT_USED, "path="),
        ];
        for (present, rule, about) in unused {
            if present {
                push(hits, rule, about, format!("{} on an entry", &about[..about.len() - 1]));
            }
        }
    }

    fn link(&self, capability: Capability, link: &Link<'_>, hits: &mut Vec<Hit>) {
        let manifest = capability.is_manifest();
        if let Some(path) = &link.path {
            match capability {
                Capability::ChangeDumpManifest => {
                    path_form(
                        path,
                        rule::resourcesync::CHANGEMANIFEST_SLASH,
                        rule::resourcesync::CHANGEMANIFEST_UNSAFE,
                        hits,
                    );
                }
                Capability::ResourceDumpManifest => {
                    path_form(
                        path,
                        rule::resourcesync::MANIFEST_SLASH,
                        rule::resourcesync::MANIFEST_UNSAFE,
                        hits,
                    );
                }
                _ => push(
                    hits,
                    rule::resourcesync::PATH_NOT_USED,
                    "path=",
                    format!("path on a link {}", link.rel),
                ),
            }
        }
        if link.rel != PATCH {
            return;
        }
        if self.form == Form::Index || !capability.lists_changes() {
            push(hits, rule::resourcesync::PATCH_NOT_USED, "terms/patch", "a link to a patch");
        }
        if link.media_type.is_none() {
            push(
                hits,
                rule::resourcesync::PATCH_TYPE,
                "terms/patch",
                "a link to a patch without type",
            );
        }
        if manifest && capability.lists_changes() && link.path.is_none() {
            push(
                hits,
                rule::resourcesync::PATCH_PATH,
                "terms/patch",
                "a link to a patch without path",
            );
        }
    }
}

/// What a Sitemap may list: the folder it is in; an index may list Sitemaps of its whole site.
fn folder(url: &str, form: Form) -> Option<&str> {
    let url = url.split(['?', '#']).next().filter(|url| url.starts_with("http"))?;
    let host = url.find("://")? + 3;
    let top = host + url[host..].find('/')?;
    let slash = if form == Form::Index { top } else { url.rfind('/')? };
    Some(&url[..=slash])
}

/// A path of a package: with a leading slash, and inside.
fn path_form(path: &str, slash: &'static Rule, outside: &'static Rule, hits: &mut Vec<Hit>) {
    let inner = match path.strip_prefix('/') {
        Some(inner) => inner,
        None => {
            push(hits, slash, "path=", format!("path {path:?}"));
            path
        }
    };
    let odd = |part: &str| part.is_empty() || part == "." || part == "..";
    let drive = inner.as_bytes().get(1) == Some(&b':');
    if inner.split('/').any(odd) || drive || path.contains(['\\', '\0']) {
        push(hits, outside, "path=", format!("path {path:?}"));
    }
}
