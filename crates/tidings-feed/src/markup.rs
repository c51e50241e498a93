//! The content of an entry, as markup that is both HTML and XHTML.

use tidings_base::XmlWriter;

use crate::feed::some;
use crate::{Entry, Item, Section, time, uri};

/// The sections alone; nothing if there is nothing in them.
pub(crate) fn content(entry: &Entry) -> String {
    let mut out = XmlWriter::fragment(0);
    sections(&mut out, &entry.content);
    out.finish()
}

fn sections(out: &mut XmlWriter, sections: &[Section]) {
    for section in sections {
        if !section.heading.trim().is_empty() {
            out.element("h3", section.heading.trim());
        }
        if section.items.is_empty() && section.more == 0 {
            continue;
        }
        out.open("ul").end_line();
        for one in &section.items {
            item(out, one);
        }
        if section.more > 0 {
            let more = format!("and {} more", section.more);
            linked(out.open("li"), &more, section.more_link.as_deref());
            out.close().end_line();
        }
        out.close().end_line();
    }
}

/// All there is to say of an entry, for formats that have one place for it.
pub(crate) fn whole(entry: &Entry) -> String {
    let mut out = XmlWriter::fragment(0);
    if let Some(summary) = some(entry.summary.as_ref()) {
        out.element("p", summary);
    }
    sections(&mut out, &entry.content);
    out.markup(entry.html.as_deref().unwrap_or_default());
    out.finish()
}

fn item(out: &mut XmlWriter, item: &Item) {
    out.open("li");
    let text = if item.text.trim().is_empty() {
        item.href.as_deref().unwrap_or_default()
    } else {
        &item.text
    };
    linked(out, text, item.href.as_deref());
    if let Some(moment) = some(item.time.as_ref()) {
        out.text(" ");
        if time::is_w3c(moment) {
            out.open("time").attribute("datetime", moment).text(&time::shown(moment)).close();
        } else {
            out.text(moment);
        }
    }
    if let Some(note) = some(item.note.as_ref()) {
        out.text(" – ").text(note);
    }
    if let Some(diff) = item.diff.as_deref().filter(|diff| !diff.is_empty()) {
        out.end_line().open("pre").text(diff).close();
    }
    out.close().end_line();
}

fn linked(out: &mut XmlWriter, text: &str, href: Option<&str>) {
    match href.and_then(uri::web) {
        Some(href) => out.open("a").attribute("href", &href).text(text).close(),
        None => out.text(text),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(section: Section) -> String {
        let mut out = XmlWriter::fragment(0);
        sections(&mut out, &[section]);
        out.finish()
    }

    #[test]
    fn a_section_is_a_heading_and_a_list() {
        let section = Section {
            heading: "Changed".into(),
            items: vec![
                Item {
                    text: "a & b".into(),
                    href: Some("http://e.example/?a&b".into()),
                    time: Some("2026-03-01".into()),
                    note: Some("12 <bytes>".into()),
                    diff: Some("-a\n+<b>\n".into()),
                },
                Item {
                    text: "script".into(),
                    href: Some("javascript:alert(1)".into()),
                    time: Some("last <week>".into()),
                    ..Item::default()
                },
                Item { href: Some("http://e.example/".into()), ..Item::default() },
            ],
            more: 7,
            more_link: Some("http://e.example/more".into()),
        };
        assert_eq!(
            written(section),
            "<h3>Changed</h3>\n<ul>\n\
             <li><a href=\"http://e.example/?a&amp;b\">a &amp; b</a> \
             <time datetime=\"2026-03-01\">2026-03-01</time> – 12 &lt;bytes&gt;\n\
             <pre>-a\n+&lt;b&gt;\n</pre></li>\n\
             <li>script last &lt;week&gt;</li>\n\
             <li><a href=\"http://e.example/\">http://e.example/</a></li>\n\
             <li><a href=\"http://e.example/more\">and 7 more</a></li>\n</ul>\n"
        );
    }

    #[test]
    fn an_empty_section_leaves_no_empty_list() {
        assert_eq!(written(Section::default()), "");
        let heading = Section { heading: "H".into(), ..Section::default() };
        assert_eq!(written(heading), "<h3>H</h3>\n");
        let more = Section { more: 2, ..Section::default() };
        assert_eq!(written(more), "<ul>\n<li>and 2 more</li>\n</ul>\n");
    }
}
