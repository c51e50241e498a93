//! The state of a page while it is read: which elements are open, and what is being dropped.

use url::Url;

use super::address::Addresses;
use super::attribute::Attribute;
use super::dropping::Dropping;
use super::element::{Element, Fate, Shape};
use super::head::Head;
use super::stack::{Entry, Stack};
use super::tokens::Attributes;
use super::writer::Writer;
use super::{Post, Section, Style};

/// A page that is being read.
pub(super) struct Page<'a> {
    pub(super) addresses: Addresses<'a>,
    head: Head,
    pub(super) stack: Stack,
    dropping: Option<Dropping>,
    gathering: Option<Gathering>,
    /// What the link says that stands for an element that is not shown, and where it leads, if the
    /// element said so.
    waiting: Option<(String, Option<String>)>,
    /// The outermost section that is open, if it is shown.
    pub(super) writer: Option<Writer>,
    /// Whether that is a section of the page itself.
    is_top: bool,
    tops: Sections,
    /// Those that are within other elements.
    inner: Sections,
}

/// An element whose text is gathered: a `<style>` or `<title>`.
struct Gathering {
    fate: Fate,
    text: Vec<u8>,
    /// The condition under which a style sheet counts.
    media: Option<String>,
}

#[derive(Default)]
struct Sections {
    shown: Vec<Section>,
    count: usize,
}

impl<'a> Page<'a> {
    pub(super) fn new(addresses: Addresses<'a>) -> Self {
        Self {
            addresses,
            head: Head::default(),
            stack: Stack::default(),
            dropping: None,
            gathering: None,
            waiting: None,
            writer: None,
            is_top: false,
            tops: Sections::default(),
            inner: Sections::default(),
        }
    }

    /// Whether addresses were resolved against the wrong base.
    #[inline]
    pub(super) fn must_restart(&self) -> bool {
        self.addresses.is_stale()
    }

    pub(super) fn base(&self) -> &Url {
        self.addresses.base()
    }

    /// Whether what comes next is in `<svg>` or `<math>`.
    pub(super) fn is_foreign(&self) -> bool {
        self.dropping.as_ref().is_some_and(Dropping::is_foreign)
    }

    #[inline]
    pub(super) fn text(&mut self, text: &[u8]) {
        if self.waiting.is_some() && self.dropping.is_none() {
            self.link_waiting();
        }
        if let Some(gathering) = &mut self.gathering {
            gathering.text.extend_from_slice(text);
        } else if self.dropping.is_none()
            && let Some(writer) = &mut self.writer
        {
            writer.text(text);
        }
    }

    pub(super) fn start(&mut self, name: &[u8], attributes: &Attributes, is_self_closing: bool) {
        let element = Element::of(name);
        if let Some(dropping) = &mut self.dropping {
            dropping.start(element, is_self_closing);
            let is_source = element.is_some_and(|element| element.name() == "source");
            if let (true, Some((label, None))) = (is_source, &self.waiting)
                && let Some(src) = attributes.get(Attribute::Src)
            {
                self.waiting = Some((label.clone(), Some(src.to_owned())));
            }
            return;
        }
        self.link_waiting();
        let Some(element) = element else {
            self.stack.push(Entry::unknown(name));
            return;
        };
        match element.fate() {
            Fate::Shown(shape) => self.open(element, shape, attributes),
            Fate::Empty => self.empty(element, attributes),
            Fate::Foreign if is_self_closing => {}
            Fate::Dropped | Fate::Foreign => {
                self.instead(element, attributes);
                self.dropping = Some(Dropping::new(element));
            }
            Fate::Media => {
                if let Some(poster) = attributes.get(Attribute::Poster) {
                    self.picture(poster, attributes, None);
                }
                self.instead(element, attributes);
                self.dropping = Some(Dropping::new(element));
            }
            Fate::Style if self.head.wants_style(attributes) => {
                let media = Head::media(attributes);
                self.gathering = Some(Gathering { fate: Fate::Style, text: Vec::new(), media });
            }
            Fate::Title if !self.stack.is_in_section() => {
                let fate = Fate::Title;
                self.gathering = Some(Gathering { fate, text: Vec::new(), media: None });
            }
            Fate::Style | Fate::Title => self.dropping = Some(Dropping::new(element)),
            Fate::Page if matches!(element.name(), "html" | "body") => self.head.html(attributes),
            Fate::Page => {}
            Fate::Gone => match element.name() {
                "embed" => self.instead(element, attributes),
                "meta" => self.head.meta(attributes),
                "link" => self.head.link(attributes, &mut self.addresses),
                "base" => {
                    if let Some(href) = attributes.get(Attribute::Href) {
                        self.addresses.set_base(href);
                    }
                }
                _ => {}
            },
        }
    }

    pub(super) fn end(&mut self, name: &[u8]) {
        if self.gathering.is_some() {
            self.end_gathering();
            return;
        }
        let element = Element::of(name);
        if let Some(dropping) = &mut self.dropping {
            if !dropping.end(element) {
                return;
            }
            let is_its_own = element == Some(dropping.element());
            if !is_its_own && !self.stack.is_in_section() {
                return;
            }
            self.dropping = None;
            self.link_waiting();
            if is_its_own {
                return;
            }
        }
        let keep = match element.map(|element| (element, element.fate())) {
            Some((element, Fate::Shown(shape))) => self.stack.close(element, shape),
            Some(_) => return,
            None => self.stack.close_unknown(name),
        };
        self.pop_to(keep);
    }

    /// All that is open ends with the page.
    pub(super) fn finish(mut self) -> Post {
        self.end_gathering();
        self.dropping = None;
        self.link_waiting();
        self.pop_to(Some(0));
        let Sections { mut shown, count } =
            if self.tops.count > 0 { self.tops } else { self.inner };
        shown.truncate(Post::MOST_SECTIONS);
        Post {
            base: None,
            left_out: count - shown.len(),
            sections: shown,
            identity: self.head.identity,
            title: self.head.title,
            language: self.head.language,
            direction: self.head.direction,
            styles: self.head.styles,
            offers: self.head.offers,
        }
    }

    fn end_gathering(&mut self) {
        let Some(Gathering { fate, text, media }) = self.gathering.take() else { return };
        let text = String::from_utf8_lossy(&text);
        match fate {
            Fate::Style if !text.trim().is_empty() => {
                let css = match media {
                    Some(media) => format!("@media {media}{{{text}}}"),
                    None => text.into_owned(),
                };
                self.head.styles.push(Style::Inline(css));
            }
            Fate::Title => self.head.set_title(&text),
            _ => {}
        }
    }

    /// Opens an element that has content.
    fn open(&mut self, element: Element, shape: Shape, attributes: &Attributes) {
        let keep = self.stack.implied(element, shape);
        self.pop_to(keep);
        if element.name() == "a"
            && let Some(offer) = attributes.get(Attribute::Offer)
        {
            self.head.offer(offer, &mut self.addresses);
        }
        if shape == Shape::Section && !self.stack.is_in_section() {
            self.begin_section();
        }
        // Parts of tables that are in none are taken off.
        let has_place = self.stack.has_place_for(shape);
        let shape = if has_place { shape } else { Shape::Inline };
        let is_shown = self.writer.is_some() && has_place;
        if self.stack.push(Entry::known(element, shape, is_shown)) && is_shown {
            self.start_tag(element, attributes);
            if let Some(writer) = &mut self.writer {
                if shape == Shape::Heading {
                    writer.part();
                    writer.begin_heading();
                } else if shape != Shape::Inline {
                    writer.part();
                }
            }
        }
    }

    fn begin_section(&mut self) {
        self.is_top = self.stack.is_empty();
        let has_tops = self.tops.count > 0;
        let sections = if self.is_top { &mut self.tops } else { &mut self.inner };
        sections.count += 1;
        // Those within others are of use only if there are none but such.
        let is_shown = sections.count <= Post::MOST_SECTIONS && (self.is_top || !has_tops);
        self.writer = is_shown.then(Writer::default);
    }

    /// Remembers to write a link instead of an element that is not shown. Nothing of a post disappears
    /// without notice.
    fn instead(&mut self, element: Element, attributes: &Attributes) {
        let kind = match element.name() {
            "video" => "Video",
            "audio" => "Audio",
            "svg" => "Drawing",
            "math" => "Formula",
            "iframe" | "object" | "embed" => "Embedded content",
            _ => return,
        };
        let is_hidden = attributes.get(Attribute::AriaHidden).is_some_and(|it| it == "true");
        if self.writer.is_none() || is_hidden {
            return;
        }
        let named = [Attribute::AriaLabel, Attribute::Title].into_iter();
        let named =
            named.filter_map(|it| attributes.get(it)).map(str::trim).find(|it| !it.is_empty());
        let label = named.map_or_else(|| kind.to_owned(), |named| format!("{kind}: {named}"));
        let address = attributes.get(Attribute::Src).or_else(|| attributes.get(Attribute::Data));
        let address = address.filter(|address| !address.trim().is_empty()).map(str::to_owned);
        self.waiting = Some((label, address));
        if element.fate() == Fate::Gone {
            self.link_waiting();
        }
    }

    /// Writes the link that stands for an element that is not shown.
    fn link_waiting(&mut self) {
        let Some((label, address)) = self.waiting.take() else { return };
        self.link_instead(&label, address.as_deref());
    }

    /// Closes elements until so many are left.
    pub(super) fn pop_to(&mut self, keep: Option<usize>) {
        let Some(keep) = keep else { return };
        while let Some(entry) = self.stack.pop_above(keep) {
            let Some(writer) = &mut self.writer else { continue };
            let Some((element, shape)) = entry.shown() else { continue };
            writer.end(element);
            match shape {
                Shape::Inline => {}
                Shape::Heading => {
                    writer.end_heading();
                    writer.part();
                }
                Shape::Section if !self.stack.is_in_section() => self.end_section(),
                _ => writer.part(),
            }
        }
    }

    fn end_section(&mut self) {
        let sections = if self.is_top { &mut self.tops } else { &mut self.inner };
        sections.shown.extend(self.writer.take().map(Writer::finish));
    }
}
