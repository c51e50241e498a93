//! An object store, and the place in it.

use std::fmt;
use std::io;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreScheme};
use url::Url;

use super::connect::Connector;
use super::fault::{self, Fault};
use crate::PublishError;

/// Whose store it is: what its settings are called depends on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    S3,
    Google,
    Azure,
    Folder,
}

/// What the environment says of a kind of store. What is empty is as if it were not there: so it comes
/// from build systems, and the store's own reading of it takes an empty endpoint for one.
fn settings(prefix: &'static str) -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(move |(key, value)| {
        let (key, value) = (key.into_string().ok()?, value.into_string().ok()?);
        let named = key.starts_with(prefix) && !value.is_empty();
        named.then(|| (key.to_ascii_lowercase(), value))
    })
}

/// A store and the prefix below which we look.
pub(super) struct Store {
    pub(super) objects: Arc<dyn ObjectStore>,
    pub(super) kind: Kind,
    url: String,
    prefix: Path,
}

impl Store {
    /// The store that a URL names, with what the environment says of it.
    pub(super) fn open(given: &str) -> Result<Self, PublishError> {
        let unusable = |reason: String| {
            let source = io::Error::new(io::ErrorKind::InvalidInput, reason);
            PublishError::io("could not open", given)(source)
        };
        let url = Url::parse(given).map_err(|error| unusable(format!("{error}: {FORMS}")))?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(unusable("in a prefix, ? is written %3F, and # is written %23".into()));
        }
        let (scheme, prefix) = ObjectStoreScheme::parse(&url)
            .map_err(|error| unusable(format!("{error}: {FORMS}")))?;
        let connector = Connector::default();
        let (kind, objects) = match scheme {
            ObjectStoreScheme::AmazonS3 => {
                let builder = settings("AWS_").fold(
                    AmazonS3Builder::new(),
                    |builder, (key, value)| match key.parse() {
                        Ok(key) => builder.with_config(key, value),
                        Err(_) => builder,
                    },
                );
                let builder = builder.with_url(given);
                (Kind::S3, builder.with_http_connector(connector).build().map(shared))
            }
            ObjectStoreScheme::GoogleCloudStorage => {
                let begun = GoogleCloudStorageBuilder::new();
                let builder =
                    settings("GOOGLE_").fold(begun, |builder, (key, value)| match key.parse() {
                        Ok(key) => builder.with_config(key, value),
                        Err(_) => builder,
                    });
                let builder = builder.with_url(given);
                (Kind::Google, builder.with_http_connector(connector).build().map(shared))
            }
            ObjectStoreScheme::MicrosoftAzure => {
                let begun = MicrosoftAzureBuilder::new();
                let builder =
                    settings("AZURE_").fold(begun, |builder, (key, value)| match key.parse() {
                        Ok(key) => builder.with_config(key, value),
                        Err(_) => builder,
                    });
                let builder = builder.with_url(given);
                (Kind::Azure, builder.with_http_connector(connector).build().map(shared))
            }
            ObjectStoreScheme::Local => {
                let folder = url.to_file_path().map_err(|()| unusable(FORMS.into()))?;
                // Rooted there, not in /, so that a folder that is missing is an error.
                let store = LocalFileSystem::new_with_prefix(folder).map(shared);
                let opened = store.map_err(|error| fault::of(Kind::Folder, &error));
                let objects = opened.map_err(|fault| unusable(fault.to_string()))?;
                return Ok(Self::at(objects, Kind::Folder, given, Path::ROOT));
            }
            _ => return Err(unusable(FORMS.into())),
        };
        let objects = objects.map_err(|error| unusable(fault::of(kind, &error).to_string()))?;
        Ok(Self::at(objects, kind, given, prefix))
    }

    pub(super) fn at(objects: Arc<dyn ObjectStore>, kind: Kind, url: &str, prefix: Path) -> Self {
        Self { objects, kind, url: url.to_owned(), prefix }
    }

    /// What it was opened as.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// All objects below the prefix, page by page.
    pub(super) fn list(&self) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.objects.list((!self.prefix.is_root()).then_some(&self.prefix))
    }

    /// A key without the prefix.
    pub(super) fn below<'k>(&self, key: &'k str) -> &'k str {
        let below = key.strip_prefix(self.prefix.as_ref()).unwrap_or(key);
        if self.prefix.is_root() { below } else { below.strip_prefix('/').unwrap_or(below) }
    }

    /// The object whose URI, relative to the base, is this: the reverse of what a listing does.
    pub(super) fn key(&self, uri: &str) -> Result<Path, object_store::path::Error> {
        let relative = Path::from_url_path(uri)?;
        if self.prefix.is_root() {
            return Ok(relative);
        }
        Path::parse(format!("{}/{relative}", self.prefix))
    }

    /// What to say when it does not answer as it should.
    pub(super) fn failed(&self, action: &'static str, error: &object_store::Error) -> PublishError {
        let fault: Fault = fault::of(self.kind, error);
        PublishError::io(action, &self.url)(io::Error::other(fault))
    }
}

const FORMS: &str =
    "give s3://bucket/prefix, gs://bucket/prefix, az://container/prefix or file:///folder";

fn shared(store: impl ObjectStore) -> Arc<dyn ObjectStore> {
    Arc::new(store)
}

impl fmt::Debug for Store {
    /// Without the client: that would tell its credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("url", &self.url).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> String {
        let error = Store::open(url).unwrap_err();
        assert_eq!(error.to_string(), format!("could not open {url}"));
        std::error::Error::source(&error).unwrap().to_string()
    }

    #[test]
    fn what_names_no_store_is_refused_with_a_remedy() {
        for url in ["bucket/prefix", "ftp://bucket/", "https://example.com/a", "memory:/", "s3:/b"]
        {
            assert!(refused(url).contains("give s3://bucket/prefix"), "{url}: {}", refused(url));
        }
        assert!(refused("s3://bucket/a?b").contains("%3F"));
        assert!(refused("s3://bucket/a//b").contains("empty path segment"));
        assert!(refused("file:///no/such/folder").contains("check the folder"));
    }

    #[test]
    fn a_prefix_is_a_folder_with_any_name() {
        let store = Store::open("s3://bucket/a b/%C3%BC%25/").unwrap();
        assert_eq!(store.prefix.as_ref(), "a b/ü%");
        assert_eq!(store.below("a b/ü%/c"), "c");
        assert_eq!(store.below("a b/ü%/"), "");
        assert_eq!(store.key("c%20d/e%2520f").unwrap().as_ref(), "a b/ü%/c d/e%20f");
        assert_eq!(Store::open("gs://bucket").unwrap().below("/a"), "/a");
        assert!(!format!("{store:?}").contains("objects"));
    }
}
