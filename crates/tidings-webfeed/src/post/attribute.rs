//! Which attributes there are, and which values of theirs are let through.

use super::element::{Element, Fate, Shape};

/// An attribute that means something to us, shown or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Attribute {
    Align,
    Alt,
    AriaHidden,
    AriaLabel,
    Class,
    Colspan,
    Content,
    Data,
    Datetime,
    Dir,
    Height,
    Href,
    Id,
    Lang,
    Media,
    Name,
    Offer,
    Open,
    Poster,
    Rel,
    Reversed,
    Role,
    Rowspan,
    Scope,
    Src,
    Srcset,
    Start,
    Style,
    Title,
    Type,
    Value,
    Width,
}

use Attribute::{
    Align, Alt, AriaHidden, AriaLabel, Class, Colspan, Content, Data, Datetime, Dir, Height, Href,
    Id, Lang, Media, Name, Offer, Open, Poster, Rel, Reversed, Role, Rowspan, Scope, Src, Srcset,
    Start, Style, Title, Type, Value, Width,
};

impl Attribute {
    /// The attribute of that name (in lower case).
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        Some(match (name.len(), name) {
            (2, b"id") => Id,
            (3, b"alt") => Alt,
            (3, b"dir") => Dir,
            (3, b"rel") => Rel,
            (3, b"src") => Src,
            (4, b"data") => Data,
            (4, b"href") => Href,
            (4, b"lang") => Lang,
            (4, b"name") => Name,
            (4, b"open") => Open,
            (4, b"role") => Role,
            (4, b"type") => Type,
            (5, b"align") => Align,
            (5, b"class") => Class,
            (5, b"media") => Media,
            (5, b"scope") => Scope,
            (5, b"start") => Start,
            (5, b"style") => Style,
            (5, b"title") => Title,
            (5, b"value") => Value,
            (5, b"width") => Width,
            (6, b"height") => Height,
            (6, b"poster") => Poster,
            (6, b"srcset") => Srcset,
            (7, b"colspan") => Colspan,
            (7, b"content") => Content,
            (7, b"rowspan") => Rowspan,
            (8, b"datetime") => Datetime,
            (8, b"reversed") => Reversed,
            (10, b"aria-label") => AriaLabel,
            (11, b"aria-hidden") => AriaHidden,
            (17, b"data-webfeed-href") => Offer,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Align => "align",
            Alt => "alt",
            AriaHidden => "aria-hidden",
            AriaLabel => "aria-label",
            Class => "class",
            Colspan => "colspan",
            Content => "content",
            Data => "data",
            Datetime => "datetime",
            Dir => "dir",
            Height => "height",
            Href => "href",
            Id => "id",
            Lang => "lang",
            Media => "media",
            Name => "name",
            Offer => "data-webfeed-href",
            Open => "open",
            Poster => "poster",
            Rel => "rel",
            Reversed => "reversed",
            Role => "role",
            Rowspan => "rowspan",
            Scope => "scope",
            Src => "src",
            Srcset => "srcset",
            Start => "start",
            Style => "style",
            Title => "title",
            Type => "type",
            Value => "value",
            Width => "width",
        }
    }

    /// Whether it says all by being there.
    pub(super) fn is_flag(self) -> bool {
        matches!(self, Open | Reversed)
    }

    /// Whether it is shown as it is. Addresses and styles are for others to rewrite.
    pub(super) fn is_kept(self, element: Element, value: &[u8]) -> bool {
        let name = element.name();
        match self {
            Class | Title | AriaLabel => true,
            Lang => is_tag(value),
            Dir => one_of(value, &["ltr", "rtl", "auto"]),
            AriaHidden => one_of(value, &["true", "false"]),
            Role => one_of(value, &ROLES),
            // An id could stand for a variable of a script; in the frame of a post there is none.
            Id => is_id(value),
            Align => {
                let is_alignable = matches!(
                    element.fate(),
                    Fate::Empty | Fate::Shown(Shape::Paragraph | Shape::Heading | Shape::Table)
                ) || matches!(
                    element.fate(),
                    Fate::Shown(Shape::Rows | Shape::Row | Shape::Cell)
                ) || matches!(name, "div" | "caption");
                is_alignable && one_of(value, &ALIGNMENTS)
            }
            Width | Height => {
                matches!(name, "img" | "table" | "td" | "th" | "col" | "hr") && is_length(value)
            }
            Colspan | Rowspan => matches!(name, "td" | "th") && is_number(value),
            Scope => name == "th" && one_of(value, &["row", "col", "rowgroup", "colgroup"]),
            Start => name == "ol" && is_integer(value),
            Value => name == "data" || name == "li" && is_integer(value),
            Reversed => name == "ol",
            Type => name == "ol" && matches!(value, b"1" | b"a" | b"A" | b"i" | b"I"),
            Datetime => matches!(name, "time" | "ins" | "del"),
            Open => name == "details",
            Alt => name == "img",
            Content | Data | Href | Media | Name | Offer | Poster | Rel | Src | Srcset | Style => {
                false
            }
        }
    }
}

const ROLES: [&str; 8] =
    ["img", "presentation", "none", "list", "listitem", "heading", "note", "separator"];
const ALIGNMENTS: [&str; 8] =
    ["left", "right", "center", "justify", "top", "middle", "bottom", "baseline"];

fn one_of(value: &[u8], list: &[&str]) -> bool {
    list.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

pub(super) fn is_id(value: &[u8]) -> bool {
    value.len() <= 64
        && value.first().is_some_and(u8::is_ascii_alphabetic)
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A language tag, as far as it matters here.
pub(super) fn is_tag(value: &[u8]) -> bool {
    (1..=35).contains(&value.len())
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

fn is_number(value: &[u8]) -> bool {
    (1..=5).contains(&value.len()) && value.iter().all(u8::is_ascii_digit)
}

fn is_integer(value: &[u8]) -> bool {
    is_number(value.strip_prefix(b"-").unwrap_or(value))
}

fn is_length(value: &[u8]) -> bool {
    let value = value.strip_suffix(b"%").or(value.strip_suffix(b"px")).unwrap_or(value);
    is_number(value)
}
