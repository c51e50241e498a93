//! Pages made to take long. What is measured is the time of the processor that the thread had: other programs at work
//! do not count. The limit leaves room for a slow machine: what is looked for takes minutes.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::super::{first_heading, opening, render};

const MEGABYTE: usize = 1 << 20;

/// How long this thread has had a processor.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn takes_no_longer_than_it_should(name: &str, markdown: &str) {
    let start = processor_time();
    let html = render(markdown).html;
    let rendered = processor_time() - start;
    first_heading(markdown);
    opening(markdown, 200);
    let taken = processor_time() - start;
    println!("{name}: {rendered:?}, in all {taken:?}, {} bytes", html.len());
    assert!(taken < Duration::from_secs(20), "{name} took {taken:?}");
}

fn repeated(part: &str) -> String {
    part.repeat(MEGABYTE / part.len())
}

#[test]
fn of_one_thing_over_and_over() {
    for part in [
        "[",
        "(",
        "*",
        "_",
        "> ",
        "- ",
        "1. ",
        "`",
        "``` ",
        "a",
        "# a\n",
        "![",
        "[a](",
        "~",
        "<",
        "&",
        "|",
        "a\n:",
        "***a ",
        "[^a]",
        "\\",
        "<b>",
        "<div>\n\n",
        "<a href=x>",
        "<!--",
        "<?",
        "a|b\n-|-\n",
        "<p><b>",
        "\n",
        " ",
        "- a\n",
        "x\n\n: y\n\n",
        "*a _b ",
        "[a]: b\n",
        "<table>",
        "<!A ",
        "é",
    ] {
        takes_no_longer_than_it_should(part, &repeated(part));
    }
}

#[test]
fn of_lists_in_lists() {
    let mut markdown = String::new();
    for depth in 0..1000 {
        markdown.push_str(&" ".repeat(depth * 2));
        markdown.push_str("- a\n");
    }
    takes_no_longer_than_it_should("lists", &markdown);
}

#[test]
fn of_footnotes_and_definitions() {
    let footnotes: String = (0..100_000).map(|n| format!("a[^{n}]\n\n[^{n}]: b\n\n")).collect();
    takes_no_longer_than_it_should("footnotes", &footnotes);
    let links: String = (0..50_000).map(|n| format!("[a{n}]\n\n[a{n}]: b\n\n")).collect();
    takes_no_longer_than_it_should("definitions", &links);
    let headings: String = (0..50_000).map(|n| format!("# a {}\n", n % 7)).collect();
    takes_no_longer_than_it_should("headings", &headings);
}

#[test]
fn of_html_that_keeps_a_parser_busy() {
    let never_closed: String = (0..20_000).map(|n| format!("<b class={n}>\n\nx\n\n")).collect();
    let wrongly_closed: String =
        (0..20_000).map(|n| format!("<b class={n} title=\"</b>\">\n\nx\n\n")).collect();
    let out_of_scope = "<div><object></div></object>\n\nx\n\n".repeat(20_000);
    let attributes: String = (0..100_000).map(|n| format!(" a{n}")).collect();
    for (name, markdown) in [
        ("never closed", never_closed),
        ("wrongly closed", wrongly_closed),
        ("out of scope", out_of_scope),
        ("attributes", format!("<a{attributes}>x</a>")),
        ("quotes", format!("{}a <b>c</b>", "> ".repeat(100_000))),
        ("lists", format!("{}a <b>c</b>", "1. ".repeat(100_000))),
        ("rows", format!("<table>\n{}</table>", "<tr><td>a</td></tr>\n".repeat(20_000))),
    ] {
        takes_no_longer_than_it_should(name, &markdown);
    }
}

#[test]
fn html_that_goes_too_deep_is_text() {
    let html = render(&format!("{}x\n\n*y*", "<div>".repeat(1000))).html;
    assert!(html.contains("&lt;div&gt;") && html.contains("<em>y</em>"));
    let html = render(&format!("<table>\n{}</table>", "<tr><td>a</td></tr>\n".repeat(1000))).html;
    assert_eq!(html.matches("<td>").count(), 1000);
}
