//! A theme of one's own, and one that does not work.

use std::fs;

use crate::content_root::{LAYOUTS, Layout, Page, Root};

#[test]
fn a_replaced_template_is_used_at_once() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("a").titled("A & B")]);
        let site = root.serve(&[]);
        assert!(site.text("/a").starts_with("<!doctype html>"));
        for round in 0..20 {
            root.write(
                "themes/tidings/page.html",
                format!("<p>Round {round}</p><h1>{{{{ title }}}}</h1>{{{{ content }}}}"),
            );
            let page = site.text("/a");
            assert!(page.starts_with(&format!("<p>Round {round}</p>")), "{layout:?}: {page}");
            assert!(
                page.contains("<h1>A &amp; B</h1>") && page.contains("<p>Words.</p>"),
                "{page}"
            );
            assert!(site.get("/missing").text().contains(&format!("Round {round}")));
        }
        // Assets come with it, and another state of them has another address.
        root.write("themes/tidings/page.html", "{{ asset('own.css') }}");
        root.write("themes/tidings/own.css", "p { color: red }");
        let address = site.text("/a");
        assert!(site.text(&address).contains("red"), "{address}");
        let kept = site.get(&address).header("cache-control").unwrap();
        assert!(kept.contains("immutable"), "{kept}");
        root.write("themes/tidings/own.css", "p { color: blue }");
        assert_ne!(site.text("/a"), address);
        // In folders of its own, too, which may come later.
        root.write("themes/tidings/parts/more/deep.css", "p { color: green }");
        for color in ["green", "grey", "gold"] {
            root.write("themes/tidings/parts/more/deep.css", format!("p {{ color: {color} }}"));
            assert!(site.text("/builtin/theme/parts/more/deep.css").contains(color), "{color}");
        }
        fs::remove_dir_all(root.path("themes")).unwrap();
        assert!(site.text("/a").starts_with("<!doctype html>"), "{layout:?}");
    }
}

#[test]
fn a_broken_template_leaves_the_site_up() {
    let root = Root::with(Layout::Plain, &[Page::new("a")]);
    let site = root.serve(&[]);
    for broken in [
        "{% if %}",
        "{{ nonsense(",
        "{% include 'state/tidings/admin-path' %}",
        "{% include '../../state/tidings/admin-path' %}",
        "{% extends 'missing.html' %}",
        "{% for a in range(100000000) %}x{% endfor %}",
        "{% for a in range(9999) %}{% for b in range(9999) %}{{ 'x' * 99 }}{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ undefined_function() }}",
        "{{ asset('../../state/tidings/admin-path') }}",
    ] {
        root.write("themes/tidings/page.html", broken);
        let answer = site.get("/a");
        assert_eq!(answer.status, 200, "{broken}");
        assert!(answer.text().contains("<p>Words.</p>"), "{broken}: {}", answer.text());
        assert!(!answer.text().contains(site.admin()), "{broken}");
        assert_eq!(site.status("/missing"), 404);
        assert_eq!(site.status("/sitemap.xml"), 200);
    }
    fs::write(root.path("themes/tidings/page.html"), b"\xff\xfe").unwrap();
    assert!(site.text("/a").contains("<p>Words.</p>"));
    // And one that works again is used again.
    root.write("themes/tidings/page.html", "mended {{ content }}");
    assert!(site.text("/a").starts_with("mended"));
}
