//! The attributes of `rs:md` and `rs:ln`.

use std::borrow::Cow;

use super::element::Context;
use crate::digest::{Algorithm, DigestError};
use crate::xml::escape;
use crate::xml::namespace::{Namespace, declared_prefix, split};
use crate::xml::scan::{Fault, RawAttribute};
use crate::{Attribute, Capability, Change, Digest, Hash, Link, Metadata, Moment, Rule, rule, uri};

impl<'t> Context<'_, 't> {
    /// The `rs:md` whose start tag was read last; `entry` tells a document's from an entry's.
    pub(super) fn metadata(
        &mut self,
        entry: bool,
        md: &mut Metadata<'t>,
    ) -> Result<(), Box<Fault>> {
        for place in 0..self.attributes.len() {
            let attribute = self.attributes[place];
            match self.name(attribute).as_bytes() {
                b"hash" => md.hash = Some(self.hash(attribute)?),
                b"length" => md.length = self.length(attribute)?,
                b"type" => md.media_type = self.media_type(attribute)?,
                b"change" => md.change = self.change(attribute)?,
                b"datetime" => md.datetime = self.time(attribute)?,
                b"path" => md.path = Some(self.value(attribute)?),
                b"encoding" => md.encoding = Some(self.value(attribute)?),
                b"capability" => md.capability = self.capability(attribute, entry)?,
                b"at" => md.at = self.time(attribute)?,
                b"completed" => md.completed = self.time(attribute)?,
                b"from" => md.from = self.time(attribute)?,
                b"until" => md.until = self.time(attribute)?,
                b"modified" => self.note(
                    rule::resourcesync::MODIFIED,
                    attribute.name.start,
                    "modified on an rs:md",
                ),
                _ => md.attributes.extend(self.foreign(attribute)?),
            }
        }
        Ok(())
    }

    /// The `rs:ln` whose start tag was read last; none where it leads nowhere.
    pub(super) fn link(&mut self, at: usize) -> Result<Option<Link<'t>>, Box<Fault>> {
        let mut link = Link::new("", "");
        for place in 0..self.attributes.len() {
            let attribute = self.attributes[place];
            match self.name(attribute).as_bytes() {
                b"rel" => link.rel = self.relation(attribute)?,
                b"href" => link.href = self.href(attribute)?,
                b"pri" => link.pri = self.pri(attribute)?,
                b"modified" => link.modified = self.time(attribute)?,
                b"hash" => link.hash = Some(self.hash(attribute)?),
                b"length" => link.length = self.length(attribute)?,
                b"type" => link.media_type = self.media_type(attribute)?,
                b"path" => link.path = Some(self.value(attribute)?),
                b"encoding" => link.encoding = Some(self.value(attribute)?),
                _ => link.attributes.extend(self.foreign(attribute)?),
            }
        }
        if link.rel.is_empty() {
            self.note(rule::resourcesync::REL_MISSING, at, "an rs:ln without rel");
        }
        if link.href.is_empty() {
            self.note(rule::resourcesync::HREF_MISSING, at, "an rs:ln without href");
        }
        Ok((!link.rel.is_empty() && !link.href.is_empty()).then_some(link))
    }

    fn href(&mut self, attribute: RawAttribute) -> Result<Cow<'t, str>, Box<Fault>> {
        let href = trimmed(self.value(attribute)?);
        if !href.is_empty() && uri::check(&href).is_err() {
            let shown: String = href.chars().take(120).collect();
            self.note(
                rule::resourcesync::HREF,
                attribute.name.start,
                format!("href {shown:?} is not an absolute URI"),
            );
        }
        Ok(href)
    }

    /// The attribute's name as the standard knows it: a prefix bound to ResourceSync's namespace
    /// is noted and passed over.
    fn name(&mut self, attribute: RawAttribute) -> &'t str {
        let name = attribute.name.of(self.text);
        if !name.as_bytes().contains(&b':') {
            return name;
        }
        match self.bindings.attribute(name) {
            (Namespace::ResourceSync, local) => {
                let detail = format!("{name} has a prefix");
                self.note(rule::resourcesync::ATTRIBUTE_PREFIXED, attribute.name.start, detail);
                local
            }
            _ => name,
        }
    }

    /// An attribute that is not of the standard: kept if it has a namespace, noted if not.
    pub(super) fn foreign(
        &mut self,
        attribute: RawAttribute,
    ) -> Result<Option<Attribute<'t>>, Box<Fault>> {
        let name = attribute.name.of(self.text);
        if declared_prefix(name).is_some() {
            self.value(attribute)?;
            return Ok(None);
        }
        let (prefix, _) = split(name);
        match self.bindings.attribute(name).0 {
            Namespace::Unbound => self.unbound(prefix, attribute.name.start),
            Namespace::Foreign if self.bindings.is_of_root(prefix) => {
                let value = self.value(attribute)?;
                return Ok(Some(Attribute { name: Cow::Borrowed(name), value }));
            }
            Namespace::Foreign => {
                self.value(attribute)?;
                let detail =
                    format!("{name} is not kept: its prefix is not bound on the root element");
                self.note(rule::resourcesync::ATTRIBUTE_DROPPED, attribute.name.start, detail);
            }
            Namespace::Sitemap | Namespace::ResourceSync | Namespace::None => {
                self.value(attribute)?;
                let detail = format!("{name} is not an attribute of the standard");
                self.note(rule::resourcesync::ATTRIBUTE, attribute.name.start, detail);
            }
        }
        Ok(None)
    }

    pub(super) fn unbound(&mut self, prefix: &str, at: usize) {
        self.note(rule::xml::PREFIX, at, format!("the prefix {prefix} is not bound"));
    }

    /// The attribute's value, as it is meant.
    #[inline]
    pub(super) fn value(&mut self, attribute: RawAttribute) -> Result<Cow<'t, str>, Box<Fault>> {
        let raw = attribute.value.of(self.text);
        if attribute.plain {
            return Ok(Cow::Borrowed(raw));
        }
        let mut bare = false;
        let value = escape::resolve(raw, attribute.value.start, true, &mut bare)?;
        if bare {
            self.note(
                rule::xml::AMPERSAND,
                attribute.value.start,
                "an ampersand that is not escaped",
            );
        }
        Ok(value)
    }

    fn capability(
        &mut self,
        attribute: RawAttribute,
        entry: bool,
    ) -> Result<Option<Capability>, Box<Fault>> {
        let value = self.value(attribute)?;
        let known = Capability::by_name(&value);
        if known.is_none() {
            let meant = Capability::by_wild_name(&value);
            let rule = match (meant, entry) {
                (None, true) => rule::resourcesync::CAPABILITY_UNKNOWN,
                _ => rule::resourcesync::CAPABILITY,
            };
            let detail = match meant {
                Some(meant) => {
                    format!("capability {value:?}, taken as {meant:?}", meant = meant.name())
                }
                None => format!("capability {value:?}"),
            };
            self.note(rule, attribute.value.start, detail);
            return Ok(meant);
        }
        Ok(known)
    }

    fn change(&mut self, attribute: RawAttribute) -> Result<Option<Change>, Box<Fault>> {
        let value = self.value(attribute)?;
        let known = Change::by_name(&value);
        if known.is_none() {
            self.note(
                rule::resourcesync::CHANGE,
                attribute.value.start,
                format!("change {value:?}"),
            );
            return Ok(Change::by_name(value.trim().to_ascii_lowercase().as_str()));
        }
        Ok(known)
    }

    #[inline]
    fn time(&mut self, attribute: RawAttribute) -> Result<Option<Moment>, Box<Fault>> {
        let value = self.value(attribute)?;
        if let Ok(moment) = Moment::parse(&value) {
            return Ok(Some(moment));
        }
        let name = attribute.name.of(self.text);
        let rules = (rule::resourcesync::TIME, rule::resourcesync::TIME_FORM);
        Ok(self.wild_time(name, &value, attribute.value.start, rules))
    }

    /// A time that is no W3C datetime: what is meant by it, and what is wrong with it.
    pub(super) fn wild_time(
        &mut self,
        name: &str,
        value: &str,
        at: usize,
        (wrong, odd): (&'static Rule, &'static Rule),
    ) -> Option<Moment> {
        match Moment::parse_lenient(value) {
            Ok((moment, true)) => Some(moment),
            Ok((moment, false)) => {
                self.note(odd, at, format!("{name} {value:?}, taken as {moment}"));
                Some(moment)
            }
            Err(error) => {
                self.note(wrong, at, format!("{name} {value:?}: {error}"));
                None
            }
        }
    }

    fn hash(&mut self, attribute: RawAttribute) -> Result<Hash<'t>, Box<Fault>> {
        let hash = Hash::from_attribute(self.value(attribute)?);
        // One good digest is the usual case.
        if Digest::check(hash.as_str()).is_err() {
            self.digests(&hash, attribute.value.start);
        }
        Ok(hash)
    }

    fn digests(&mut self, hash: &Hash<'t>, at: usize) {
        let mut seen: Vec<Algorithm> = Vec::new();
        let mut any = false;
        for token in hash.tokens() {
            any = true;
            let shown: String = token.chars().take(80).collect();
            let rule = match Digest::check(token) {
                Ok(algorithm) if seen.contains(&algorithm) => {
                    let detail = format!("two digests of {}", algorithm.name());
                    self.note(rule::resourcesync::HASH_TWICE, at, detail);
                    continue;
                }
                Ok(algorithm) => {
                    seen.push(algorithm);
                    continue;
                }
                Err(DigestError::NoAlgorithm) => rule::resourcesync::HASH,
                Err(DigestError::UnknownAlgorithm) => rule::resourcesync::HASH_ALGORITHM,
                Err(DigestError::NotHex) if Digest::is_base64(token) => {
                    let detail = format!("hash {shown:?} is in base64, and read as such");
                    self.note(rule::resourcesync::HASH_BASE64, at, detail);
                    continue;
                }
                Err(DigestError::NotHex) => rule::resourcesync::HASH_HEX,
                Err(DigestError::WrongLength) => rule::resourcesync::HASH_LENGTH,
            };
            self.note(rule, at, format!("hash {shown:?} cannot be verified"));
        }
        if !any {
            self.note(rule::resourcesync::HASH, at, "an empty hash");
        }
    }

    fn length(&mut self, attribute: RawAttribute) -> Result<Option<u64>, Box<Fault>> {
        let value = self.value(attribute)?;
        let length = digits(&value);
        if length.is_none() {
            self.note(
                rule::resourcesync::LENGTH,
                attribute.value.start,
                format!("length {value:?}"),
            );
        }
        Ok(length)
    }

    fn media_type(&mut self, attribute: RawAttribute) -> Result<Option<Cow<'t, str>>, Box<Fault>> {
        let value = self.value(attribute)?;
        if !uri::is_media_type(&value) {
            self.note(
                rule::resourcesync::MEDIA_TYPE,
                attribute.value.start,
                format!("type {value:?}"),
            );
            return Ok(None);
        }
        Ok(Some(value))
    }

    fn pri(&mut self, attribute: RawAttribute) -> Result<Option<u32>, Box<Fault>> {
        let value = self.value(attribute)?;
        let pri = digits(&value)
            .and_then(|pri| u32::try_from(pri).ok())
            .filter(|pri| (1..=999_999).contains(pri));
        if pri.is_none() {
            self.note(rule::resourcesync::PRI, attribute.value.start, format!("pri {value:?}"));
        }
        Ok(pri)
    }

    fn relation(&mut self, attribute: RawAttribute) -> Result<Cow<'t, str>, Box<Fault>> {
        let value = trimmed(self.value(attribute)?);
        if value.is_empty() || crate::relation::is_registered(&value) || uri::check(&value).is_ok()
        {
            return Ok(value);
        }
        let lower = value.to_ascii_lowercase();
        let rule = match crate::relation::is_registered(&lower) {
            true => rule::resourcesync::REL_CASE,
            false => rule::resourcesync::REL,
        };
        self.note(rule, attribute.value.start, format!("rel {value:?}"));
        Ok(value)
    }
}

/// A number in plain digits, as the length of a representation is written.
fn digits(value: &str) -> Option<u64> {
    if value.is_empty() {
        return None;
    }
    value.bytes().try_fold(0_u64, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { number.checked_mul(10)?.checked_add(digit.into()) }
    })
}

pub(super) fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_ascii()),
        Cow::Owned(text) => Cow::Owned(text.trim_ascii().to_owned()),
    }
}
