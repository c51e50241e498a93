//! One object as it is on disk, as metadata.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use crate::access::Access;
use crate::alias::{Alias, AliasError, AliasOf};
use crate::finding::{Fault, Finding};
use crate::front_matter::FrontMatter;
use crate::markdown;
use crate::object_id::ObjectId;
use crate::page_meta::{Kind, Nav, PageMeta};
use crate::place::Place;
use crate::reserved::Reserved;
use crate::root::ContentRoot;
use crate::sidecar::Sidecar;
use crate::tag_rules::TagRules;

/// The longest Markdown that is shown as a page; longer ones are sent as they are.
pub const MOST_MARKDOWN: u64 = 8 << 20;
/// The longest sidecar.
const MOST_SIDECAR: usize = 64 << 10;
/// How much of a page is read for its front matter and its first heading.
const OPENING: usize = 64 << 10;

/// What an object came to: its metadata, unless it has to be left out, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) meta: Option<PageMeta>,
    pub(crate) findings: Vec<Finding>,
}

/// Tags, and what they say about who may see something.
type Tagged = (Arc<[Box<str>]>, Access);

/// Reads objects. Texts that many of them have in common are kept once.
#[derive(Debug)]
pub(crate) struct Loader<'r> {
    pub(crate) root: &'r ContentRoot,
    pub(crate) reserved: &'r Reserved,
    /// None where they could not be read: then nothing that has tags is public.
    pub(crate) rules: Option<&'r TagRules>,
    mimes: HashMap<String, Arc<str>>,
    tags: HashMap<Vec<String>, Tagged>,
}

impl<'r> Loader<'r> {
    pub(crate) fn new(
        root: &'r ContentRoot,
        reserved: &'r Reserved,
        rules: Option<&'r TagRules>,
    ) -> Self {
        Self { root, reserved, rules, mimes: HashMap::new(), tags: HashMap::new() }
    }

    /// A version of an object of the versioned layout.
    pub(crate) fn version(&mut self, id: ObjectId, number: u32) -> Loaded {
        let place = Place::Version { number };
        let blob = place.path(id);
        let path = format!("{blob}.ron");
        let (bytes, stamp) = match self.root.read(&path, MOST_SIDECAR + 1) {
            Ok(read) => read,
            Err(error) => return unreadable(path, &error),
        };
        if bytes.len() > MOST_SIDECAR {
            let message = format!("the sidecar is longer than {MOST_SIDECAR} bytes");
            return left_out(path, Fault::Metadata, message);
        }
        let sidecar = Sidecar::parse(&bytes).and_then(|sidecar| sidecar.check().map(|()| sidecar));
        let sidecar = match sidecar {
            Ok(sidecar) => sidecar,
            Err(error) => return left_out(path, Fault::Metadata, error.to_string()),
        };
        let alias = match Alias::parse(&sidecar.alias, AliasOf::Text, self.reserved) {
            Ok(alias) => alias,
            Err(error) => return wrong_alias(path, &error),
        };
        let Some(blob_stamp) = self.root.stamp(&blob) else {
            return left_out(blob, Fault::Unreadable, "it is no file of this content root".into());
        };
        let essence = sidecar.mime.split(';').next().unwrap_or_default().trim();
        let is_markdown = essence.eq_ignore_ascii_case("text/markdown");
        let (tags, tag_access) = self.tags(&sidecar.tags);
        let title = sidecar.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let title = title.or(sidecar.original_filename.as_deref()).unwrap_or_default();
        let nav =
            nav(sidecar.nav_title.as_deref(), sidecar.nav_parent_id.as_deref(), sidecar.nav_order);
        let mut loaded = Loaded::default();
        if is_markdown && blob_stamp.length > MOST_MARKDOWN {
            loaded.findings.push(large(&blob, blob_stamp.length));
        }
        loaded.meta = Some(PageMeta {
            id,
            place,
            kind: if is_markdown { Kind::Markdown } else { Kind::Blob },
            mime: self.mime(&sidecar.mime),
            alias,
            title: title.into(),
            tags,
            own_access: Access::Public,
            access: tag_access,
            nav,
            robots: sidecar.robots.unwrap_or_default().to_lowercase().into(),
            body: 0,
            blob: blob_stamp,
            sidecar: Some(stamp),
        });
        loaded
    }

    /// A file of the plain layout, by its path from `pages/`.
    pub(crate) fn file(&mut self, path: &str) -> Loaded {
        let place = Place::File { path: path.into() };
        let id = ObjectId::of_path(path);
        let full = place.path(id);
        let stem = path.rsplit_once('.').filter(|(_, end)| {
            end.eq_ignore_ascii_case("md") || end.eq_ignore_ascii_case("markdown")
        });
        match stem {
            Some((stem, _)) => self.page(place, id, full, stem),
            None => self.blob(place, id, full, path),
        }
    }

    fn blob(&mut self, place: Place, id: ObjectId, full: String, path: &str) -> Loaded {
        let Some(stamp) = self.root.stamp(&full) else {
            return left_out(full, Fault::Unreadable, "it is no file of this content root".into());
        };
        let alias = match Alias::parse(path, AliasOf::File, self.reserved) {
            Ok(alias) => alias,
            Err(error) => return wrong_alias(full, &error),
        };
        let mime = mime_guess::from_path(path).first_or_octet_stream();
        let name = path.rsplit('/').next().unwrap_or(path);
        let meta = PageMeta {
            id,
            place,
            kind: Kind::Blob,
            mime: self.mime(mime.essence_str()),
            alias,
            title: name.into(),
            tags: self.tags(&[]).0,
            own_access: Access::Public,
            access: Access::Public,
            nav: None,
            robots: "".into(),
            body: 0,
            blob: stamp,
            sidecar: None,
        };
        Loaded { meta: Some(meta), findings: Vec::new() }
    }

    fn page(&mut self, place: Place, id: ObjectId, full: String, stem: &str) -> Loaded {
        let (bytes, stamp) = match self.root.read(&full, OPENING) {
            Ok(read) => read,
            Err(error) => return unreadable(full, &error),
        };
        let (front, body) = match FrontMatter::read(&bytes) {
            Ok(read) => read,
            Err(error) => return left_out(full, Fault::Metadata, error.to_string()),
        };
        let pinned = match front.id.as_deref().map(ObjectId::parse) {
            None => id,
            Some(Some(pinned)) => pinned,
            Some(None) => {
                let message = "the id is not 16 digits of 0 to 9 and a to f".to_owned();
                return left_out(full, Fault::Metadata, message);
            }
        };
        let alias = match &front.alias {
            Some(alias) => Alias::parse(alias, AliasOf::Text, self.reserved),
            None => Alias::parse(&derived(stem), AliasOf::File, self.reserved),
        };
        let alias = match alias {
            Ok(alias) => alias.unwrap_or_else(Alias::home),
            Err(error) => return wrong_alias(full, &error),
        };
        let mut loaded = Loaded::default();
        let text = String::from_utf8_lossy(bytes.get(body..).unwrap_or_default());
        let title = front.title.clone().filter(|title| !title.trim().is_empty());
        let title = title.or_else(|| markdown::first_heading(&text)).unwrap_or_else(|| {
            loaded.findings.push(Finding {
                place: full.clone(),
                fault: Fault::NoTitle,
                message: "it has neither a title nor a first heading, and is called by its file"
                    .into(),
            });
            stem.rsplit('/').next().unwrap_or(stem).to_owned()
        });
        if stamp.length > MOST_MARKDOWN {
            loaded.findings.push(large(&full, stamp.length));
        }
        let (tags, tag_access) = self.tags(&front.tags);
        let own_access = match (&front.roles[..], front.is_draft) {
            (_, true) => Access::Deny,
            ([], false) => Access::Public,
            (roles, false) => Access::any_of(roles.iter().cloned()),
        };
        let nav = nav(front.nav_title.as_deref(), front.nav_parent.as_deref(), front.nav_order);
        loaded.meta = Some(PageMeta {
            id: pinned,
            place,
            kind: Kind::Markdown,
            mime: self.mime("text/markdown"),
            alias: Some(alias),
            title: title.trim().into(),
            tags,
            access: own_access.and(&tag_access),
            own_access,
            nav,
            robots: front.robots.unwrap_or_default().to_lowercase().into(),
            // At most what was read.
            body: body as u32,
            blob: stamp,
            sidecar: None,
        });
        loaded
    }

    fn mime(&mut self, mime: &str) -> Arc<str> {
        if let Some(known) = self.mimes.get(mime) {
            return Arc::clone(known);
        }
        let made: Arc<str> = mime.into();
        self.mimes.insert(mime.to_owned(), Arc::clone(&made));
        made
    }

    fn tags(&mut self, tags: &[String]) -> Tagged {
        if let Some(known) = self.tags.get(tags) {
            return known.clone();
        }
        let made = tags.iter().map(|tag| tag.as_str().into()).collect();
        let access = access(self.rules, tags.iter().map(String::as_str));
        self.tags.insert(tags.to_vec(), (Arc::clone(&made), access.clone()));
        (made, access)
    }
}

/// What tags say about who may see something. Where it is not known what they say, nobody may.
pub(crate) fn access<'t>(
    rules: Option<&TagRules>,
    tags: impl IntoIterator<Item = &'t str>,
) -> Access {
    let mut tags = tags.into_iter().peekable();
    match rules {
        Some(rules) => rules.access(tags),
        None if tags.peek().is_none() => Access::Public,
        None => Access::Deny,
    }
}

/// The alias of a page by its file: `docs/index` is `docs`, and blanks are hyphens.
pub(crate) fn derived(stem: &str) -> String {
    let stem = match stem.rsplit_once('/') {
        Some((folder, name)) if name.eq_ignore_ascii_case("index") => folder,
        None if stem.eq_ignore_ascii_case("index") => "",
        _ => stem,
    };
    stem.replace(' ', "-")
}

fn nav(title: Option<&str>, parent: Option<&str>, order: Option<i32>) -> Option<Box<Nav>> {
    let text =
        |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(Into::into);
    let nav = Nav { title: text(title), parent: text(parent), order };
    let is_some = nav.title.is_some() || nav.parent.is_some() || nav.order.is_some();
    is_some.then(|| Box::new(nav))
}

fn left_out(place: String, fault: Fault, message: String) -> Loaded {
    Loaded { meta: None, findings: vec![Finding { place, fault, message }] }
}

fn unreadable(place: String, error: &io::Error) -> Loaded {
    let fault = Fault::Unreadable;
    // It went away in the meantime, which is nothing wrong.
    if error.kind() == io::ErrorKind::NotFound {
        return Loaded::default();
    }
    let message = match error.raw_os_error() {
        // EXDEV, by which openat2 says that a link leads out.
        Some(18) => "a link leads out of the content root, and is not followed".to_owned(),
        _ => format!("it could not be read: {error}"),
    };
    left_out(place, fault, message)
}

fn wrong_alias(place: String, error: &AliasError) -> Loaded {
    let fault = match error {
        AliasError::Reserved { .. } => Fault::ReservedAlias,
        _ => Fault::Alias,
    };
    left_out(place, fault, error.to_string())
}

fn large(place: &str, length: u64) -> Finding {
    Finding {
        place: place.to_owned(),
        fault: Fault::Large,
        message: format!(
            "it has {length} bytes, and is sent as plain text; up to {MOST_MARKDOWN} bytes are shown as a page"
        ),
    }
}
