use std::fs;
use std::time::Instant;

use minijinja::Value;

use super::{NavItem, Theme, View};
use crate::markdown::{self, Heading};

fn item(title: &str, url: &str, children: Vec<NavItem>) -> NavItem {
    NavItem { title: title.to_owned(), url: url.to_owned(), children }
}

fn navigation() -> Value {
    let below =
        vec![item("Install", "/guide/install/", vec![]), item("Use <it>", "/guide/use/", vec![])];
    Theme::navigation(&[item("Guide", "/guide/", below), item("About", "/about/", vec![])])
}

fn view<'a>(content: &'a str, headings: &'a [Heading], navigation: &'a Value) -> View<'a> {
    View {
        site: "A & B",
        language: "en",
        title: "Using \"it\"",
        description: Some("What it's for"),
        content,
        headings,
        navigation,
        path: "/guide/use/",
        canonical: "https://a.example/guide/use/",
        modified: "2026-02-03T04:05:06Z",
        links: "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"/feed.xml\">",
        feed: Some("/feed.xml"),
        user: None,
        is_indexed: true,
        status: 200,
    }
}

#[test]
fn the_built_in_theme_shows_a_page() {
    let theme = Theme::built_in();
    let rendered = markdown::render("Text\n\n## One\n\n## Two & so\n\n### Three\n");
    let navigation = navigation();
    let page = theme.page(&view(&rendered.html, &rendered.headings, &navigation)).unwrap();
    for part in [
        "<html lang=\"en\">",
        "<title>Using &quot;it&quot; – A &amp; B</title>",
        "content=\"What it&#39;s for\"",
        "<link rel=\"canonical\" href=\"https://a.example/guide/use/\">",
        "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"/feed.xml\">",
        "<a href=\"/guide/use/\" aria-current=\"page\">Use &lt;it&gt;</a>",
        "<a href=\"/guide/install/\">Install</a>",
        "<a href=\"#two--so\">Two &amp; so</a>",
        "<h1>Using &quot;it&quot;</h1>",
        "<h2 id=\"one\">One ",
        "<time datetime=\"2026-02-03T04:05:06Z\">2026-02-03</time>",
        &format!("/builtin/theme/style.css?v={:016x}\"", theme.fingerprint()),
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    for part in ["noindex", "Signed in", "<script", "style=\"", "admin", "/login/"] {
        assert!(!page.contains(part), "{part}\n{page}");
    }
    assert_eq!(page.matches("aria-current").count(), 1);
}

#[test]
fn a_page_says_who_is_signed_in_and_what_went_wrong() {
    let theme = Theme::built_in();
    let none = Theme::navigation(&[]);
    let mut view = view("<h1>Nothing is here</h1>", &[], &none);
    (view.user, view.status, view.is_indexed) = (Some("<me>"), 404, false);
    let page = theme.page(&view).unwrap();
    assert!(page.contains("<meta name=\"robots\" content=\"noindex\">"));
    assert!(page.contains("<strong>&lt;me&gt;</strong> · <a href=\"/login/\">Sign out</a>"));
    assert!(!page.contains("canonical") && !page.contains("<nav") && !page.contains("<time"));
}

#[test]
fn a_folder_stands_above_the_built_in_theme() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let empty = Theme::load(folder.path()).unwrap();
    assert_eq!(empty.fingerprint(), Theme::built_in().fingerprint());
    assert_eq!(empty.modified(), None);
    fs::create_dir(folder.path().join("fonts")).unwrap();
    write("fonts/a b.woff2", "x");
    write(".hidden", "x");
    write("page.html", "{{ title }}|{{ content }}|{{ asset('fonts/a b.woff2') }}|{{ nothing }}");
    let theme = Theme::load(folder.path()).unwrap();
    let none = Theme::navigation(&[]);
    let page = theme.page(&view("<p>", &[], &none)).unwrap();
    let mark = format!("{:016x}", theme.fingerprint());
    assert_eq!(
        page,
        format!("Using &quot;it&quot;|<p>|/builtin/theme/fonts/a%20b.woff2?v={mark}|")
    );
    assert_ne!(theme.fingerprint(), empty.fingerprint());
    assert!(theme.modified().is_some());
    assert_eq!(theme.asset("fonts/a b.woff2").unwrap().0, "font/woff2");
    assert_eq!(theme.asset("style.css").unwrap().0, "text/css; charset=utf-8");
    for name in
        [".hidden", "page.html", "../page.html", "fonts", "fonts/../style.css", "/style.css", ""]
    {
        assert!(theme.asset(name).is_none(), "{name}");
    }
}

#[test]
fn a_template_can_extend_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{% extends 'builtin/page.html' %}{% block foot %}<p>Ours</p>{% endblock %}";
    fs::write(folder.path().join("page.html"), text).unwrap();
    let none = Theme::navigation(&[]);
    let page = Theme::load(folder.path()).unwrap().page(&view("", &[], &none)).unwrap();
    assert!(page.contains("<p>Ours</p>\n</footer>"));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let none = Theme::navigation(&[]);
    for (text, expected) in [
        ("a\n{% if %}", "theme: page.html line 2: syntax error"),
        ("a\n\n{{ title.a.b }}", "theme: page.html line 3: undefined value"),
        (
            "\n{{ asset('x.css') }}",
            "theme: page.html line 2: invalid operation: the theme has no file",
        ),
        ("{% include '/etc/passwd' %}", "theme: page.html line 1: template not found"),
        (
            "\n{% for a in range(9999) %}{% for b in range(9999) %}{{ b }}{% endfor %}{% endfor %}",
            "theme: page.html line 2: engine ran out of fuel",
        ),
        ("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "theme: page.html line 1: "),
    ] {
        fs::write(folder.path().join("page.html"), text).unwrap();
        let error = Theme::load(folder.path())
            .and_then(|theme| theme.page(&view("", &[], &none)))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn a_folder_that_is_too_large_or_leads_elsewhere_is_no_theme() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(Theme::load(&path.join("none")).is_err());
    fs::write(path.join("large"), vec![0; (8 << 20) + 1]).unwrap();
    assert!(Theme::load(path).unwrap_err().reason.contains("8 MiB"));
    fs::remove_file(path.join("large")).unwrap();
    for n in 0..201 {
        fs::write(path.join(format!("{n}.css")), "").unwrap();
    }
    assert!(Theme::load(path).unwrap_err().reason.contains("200 files"));
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir().unwrap();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap()
        };
        link("a.css", "b.css");
        fs::write(folder.path().join("a.css"), "a").unwrap();
        assert_eq!(Theme::load(folder.path()).unwrap().asset("b.css").unwrap().1, "a");
        link("/etc/hostname", "c.css");
        assert_eq!(Theme::load(folder.path()).unwrap_err().file, "c.css");
    }
}

/// `cargo test --release -p tidings-site -- --ignored --nocapture speed`
#[test]
#[ignore = "a measurement"]
fn speed() {
    let part = "## Section *one*\n\nSome words with a [link](/guide/), `code` and **strength**, over\n\
                more than a line, as people write them.\n\n- one\n- two\n\n";
    let markdown = format!("# Title\n\n{}", part.repeat(2048 / part.len()));
    let plain = format!("# Title\n\n{}", "Words that follow one another on their way. ".repeat(45));
    let few = markdown[..markdown.len() / 9].to_owned() + &plain[10..1800];
    let (theme, navigation) = (Theme::built_in(), navigation());
    for (name, markdown) in [("dense", &markdown), ("usual", &few), ("plain", &plain)] {
        let rounds = 20_000;
        let (mut parse, mut render, mut page) = (f64::MAX, f64::MAX, f64::MAX);
        for _ in 0..5 {
            let start = Instant::now();
            for _ in 0..rounds {
                let events = pulldown_cmark::Parser::new_ext(markdown, markdown::OPTIONS);
                std::hint::black_box(events.count());
            }
            parse = parse.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds));
            let start = Instant::now();
            for _ in 0..rounds {
                std::hint::black_box(markdown::render(std::hint::black_box(markdown)));
            }
            render = render.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds));
            let rendered = markdown::render(markdown);
            let start = Instant::now();
            for _ in 0..rounds {
                let view = view(&rendered.html, &rendered.headings, &navigation);
                std::hint::black_box(theme.page(&view).unwrap());
            }
            page = page.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds));
        }
        println!(
            "{name}: {} bytes: parse {parse:.1} µs, render {render:.1} µs, page {page:.1} µs",
            markdown.len()
        );
    }
}
