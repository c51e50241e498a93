//! What a bucket says of its objects.

use futures_util::TryStreamExt;
use object_store::ObjectMeta;
use tidings_base::Sorter;
use tidings_document::{Algorithm, Digest, Hash, Moment, Precision};

use super::key::{self, Name};
use super::store::Kind;
use super::{Bucket, Digests, carry};
use crate::inventory::records::{Held, Judge};
use crate::{PublishError, Resource};

impl Bucket {
    /// Lists all objects into the sorter. What cannot be published goes to `pass`, by its key.
    pub(super) async fn list(
        &self,
        sorter: &mut Sorter<'_, Held>,
        pass: &impl Fn(&str, String),
    ) -> Result<(), PublishError> {
        let mut judge = Judge::new()?;
        let mut listing = self.store.list();
        let mut number = 0;
        while let Some(object) =
            listing.try_next().await.map_err(|error| self.store.failed("could not list", &error))?
        {
            number += 1;
            // No connection packed what a folder lists.
            let key = match self.store.kind {
                Kind::Folder => object.location.as_ref().into(),
                _ => carry::unpacked(object.location.as_ref()),
            };
            let relative = self.store.below(&key);
            if self.is_left_out(relative) {
                continue;
            }
            let uri = match key::name(relative, object.size == 0) {
                Name::Uri(uri) => uri,
                Name::LeftOut => continue,
                Name::Refused(reason) => {
                    pass(&key, reason.into());
                    continue;
                }
            };
            match judge.accept(self.resource(&uri, relative, &object)) {
                Ok(resource) => {
                    sorter.add(Held { line: number, resource, unknown: false }, &mut |held| {
                        pass(&held.resource.uri, "it was listed twice".into());
                    })?
                }
                Err(reason) => pass(&key, reason.to_string()),
            }
        }
        Ok(())
    }

    fn is_left_out(&self, relative: &str) -> bool {
        self.leave_out.iter().any(|own| match own.ends_with('/') {
            true => relative.starts_with(own),
            false => relative == own,
        })
    }

    fn resource(&self, uri: &str, relative: &str, object: &ObjectMeta) -> Resource {
        let digest = match (&self.digests, &object.e_tag) {
            (Digests::ETag, Some(tag)) => md5(tag),
            _ => None,
        };
        Resource {
            uri: format!("{}{uri}", self.base),
            lastmod: modified(object),
            length: Some(object.size),
            media_type: Some(media_type(relative)),
            hash: digest.map(|digest| Hash::new(&[digest])),
            ..Resource::default()
        }
    }
}

/// When an object was modified, to the second: that is all that an answer to `GET` says of it, and a
/// listing must not contradict it.
pub(super) fn modified(object: &ObjectMeta) -> Option<Moment> {
    Moment::from_unix(object.last_modified.timestamp(), 0, Precision::Second)
}

/// The MD5 that an `ETag` is, if it looks like one. That of an object put in parts has a `-`.
fn md5(tag: &str) -> Option<Digest> {
    let hex = tag.strip_prefix('"')?.strip_suffix('"')?;
    Digest::parse(&format!("{}:{hex}", Algorithm::Md5.name())).ok()
}

/// Listings do not say the media type; to ask for each one would be a request per object.
fn media_type(key: &str) -> String {
    mime_guess::from_path(key).first_raw().unwrap_or("application/octet-stream").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_an_md5_is_one() {
        let digest = md5("\"1E0D5CB8ef6ba40c99b14c0237be735e\"").unwrap();
        assert_eq!(digest.to_string(), "md5:1e0d5cb8ef6ba40c99b14c0237be735e");
        for tag in [
            "\"1e0d5cb8ef6ba40c99b14c0237be735e-2\"",
            "\"1e0d5cb8ef6ba40c99b14c0237be735\"",
            "\"1e0d5cb8ef6ba40c99b14c0237be735g\"",
            "W/\"1e0d5cb8ef6ba40c99b14c0237be735e\"",
            "\"0x8D4BCC2E4835CD0\"",
            "\"\"",
            "",
        ] {
            assert_eq!(md5(tag), None, "{tag}");
        }
    }
}
