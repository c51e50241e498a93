//! What stands before the entries.

use super::rules::{Hit, Rules};
use super::{Profile, Spec};
use crate::{Capability, Form, Head, Rule, TimeUse, rule};

impl Rules {
    pub(super) fn head(&self, head: &Head<'_>, has_metadata: bool, hits: &mut Vec<Hit>) {
        let Some(capability) = head.capability() else {
            // A plain Sitemap, or nearly one; what is missing then is said at the end.
            if has_metadata {
                push(
                    hits,
                    rule::resourcesync::CAPABILITY_MISSING,
                    "rs:md",
                    "the document's rs:md has no capability",
                );
            }
            return;
        };
        let title = head.title();
        self.head_form(capability, head.form, hits);
        self.head_times(capability, head, &title, hits);
        if let Some(rule) = rule::resourcesync::up_missing(capability, head.form)
            .filter(|_| head.link("up").is_none())
        {
            push(hits, rule, "rs:md", format!("the {title} has no link up"));
        }
        let describedby = head.link("describedby").is_some();
        match capability {
            Capability::Description if !describedby && head.form == Form::List => {
                push(
                    hits,
                    rule::resourcesync::DESCRIPTION_DESCRIBEDBY,
                    "rs:md",
                    format!("the {title} has no link describedby"),
                );
            }
            Capability::CapabilityList if !describedby => {
                push(
                    hits,
                    rule::resourcesync::CAPABILITYLIST_DESCRIBEDBY,
                    "rs:md",
                    format!("the {title} has no link describedby"),
                );
            }
            _ => {}
        }
        self.head_not_used(head, hits);
        if self.profile == Profile::Ifcc {
            self.head_ifcc(capability, head, hits);
        }
    }

    /// Attributes that only entries have.
    fn head_not_used(&self, head: &Head<'_>, hits: &mut Vec<Hit>) {
        let md = &head.metadata;
        let unused = [
            (md.change.is_some(), rule::resourcesync::CHANGE_NOT_USED, "change="),
            (md.datetime.is_some(), rule::resourcesync::DATETIME_NOT_USED, "datetime="),
            (md.path.is_some(), rule::resourcesync::PATH_NOT_USED, "path="),
        ];
        for (_, rule, about) in unused.into_iter().filter(|(present, ..)| *present) {
            let detail = format!("{} on the document's rs:md", &about[..about.len() - 1]);
            push(hits, rule, about, detail);
        }
        for link in head.links.iter().filter(|link| link.path.is_some()) {
            push(
                hits,
                rule::resourcesync::PATH_NOT_USED,
                "path=",
                format!("path on a link {} of the document", link.rel),
            );
        }
    }

    fn head_form(&self, capability: Capability, form: Form, hits: &mut Vec<Hit>) {
        let rule = match capability {
            _ if form == Form::List => return,
            Capability::CapabilityList => rule::resourcesync::CAPABILITYLIST_INDEX,
            Capability::ResourceDumpManifest => rule::resourcesync::MANIFEST_INDEX,
            Capability::ChangeDumpManifest => rule::resourcesync::CHANGEMANIFEST_INDEX,
            _ => return,
        };
        push(hits, rule, "rs:md", format!("a sitemapindex with the capability {capability}"));
    }

    fn head_times(
        &self,
        capability: Capability,
        head: &Head<'_>,
        title: &str,
        hits: &mut Vec<Hit>,
    ) {
        let md = &head.metadata;
        let times = capability.times();
        let missing = match times {
            TimeUse::Snapshot => md.at.is_none().then_some("at"),
            TimeUse::Interval => md.from.is_none().then_some("from"),
            TimeUse::Neither => None,
        };
        if let (Some(name), Some(rule)) =
            (missing, rule::resourcesync::time_missing(capability, head.form))
        {
            push(hits, rule, "rs:md", format!("the {title} has no {name}"));
        }
        // What archives and notifications may say of times is not known for certain.
        let core = times != TimeUse::Neither
            || matches!(capability, Capability::Description | Capability::CapabilityList);
        if core && times != TimeUse::Snapshot {
            for (name, present) in
                [("at=", md.at.is_some()), ("completed=", md.completed.is_some())]
            {
                if present {
                    push(
                        hits,
                        rule::resourcesync::AT_NOT_USED,
                        name,
                        format!("the {title} has {}", &name[..name.len() - 1]),
                    );
                }
            }
        }
        if core && times != TimeUse::Interval {
            for (name, present) in [("from=", md.from.is_some()), ("until=", md.until.is_some())] {
                if present {
                    push(
                        hits,
                        rule::resourcesync::FROM_NOT_USED,
                        name,
                        format!("the {title} has {}", &name[..name.len() - 1]),
                    );
                }
            }
        }
        intervals(md, hits);
    }

    fn head_ifcc(&self, capability: Capability, head: &Head<'_>, hits: &mut Vec<Hit>) {
        match capability {
            // Under an index it is the index that is at the well-known place.
            Capability::Description if head.link("index").is_none() => {
                if let Some(url) =
                    self.url.as_ref().filter(|url| url.starts_with("http") && !is_well_known(url))
                {
                    push(
                        hits,
                        rule::ifcc::DESCRIPTION_PLACE,
                        "rs:md",
                        format!("the {} is at {url}", head.title()),
                    );
                }
            }
            Capability::CapabilityList if head.link("describes").is_none() => {
                push(
                    hits,
                    rule::ifcc::CAPABILITYLIST_DESCRIBES,
                    "rs:md",
                    "the Capability List has no link describes",
                );
            }
            _ => {}
        }
    }

    /// True if the document may follow version 1.1.
    pub(super) fn allows_1_1(&self) -> bool {
        self.spec != Spec::V1_0
    }
}

/// True if the path is the well-known one, at the top of the site.
fn is_well_known(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').is_some_and(|slash| &rest[slash..] == "/.well-known/resourcesync")
}

/// Times in the wrong order, of a document or of an entry.
pub(super) fn intervals(md: &crate::Metadata<'_>, hits: &mut Vec<Hit>) {
    if let (Some(at), Some(completed)) = (md.at, md.completed)
        && completed.is_before(at)
    {
        push(
            hits,
            rule::resourcesync::COMPLETED_BEFORE_AT,
            "completed=",
            format!("completed {completed} is before at {at}"),
        );
    }
    if let (Some(from), Some(until)) = (md.from, md.until)
        && until.is_before(from)
    {
        push(
            hits,
            rule::resourcesync::UNTIL_BEFORE_FROM,
            "until=",
            format!("until {until} is before from {from}"),
        );
    }
}

pub(super) fn push(
    hits: &mut Vec<Hit>,
    rule: &'static Rule,
    about: &'static str,
    detail: impl Into<String>,
) {
    hits.push(Hit { rule, about, detail: detail.into() });
}
