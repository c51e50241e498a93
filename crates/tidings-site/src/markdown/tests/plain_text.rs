use super::super::{first_heading, opening};

#[test]
fn the_first_heading_is_found() {
    assert_eq!(first_heading("Text\n\n## Two\n\n# A *b* `c` [d](e)\n").as_deref(), Some("A b c d"));
    assert_eq!(first_heading("Under\nlined\n===\n").as_deref(), Some("Under lined"));
    assert_eq!(first_heading("```\n# no\n```\n# Yes {#id}\n").as_deref(), Some("Yes"));
    assert_eq!(first_heading("# ![Logo](a.png)\n").as_deref(), Some("Logo"));
    assert_eq!(first_heading("no heading = at all"), None);
    assert_eq!(first_heading("#\n\n## Two"), None);
    assert_eq!(first_heading(""), None);
}

#[test]
fn a_heading_far_down_or_with_a_distant_definition_is_found() {
    let far = format!("{}\n# Far\n", "Some words.\n\n".repeat(3000));
    assert_eq!(first_heading(&far).as_deref(), Some("Far"));
    let defined = format!("# See [this]\n\n{}\n[this]: x.html\n", "Words.\n\n".repeat(3000));
    assert_eq!(first_heading(&defined).as_deref(), Some("See this"));
}

#[test]
fn the_opening_is_words_only() {
    let markdown = "# Title\n\n![a picture](a.png)\n<!-- x -->\n\nThe *first*\nwords, and `code`[^1].\n\n\
                    ```\nnot this\n```\n\n- more\n\n[^1]: nor this\n";
    assert_eq!(opening(markdown, 200).as_deref(), Some("The first words, and code. more"));
    assert_eq!(opening("# Title only", 200), None);
    assert_eq!(opening("", 200), None);
}

#[test]
fn the_opening_is_cut_at_a_word() {
    assert_eq!(opening("one two three", 13).as_deref(), Some("one two three"));
    assert_eq!(opening("one two three", 12).as_deref(), Some("one two…"));
    assert_eq!(opening("one two, three", 9).as_deref(), Some("one two…"));
    assert_eq!(opening("one two three", 4).as_deref(), Some("one…"));
    assert_eq!(opening("äöüäöüäöü", 4).as_deref(), Some("äöü…"));
    assert_eq!(opening("one", 0), None);
    let long = "Wörter ".repeat(2000);
    assert!(opening(&long, 160).is_some_and(|text| text.chars().count() <= 160));
}
