//! Whether a Resource List could hold a resource.

use std::io;

use tidings_document::{Capability, Form, Head, Link, Moment, Precision, WriteError, Writer};

use super::RecordError;
use crate::{PublishError, Resource};

/// Knows what the writer of a Resource List refuses. Found only while the list is written, one bad
/// record among millions would keep all of them from being published. The rules are the writer's
/// own, as a second set of them could differ: each resource is written, to nowhere.
pub(in crate::inventory) struct Judge {
    list: Writer<io::Sink>,
}

impl Judge {
    pub(in crate::inventory) fn new() -> Result<Self, PublishError> {
        let failed = |source| PublishError::Document { path: "a Resource List".into(), source };
        Ok(Self { list: begin().map_err(failed)? })
    }

    /// Hands a resource back if it can be published, or says why not.
    pub(in crate::inventory) fn accept(
        &mut self,
        resource: Resource,
    ) -> Result<Resource, RecordError> {
        let mut written = self.list.write(&resource.entry());
        if let Err(WriteError::Full) = written {
            self.list = begin()?;
            written = self.list.write(&resource.entry());
        }
        written?;
        Ok(resource)
    }
}

/// A Resource List whose own time and place do not matter.
fn begin() -> Result<Writer<io::Sink>, WriteError> {
    let mut head = Head::sitemap(Form::List).with_link(Link::new("up", "http://localhost/"));
    head.metadata.capability = Some(Capability::ResourceList);
    head.metadata.at = Moment::from_unix(0, 0, Precision::Second);
    Writer::new(io::sink(), &head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(uri: &str, media_type: Option<&str>) -> Resource {
        Resource {
            uri: uri.to_owned(),
            media_type: media_type.map(str::to_owned),
            ..Resource::default()
        }
    }

    #[test]
    fn what_a_list_cannot_hold_is_refused_and_the_rest_is_not() {
        let mut judge = Judge::new().unwrap();
        let long = format!("http://e.example/{}", "a".repeat(9 << 10));
        for (uri, media_type) in [
            ("/relative", None),
            ("http://e.example/a b", None),
            ("http://e.example/☃", None),
            (long.as_str(), None),
            ("http://e.example/", Some("html")),
            ("http://e.example/", Some("text/html; a=\u{1}")),
        ] {
            assert!(judge.accept(resource(uri, media_type)).is_err(), "{uri} {media_type:?}");
            let good = resource("http://e.example/", Some("text/html"));
            assert_eq!(judge.accept(good.clone()).unwrap(), good);
        }
    }

    #[test]
    fn it_goes_on_when_one_list_is_full() {
        let mut judge = Judge::new().unwrap();
        for _ in 0..50_001 {
            judge.accept(resource("http://e.example/", None)).unwrap();
        }
    }
}
