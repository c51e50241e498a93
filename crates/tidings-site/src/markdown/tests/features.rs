use super::super::{Rendered, render};

fn html(markdown: &str) -> String {
    render(markdown).html
}

/// The same with some HTML in it, so that all goes through the cleaning.
fn cleaned(markdown: &str) -> String {
    let html = html(&format!("{markdown}\n\n<kbd>x</kbd>\n"));
    html.strip_suffix("<p><kbd>x</kbd></p>\n").map(str::to_owned).unwrap_or(html)
}

fn ids(rendered: &Rendered) -> Vec<&str> {
    rendered.headings.iter().map(|heading| heading.id.as_str()).collect()
}

#[test]
fn headings_have_ids_and_links_to_themselves() {
    let page = render("# Über *uns* & `Co`\n\nText\n\n## Set {#own .class key=value}\n");
    assert_eq!(
        page.html,
        "<h1 id=\"über-uns--co\">Über <em>uns</em> &amp; <code>Co</code> \
         <a class=\"anchor\" href=\"#%C3%BCber-uns--co\" aria-label=\"Link to this section\"></a></h1>\n\
         <p>Text</p>\n\
         <h2 id=\"own\">Set <a class=\"anchor\" href=\"#own\" aria-label=\"Link to this section\"></a></h2>\n"
    );
    assert_eq!(page.headings[0].text, "Über uns & Co");
    assert_eq!((page.headings[1].level, page.headings[1].text.as_str()), (2, "Set"));
}

#[test]
fn no_two_ids_are_the_same() {
    let page = render("# a\n# a\n# a-1\n# a\n# b {#a}\n# !\n# ?\n# c {#theme:main}\n# हिन्दी\n");
    assert_eq!(
        ids(&page),
        ["a", "a-1", "a-1-1", "a-2", "a-3", "section", "section-1", "thememain", "हिन्दी"]
    );
}

#[test]
fn tables_are_aligned_by_classes() {
    let table = html("| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |\n");
    assert_eq!(
        table,
        "<div class=\"table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>\n\
         <thead><tr><th>a</th><th class=\"left\">b</th><th class=\"center\">c</th>\
         <th class=\"right\">d</th></tr></thead>\n<tbody>\n\
         <tr><td>1</td><td class=\"left\">2</td><td class=\"center\">3</td>\
         <td class=\"right\">4</td></tr>\n</tbody></table></div>\n"
    );
}

#[test]
fn footnotes_are_at_the_end_in_their_order() {
    let page = html("b[^b] a[^a] b[^b]\n\n[^a]: *A*\n[^b]: B\n[^c]: nobody refers to it\n\nEnd\n");
    let (text, notes) = page.split_once("<section").unwrap();
    assert!(text.contains("<a href=\"#fn:1\" id=\"fnref:1\">1</a></sup> a<sup"));
    assert!(text.contains("<a href=\"#fn:1\" id=\"fnref:1:2\">1</a></sup>"));
    assert!(text.ends_with("<p>End</p>\n"));
    assert_eq!(
        notes,
        " class=\"footnotes\" role=\"doc-endnotes\">\n<ol>\n\
         <li id=\"fn:1\"><p>B <a class=\"footnote-return\" href=\"#fnref:1\" aria-label=\"Back to where note 1 is\">↩</a></p>\n</li>\n\
         <li id=\"fn:2\"><p><em>A</em> <a class=\"footnote-return\" href=\"#fnref:2\" aria-label=\"Back to where note 2 is\">↩</a></p>\n</li>\n\
         </ol>\n</section>\n"
    );
}

#[test]
fn lists_of_tasks_and_of_definitions_are_lists() {
    let tasks = html("- [x] a\n- [ ] b\n");
    assert!(tasks.contains("<li><input type=\"checkbox\" disabled checked aria-label=\"Done\"> a"));
    assert!(tasks.contains("<li><input type=\"checkbox\" disabled aria-label=\"To do\"> b"));
    assert_eq!(html("a\n: b\n"), "<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>\n");
    assert_eq!(html("3. a\n"), "<ol start=\"3\">\n<li>a</li>\n</ol>\n");
}

#[test]
fn alerts_say_what_they_are() {
    assert_eq!(
        html("> [!WARNING]\n> Mind\n"),
        "<div class=\"alert warning\" role=\"note\">\n<p class=\"alert-title\">Warning</p>\n\
         <p>Mind</p>\n</div>\n"
    );
    assert_eq!(html("> a\n"), "<blockquote>\n<p>a</p>\n</blockquote>\n");
}

#[test]
fn code_keeps_its_language() {
    assert_eq!(
        html("```rust,ignore\nlet a = \"<b>\";\n```\n"),
        "<pre tabindex=\"0\"><code class=\"language-rust\">let a = &quot;&lt;b&gt;&quot;;\n</code></pre>\n"
    );
}

#[test]
fn links_lead_where_they_should() {
    for (markdown, expected) in [
        ("[a](b.html)", "<a href=\"b.html\">a</a>"),
        ("[a](/b/?c=d&e#f)", "<a href=\"/b/?c=d&amp;e#f\">a</a>"),
        ("[a](<b ä.html>)", "<a href=\"b%20%C3%A4.html\">a</a>"),
        ("[a](10:30.md)", "<a href=\"10:30.md\">a</a>"),
        (
            "[a](https://b.example/ \"c\")",
            "<a href=\"https://b.example/\" rel=\"noopener\" title=\"c\">a</a>",
        ),
        ("[a](//b.example/)", "<a href=\"//b.example/\" rel=\"noopener\">a</a>"),
        ("<a@b.example>", "<a href=\"mailto:a@b.example\">a@b.example</a>"),
        ("[a](HTTPS://b.example)", "<a href=\"HTTPS://b.example\" rel=\"noopener\">a</a>"),
    ] {
        assert_eq!(html(markdown), format!("<p>{expected}</p>\n"));
    }
}

#[test]
fn images_have_their_text() {
    assert_eq!(
        html("![a *b* ![c](d) \"e\"](f.png 'g')"),
        "<p><img src=\"f.png\" alt=\"a b c &quot;e&quot;\" title=\"g\" loading=\"lazy\"></p>\n"
    );
    assert!(
        html("![a](data:image/PNG;base64,AAAA)")
            .contains("<img src=\"data:image/PNG;base64,AAAA\"")
    );
}

#[test]
fn quotes_and_dashes_are_left_alone() {
    assert_eq!(html("\"a\" -- 'b' ~~c~~"), "<p>&quot;a&quot; -- 'b' <del>c</del></p>\n");
}

#[test]
fn comments_are_not_shown() {
    assert_eq!(
        html("a <!-- b --> c\n\n<!--\nd\n\ne\n-->\n\n`<!-- f -->`<br>g"),
        "<p>a  c</p>\n<p><code>&lt;!-- f --&gt;</code><br>g</p>\n"
    );
}

/// Cleaning takes nothing away that this renderer wrote, and adds only `rel` to links.
#[test]
fn what_is_written_outlives_the_cleaning() {
    for markdown in [
        "# Über {#über.x}\n\n## b *c*\n",
        "| a | b |\n|:--|--:|\n| 1 | 2 |\n",
        "- [x] a\n- [ ] b\n\n1. c\n\n3) d\n",
        "> [!NOTE]\n> a\n\n> b\n",
        "```rust\na < b\n```\n\n    c\n",
        "a\n: b\n\n*c* **d** ~~e~~ `f` g\\\nh\n\n---\n",
        "a[^1] b[^1]\n\n[^1]: c\n",
        "![a](b.png \"c\") ![a](data:image/gif;base64,AA==) [d](https://e.example/?f&g 'h') [i](#j)\n",
    ] {
        // How attributes are written and ordered, and that elements without content have no slash,
        // is not what is compared.
        let sorted = |html: &str| {
            let tags = super::tags::tags(html).into_iter().map(|mut tag| {
                tag.attributes.retain(|(name, _)| name != "rel");
                tag.attributes.sort();
                (tag.name, tag.attributes)
            });
            tags.collect::<Vec<_>>()
        };
        let through = cleaned(markdown).replace("<p><kbd>x</kbd></p>\n", "");
        assert_eq!(sorted(&through), sorted(&html(markdown)), "{through}");
    }
}

#[test]
fn good_html_is_kept() {
    for good in [
        "<details open=\"\"><summary>a</summary>b</details>",
        "<figure><img src=\"a.png\" alt=\"b\" width=\"3\" height=\"4\"><figcaption>c</figcaption></figure>",
        "<p><picture><source srcset=\"a.webp 2x, b.webp\" media=\"(min-width: 3em)\"><img src=\"a.png\" alt=\"\"></picture></p>",
        "<p><video src=\"a.mp4\" controls=\"\" poster=\"a.png\"></video></p>",
        "<p><audio src=\"a.ogg\" controls=\"\"></audio></p>",
        "<section id=\"a\" class=\"b\" lang=\"de\">c</section>",
        "<dl><dt>a</dt><dd>b</dd></dl>",
        "<p align=\"center\">a<sub>b</sub><sup>c</sup><ins>d</ins><del>e</del></p>",
        "<table><thead><tr><th scope=\"col\" colspan=\"2\">a</th></tr></thead></table>",
        "<p><kbd>a</kbd><mark>b</mark><abbr title=\"c\">d</abbr><time datetime=\"2026-01-01\">e</time></p>",
    ] {
        assert_eq!(html(good).trim_end(), good);
    }
    assert_eq!(
        html("<a href=\"https://a.example/\">b</a>"),
        "<p><a href=\"https://a.example/\" rel=\"noopener\">b</a></p>\n"
    );
}
