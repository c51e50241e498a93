//! A post: an HTML page of sections.
//!
//! What is shown of it is written anew, tag by tag, and never copied. It consists of nothing but
//! elements of HTML that are on a list, with attributes that are on a list, their values in double
//! quotes and escaped, and of text, escaped. No element is ever written whose content is read in another
//! way than that of `<div>`: no raw text, no `<svg>` or `<math>`, no template, no `<select>`. So how a
//! browser reads what is written does not depend on where it stands, and what was harmless here cannot
//! become something else there. All this holds whatever the tokenizer makes of a page: where it takes for
//! text what a browser takes for markup, or the other way round, another page comes out, and not another
//! list.
//!
//! ```text
//! html ─ Tokens ─ Page ─┬─ Stack      what is open, and what a tag ends
//!                       ├─ Head       what the page says about itself
//!                       ├─ Addresses  what leads where
//!                       └─ Writer     the section that is shown
//! ```

mod address;
mod attribute;
mod dropping;
mod element;
mod excerpt;
mod head;
mod markup;
mod page;
mod stack;
mod tokens;
mod writer;

use url::Url;

use self::address::Addresses;
use self::page::Page;

use crate::{Identity, Pictures};

/// A post, taken apart and made safe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Post {
    /// Whose it is, as far as it says so.
    pub identity: Identity,
    /// `<base href>`, which the addresses in its `<style>` elements are relative to.
    pub base: Option<Url>,
    /// `<title>`.
    pub title: Option<String>,
    /// `<html lang>`.
    pub language: Option<String>,
    /// `<html dir>`: `ltr`, `rtl` or `auto`.
    pub direction: Option<&'static str>,
    /// Its style sheets, in their order, as they are written: see [`css::sanitise`](crate::css::sanitise).
    pub styles: Vec<Style>,
    /// Its screens; the first is the lead.
    pub sections: Vec<Section>,
    /// How many sections there are beyond [`Post::MOST_SECTIONS`].
    pub left_out: usize,
    /// Addresses of webfeeds that it offers to follow (`<a data-webfeed-href>`).
    pub offers: Vec<Url>,
}

/// How much of what an author styled is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dress {
    /// All that is harmless.
    Full,
    /// What costs nothing to draw: no filters, and nothing that moves.
    Calm,
    /// Nothing.
    None,
}

/// A style sheet of a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Style {
    /// The text of a `<style>` element, within `@media` if it counts only under a condition.
    Inline(String),
    /// A `<link rel="stylesheet">`.
    Linked {
        /// Where it is.
        url: Url,
        /// The condition under which it counts, if it is no matter of course.
        media: Option<String>,
    },
}

/// A screen of a post.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// The `<section>` element with all that is in it, made safe.
    pub html: String,
    /// Its first heading.
    pub heading: Option<String>,
    /// How its text begins, or what its first picture shows.
    pub text: String,
    /// How many characters its text has, without white space.
    pub chars: usize,
    /// How many elements it has.
    pub elements: usize,
}

impl Post {
    /// How many sections are shown.
    pub const MOST_SECTIONS: usize = 100;
    /// How many bytes of a post are fetched.
    pub const MOST_BYTES: u64 = 1 << 20;

    /// Takes a page apart. URLs are resolved against its `<base href>`, or `at`.
    #[must_use]
    pub fn parse(html: &str, at: &Url, pictures: Pictures<'_>) -> Self {
        Self::read(html, at, Dress::Full, pictures)
    }

    /// The same with `style` attributes as far as `dress` has them.
    #[must_use]
    pub fn parse_dressed(html: &str, at: &Url, dress: Dress, pictures: Pictures<'_>) -> Self {
        Self::read(html, at, dress, pictures)
    }

    /// The same without `style` attributes.
    #[must_use]
    pub fn parse_undressed(html: &str, at: &Url, pictures: Pictures<'_>) -> Self {
        Self::read(html, at, Dress::None, pictures)
    }

    fn read(html: &str, at: &Url, dress: Dress, pictures: Pictures<'_>) -> Self {
        let addresses = Addresses::new((at.clone(), at.clone()), false, dress, &mut *pictures);
        let mut page = Page::new(addresses);
        let is_done = tokens::read(html, &mut page);
        let base = page.base().clone();
        let mut post = if is_done {
            page.finish()
        } else {
            // A `<base>` came after addresses that are relative to it.
            let mut page =
                Page::new(Addresses::new((at.clone(), base.clone()), true, dress, pictures));
            tokens::read(html, &mut page);
            page.finish()
        };
        post.base = Some(base).filter(|base| base != at);
        post
    }

    /// The section that stands for the post.
    #[must_use]
    pub fn lead(&self) -> Option<&Section> {
        self.sections.first()
    }

    /// All its sections as one text.
    #[must_use]
    pub fn html(&self) -> String {
        let sections: Vec<&str> =
            self.sections.iter().map(|section| section.html.as_str()).collect();
        sections.join("\n<hr>\n")
    }

    /// What a post may be called: its lead's heading, else how its text begins, else its title.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let lead = self.lead();
        let heading = lead.and_then(|lead| lead.heading.clone());
        let text = lead.map(|lead| lead.text.clone()).filter(|text| !text.is_empty());
        heading.or(text).or_else(|| self.title.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification, without its comments.
    const EXAMPLE: &str = r#"<!DOCTYPE html>

<!--
The user's name is extracted from the meta author tag.
-->
<meta name="author" content="Elon Musk">
<meta name="description" content="Founder of Tesla, SpaceX, and a few other things.">
<link rel="icon" type="image/png" href="avatar.png">
<link rel="stylesheet" type="text/css" href="style.css">

<section>
  <p>
   	This section is the lead. HTML and CSS content in here will be
	  cherry picked and displayed on the user's post grid.
  </p>

</section>

<section>
  <p>
    This is another section that is buried. In order to reveal this,
    the user would need to have clicked on the lead in the grid.
  </p>
</section>
"#;

    fn at() -> Url {
        Url::parse("https://a.example/feed/post.html").unwrap()
    }

    fn parse(html: &str) -> Post {
        Post::parse(html, &at(), &mut |url| {
            (url.host_str() != Some("gone.example")).then(|| format!("/p?u={url}"))
        })
    }

    fn linked(url: Url) -> Style {
        Style::Linked { url, media: None }
    }

    /// What becomes of what is in a section.
    fn inside(html: &str) -> String {
        let post = parse(&format!("<section>{html}</section>"));
        let html = post.sections.into_iter().next().unwrap_or_default().html;
        html.strip_prefix("<section>")
            .and_then(|html| html.strip_suffix("</section>"))
            .unwrap()
            .into()
    }

    fn texts(html: &str) -> Vec<String> {
        parse(html).sections.into_iter().map(|section| section.text).collect()
    }

    #[test]
    fn the_example_of_the_specification_is_read() {
        let post = parse(EXAMPLE);
        assert_eq!(post.identity.author.as_deref(), Some("Elon Musk"));
        assert_eq!(
            post.identity.description.as_deref(),
            Some("Founder of Tesla, SpaceX, and a few other things.")
        );
        assert_eq!(
            post.identity.icon.map(String::from).as_deref(),
            Some("https://a.example/feed/avatar.png")
        );
        let style = Url::parse("https://a.example/feed/style.css").unwrap();
        assert_eq!(post.styles, [linked(style)]);
        assert_eq!((post.sections.len(), post.left_out), (2, 0));
        assert!(
            post.sections[0].text.starts_with("This section is the lead. HTML and CSS content")
        );
        assert!(post.sections[0].html.starts_with("<section>\n  <p>\n   \tThis section"));
        assert!(post.sections[1].html.ends_with("grid.\n  </p>\n</section>"));
    }

    #[test]
    fn what_a_page_says_about_itself_is_gathered_wherever_it_stands() {
        let post = parse(
            "<html lang=de><title> A \n title </title><meta name=AUTHOR content=' A  b '>
             <meta name=author content=other><meta name=description content=''>
             <link rel='apple-touch-icon' href=touch.png><link rel='shortcut icon' href=i.ico>
             <link rel=icon href=later.png>
             <section>x<style>b{c:d}</style><link rel=stylesheet href=late.css>
             <title>not this</title></section>
             <link rel='alternate stylesheet' href=no.css><link rel=stylesheet media=print href=no.css>
             <style media=print>no</style><style media=' (width < 9px) '>e{f:g}</style><svg><style>no</style><title>no</title></svg>
             <template><meta name=description content=no></template>
             <a data-webfeed-href=index.txt>follow</a><a data-webfeed-href='./index.txt'>follow</a>
             <a data-webfeed-href='javascript:x'>no</a>",
        );
        assert_eq!(post.title.as_deref(), Some("A title"));
        assert_eq!(post.language.as_deref(), Some("de"));
        assert_eq!(post.identity.author.as_deref(), Some("A b"));
        assert_eq!(post.identity.description, None);
        assert_eq!(post.identity.icon, at().join("i.ico").ok());
        let late = linked(at().join("late.css").unwrap());
        let narrow = Style::Inline("@media (width < 9px){e{f:g}}".into());
        assert_eq!(post.styles, [Style::Inline("b{c:d}".into()), late, narrow]);
        assert_eq!(post.offers, [at().join("index.txt").unwrap()]);
    }

    #[test]
    fn long_texts_and_lists_are_cut() {
        let many =
            |html: &str| (0..50).map(|n| html.replace('#', &n.to_string())).collect::<String>();
        let post = parse(&format!(
            "<meta name=author content='{0}'><meta name=description content='{0}'>{1}{2}{3}<section>\
             <h1>{0}</h1>",
            "ä ".repeat(2000),
            many("<style>a#{}</style>"),
            many("<link rel=stylesheet href=#.css>"),
            many("<a data-webfeed-href=#.txt>"),
        ));
        let count = |text: Option<&String>| text.map(|text| text.chars().count());
        assert_eq!(count(post.identity.author.as_ref()), Some(199));
        assert_eq!(count(post.identity.description.as_ref()), Some(999));
        assert_eq!(count(post.sections[0].heading.as_ref()), Some(119));
        assert_eq!(post.sections[0].text.chars().count(), 279);
        assert_eq!((post.styles.len(), post.offers.len()), (32, 20));
    }

    #[test]
    fn addresses_are_relative_to_the_first_base_even_if_it_comes_late() {
        let link = |html: &str| {
            let html = inside(html);
            html.split('"').nth(1).map(str::to_owned).unwrap()
        };
        assert_eq!(link("<a href=x>"), "https://a.example/feed/x");
        assert_eq!(link("<base href=/y/><base href=/z/><a href=x>"), "https://a.example/y/x");
        assert_eq!(link("<a href=x></a><base href=//b.example/y/>"), "https://b.example/y/x");
        assert_eq!(link("<base href='javascript:x'><a href=x>"), "https://a.example/feed/x");
        let post = parse("<link rel=icon href=i.png><base href=/y/><section>");
        assert_eq!(post.identity.icon, at().join("/y/i.png").ok());
    }

    #[test]
    fn a_section_says_how_it_begins() {
        let post = parse(
            "<section><h2> </h2><p>One<br>two</p><div>three<h3>A <em>heading</em></h3>four</section>
             <section><img src=a.png alt=' A  cat '><img src=b.png alt=dog></section>
             <section><img src=//gone.example/a.png alt='A cat'> sleeps</section><section></section>",
        );
        assert_eq!(post.sections[0].heading.as_deref(), Some("A heading"));
        assert_eq!(post.sections[0].text, "One two three A heading four");
        assert_eq!(post.sections[1].text, "A cat");
        assert_eq!(post.sections[2].text, "A cat sleeps");
        assert_eq!(
            post.sections[3],
            Section { html: "<section></section>".into(), elements: 1, ..Section::default() }
        );
        assert_eq!(post.name().as_deref(), Some("A heading"));
    }

    #[test]
    fn links_lead_away_and_only_where_somebody_can_follow() {
        let away = "target=\"_blank\" rel=\"noopener noreferrer nofollow\"";
        for (html, expected) in [
            ("<a href='/x y'>z</a>", format!("<a href=\"https://a.example/x%20y\" {away}>z</a>")),
            ("<a href=mailto:a@b.c ping=x>z</a>", format!("<a href=\"mailto:a@b.c\" {away}>z</a>")),
            ("<a href=tel:+1 download>z</a>", format!("<a href=\"tel:+1\" {away}>z</a>")),
            ("<a href='#x'>z</a>", "<a href=\"#x\">z</a>".into()),
            ("<a href='#x y'>z</a>", "<a>z</a>".into()),
            ("<a href=' java\nscript:x'>z</a>", "<a>z</a>".into()),
            ("<a href=ftp://b.example>z</a>", "<a>z</a>".into()),
            ("<a href='https://['>z</a>", "<a>z</a>".into()),
        ] {
            assert_eq!(inside(html), expected, "{html}");
        }
    }

    #[test]
    fn a_sheet_counts_under_its_condition() {
        let styles = |media: &str| {
            parse(&format!("<link rel=stylesheet media=\"{media}\" href=a.css>")).styles
        };
        let of = |media: Option<&str>| {
            let url = at().join("a.css").unwrap();
            [Style::Linked { url, media: media.map(str::to_owned) }]
        };
        assert_eq!(
            styles("(prefers-color-scheme: dark)"),
            of(Some("(prefers-color-scheme: dark)"))
        );
        assert_eq!(styles("ALL"), of(None));
        assert_eq!(styles("print"), []);
    }

    #[test]
    fn undressed_a_post_has_no_styles_and_no_other_attributes_than_it_had() {
        let undressed = |html: &str| {
            let html = format!("<section>{html}</section>");
            Post::parse_undressed(&html, &at(), &mut |_| None).sections[0].html.clone()
        };
        for (html, expected) in [
            ("<p style='color:red' class=a>x</p>", "<p class=\"a\">x</p>"),
            ("<p title='x style='>a</p>", "<p title=\"x style=\">a</p>"),
            (
                "<p title='x style='>a</p><p title=' onclick=b style=c '>d</p>",
                "<p title=\"x style=\">a</p><p title=\" onclick=b style=c \">d</p>",
            ),
            ("a style=\"b\" &lt; c", "a style=&quot;b&quot; &lt; c"),
        ] {
            assert_eq!(undressed(html), format!("<section>{expected}</section>"));
        }
    }

    #[test]
    fn f3_a_long_base_is_not_written_again_and_again() {
        let long = "A".repeat(500_000);
        let links = "<a href=x>y</a>".repeat(30_000);
        let of = |html: &str, at: &Url| -> usize {
            let post = Post::parse(html, at, &mut |_| None);
            post.sections.iter().map(|section| section.html.len()).sum()
        };
        let html = format!("<base href='/{long}/'><section>{links}</section>");
        assert!(of(&html, &at()) < 4 << 20);
        let far = at().join(&format!("/{}/", "A".repeat(1_900))).unwrap();
        assert!(of(&format!("<section>{links}</section>"), &far) < 4 << 20);
        let too_far = at().join(&format!("/{long}/")).unwrap();
        assert!(of(&format!("<section>{links}</section>"), &too_far) < 1 << 20);
    }

    #[test]
    fn pictures_are_had_where_they_are_said_to_be_or_become_what_they_show() {
        let of = |name: &str| format!("src=\"/p?u=https://a.example/feed/{name}\"");
        for (html, expected) in [
            (
                "<img src=a.png width=3 height=4px>",
                format!("<img {} width=\"3\" height=\"4px\">", of("a.png")),
            ),
            ("<img srcset='b.png 2x, c.png' alt=''>", format!("<img {} alt=\"\">", of("b.png"))),
            (
                "<picture><source srcset=x><img src=a.png></picture>",
                format!("<img {}>", of("a.png")),
            ),
            (
                "<video poster=a.png aria-hidden=true><p>no</p></video>x",
                format!("<img {} aria-hidden=\"true\">x", of("a.png")),
            ),
            ("<img src=//gone.example/a.png alt='A <b>'>", "<span>A &lt;b&gt;</span>".into()),
            ("<img src=data:image/png;base64,x alt=A>", "<span>A</span>".into()),
            ("<img alt=''><img src=''>", String::new()),
        ] {
            assert_eq!(inside(html), expected, "{html}");
        }
    }

    #[test]
    fn unclosed_markup_comes_out_as_it_was_meant() {
        for (html, expected) in [
            ("<p>a<p>b<div>c", "<p>a</p><p>b</p><div>c</div>"),
            (
                "<ul><li>a<li>b<ul><li>c</ul></ul>d",
                "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>d",
            ),
            ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
            ("<b><div>x</b>y</div>z", "<b><div>xy</div></b>z"),
            (
                "<table><tr><th>a<td>b<tr><td>c</table>",
                "<table><tr><th>a</th><td>b</td></tr><tr><td>c</td></tr></table>",
            ),
            ("<td>a<tr>b<caption>c<col>", "abc"),
            ("<h1>a</h2>b<h3>c<h4>d", "<h1>a</h1>b<h3>c</h3><h4>d</h4>"),
            ("<h1>a<i><h2>b</i><h3>c", "<h1>a<i><h2>b</h2></i></h1><h3>c</h3>"),
            ("a</b></p></br></x>b", "ab"),
            ("<a>b<a>c", "<a>b</a><a>c</a>"),
            ("<x-y><b>a</x-y>b", "<b>a</b>b"),
            ("<br/><hr></hr><p/>a", "<br><hr><p>a</p>"),
            ("<b title=\"never closed", ""),
        ] {
            assert_eq!(inside(html), expected, "{html}");
        }
    }

    #[test]
    fn what_is_not_shown_goes_with_its_content_and_the_rest_is_taken_off() {
        for (html, expected) in [
            ("<script>a</script>b", "b"),
            ("<svg aria-hidden=true><svg></svg>a</svg>b<svg/>c", "bc"),
            ("<svg aria-hidden=true><title/><style/></svg>b", "b"),
            ("<math aria-hidden=true><![CDATA[</math>]]>a</math>b", "b"),
            ("<select><option>a</select>b<textarea>c</textarea>", "b"),
            ("<form><input><label>a <button>b</button></label></form>", "a b"),
            ("<canvas>a</canvas><dialog>b</dialog><font color=red>c</font>", "abc"),
            ("<noscript>a</noscript><template>b<template></template>c</template>d", "d"),
            ("a<object aria-hidden=true>b<p>c", "a"),
        ] {
            assert_eq!(inside(html), expected, "{html}");
        }
    }

    #[test]
    fn f3_a_page_without_sections_has_none() {
        for html in
            ["", "<p>x", "<!-- <section> -->", "<section", "</section>", "<svg><section>x</svg>"]
        {
            assert_eq!(parse(html).sections, [], "{html}");
        }
    }

    #[test]
    fn f3_of_ten_thousand_sections_a_hundred_are_shown() {
        for (before, after) in [("", ""), ("<main>", "</main>")] {
            let post = parse(&format!("{before}{}{after}", "<section>x</section>".repeat(10_000)));
            assert_eq!((post.sections.len(), post.left_out), (100, 9_900));
        }
    }

    #[test]
    fn f3_nested_sections_are_one() {
        let post = parse("<section>a<section>b</section>c</section><section>d</section>");
        assert_eq!(post.sections[0].html, "<section>a<section>b</section>c</section>");
        assert_eq!(post.sections.len(), 2);
    }

    #[test]
    fn f3_sections_in_comments_are_none() {
        assert_eq!(texts("<!-- <section>a</section> --><section>b</section>"), ["b"]);
        assert_eq!(texts("<!--><section>a</section>"), ["a"]);
        assert_eq!(texts("<!---><section>a</section>-->"), ["a"]);
        assert_eq!(texts("<!-- --!><section>a</section>"), ["a"]);
        assert_eq!(texts("<![CDATA[<section>]]><section>a</section>"), ["a"]);
        assert_eq!(texts("<section>a<!-- </section> -->b</section>"), ["ab"]);
    }

    #[test]
    fn f3_malformed_pages_have_the_sections_that_are_there() {
        assert_eq!(texts("<section>a"), ["a"]);
        assert_eq!(texts("<section><p><b>a</section><section>b"), ["a", "b"]);
        assert_eq!(texts("<p>x<section>a</section>"), ["a"]);
        assert_eq!(
            texts("<head><section>a</section></head><body><section>b</section></body>"),
            ["a", "b"]
        );
        assert_eq!(texts("<section><svg>x</section><section>b</section>"), ["Drawing", "b"]);
        assert_eq!(texts("<section><select>x</section><section>b</section>"), ["", "b"]);
        assert_eq!(texts("<section>a</div></section></section>b<section>c</section>"), ["a", "c"]);
        assert_eq!(texts("<SECTION>a</SECTION ><section/>b</section>"), ["a", "b"]);
    }

    #[test]
    fn f3_sections_in_other_elements_count_if_there_are_no_others() {
        assert_eq!(
            texts("<main><section>a</section></main><div><section>b</section></div>"),
            ["a", "b"]
        );
        assert_eq!(texts("<main><section>a</section></main><section>b</section>"), ["b"]);
        assert_eq!(texts("<x-y><section>a</section></x-y><section>b</section>"), ["b"]);
        assert_eq!(texts(&format!("{}<section>a</section>", "<div>".repeat(1000))), ["a"]);
    }

    #[test]
    fn f3_a_hundred_thousand_deep_is_flat_and_nothing_is_lost() {
        for tag in ["div", "x-y", "section", "b", "li", "p", "table", "td", "svg", "a"] {
            // Builds for tests are slow, so only some go all the way.
            let depth = if matches!(tag, "div" | "x-y" | "section") { 100_000 } else { 10_000 };
            let deep = format!("<{tag}>").repeat(depth);
            let shut = format!("</{tag}>").repeat(depth);
            let html = format!("<section>{deep}{shut}after</section><section>b</section>");
            let post = parse(&html);
            assert_eq!(post.sections.len(), 2, "{tag}");
            let before = if tag == "svg" { "Drawing" } else { "" };
            assert_eq!(post.sections[0].text, format!("{before}after"), "{tag}");
            let unclosed = parse(&format!("<section>{deep}x</section><section>b</section>"));
            if tag != "section" {
                assert_eq!(unclosed.sections.len(), 2, "{tag}");
            }
            // Those that end where the next begins are not deep.
            if !matches!(tag, "p" | "li" | "a" | "table") {
                assert!(unclosed.sections[0].html.len() < 10_000, "{tag}");
            }
        }
    }

    #[test]
    fn what_is_not_shown_is_a_link_to_where_it_is() {
        let link = |href: &str, label: &str| {
            format!(
                "<a href=\"{href}\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">{label}</a>"
            )
        };
        let feed = "https://a.example/feed/";
        for (html, expected) in [
            ("<video src=a.mp4 title=Fog>no</video>", link(&format!("{feed}a.mp4"), "Video: Fog")),
            (
                "<audio><source src=a.ogg><source src=b.mp3></audio>x",
                format!("{}x", link(&format!("{feed}a.ogg"), "Audio")),
            ),
            (
                "<iframe src=//t.example/v></iframe>",
                link("https://t.example/v", "Embedded content"),
            ),
            (
                "<object data=x.pdf aria-label=Plan></object>",
                link(&format!("{feed}x.pdf"), "Embedded content: Plan"),
            ),
            ("<embed src=x.swf>", link(&format!("{feed}x.swf"), "Embedded content")),
            ("<svg><title>no</title><p>no</svg>", link(at().as_str(), "Drawing")),
            ("<svg aria-hidden=true></svg>", String::new()),
            ("<img src=plan.svg alt=Plan>", link(&format!("{feed}plan.svg"), "Drawing: Plan")),
            ("<video src='javascript:x'></video>", "<span>Video</span>".into()),
            (
                "<a href=x><svg aria-label=Home></svg></a>",
                format!(
                    "{}<span>Drawing: Home</span></a>",
                    &link(&format!("{feed}x"), "")[..].trim_end_matches("</a>")
                ),
            ),
        ] {
            assert_eq!(inside(html), expected, "{html}");
        }
    }

    #[test]
    fn the_direction_of_a_page_is_kept() {
        assert_eq!(parse("<html dir=RTL lang=he><section>").direction, Some("rtl"));
        assert_eq!(parse("<body dir=rtl lang=ar><section>").language.as_deref(), Some("ar"));
        assert_eq!(parse("<html dir=up><section>").direction, None);
    }

    #[test]
    fn calm_posts_have_no_effects() {
        let html = "<section style='filter:blur(9px);color:red;animation:x 1s'>x</section>";
        let post = Post::parse_dressed(html, &at(), Dress::Calm, &mut |_| None);
        assert_eq!(post.sections[0].html, "<section style=\"color:red;\">x</section>");
    }
}
