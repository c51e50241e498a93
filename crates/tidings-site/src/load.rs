//! One object as it is on disk, as metadata.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::sync::Arc;

use crate::access::Access;
use crate::alias::{Alias, AliasError, AliasOf};
use crate::content_digest::{ContentDigest, ContentHasher};
use crate::finding::{Fault, Finding};
use crate::front_matter::{FrontMatter, Visibility, has_fence, is_restricting_data};
use crate::markdown;
use crate::object_id::ObjectId;
use crate::page_meta::{Kind, Nav, PageMeta, Stamp};
use crate::place::Place;
use crate::reserved::Reserved;
use crate::root::ContentRoot;
use crate::section::{is_folder_data, is_section_page, may_close_section, post_moment};
use crate::sidecar::Sidecar;
use crate::tag_rules::TagRules;

/// The longest Markdown that is shown as a page; longer ones are sent as they are.
pub const MOST_MARKDOWN: u64 = 8 << 20;
/// The longest sidecar.
const MOST_SIDECAR: usize = 64 << 10;
/// How much of a page is read for its front matter and its first heading.
const OPENING: usize = 64 << 10;
/// How much of a file that is no page is read to see whether it begins as front matter does.
const FENCE: usize = 512;

/// What an object came to: its metadata, unless it has to be left out, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) meta: Option<PageMeta>,
    pub(crate) findings: Vec<Finding>,
    /// The file of a page says nothing of who may see it: it is empty, or was cut off.
    pub(crate) is_blank: bool,
    /// The file of a page has no words yet.
    pub(crate) is_unwritten: bool,
    /// When it is to be read again because who may see it changes, in seconds since 1970.
    pub(crate) next_change: Option<i64>,
    /// Whether it is the page of a section that nobody may see.
    pub(crate) is_closing_section: bool,
    /// Whether one of its files had no bytes.
    pub(crate) is_empty: bool,
}

/// The content of an object whose files have these stamps, if it is known without reading them.
pub(crate) type KnownContent<'k> =
    &'k (dyn Fn(ObjectId, &Stamp, Option<&Stamp>) -> Option<ContentDigest> + Sync);

/// Tags, and what they say about who may see something.
type Tagged = (Arc<[Box<str>]>, Access);

/// Reads objects. Texts that many of them have in common are kept once.
pub(crate) struct Loader<'r> {
    pub(crate) root: &'r ContentRoot,
    pub(crate) reserved: &'r Reserved,
    /// All of these have to let somebody see what has tags; none are known if there are none.
    pub(crate) rules: &'r [TagRules],
    /// None if the content is not asked for.
    known: Option<KnownContent<'r>>,
    mimes: HashMap<String, Arc<str>>,
    tags: HashMap<Vec<String>, Tagged>,
}

impl<'r> Loader<'r> {
    pub(crate) fn new(
        root: &'r ContentRoot,
        reserved: &'r Reserved,
        rules: &'r [TagRules],
        known: Option<KnownContent<'r>>,
    ) -> Self {
        Self { root, reserved, rules, known, mimes: HashMap::new(), tags: HashMap::new() }
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
            Err(error) => {
                let left_out = left_out(path, Fault::Metadata, error.to_string());
                return Loaded { is_empty: bytes.is_empty(), ..left_out };
            }
        };
        let alias = match Alias::parse(&sidecar.alias, AliasOf::Text, self.reserved) {
            Ok(alias) => alias,
            Err(error) => return wrong_alias(path, &error),
        };
        let (blob_stamp, content) = match self.content(id, &blob, Some((&bytes, &stamp))) {
            Ok(found) => found,
            Err(error) => return unreadable(blob, &error),
        };
        let essence = sidecar.mime.split(';').next().unwrap_or_default().trim();
        let is_markdown = essence.eq_ignore_ascii_case("text/markdown");
        let (tags, tag_access) = self.tags(&sidecar.tags);
        let title = sidecar.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let title = title.or(sidecar.original_filename.as_deref()).unwrap_or_default();
        let nav =
            nav(sidecar.nav_title.as_deref(), sidecar.nav_parent_id.as_deref(), sidecar.nav_order);
        let findings = self.tag_findings(&path, &sidecar.tags);
        let mut loaded = Loaded { findings, ..Loaded::default() };
        loaded.findings.extend(sidecar.misspelt.iter().map(|field| misspelt_field(&path, field)));
        let own_access = if sidecar.misspelt.is_empty() { Access::Public } else { Access::Deny };
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
            access: own_access.and(&tag_access),
            own_access,
            nav,
            robots: sidecar.robots.unwrap_or_default().to_lowercase().into(),
            body: 0,
            blob: blob_stamp,
            sidecar: Some(stamp),
            content,
        });
        loaded
    }

    /// A file of the plain layout, by its path from `pages/`.
    pub(crate) fn file(&mut self, path: &str) -> Loaded {
        let place = Place::File { path: path.into() };
        let id = ObjectId::of_path(path);
        let full = place.path(id);
        match path.rsplit_once('.') {
            Some((stem, _)) if is_page_name(path) => self.page(place, id, full, stem),
            _ => self.blob(place, id, full, path),
        }
    }

    fn blob(&mut self, place: Place, id: ObjectId, full: String, path: &str) -> Loaded {
        let (stamp, content) = match self.content(id, &full, None) {
            Ok(found) => found,
            Err(error) => return unreadable(full, &error),
        };
        let alias = match Alias::parse(path, AliasOf::File, self.reserved) {
            Ok(alias) => alias,
            Err(error) => return wrong_alias(full, &error),
        };
        let (mut loaded, access) = match self.opening_access(&full, path) {
            Ok(found) => found,
            Err(error) => return unreadable(full, &error),
        };
        if is_folder_data(path) && self.closes_folder(&full) {
            loaded.is_closing_section = true;
            loaded.findings.push(section(&full, true));
        }
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
            own_access: access.clone(),
            access,
            nav: None,
            robots: "".into(),
            body: 0,
            blob: stamp,
            sidecar: None,
            content,
        };
        loaded.meta = Some(meta);
        loaded
    }

    /// Whether data of Eleventy for all pages of a folder restricts them, or cannot be read.
    fn closes_folder(&self, full: &str) -> bool {
        let read = self.root.read(full, OPENING);
        read.map_or(true, |(bytes, _)| is_restricting_data(&String::from_utf8_lossy(&bytes)))
    }

    /// Who may see a file that is no page, by what it begins with: a copy of a page under whatever name, as
    /// programs make them while they save, is as restricted as its front matter says.
    fn opening_access(&mut self, full: &str, path: &str) -> io::Result<(Loaded, Access)> {
        let public = || (Loaded::default(), Access::Public);
        // In these, the line may begin a document.
        let is_data = path.rsplit_once('.').is_some_and(|(_, end)| {
            ["yaml", "yml", "toml"].iter().any(|data| end.eq_ignore_ascii_case(data))
        });
        if is_data || !has_fence(&self.root.read(full, FENCE)?.0) {
            return Ok(public());
        }
        let (bytes, _) = self.root.read(full, OPENING)?;
        let now = jiff::Timestamp::now().as_second();
        let (access, next_change) = match FrontMatter::read_all(&bytes) {
            Ok((front, visibility, _)) => {
                let tags: Vec<String> =
                    front.tags.iter().chain(&visibility.tags).cloned().collect();
                let access = own_access(&front, &visibility, now).and(&self.tags(&tags).1);
                (access, visibility.next_change(now))
            }
            Err(_) => (Access::Deny, None),
        };
        if access.is_public() && next_change.is_none() {
            return Ok(public());
        }
        let message = "it begins with the front matter of a page, and is as restricted as that says; call it \
            something.md if it is one";
        let fault = Fault::Inherited;
        let finding = Finding { place: full.to_owned(), fault, message: message.to_owned() };
        Ok((Loaded { findings: vec![finding], next_change, ..Loaded::default() }, access))
    }

    fn page(&mut self, place: Place, id: ObjectId, full: String, stem: &str) -> Loaded {
        let (bytes, stamp, content) = match self.read_page(id, &full) {
            Ok(read) => read,
            Err(error) => return unreadable(full, &error),
        };
        let (front, mut visibility, body) = match FrontMatter::read_all(&bytes) {
            Ok(read) => read,
            Err(error) => {
                let is_closing_section = is_section_page(&full) && may_close_section(&bytes);
                let left_out = left_out(full, Fault::Metadata, error.to_string());
                return Loaded { is_closing_section, ..left_out };
            }
        };
        post_moment(&full).into_iter().for_each(|moment| visibility.begin(moment));
        let is_section = is_section_page(&full);
        visibility.is_withheld |= visibility.is_cascading && !is_section;
        if is_cut_off(&bytes) {
            let message = "it begins as front matter does, and ends there; write the rest of it";
            return left_out(full, Fault::Metadata, message.to_owned());
        }
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
        let mut tags: Vec<String> = front.tags.iter().chain(&visibility.tags).cloned().collect();
        tags.extend(self.tags_within(&tags));
        let mut findings = self.tag_findings(&full, &tags);
        findings.extend(odd_keys(&full, &visibility));
        let is_closing_section =
            is_section && (front.is_draft || visibility.is_draft || visibility.is_cascading);
        if is_closing_section || visibility.is_cascading {
            findings.push(section(&full, is_section));
        }
        let now = jiff::Timestamp::now().as_second();
        let mut loaded = Loaded {
            findings,
            is_blank: is_blank(&bytes, body),
            is_unwritten: is_unwritten(&bytes),
            next_change: visibility.next_change(now),
            is_closing_section,
            ..Loaded::default()
        };
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
        let (tags, tag_access) = self.tags(&tags);
        let own_access = own_access(&front, &visibility, now);
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
            content,
        });
        loaded
    }

    /// The beginning of a page, what its file is like, and the digest of all of it.
    fn read_page(&self, id: ObjectId, full: &str) -> io::Result<(Vec<u8>, Stamp, ContentDigest)> {
        let (mut file, stamp) = self.root.open(full)?;
        let mut bytes = Vec::new();
        (&mut file).take(OPENING as u64).read_to_end(&mut bytes)?;
        let content = match self.known.map(|known| known(id, &stamp, None)) {
            None => ContentDigest::default(),
            Some(Some(content)) => content,
            Some(None) => {
                let mut hasher = ContentHasher::new(None);
                hasher.update(&bytes);
                hasher.finish(file, &stamp)?
            }
        };
        Ok((bytes, stamp, content))
    }

    /// What the blob of an object is like, and the digest of it and its sidecar.
    fn content(
        &self,
        id: ObjectId,
        blob: &str,
        sidecar: Option<(&[u8], &Stamp)>,
    ) -> io::Result<(Stamp, ContentDigest)> {
        let (file, stamp) = self.root.open(blob)?;
        let content = match self.known.map(|known| known(id, &stamp, sidecar.map(|it| it.1))) {
            None => ContentDigest::default(),
            Some(Some(content)) => content,
            Some(None) => ContentHasher::new(sidecar.map(|it| it.0)).finish(file, &stamp)?,
        };
        Ok((stamp, content))
    }

    /// What is wrong with tags, where there is a file that says which tags there are. Where there is none, that
    /// is one finding for all objects.
    fn tag_findings(&self, place: &str, tags: &[String]) -> Vec<Finding> {
        let Some(rules) = self.rules.last().filter(|rules| !rules.tags.is_empty()) else {
            return Vec::new();
        };
        let unknown = tags.iter().filter(|tag| !rules.tags.contains_key(*tag));
        let found = unknown.map(|tag| match rules.meant_by(tag) {
            Some(meant) => (
                Fault::Misspelt,
                format!(
                    "the tag {tag:?} is not in tags.yaml, and may have been meant to be {meant:?}, which \
                     restricts pages; it is for nobody until the tag is right, or has an entry there"
                ),
            ),
            None => (
                Fault::UnknownTag,
                format!("the tag {tag:?} is not in tags.yaml, and restricts nothing"),
            ),
        });
        found.map(|(fault, message)| Finding { place: place.to_owned(), fault, message }).collect()
    }

    /// Tags with roles that are words of one tag: Jekyll takes `tags: staff garden` for two.
    fn tags_within(&self, tags: &[String]) -> Vec<String> {
        let Some(rules) = self.rules.last() else { return Vec::new() };
        let words = tags.iter().filter(|tag| tag.contains(char::is_whitespace));
        let words = words.filter(|tag| !rules.tags.contains_key(*tag));
        let words = words.flat_map(|tag| tag.split_whitespace());
        words.filter(|word| rules.tags.contains_key(*word)).map(str::to_owned).collect()
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

/// Who may see what has these tags: those whom all rules allow. Where no rules are known, nobody.
pub(crate) fn access<'t>(rules: &[TagRules], tags: impl IntoIterator<Item = &'t str>) -> Access {
    let tags: Vec<&str> = tags.into_iter().collect();
    if rules.is_empty() {
        return if tags.is_empty() { Access::Public } else { Access::Deny };
    }
    let each = rules.iter().map(|rules| rules.access(tags.iter().copied()));
    each.fold(Access::Public, |all, one| all.and(&one))
}

/// Who may see a page by its front matter alone, without its tags.
fn own_access(front: &FrontMatter, visibility: &Visibility, now: i64) -> Access {
    match &front.roles[..] {
        _ if front.is_draft || visibility.is_closed_at(now) => Access::Deny,
        [] => Access::Public,
        roles => Access::any_of(roles.iter().cloned()),
    }
}

/// Whether the file of a page says nothing of who may see it: nothing is in it, or zeros alone, as a full
/// disk or a power cut leave it, or it begins as front matter does and has none.
fn is_blank(bytes: &[u8], body: usize) -> bool {
    let is_nothing = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let has_no_matter = || body <= 3 && has_fence(&bytes[..bytes.len().min(FENCE)]);
    bytes.iter().all(is_nothing) || has_no_matter()
}

/// Whether the file of a page has nothing in it, or no more than the line that front matter begins with.
fn is_unwritten(bytes: &[u8]) -> bool {
    let is_word = |byte: &u8| *byte != 0 && !byte.is_ascii_whitespace();
    let words: Vec<u8> = bytes.iter().copied().filter(is_word).take(4).collect();
    matches!(&words[..], b"" | b"---" | b"+++")
}

/// Whether a page ends within the first line of its front matter.
fn is_cut_off(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_start();
    let Some(rest) = bytes.strip_prefix(b"---\n").or_else(|| bytes.strip_prefix(b"+++\n")) else {
        return false;
    };
    !rest.is_empty()
        && rest.len() < 64
        && !rest.contains(&b'\n')
        && rest.is_ascii()
        && rest[0].is_ascii_alphabetic()
}

/// A field of a sidecar that may have been meant to restrict the object.
fn misspelt_field(place: &str, field: &str) -> Finding {
    let message = format!(
        "`{field}` is not understood, and may have been meant to be `tags`; it is for nobody until that is \
         mended"
    );
    Finding { place: place.to_owned(), fault: Fault::Misspelt, message }
}

/// What is wrong with the keys of a page.
fn odd_keys(place: &str, visibility: &Visibility) -> Vec<Finding> {
    let found = visibility.odd_keys.iter().map(|odd| {
        let key = &odd.key;
        let (fault, message) = match (odd.is_withheld, odd.meant) {
            (true, Some(meant)) => (
                Fault::Misspelt,
                format!(
                    "`{key}` is not understood, and may have been meant to be `{meant}`; it is for nobody \
                     until that is mended"
                ),
            ),
            (true, None) => {
                (Fault::Misspelt, format!("`{key}` is not understood; it is for nobody meanwhile"))
            }
            (false, Some(meant)) => (
                Fault::UnknownKey,
                format!("`{key}` is another spelling of `{meant}`; write `{meant}`"),
            ),
            (false, None) => (Fault::UnknownKey, format!("`{key}` is not known, and says nothing")),
        };
        Finding { place: place.to_owned(), fault, message }
    });
    found.collect()
}

/// The page of a section that says who may see what is below it, and one that is none and says so.
fn section(place: &str, is_section: bool) -> Finding {
    let effect = if is_section { "its folder, and all below, is" } else { "it is" };
    let message = format!(
        "it says in the words of another program who may see what is below it: {effect} for nobody; say that in \
         _folder.toml, without `cascade` and `draft` here"
    );
    Finding { place: place.to_owned(), fault: Fault::Misspelt, message }
}

/// Whether a file of the plain layout is a page.
pub(crate) fn is_page_name(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| {
        end.eq_ignore_ascii_case("md") || end.eq_ignore_ascii_case("markdown")
    })
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
    let findings = vec![Finding { place, fault, message }];
    Loaded { findings, ..Loaded::default() }
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
