//! What a document is for.

use std::fmt;

/// The value of a `capability` attribute: the nature of a document.
///
/// The eight of the core standard, the four of the Archives specification, the two of the
/// Notification specifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "named as the standard names them")]
pub enum Capability {
    Description,
    CapabilityList,
    ResourceList,
    ResourceDump,
    ResourceDumpManifest,
    ChangeList,
    ChangeDump,
    ChangeDumpManifest,
    ResourceListArchive,
    ResourceDumpArchive,
    ChangeListArchive,
    ChangeDumpArchive,
    ChangeNotification,
    FrameworkNotification,
}

/// Which times a kind of document speaks of (Appendix A of the standard).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUse {
    /// `at` and `completed`: a snapshot.
    Snapshot,
    /// `from` and `until`: an interval.
    Interval,
    /// Neither.
    Neither,
}

impl Capability {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Description,
        Self::CapabilityList,
        Self::ResourceList,
        Self::ResourceDump,
        Self::ResourceDumpManifest,
        Self::ChangeList,
        Self::ChangeDump,
        Self::ChangeDumpManifest,
        Self::ResourceListArchive,
        Self::ResourceDumpArchive,
        Self::ChangeListArchive,
        Self::ChangeDumpArchive,
        Self::ChangeNotification,
        Self::FrameworkNotification,
    ];

    /// The attribute's value.
    pub fn name(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::CapabilityList => "capabilitylist",
            Self::ResourceList => "resourcelist",
            Self::ResourceDump => "resourcedump",
            Self::ResourceDumpManifest => "resourcedump-manifest",
            Self::ChangeList => "changelist",
            Self::ChangeDump => "changedump",
            Self::ChangeDumpManifest => "changedump-manifest",
            Self::ResourceListArchive => "resourcelist-archive",
            Self::ResourceDumpArchive => "resourcedump-archive",
            Self::ChangeListArchive => "changelist-archive",
            Self::ChangeDumpArchive => "changedump-archive",
            Self::ChangeNotification => "change-notification",
            Self::FrameworkNotification => "framework-notification",
        }
    }

    /// The capability of that name, exactly as written; the notifications are known by a second
    /// spelling, without the hyphen, too.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "changenotification" => Some(Self::ChangeNotification),
            "frameworknotification" => Some(Self::FrameworkNotification),
            _ => Self::ALL.into_iter().find(|capability| capability.name() == name),
        }
    }

    /// What is meant by a name that is not quite one: another case, an `index` at the end (as
    /// `DSpace` writes it), hyphens too many.
    pub fn by_wild_name(name: &str) -> Option<Self> {
        let plain = |name: &str| name.trim().replace(['-', '_', ' '], "").to_ascii_lowercase();
        let name = plain(name);
        let name = name.strip_suffix("index").unwrap_or(&name);
        Self::ALL.into_iter().find(|capability| plain(capability.name()) == name)
    }

    /// Which times its documents speak of.
    pub fn times(self) -> TimeUse {
        match self {
            Self::ResourceList | Self::ResourceDump | Self::ResourceDumpManifest => {
                TimeUse::Snapshot
            }
            Self::ChangeList | Self::ChangeDump | Self::ChangeDumpManifest => TimeUse::Interval,
            // Neither notification specification could be read in full: nothing is asked of them.
            _ => TimeUse::Neither,
        }
    }

    /// True for the documents whose entries are changes: one per change, in the order in which
    /// they came about.
    pub fn lists_changes(self) -> bool {
        matches!(self, Self::ChangeList | Self::ChangeDumpManifest | Self::ChangeNotification)
    }

    /// True for the two manifests that lie inside packages.
    pub fn is_manifest(self) -> bool {
        matches!(self, Self::ResourceDumpManifest | Self::ChangeDumpManifest)
    }

    /// True for the documents whose entries are packages.
    pub fn lists_packages(self) -> bool {
        matches!(self, Self::ResourceDump | Self::ChangeDump)
    }

    /// True for the four documents of the Archives specification.
    pub fn is_archive(self) -> bool {
        matches!(
            self,
            Self::ResourceListArchive
                | Self::ResourceDumpArchive
                | Self::ChangeListArchive
                | Self::ChangeDumpArchive
        )
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A document's root element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `<urlset>`: a list.
    List,
    /// `<sitemapindex>`: an index of lists.
    Index,
}

impl Form {
    /// The root element's name.
    pub fn root(self) -> &'static str {
        match self {
            Self::List => "urlset",
            Self::Index => "sitemapindex",
        }
    }

    /// The name of the element of one entry.
    pub fn entry(self) -> &'static str {
        match self {
            Self::List => "url",
            Self::Index => "sitemap",
        }
    }
}

/// The name of a kind of document, as the standard has it: "Change List Index".
pub fn title(capability: Option<Capability>, form: Form) -> String {
    let name = match capability {
        None if form == Form::Index => return "Sitemap Index".into(),
        None => return "Sitemap".into(),
        Some(Capability::Description) => "Source Description",
        Some(Capability::CapabilityList) => "Capability List",
        Some(Capability::ResourceList) => "Resource List",
        Some(Capability::ResourceDump) => "Resource Dump",
        Some(Capability::ResourceDumpManifest) => "Resource Dump Manifest",
        Some(Capability::ChangeList) => "Change List",
        Some(Capability::ChangeDump) => "Change Dump",
        Some(Capability::ChangeDumpManifest) => "Change Dump Manifest",
        Some(Capability::ResourceListArchive) => "Resource List Archive",
        Some(Capability::ResourceDumpArchive) => "Resource Dump Archive",
        Some(Capability::ChangeListArchive) => "Change List Archive",
        Some(Capability::ChangeDumpArchive) => "Change Dump Archive",
        Some(Capability::ChangeNotification) => "Change Notification",
        Some(Capability::FrameworkNotification) => "Framework Notification",
    };
    if form == Form::Index { format!("{name} Index") } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_capability() {
        for capability in Capability::ALL {
            assert_eq!(Capability::by_name(capability.name()), Some(capability));
            assert_eq!(
                Capability::by_wild_name(&capability.name().to_uppercase()),
                Some(capability)
            );
        }
        assert_eq!(Capability::by_name("changenotification"), Some(Capability::ChangeNotification));
        assert_eq!(Capability::by_name("changelistindex"), None);
        assert_eq!(Capability::by_wild_name("changelistindex"), Some(Capability::ChangeList));
        assert_eq!(Capability::by_wild_name("NOT A CAPABILITY"), None);
    }
}
